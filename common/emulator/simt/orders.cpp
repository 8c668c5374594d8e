// Runs a launch in other orders and compares the results with that of the usual one.

#include "emulator/simt/other_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/explain/finding_text.hpp"
#include "emulator/memory/address_space.hpp"

namespace emulator::simt {
namespace {

/// Reruns that the search for the fewest choices may take for one finding, and searches per launch.
constexpr unsigned max_trials = 48, max_searches = 4;

/// Orders of a launch that may be stopped because they take much longer, before the remaining orders are skipped.
constexpr unsigned max_given_up = 3;

/// Restores the counters of traffic between devices, so that the traffic is counted once, however often the launch
/// runs.
class kept_traffic {
 public:
  explicit kept_traffic(memory::device_table& devices) : devices_(devices) {
    if (devices.count() == 1) return;
    each([this](std::atomic<std::uint64_t>& counter) { values_.push_back(counter.load()); });
  }
  void put_back() {
    std::size_t at = 0;
    if (!values_.empty()) each([&](std::atomic<std::uint64_t>& counter) { counter.store(values_[at++]); });
  }

 private:
  template <typename Visit>
  void each(Visit visit) {
    for (int from = 0; from <= memory::host_end; ++from) {
      for (int to = 0; to <= memory::host_end; ++to) {
        memory::link_counters& l = devices_.link(from, to);
        for (auto* counter : {&l.copies, &l.copied_bytes, &l.load_requests, &l.load_bytes, &l.store_requests,
                              &l.store_bytes, &l.atomic_requests, &l.atomic_bytes})
          visit(*counter);
      }
    }
  }
  memory::device_table& devices_;
  std::vector<std::uint64_t> values_;
};

/// The result of one order.
struct trial {
  order_outcome outcome;
  memory::saved_pages::difference result;
  bool learned_the_same = true;
  bool printed_the_same = true;
  std::string text;  ///< Printed in this order, but not in the usual one.
  last_writer writer;
  std::uint64_t word = 0;  ///< The value at the address that was watched.
  std::set<std::uint32_t> accesses;

  [[nodiscard]] bool differs() const { return outcome.ended && (result.address != 0 || !printed_the_same); }
};

bool is_number(double x) {
  return std::isfinite(x) && std::abs(x) > 1e-12 && std::abs(x) < 1e15;
}

/// Formats a word as the type that its program probably uses.
std::string value_words(std::uint64_t bits, std::uint32_t bytes) {
  if (bytes >= 8) {
    const auto real = std::bit_cast<double>(bits);
    return is_number(real) ? fmt::format("{}", real) : fmt::format("{}", static_cast<std::int64_t>(bits));
  }
  if (bytes < 4) return fmt::format("{}", bits & ((std::uint64_t{1} << 8 * bytes) - 1));
  const auto real = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  return is_number(static_cast<double>(real)) ? fmt::format("{}", real)
                                              : fmt::format("{}", static_cast<std::int32_t>(bits));
}

class comparison_of_orders {
 public:
  comparison_of_orders(const orders_plan& plan, memory::address_space& space, memory::saved_pages& saved,
                       const other_order& usual, const std::function<order_outcome(other_order&)>& run,
                       const explain::naming& names, launch_report& report)
      : plan_(plan),
        memory_(space.memory),
        saved_(saved),
        usual_(usual),
        run_(run),
        names_(names),
        report_(report),
        traffic_(space.devices) {}

  void go() {
    saved_.keep_result();
    const std::vector<std::uint32_t> accesses(usual_.accesses().begin(), usual_.accesses().end());
    for (unsigned k = 1; k <= plan_.count; ++k) {
      if (executed_ > plan_.max_instructions || given_up_ >= max_given_up) {
        report_.without_orders =
            fmt::format("only in {} of {}: they take much longer than the usual one", k - 1, plan_.count);
        break;
      }
      const order_choices choices = choices_of(k, plan_, accesses);
      const trial t = run_in(choices);
      ++report_.orders;
      given_up_ += t.outcome.ended ? 0 : 1;
      if (!t.outcome.ended) continue;
      for (const finding& f : t.outcome.findings) add_finding(f, choices, k);
      if (t.differs()) look_at_difference(t, choices, k);
    }
    add_result();
    saved_.put_back_result();
    traffic_.put_back();
  }

 private:
  trial run_in(const order_choices& choices, std::uintptr_t watched = 0) {
    saved_.restore();
    other_order order(saved_, choices, plan_.room, false);
    order.watch(watched);
    trial t;
    t.outcome = run_(order);
    executed_ += t.outcome.executed;
    t.result = saved_.compare();
    t.learned_the_same = order.told() == usual_.told() && !order.has_read_clock() && !usual_.has_read_clock();
    t.printed_the_same = order.texts() == usual_.texts();
    if (!t.printed_the_same) {
      std::vector<std::string> more;
      std::set_difference(order.texts().begin(), order.texts().end(), usual_.texts().begin(), usual_.texts().end(),
                          std::back_inserter(more));
      if (!more.empty()) t.text = more.front();
    }
    t.writer = order.writer();
    if (watched != 0) std::memcpy(&t.word, reinterpret_cast<const void*>(watched), watched_bytes_);
    return t;
  }

  /// Drops choices as long as the effect remains. \param same  returns true if a trial still has the effect
  template <typename Same>
  order_choices fewest(order_choices choices, Same same) {
    if (searches_++ >= max_searches) return choices;
    unsigned trials = 0;
    for (bool again = true; again && trials < max_trials && executed_ <= plan_.max_instructions;) {
      again = false;
      for (const order_choices& less : simpler(choices)) {
        if (less.empty() || ++trials > max_trials) continue;
        if (!same(run_in(less))) continue;
        choices = less;
        again = true;
        break;
      }
    }
    return choices;
  }

  [[nodiscard]] bool known(const finding& f) const {
    return std::any_of(report_.findings.begin(), report_.findings.end(),
                       [&](const finding& k) { return same_cause(k, f); });
  }

  void add_finding(const finding& f, const order_choices& choices, unsigned k) {
    if (known(f)) return;
    const order_choices less = fewest(choices, [&](const trial& t) {
      return std::any_of(t.outcome.findings.begin(), t.outcome.findings.end(),
                         [&](const finding& other) { return same_cause(other, f); });
    });
    finding more = f;
    more.message += fmt::format(" Seen if {}: order {} of {}, not in the usual one.", words_of(less, names_.facts()), k,
                                plan_.count);
    report_.findings.push_back(std::move(more));
  }

  /// Stores the first order whose result differs. Orders in which the threads learned the same as in the usual order
  /// and those in which they didn't are stored separately.
  void look_at_difference(const trial& t, const order_choices& choices, unsigned k) {
    std::optional<kept>& place = t.learned_the_same ? unexplained_ : explained_;
    if (!place) place = kept{choices, k, t};
  }

  struct kept {
    order_choices choices;
    unsigned k = 0;
    trial seen;
  };

  void add_result() {
    const bool fault = unexplained_.has_value();
    const std::optional<kept>& which = fault ? unexplained_ : explained_;
    if (!which) return;
    const order_choices less = fewest(which->choices, [&](const trial& t) {
      return t.differs() && t.learned_the_same == fault && (t.result.address != 0) == (which->seen.result.address != 0);
    });
    trial shown = run_in(less);
    if (!shown.differs()) shown = which->seen;
    finding f = which->seen.result.address != 0 ? words_for_memory(shown, less) : words_for_text(shown);
    f.message += fmt::format(" if {}: order {} of {}.", words_of(less, names_.facts()), which->k, plan_.count);
    if (shown.result.words > 1) f.message += fmt::format(" So {} words of memory differ.", shown.result.words);
    if (fault) {
      f.message +=
          " Each thread learned the same from atomics and ordered accesses in both, so that they do not explain it.";
      f.cure = "Put a barrier or a fence between the two accesses, or give each thread its own word.";
    } else if (shown.result.address != 0 && shown.result.only_rounding) {
      f.kind = finding_kind::rounding_depends_on_order;
      f.message += " The two differ by no more than sums do that are rounded in another order.";
    } else {
      f.message +=
          " The order of atomics and ordered accesses also differed. If both results are valid for the program, "
          "nothing is wrong.";
    }
    // If there are other findings, one of them may explain the difference.
    const bool is_finding = fault && report_.findings.empty();
    (is_finding ? report_.findings : report_.notes).push_back(std::move(f));
  }

  finding words_for_memory(const trial& t, const order_choices& less) {
    const std::uintptr_t begin = t.result.address;
    const memory::allocation* in = memory_.find(begin);
    watched_bytes_ = std::min<std::uint64_t>(4, in == nullptr ? 4 : in->end() - begin);
    const last_writer here = run_in(less, begin).writer;
    const last_writer there = run_in({}, begin).writer;
    const last_writer& shown = here.pc != no_pc ? here : there;
    const auto& facts = names_.facts();
    finding f;
    if (shown.pc != no_pc)
      f = explain::finding_at(facts, shown.pc, finding_kind::result_depends_on_order);
    else
      f = unplaced();
    std::uint32_t bytes = shown.pc != no_pc && facts.instructions[shown.pc].element_bytes != 0
                              ? facts.instructions[shown.pc].element_bytes
                              : static_cast<std::uint32_t>(watched_bytes_);
    if (t.result.wide) bytes = 8;
    const std::uintptr_t at = bytes == 8 ? begin / 8 * 8 : begin + (bytes < 4 ? first_byte(t) / bytes * bytes : 0);
    if (in != nullptr) watched_bytes_ = std::min<std::uint64_t>(bytes, in->end() - at);
    const std::uint64_t now = run_in(less, at).word, usual = saved_.kept_word(at);
    const auto part = [&](std::uint64_t word) {
      return bytes >= 8 ? word : word & ((std::uint64_t{1} << 8 * bytes) - 1);
    };
    const auto element = names_.in_global(shown.pc == no_pc ? 0 : shown.pc, at, bytes);
    f.object = element.array;
    const auto by = [&](const last_writer& who) {
      if (who.pc == no_pc) return std::string();
      return fmt::format(" (thread {} of block {} wrote it in {})", who.thread, who.block,
                         explain::place(facts, who.pc));
    };
    f.message = fmt::format("{} is {} in the usual order{} and {}{}", element.text, value_words(part(usual), bytes),
                            by(there), value_words(part(now), bytes), by(here));
    return f;
  }

  /// Returns the index of the first differing byte in the word that differs.
  static std::uintptr_t first_byte(const trial& t) {
    return static_cast<std::uintptr_t>(std::countr_zero(t.result.here ^ t.result.kept)) / 8;
  }

  finding words_for_text(const trial& t) {
    finding f = unplaced();
    std::string line = t.text.substr(0, 60);
    std::replace(line.begin(), line.end(), '\n', ' ');
    f.message = line.empty() ? "The kernel prints less than in the usual order"
                             : fmt::format("The kernel prints \"{}\", which isn't printed in the usual order,", line);
    return f;
  }

  [[nodiscard]] finding unplaced() const {
    finding f;
    f.kind = finding_kind::result_depends_on_order;
    f.kernel = names_.facts().demangled;
    f.file = names_.facts().file;
    return f;
  }

  const orders_plan& plan_;
  memory::global_memory& memory_;
  memory::saved_pages& saved_;
  const other_order& usual_;
  const std::function<order_outcome(other_order&)>& run_;
  const explain::naming& names_;
  launch_report& report_;
  kept_traffic traffic_;
  std::optional<kept> unexplained_, explained_;
  unsigned searches_ = 0, given_up_ = 0;
  std::uint64_t executed_ = 0;
  std::uint64_t watched_bytes_ = 4;
};

}  // namespace

void try_orders(const orders_plan& plan, memory::address_space& space, memory::saved_pages& saved,
                const other_order& usual, const std::function<order_outcome(other_order&)>& run,
                const explain::naming& names, launch_report& report) {
  comparison_of_orders(plan, space, saved, usual, run, names, report).go();
}

}  // namespace emulator::simt
