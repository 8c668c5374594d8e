// The text of races. Recognises patterns of races that students write, and names what would order the accesses.
// Long because the texts for all kinds of races need the same facts about the race.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <utility>

#include "emulator/explain/finding_text.hpp"
#include "emulator/explain/source_guards.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "host/source_text.hpp"

namespace emulator::explain {
namespace {

/// The races between two lines.
struct line_pair {
  std::vector<const folded_incident*> all;
  const folded_incident* shown = nullptr;
  bool across_warps = false;
  bool both_write = false;  ///< At least one race is between two writes.
};

/// Returns the rank of a kind; a lower one shows better what is wrong. The first three kinds are in order, and the
/// others are equal.
int rank(incident_kind kind) {
  return std::min(static_cast<int>(kind), static_cast<int>(incident_kind::write_after_write) + 1);
}

class race_words {
 public:
  race_words(const naming& names, const line_pair& races, const launch_observation& seen)
      : names_(names), facts_(names.facts()), races_(races), what_(races.shown->first), seen_(seen) {}

  finding describe() {
    f_ = finding_at(facts_, what_.pc, facts_of(what_.kind).reported_as);
    f_.other_file = file_of(facts_, what_.other_pc);
    f_.other_line = line_of(facts_, what_.other_pc);
    for (const folded_incident* one : races_.all) f_.count += one->count;
    f_.count -= 1;
    is_global(what_.kind) ? global() : shared();
    f_.parts.here = expression_at(what_.pc, what_.thread);
    if (!one_line()) f_.parts.there = expression_at(what_.other_pc, what_.other_thread);
    f_.parts.block = block_name(what_.block);
    f_.message += where(facts_, what_.block) + ".";
    return f_;
  }

 private:
  [[nodiscard]] std::string thread() const { return thread_name(what_.block, what_.thread); }
  [[nodiscard]] std::string other() const { return thread_name(what_.block, what_.other_thread); }
  /// Returns the place in the source where a thread accesses the word. The other block's number is not known here, so
  /// an index that contains it may not be found.
  [[nodiscard]] source_part expression_at(std::uint32_t pc, std::uint32_t thread) const {
    const naming::element e = is_global(what_.kind) ? names_.in_global(pc, what_.address, what_.bytes)
                                                    : names_.in_shared(pc, what_.address, what_.bytes, what_.block);
    const bool is_store = (facts_.instructions[pc].classes & class_store) != 0;
    return expression_of(facts_, pc, e, is_store, thread, what_.block);
  }
  /// Sets what the report at the end shows. The other line has a label only if it is a different one.
  void set_parts(std::string headline, std::string reason, std::string label, std::string other_label) {
    f_.parts.headline = std::move(headline);
    f_.parts.reason = std::move(reason);
    f_.parts.label = std::move(label);
    if (one_line())
      f_.parts.label += ", " + other_label;
    else
      f_.parts.other_label = std::move(other_label);
  }
  [[nodiscard]] std::string here() const { return place(facts_, what_.pc); }
  [[nodiscard]] std::string there() const {
    return one_line() ? "the same line" : place_after(facts_, what_.other_pc, what_.pc);
  }
  [[nodiscard]] bool one_line() const { return same_line(facts_, what_.pc, what_.other_pc); }
  [[nodiscard]] const access_visits* at(std::uint32_t pc) const {
    const std::span<const std::uint32_t> slots = seen_.access_slots();
    return pc < slots.size() && slots[pc] < seen_.visits().size() ? &seen_.visits()[slots[pc]] : nullptr;
  }
  [[nodiscard]] bool kernel_has(instruction_class c) const {
    return std::any_of(facts_.instructions.begin(), facts_.instructions.end(),
                       [c](const instruction_facts& i) { return (i.classes & c) != 0; });
  }

  /// Returns the barrier that suits the place: one of the warp if only one warp executes it or if the kernel works by
  /// warps, else one of the block.
  [[nodiscard]] std::string barrier() const {
    if (races_.across_warps) return "__syncthreads()";
    const access_visits *a = at(what_.pc), *b = at(what_.other_pc);
    const bool first_warp_only =
        what_.block.warp_count > 1 && a != nullptr && b != nullptr && a->warps == 1 && b->warps == 1;
    return first_warp_only || kernel_has(class_warp_barrier) || what_.is_volatile ? "__syncwarp()" : "__syncthreads()";
  }
  /// Returns true if the accesses of one line belong to two iterations of a loop that the compiler has unrolled, so
  /// that the line has an instruction for each iteration. In one iteration, the line reads before it writes, and it
  /// writes once.
  [[nodiscard]] bool of_two_iterations() const {
    if (what_.pc == what_.other_pc) return false;
    const bool reads = (facts_.instructions[what_.pc].classes & class_load) != 0;
    const bool other_reads = (facts_.instructions[what_.other_pc].classes & class_load) != 0;
    if (reads == other_reads) return true;
    const std::uint32_t read = reads ? what_.pc : what_.other_pc, write = reads ? what_.other_pc : what_.pc;
    if (write < read) return true;
    for (std::uint32_t pc = read + 1; pc < write; ++pc) {
      const std::uint32_t classes = facts_.instructions[pc].classes;
      if ((classes & class_shared) != 0 && (classes & class_store) != 0 && same_line(facts_, pc, what_.pc)) return true;
    }
    return false;
  }
  /// Returns true if every iteration of a loop has its barrier and both accesses are in one iteration, so that the
  /// order isn't the problem.
  [[nodiscard]] bool in_one_step() const {
    const access_visits *a = at(what_.pc), *b = at(what_.other_pc);
    if (what_.is_volatile || barrier() == "__syncwarp()")
      return false;  // in a warp, a barrier inside the iteration would help
    return one_line() && !of_two_iterations() && a != nullptr && b != nullptr && kernel_has(class_barrier) &&
           (races_.across_warps ? !a->repeated_in_block && !b->repeated_in_block : !a->repeated && !b->repeated);
  }

  /// Returns true if the line reads only the word that it writes, as `count[bin] += 1` does. A step of a tree also
  /// reads its partner's word.
  [[nodiscard]] bool reads_only_what_it_writes() const {
    long loads = 0, stores = 0;
    for (std::uint32_t pc = 0; pc < facts_.instructions.size(); ++pc) {
      const std::uint32_t classes = facts_.instructions[pc].classes;
      if ((classes & class_shared) == 0 || !same_line(facts_, pc, what_.pc)) continue;
      loads += (classes & class_load) != 0 ? 1 : 0;
      stores += (classes & class_store) != 0 ? 1 : 0;
    }
    return loads <= stores;
  }

  void shared() {
    const naming::element e = names_.in_shared(what_.pc, what_.address, what_.bytes, what_.block);
    f_.object = e.array;
    if (what_.is_distributed) return across_cluster(e.text);
    if (what_.is_in_flight) return meets_copy(e.text);
    if (const std::string fields = bit_fields(); !fields.empty() && races_.both_write)
      return share_bit_fields(e.text, fields);
    const bool several_write =
        one_line() && races_.both_write && !has_no_barriers() && (reads_only_what_it_writes() || in_one_step());
    if (several_write || (what_.kind == incident_kind::write_in_same_instruction && !has_no_barriers()))
      return all_change_one_word(e.text);
    if (races_.both_write && has_no_barriers()) return share_one_word(e.text);
    if (in_one_step()) return meet_in_one_step(e.text);
    unordered(e.text);
  }

  /// Describes a race with a cp.async that no thread has waited for.
  void meets_copy(const std::string& word) {
    const bool own = what_.thread == what_.other_thread;
    const bool reads = what_.kind == incident_kind::read_after_write;
    if (what_.kind == incident_kind::write_after_read) {
      f_.message = fmt::format(
          "Thread {} writes {} in {} without waiting for {}, which reads it in {} at any time until it has been waited "
          "for",
          thread(), word, here(),
          own ? "its own bulk copy to global memory" : fmt::format("the bulk copy of thread {}", other()), there());
      set_parts(fmt::format("thread {} writes {}, which a bulk copy still reads", thread(), word),
                "the copy may read it at any time until it has been waited for",
                fmt::format("thread {} writes {}", thread(), word), fmt::format("the copy of thread {}", other()));
      f_.cure =
          "Let the thread that began the copy commit and wait for it (cp.async.bulk.commit_group, wait_group.read), "
          "and put a barrier of the block after that, before the shared memory is written again.";
      return;
    }
    const std::uint32_t begins = line_of(facts_, what_.other_pc), reads_in = line_of(facts_, what_.pc);
    if (reads && !own && what_.begins_unordered && f_.file == f_.other_file && reads_in > begins &&
        barrier_between(begins, reads_in, "__syncthreads()")) {
      f_.message = fmt::format(
          "Thread {} reads {} in {}, while thread {} already refills it in {}, in the next iteration of the loop, by "
          "an asynchronous copy: there is no __syncthreads() between the two",
          thread(), word, here(), other(), there());
      set_parts(fmt::format("thread {} reads {}, which thread {} already refills", thread(), word, other()),
                "there is no __syncthreads() between the read and the copy of the next iteration",
                fmt::format("thread {} reads {}", thread(), word),
                fmt::format("thread {} begins an asynchronous copy into it", other()));
      f_.cure = fmt::format(
          "Put a __syncthreads() after line {}, inside the loop: before a slot is filled again, all threads must have "
          "read it.",
          reads_in);
      return;
    }
    const std::string copy =
        own ? fmt::format("for its own asynchronous copy of {} into it", there())
            : fmt::format("for thread {}, which writes it in {} by an asynchronous copy", other(), there());
    f_.message = fmt::format(
        "Thread {} {} {} in {} without waiting {}{}", thread(), reads ? "reads" : "writes", word, here(), copy,
        own ? "" : ": a barrier of the block does not make its copies complete; they have to be waited for");
    set_parts(fmt::format("thread {} {} {} without waiting for {} asynchronous copy into it", thread(),
                          reads ? "reads" : "writes", word, own ? "its own" : fmt::format("thread {}'s", other())),
              own ? "" : "a barrier of the block does not make its copies complete; they have to be waited for",
              fmt::format("thread {} {} {}", thread(), reads ? "reads" : "writes", word),
              fmt::format("the copy of thread {}", other()));
    f_.cure =
        "Let each thread wait for its own copies (__pipeline_wait_prior, cuda::pipeline's consumer_wait, cg::wait), "
        "and put a barrier of the block after that, before others read what was copied; or let every thread that reads "
        "wait for the cuda::barrier that was given to the copy.";
  }

  /// Describes a race between two blocks of a cluster.
  void across_cluster(const std::string& word) {
    const std::string of = fmt::format("{} of block {}", word, what_.owner);
    const std::string one = fmt::format("thread {} of block {}", thread(), what_.block.linear);
    const std::string two = fmt::format("thread {} of block {}", other(), what_.other_block);
    const bool reads = what_.kind == incident_kind::read_after_write;
    if (what_.kind == incident_kind::write_after_write)
      f_.message = fmt::format("T{} and {} both write {}, in {} and {}", one.substr(1), two, of, here(), there());
    else
      f_.message = fmt::format("T{} {} {} in {} without waiting for {}, which {} it in {}", one.substr(1),
                               reads ? "reads" : "overwrites", of, here(), two, reads ? "writes" : "reads", there());
    set_parts(what_.kind == incident_kind::write_after_write
                  ? fmt::format("{} and {} both write {}", one, two, of)
                  : fmt::format("{} {} {} without waiting for {}", one, reads ? "reads" : "overwrites", of, two),
              "there is no barrier of the cluster between the two",
              fmt::format("{} {} it", one, reads ? "reads" : "writes"),
              fmt::format("{} {} it", two, what_.kind == incident_kind::write_after_read ? "reads" : "writes"));
    f_.message += ": there is no barrier of the cluster between the two";
    if (what_.is_atomic) f_.message += "; an atomic does not order plain accesses";
    const bool relaxed = std::any_of(facts_.instructions.begin(), facts_.instructions.end(), [](const auto& i) {
      return (i.classes & class_cluster_barrier) != 0 && i.ordering == ordering_none;
    });
    f_.cure = relaxed
                  ? "An arrival that is relaxed orders no memory: arrive by cluster.sync() or barrier_arrive()."
                  : "Put a cluster.sync() between the two: __syncthreads() waits for the threads of one block only.";
  }

  [[nodiscard]] bool has_no_barriers() const { return !kernel_has(class_barrier) && !kernel_has(class_warp_barrier); }

  /// Returns ", which differ in y only," for threads of a block with more than one dimension.
  [[nodiscard]] std::string difference() const {
    const std::uint32_t x = std::max(1u, what_.block.dimensions[0]), y = std::max(1u, what_.block.dimensions[1]);
    if (y == 1 && what_.block.dimensions[2] <= 1) return {};
    const auto of = [&](std::uint32_t t) { return std::array{t % x, t / x % y, t / x / y}; };
    const std::array a = of(what_.thread), b = of(what_.other_thread);
    for (std::size_t k = 0; k < 3; ++k) {
      std::array rest = a;
      rest[k] = b[k];
      if (rest == b) return fmt::format(", which differ in {} only,", "xyz"[k]);
    }
    return {};
  }

  /// Returns "low and high" if the two accesses are to bit fields, else an empty string.
  [[nodiscard]] std::string bit_fields() const {
    const auto lines = host::read_source(f_.file);
    if (!lines || f_.file != f_.other_file) return {};
    std::vector<std::string> names = bit_fields_in(*lines, f_.line);
    for (std::string& name : bit_fields_in(*lines, f_.other_line))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    return names.size() < 2 ? std::string() : names[0] + " and " + names[1];
  }
  void share_bit_fields(const std::string& word, const std::string& fields) {
    f_.message = fmt::format(
        "Threads {} and {} write bit fields of one word, {} ({}), in {}{}: each reads the whole word, changes its bits "
        "and writes the word back, so that one of the two changes is lost",
        other(), thread(), word, fields, here(), one_line() ? "" : " and " + there());
    set_parts(fmt::format("threads {} and {} write bit fields of one word, {} ({})", other(), thread(), word, fields),
              "each reads the whole word, changes its bits and writes it back, so one of the two changes is lost",
              fmt::format("thread {} writes", thread()), fmt::format("thread {} writes", other()));
    f_.cure =
        "Give each of the members that different threads write its own word: remove the widths after the colons, or "
        "let one thread write all of them.";
  }

  /// Describes threads that share a word although each should have had its own.
  void share_one_word(const std::string& word) {
    f_.message = fmt::format(
        "Threads {} and {}{} share a word, {}, in {}{}: the index gives both the same place, and each "
        "overwrites what the other has there",
        other(), thread(), difference(), word, here(), one_line() ? "" : " and " + there());
    set_parts(fmt::format("threads {} and {}{} share a word, {}", other(), thread(), difference(), word),
              "the index gives both the same place, and each overwrites what the other has there",
              fmt::format("thread {} writes it", thread()), fmt::format("thread {} writes it", other()));
    f_.cure =
        "Give each thread its own words: the index must be different for all threads of the block, in all dimensions "
        "that it has.";
  }

  void all_change_one_word(const std::string& word) {
    f_.message = fmt::format(
        "Threads {} and {} both change {} at the same time in {}: each writes a value of its own, and one of the two "
        "is lost",
        other(), thread(), word, here());
    set_parts(fmt::format("threads {} and {} both change {} at the same time", other(), thread(), word),
              "each writes a value of its own, and one of the two is lost",
              fmt::format("thread {} writes it", thread()), fmt::format("thread {} writes it", other()));
    f_.cure = fmt::format(
        "Give each thread its own word, or let one thread write it; if all values are to be added, use "
        "atomicAdd(&{}, value).",
        word);
  }

  void meet_in_one_step(const std::string& word) {
    const bool reads = what_.kind == incident_kind::read_after_write;
    f_.message = fmt::format(
        "In one step of {}, thread {} writes {}, which thread {} reads: the index or the condition is wrong, because a "
        "barrier between the steps cannot help inside one",
        here(), reads ? other() : thread(), word, reads ? thread() : other());
    const std::string writer = reads ? other() : thread(), reader = reads ? thread() : other();
    set_parts(fmt::format("in one step, thread {} writes {}, which thread {} reads", writer, word, reader),
              "the index or the condition is wrong, because a barrier between the steps cannot help inside one",
              fmt::format("thread {} writes it", writer), fmt::format("thread {} reads it", reader));
    f_.cure = "In each step, let only those threads write whose words no other thread of that step reads.";
  }

  /// Returns true if both accesses are in a branch that some warps of the block never take.
  [[nodiscard]] bool only_some_warps() const {
    const auto some = [&](const access_visits* x) {
      const int warps = x == nullptr ? 0 : std::popcount(x->warps);
      return warps > 1 && static_cast<std::uint32_t>(warps) < what_.block.warp_count;
    };
    return some(at(what_.pc)) && some(at(what_.other_pc));
  }
  /// Returns true if all warps of the block execute this instruction, equally often and more often than the two
  /// accesses.
  [[nodiscard]] bool all_warps_come_to(std::uint32_t pc) const {
    const activity& counted = seen_.counted();
    const std::uint64_t times = counted.instructions[pc].executed;
    return counted.warps != 0 && times % counted.warps == 0 &&
           times > std::max(counted.instructions[what_.pc].executed, counted.instructions[what_.other_pc].executed);
  }
  [[nodiscard]] bool all_warps_pass_between() const {
    const auto [low, high] = std::minmax(what_.pc, what_.other_pc);
    for (std::uint32_t pc = low + 1; pc < high; ++pc)
      if (all_warps_come_to(pc)) return true;
    return false;
  }
  /// The same for the end of the loop that contains both accesses.
  [[nodiscard]] bool all_warps_pass_after() const {
    for (std::uint32_t pc = std::max(what_.pc, what_.other_pc) + 1; pc < facts_.instructions.size(); ++pc)
      if ((facts_.instructions[pc].classes & class_loop_branch) != 0) return all_warps_come_to(pc);
    return false;
  }
  /// Returns true if there is a barrier with the effect of `wait` in a line between two others.
  [[nodiscard]] bool barrier_between(std::uint32_t first, std::uint32_t last, const std::string& wait) const {
    return has_between(wait == "__syncwarp()" ? class_barrier | class_warp_barrier : class_barrier, first, last);
  }
  /// The same for instructions of any of these classes.
  [[nodiscard]] bool has_between(unsigned classes, std::uint32_t first, std::uint32_t last) const {
    return std::any_of(facts_.instructions.begin(), facts_.instructions.end(), [&](const instruction_facts& i) {
      return (i.classes & classes) != 0 && i.line > first && i.line < last;
    });
  }
  /// Returns true if both accesses are in a loop: the loop ends after them, or it is unrolled, so that the instruction
  /// of the lower line comes later.
  [[nodiscard]] bool in_loop() const {
    const std::uint32_t here_line = line_of(facts_, what_.pc), there_line = line_of(facts_, what_.other_pc);
    if ((what_.pc > what_.other_pc) != (here_line > there_line)) return true;
    for (std::uint32_t pc = std::max(what_.pc, what_.other_pc) + 1; pc < facts_.instructions.size(); ++pc)
      if ((facts_.instructions[pc].classes & class_loop_branch) != 0) return true;
    return false;
  }

  void unordered(const std::string& word) {
    const std::string wait = barrier();
    const std::uint32_t here_line = line_of(facts_, what_.pc), there_line = line_of(facts_, what_.other_pc);
    const bool one_file = f_.file == f_.other_file;
    // The read that is below the write has to wait for it, whichever of the two came first in this run.
    const bool turned = what_.kind == incident_kind::write_after_read && one_file && there_line > here_line;
    const bool reads = what_.kind == incident_kind::read_after_write || turned;
    const std::string one = turned ? other() : thread(), two = turned ? thread() : other();
    const std::string at_one = turned ? place(facts_, what_.other_pc) : here();
    const std::string at_two = turned ? place_after(facts_, what_.pc, what_.other_pc) : there();
    if (reads)
      f_.message = fmt::format("Thread {} reads {} in {} without waiting for thread {}, which writes it in {}", one,
                               word, at_one, two, at_two);
    else if (what_.kind == incident_kind::write_after_read)
      f_.message = fmt::format("Thread {} overwrites {} in {} without waiting for thread {}, which reads it in {}", one,
                               word, at_one, two, at_two);
    else
      f_.message = fmt::format("Threads {} and {} both write {}, in {} and {}, and nothing orders the two", two, one,
                               word, at_one, at_two);
    const bool no_barrier =
        what_.kind != incident_kind::write_after_write && !kernel_has(class_barrier) && !kernel_has(class_warp_barrier);
    f_.message += no_barrier ? ": there is no barrier" : fmt::format(": there is no {} between the two", wait);
    std::string more;
    if (what_.is_volatile) more += "; volatile makes no thread wait, not even in one warp";
    if (what_.is_atomic) more += "; an atomic does not order plain accesses";
    f_.message += more;
    const bool overwrites = !reads && what_.kind == incident_kind::write_after_read;
    const std::string label_one = fmt::format("thread {} {} {}", one, reads ? "reads" : "writes", word);
    const std::string label_two = fmt::format("thread {} {} it", two, overwrites ? "reads" : "writes");
    set_parts(reads || overwrites ? fmt::format("thread {} {} {} without waiting for thread {}, which {} it", one,
                                                reads ? "reads" : "overwrites", word, two, reads ? "writes" : "reads")
                                  : fmt::format("threads {} and {} both write {}", two, one, word),
              (no_barrier ? "there is no barrier" : fmt::format("there is no {} between the two", wait)) + more,
              turned ? label_two : label_one, turned ? label_one : label_two);
    if (what_.kind == incident_kind::write_after_write) {
      f_.cure = "If the two should share the word, put a " + wait +
                " between the two writes; if each is to have a word of its own, the index is wrong.";
      return;
    }
    if (wait == "__syncthreads()" && only_some_warps()) {
      const bool same_turn = reads && one_file && here_line != there_line &&
                             (here_line > there_line) == (what_.kind == incident_kind::read_after_write);
      if (same_turn && all_warps_pass_between())
        f_.cure = fmt::format(
            "Put a {} between line {} and line {}, outside of the conditions: all threads of the block have to "
            "reach it.",
            wait, std::min(here_line, there_line), std::max(here_line, there_line));
      else if (all_warps_pass_after() || (one_line() && of_two_iterations() && all_warps_pass_between()))
        f_.cure = fmt::format(
            "Put a {} at the end of each iteration of the loop, outside of the condition: all threads of the block "
            "have to reach it.",
            wait);
      else
        f_.cure =
            "Not all warps of the block get here, so __syncthreads() is not possible, and __syncwarp() orders only one "
            "warp: let one warp do this part, or move it to a place that all warps reach.";
      return;
    }
    if (one_line() && what_.kind == incident_kind::write_after_read) {
      f_.cure = fmt::format("Put a {} between the read and the write of line {}, or between two iterations.", wait,
                            here_line);
      return;
    }
    const std::uint32_t low = std::min(here_line, there_line), high = std::max(here_line, there_line);
    if (one_file && has_between(class_barrier_object, low, high) && !barrier_between(low, high, wait)) {
      f_.cure =
          in_loop()
              ? fmt::format(
                    "Put a {} after line {}, inside the loop; or arrive at the barrier object (consumer_release) "
                    "after that line: only accesses before an arrival are ordered before accesses after the wait.",
                    wait, high)
              : fmt::format(
                    "The wait between them is not for the phase in which the thread of line {} arrives: pass it the "
                    "token of that arrival, or the parity of that phase, which is 0 for the first and turns with each.",
                    low);
      return;
    }
    f_.cure =
        !one_file ? fmt::format("Put a {} between {} and {}.", wait, at_two, at_one)
        : one_line() || barrier_between(low, high, wait)
            ? fmt::format("Put a {} between one iteration of the loop and the next: after line {}, inside the loop.",
                          wait, high)
            : fmt::format("Put a {} between line {} and line {}.", wait, low, high);
  }

  [[nodiscard]] bool is_atomic(std::uint32_t pc) const {
    return (facts_.instructions[pc].classes & (class_atomic | class_reduction)) != 0;
  }
  [[nodiscard]] bool one_is_atomic() const { return is_atomic(what_.pc) != is_atomic(what_.other_pc); }

  /// Describes a word that some threads change by atomics and another one sets, for example a counter that thread 0
  /// resets to 0.
  void write_beside_atomic(const std::string& word, bool inside) {
    const bool first = is_atomic(what_.pc);
    const std::string one = inside ? "thread " + thread() : fmt::format("block {}", what_.block.linear);
    const std::string two = inside ? "thread " + other() : fmt::format("block {}", what_.other_block);
    const std::string at_atomic = first ? here() : place(facts_, what_.other_pc);
    const std::string at_store = first ? there() : place_after(facts_, what_.pc, what_.other_pc);
    f_.message = fmt::format(
        "{} is changed by an atomic of {} in {}, and written by a plain store of {} in {}, and nothing orders the two: "
        "changes by atomics before the store are lost",
        word, first ? one : two, at_atomic, first ? two : one, at_store);
    set_parts(fmt::format("{} is changed by an atomic of {} and by a plain store of {}", word, first ? one : two,
                          first ? two : one),
              "nothing orders the two, so changes by atomics before the store are lost",
              fmt::format("{}'s {}", one, first ? "atomic" : "store"),
              fmt::format("{}'s {}", two, first ? "store" : "atomic"));
    f_.cure = inside ? fmt::format("Put a {} between the two, or write it before the launch (cudaMemset).", barrier())
                     : "Write it before the launch (cudaMemset, or a kernel before this one): blocks run in any order, "
                       "and __syncthreads() waits for the threads of one block only.";
  }

  void global() {
    const naming::element e = names_.in_global(what_.pc, what_.address, what_.bytes);
    f_.object = e.array;
    const bool inside = what_.block.linear == what_.other_block;
    if (what_.kind == incident_kind::global_write_and_write && one_is_atomic()) {
      write_beside_atomic(e.text, inside);
    } else if (what_.kind == incident_kind::global_write_and_write) {
      const std::string lines = one_line() ? here() : fmt::format("{} and {}", here(), there());
      if (inside) {
        f_.message = fmt::format(
            "Several threads of a block write {}, as threads {} and {} do in {}: the last one's value stays", e.text,
            other(), thread(), lines);
        set_parts(fmt::format("several threads of a block write {}, for example {} and {}", e.text, other(), thread()),
                  "the last one's value stays", fmt::format("thread {} writes it", thread()),
                  fmt::format("thread {} writes it", other()));
        f_.cure = "Let the one thread write that has the result: if (threadIdx.x == 0).";
      } else {
        f_.message =
            fmt::format("Several blocks write {}, for example blocks {} and {} in {}: one result overwrites the other",
                        e.text, what_.other_block, what_.block.linear, lines);
        set_parts(fmt::format("several blocks write {}, for example {} and {}", e.text, what_.other_block,
                              what_.block.linear),
                  "one result overwrites the other", fmt::format("block {} writes it", what_.block.linear),
                  fmt::format("block {} writes it", what_.other_block));
        f_.cure =
            "Give each block a place of its own, as partials[blockIdx.x] is, or combine the values with an "
            "atomicAdd.";
      }
    } else if (inside) {
      f_.message = fmt::format(
          "Thread {} reads {} in {}, and thread {} of the same block writes it in {}: nothing orders "
          "the two",
          thread(), e.text, here(), other(), there());
      set_parts(fmt::format("thread {} reads {}, which thread {} of the same block writes", thread(), e.text, other()),
                "nothing orders the two", fmt::format("thread {} reads it", thread()),
                fmt::format("thread {} writes it", other()));
      f_.cure = fmt::format("Put a {} between the two.", barrier());
    } else {
      f_.message = fmt::format(
          "Block {} reads {} in {}, which block {} writes in {}, and nothing orders the two: blocks "
          "run in any order",
          what_.block.linear, e.text, here(), what_.other_block, there());
      set_parts(fmt::format("block {} reads {}, which block {} writes", what_.block.linear, e.text, what_.other_block),
                "nothing orders the two: blocks run in any order", fmt::format("block {} reads it", what_.block.linear),
                fmt::format("block {} writes it", what_.other_block));
      const bool in_one_line = f_.line == f_.other_line && f_.file == f_.other_file;
      f_.cure =
          in_one_line ? "If each block updates it, as *sum += x does, use an atomic operation such as atomicAdd()."
          : kernel_has(class_atomic)
              ? "The writer has to call __threadfence() between its write and the atomic that signals it, the reader "
                "between the atomic that reads the signal and the read; or read it in the next kernel."
              : "Read it in the next kernel, or signal it with an atomic, with a __threadfence() between the write and "
                "the atomic, and another between the atomic and the read.";
      if (kernel_has(class_cluster_barrier))
        f_.cure += " Blocks of one cluster may have a cluster.sync() between the two.";
      if (what_.is_atomic) f_.message += "; an atomic does not order plain accesses";
    }
    if (what_.is_block_only && !inside) {
      f_.cure =
          "Use the device's scope, thread_scope_device, for both: the scope of the block says nothing to other "
          "blocks.";
    }
  }

  const naming& names_;
  const kernel_facts& facts_;
  const line_pair& races_;
  const incident& what_;
  const launch_observation& seen_;
  finding f_;
};

}  // namespace

std::vector<finding> describe_races(const naming& names, std::span<const folded_incident> races,
                                    const launch_observation& seen) {
  using key = std::pair<std::pair<std::string, std::uint32_t>, std::pair<std::string, std::uint32_t>>;
  const kernel_facts& facts = names.facts();
  std::map<key, line_pair> pairs;
  std::vector<key> order;
  for (const folded_incident& one : races) {
    std::pair<std::string, std::uint32_t> a(file_of(facts, one.first.pc), line_of(facts, one.first.pc));
    std::pair<std::string, std::uint32_t> b(file_of(facts, one.first.other_pc), line_of(facts, one.first.other_pc));
    if (b < a) std::swap(a, b);
    // Races between blocks are fixed in a different way than races between threads of one block.
    if (between_blocks(one.first)) a.first += "\n";
    if (is_global(one.first.kind)) b.first += "\n";
    const key k(a, b);
    line_pair& pair = pairs[k];
    if (pair.all.empty()) order.push_back(k);
    pair.all.push_back(&one);
    pair.across_warps |= one.across_warps;
    pair.both_write |= one.first.kind == incident_kind::write_after_write ||
                       one.first.kind == incident_kind::write_in_same_instruction;
    if (pair.shown == nullptr || rank(one.first.kind) < rank(pair.shown->first.kind)) pair.shown = &one;
  }
  std::vector<finding> all;
  all.reserve(order.size());
  for (const key& k : order) all.push_back(race_words(names, pairs[k], seen).describe());
  return all;
}

}  // namespace emulator::explain
