#include "emulator/explain/deadlock_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "emulator/memory/global_memory.hpp"

namespace emulator::explain {
namespace {

/// Consecutive blocks that wait in the same way.
struct party {
  std::uint64_t first = 0, last = 0;
  std::string how;
};

class writer {
 public:
  writer(const naming& names, const grid_deadlock& what) : names_(names), what_(what) {}

  /// Returns "in spin.cu:17 for flag[2]". Blocks with the same `array` are grouped. If there are many blocks, `array`
  /// doesn't contain the element, so blocks that poll different elements are in one group.
  [[nodiscard]] std::string looks(const waiting_block& block, const place_of_wait& at, std::string* array) const {
    const std::string where = place(names_.facts(), at.pc);
    if (at_grid_barrier(at)) {
      *array = where;
      return "at the grid's barrier in " + where;
    }
    const naming::element e = at.space == ptx::state_space::shared
                                  ? names_.in_shared(at.pc, at.address, at.bytes, block.identity)
                                  : names_.in_global(at.pc, at.address, at.bytes);
    *array = where + (e.array.empty() || what_.blocks.size() <= 4 ? e.text : e.array);
    return fmt::format("in {} for {}", where, e.text) + (at.object ? arrivals_text(*at.object) : std::string());
  }
  /// Returns ", at which 64 of 65 arrivals have come".
  [[nodiscard]] static std::string arrivals_text(const object_phase& phase) {
    const std::uint32_t came = phase.arrivals - phase.missing;
    std::string text = fmt::format(", at which {} of {} {} come", came == 0 ? "none" : std::to_string(came),
                                   counted(phase.arrivals, "arrival"), came <= 1 ? "has" : "have");
    if (phase.bytes > 0) text += fmt::format(" and {} are missing", counted(phase.bytes, "byte"));
    if (phase.bytes < 0) text += fmt::format(" and {} more were copied than expected", counted(-phase.bytes, "byte"));
    return text;
  }

  [[nodiscard]] static std::string barrier_of(const place_of_wait& at) {
    return at.at_cluster_barrier ? "at the cluster's barrier in " : "at the barrier in ";
  }
  /// Returns true if a block waits for others of its cluster.
  [[nodiscard]] bool cluster_waits() const {
    return std::any_of(what_.blocks.begin(), what_.blocks.end(), [](const waiting_block& block) {
      return std::any_of(block.places.begin(), block.places.end(),
                         [](const place_of_wait& at) { return at.at_cluster_barrier; });
    });
  }

  /// Returns how a block waits: the places at which it polls memory or, if there are none, its barriers.
  [[nodiscard]] std::string ways(const waiting_block& block, std::string* key) const {
    std::vector<std::string> keys, texts;
    for (const bool barrier : {false, true}) {
      for (const place_of_wait& at : block.places) {
        if (at.at_barrier != barrier) continue;
        std::string array;
        const std::string text =
            barrier ? barrier_of(at) + (array = place(names_.facts(), at.pc)) : looks(block, at, &array);
        if (std::find(keys.begin(), keys.end(), array) != keys.end()) continue;
        keys.push_back(array);
        texts.push_back(text);
      }
      if (!keys.empty()) break;
    }
    std::string joined;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      *key += keys[k] + "\n";
      if (k < 3) joined += (k == 0 ? "" : ", and ") + texts[k];
    }
    return joined;
  }

  [[nodiscard]] std::vector<party> parties() const {
    std::vector<party> all;
    std::string last_key;
    for (const waiting_block& block : what_.blocks) {
      std::string key;
      const std::string how = ways(block, &key);
      const std::uint64_t number = block.identity.linear;
      if (!all.empty() && key == last_key && all.back().last + 1 == number)
        all.back().last = number;
      else
        all.push_back({number, number, how});
      last_key = key;
    }
    return all;
  }

  [[nodiscard]] bool at_grid_barrier(const place_of_wait& at) const {
    return what_.grid_barrier != 0 && at.space == ptx::state_space::global && at.address >= what_.grid_barrier &&
           at.address < what_.grid_barrier + 64;
  }

  /// Returns the first place at which a thread polls memory.
  [[nodiscard]] const place_of_wait& first() const {
    for (const waiting_block& block : what_.blocks)
      for (const place_of_wait& at : block.places)
        if (!at.at_barrier) return at;
    return what_.blocks.front().places.front();
  }

 private:
  const naming& names_;
  const grid_deadlock& what_;
};

std::string numbers(std::uint64_t first, std::uint64_t last) {
  return first == last ? fmt::format("block {} waits", first) : fmt::format("blocks {}-{} wait", first, last);
}

/// Returns a list of the warps of the first blocks, one per line.
std::string picture(const writer& words, const kernel_facts& facts, const grid_deadlock& what) {
  std::string text = "no thread of the grid can make progress:";
  unsigned shown = 0;
  for (const waiting_block& block : what.blocks) {
    for (const place_of_wait& at : block.places) {
      if (++shown > 12) return text + "\n    …";
      std::string key;
      text += fmt::format("\n    {}, warp {}, {} {} {}", block_name(block.identity), at.warp, lane_list(at.mask),
                          std::popcount(at.mask) == 1 ? "waits" : "wait",
                          at.at_barrier ? writer::barrier_of(at) + place(facts, at.pc) : words.looks(block, at, &key));
    }
  }
  return text;
}

/// Returns what to do about a barrier object whose phase doesn't complete.
std::string cure_of(const object_phase& phase) {
  if (phase.bytes != 0 && phase.missing == 0)
    return "Expect the number of bytes that are copied (expect_tx), all before the wait.";
  if (phase.missing == phase.arrivals)
    return "Wait for the phase in which they arrive: pass the token of the arrival to the wait, or the parity of that "
           "phase, which is 0 for the first phase and alternates.";
  return "Initialise it with the number of arrivals that each phase gets, and let all that it counts arrive in every "
         "phase, or leave with arrive_and_drop.";
}

/// Returns true if the host may write to this address while the kernel runs.
bool host_may_write(memory::global_memory& memory, const place_of_wait& at) {
  if (at.space != ptx::state_space::global) return false;
  const memory::allocation* in = memory.find(at.address);
  return in != nullptr && (in->from == memory::origin::managed || in->from == memory::origin::pinned);
}

}  // namespace

finding describe(const naming& names, const grid_deadlock& what) {
  const kernel_facts& facts = names.facts();
  const writer words(names, what);
  const place_of_wait& first = words.first();
  finding f = finding_at(facts, first.pc, finding_kind::grid_deadlock);
  const std::vector<party> parties = words.parties();
  const bool one_at_a_time = what.not_started != 0 && what.fit_at_once == 1;
  const std::string_view begin = one_at_a_time ? ""
                                 : what.grid_blocks == 1
                                     ? "the block waits forever for what no thread is left to do"
                                     : "the blocks wait forever, because no other thread can do what they wait for";
  std::string who;
  for (std::size_t k = 0; k < parties.size() && k < 4; ++k)
    who += fmt::format("{}{} {}", k == 0 ? "" : "; ", numbers(parties[k].first, parties[k].last), parties[k].how);
  if (parties.size() > 4) who += fmt::format("; and {} more", counted(parties.size() - 4, "group"));
  const std::uint64_t ended = what.grid_blocks - what.not_started - what.blocks.size();
  if (ended != 0) {
    const bool the_first = what.blocks.front().identity.linear >= ended && what.not_started == 0;
    // Blocks are in ascending order, so the first one whose number isn't its index follows a gap.
    std::uint64_t gap = 0;
    while (gap < what.blocks.size() && what.blocks[gap].identity.linear == gap) ++gap;
    who += ended == 1 && what.not_started == 0 ? fmt::format("; block {} has ended", gap)
           : the_first                         ? fmt::format("; blocks 0-{} have ended", ended - 1)
                       : fmt::format("; {} {} ended", counted(ended, "other"), ended == 1 ? "has" : "have");
  }
  if (one_at_a_time) {
    who += fmt::format("; {} after it {} not started, and may not be able to start before it ends",
                       counted(what.not_started, "block"), what.not_started == 1 ? "has" : "have");
  } else if (what.not_started != 0) {
    who += fmt::format("; {} cannot start before one of them ends: the device runs {} of this kernel at a time",
                       counted(what.not_started, "block"), counted(what.fit_at_once, "block"));
  }
  f.message = fmt::format("Deadlock: {}{}{} ({}).", begin, begin.empty() ? "" : ": ", who,
                          plain_name(facts.demangled.substr(0, facts.demangled.find('('))));
  f.parts.headline = begin.empty() ? std::string("a block waits for one that may never start") : std::string(begin);
  f.parts.reason = who;
  f.detail = picture(words, facts, what);
  if (one_at_a_time) {
    f.cure =
        "Let a block wait only for blocks with smaller numbers. To find the last block, no wait is needed: a ticket "
        "from an atomic counter tells it.";
  } else if (what.not_started != 0) {
    f.cure = fmt::format(
        "A block may wait only for those that have started: launch at most {} "
        "(cudaOccupancyMaxActiveBlocksPerMultiprocessor tells), or let blocks take their numbers from an atomic "
        "counter and wait for smaller ones.",
        what.fit_at_once);
  } else if (words.cluster_waits()) {
    f.cure =
        "All threads of all blocks of the cluster must reach each of its barriers (cluster.sync()), the same number "
        "of times: take it out of branches and loops, and let no block wait for one that waits there.";
  } else if (words.at_grid_barrier(first)) {
    f.cure = "Every block must reach each grid.sync(): move it out of branches, and let no block return before it.";
  } else if (first.object) {
    f.cure = cure_of(*first.object);
  } else if (host_may_write(names.memory(), first)) {
    f.cure = "Let a thread of the kernel write it, or the host, after the launch and before it waits for the kernel.";
  } else {
    f.cure =
        "The thread that writes it must not wait, at a barrier or a lock, for the threads that poll it; two locks must "
        "be taken in the same order everywhere.";
  }
  return f;
}

}  // namespace emulator::explain
