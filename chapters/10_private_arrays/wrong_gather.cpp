#include "10_private_arrays/wrong_gather.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "10_private_arrays/gather.hpp"
#include "workbook/wrong_outputs.hpp"

namespace chapter10 {
namespace {

using namespace workbook;

/// Enough threads to show every pattern. More threads would take too long to examine.
constexpr std::size_t enough_threads = 300;
/// Thread t's mark is first_mark + t, so no mark is twice another one.
constexpr double first_mark = 4096;

/// The outputs of a run in which one element of each thread is marked. `got` has each thread's weighted sum.
struct reading {
  std::vector<double> got;
  static double mark(std::size_t t) { return first_mark + static_cast<double>(t); }
  /// Returns the thread whose mark times `weight` is this thread's sum, or the number of threads if there is none.
  [[nodiscard]] std::size_t owner_of(std::size_t t, double weight) const {
    const double thread = got[t] / weight - first_mark;
    return thread >= 0 && thread < static_cast<double>(got.size()) && thread == std::floor(thread)
               ? static_cast<std::size_t>(thread)
               : got.size();
  }
  /// Returns the weight of the thread's own mark in its sum, or a negative number if the sum isn't a multiple of it.
  [[nodiscard]] double weight(std::size_t t) const {
    const double times = got[t] / mark(t);
    return times == std::floor(times) && times >= 0 && times <= array_length ? times : -1;
  }
};

class inquiry {
 public:
  explicit inquiry(gather_trial& trial) : trial_(trial), n_(trial.threads()) {}

  std::optional<explanation> explain() {
    explanation e;
    from_zeros_ = trial_.outputs_of(zeros(), std::vector<unsigned>(n_, 0));
    // If outputs are never written, the input with which that was found shows it better.
    if (std::any_of(from_zeros_.begin(), from_zeros_.end(), [](double x) { return std::isnan(x); }) || !look())
      return {};
    e.cause = cause_of_strangers();
    if (e.cause.empty()) e.cause = cause_of_order();
    if (e.cause.empty()) e.cause = cause_of_lost();
    if (e.cause.empty()) e.cause = cause_of_steps();
    if (e.cause.empty()) e.cause = cause_of_zeros();
    if (e.cause.empty()) return {};
    return e;
  }

 private:
  [[nodiscard]] std::vector<double> zeros() const { return std::vector<double>(n_ * array_length, 0); }
  [[nodiscard]] element_set threads_where(const std::function<bool(std::size_t)>& holds) const {
    return chosen_of(n_, holds);
  }
  /// Marks element k of every thread, and runs the kernel with all threads beginning to read at `start`.
  reading read(unsigned k, unsigned start) {
    std::vector<double> in = zeros();
    for (std::size_t t = 0; t < n_; ++t) in[k * n_ + t] = reading::mark(t);
    return {trial_.outputs_of(in, std::vector<unsigned>(n_, start))};
  }
  /// Tests all elements. Returns false if they take too long.
  bool look();
  /// Returns "", or " That is so for thread 3 of 31."
  [[nodiscard]] std::string for_threads(const element_set& set) const;

  [[nodiscard]] std::string cause_of_strangers() const;
  [[nodiscard]] bool is_side_by_side() const;
  [[nodiscard]] std::string cause_of_lost() const;
  [[nodiscard]] std::string cause_of_order() const;
  [[nodiscard]] std::string cause_of_steps() const;
  [[nodiscard]] std::string cause_of_zeros() const;
  /// The threads that read each element with the given weights, beginning at element 0 or at the element itself.
  [[nodiscard]] element_set threads_with(const std::function<double(unsigned)>& from_zero,
                                         const std::function<double(unsigned)>& from_it) const {
    return threads_where([&](std::size_t t) {
      for (unsigned k = 0; k < array_length; ++k)
        if (from_zero_[k].weight(t) != from_zero(k) || from_it_[k].weight(t) != from_it(k)) return false;
      return true;
    });
  }

  gather_trial& trial_;
  std::size_t n_;
  std::vector<double> from_zeros_;  ///< The outputs of all threads if all of `in` is zeros.
  /// For each element: the outputs if all threads begin to read at element 0, and if they begin at this one.
  std::vector<reading> from_zero_, from_it_;
  processor_clock::time_point until_ = processor_clock::now() + std::chrono::milliseconds(600);
};

bool inquiry::look() {
  for (unsigned k = 0; k < array_length; ++k) {
    if (processor_clock::now() > until_) return false;
    from_zero_.push_back(read(k, 0));
    from_it_.push_back(read(k, k));
    for (std::size_t t = 0; t < n_; ++t) {
      from_zero_[k].got[t] -= from_zeros_[t];
      from_it_[k].got[t] -= from_zeros_[t];
    }
  }
  return true;
}

std::string inquiry::for_threads(const element_set& set) const {
  return all(set) ? std::string() : fmt::format(" That is so for {}.", words_within(set, "thread"));
}

std::string inquiry::cause_of_strangers() const {
  if (is_side_by_side())
    return "in is read as if the elements of a thread were side by side: element k of thread t is taken from "
           "t * 32 + k, not from k * n + t.";
  for (unsigned k = 0; k < array_length; ++k) {
    // A thread that begins at element k reads it with weight 1, even if it belongs to another thread.
    const auto owner = [&](std::size_t t) { return from_it_[k].owner_of(t, 1); };
    const element_set strangers = threads_where([&](std::size_t t) { return owner(t) < n_ && owner(t) != t; });
    if (!any(strangers)) continue;
    const std::size_t t = first_of(strangers);
    return fmt::format(
        "Threads have each other's elements: thread {} reads element {} of thread {}, not its own. "
        "Their arrays overlap, or are filled from the wrong place of in.{}",
        t, k, owner(t), for_threads(strangers));
  }
  return {};
}

/// Returns true if element k of thread t is always read from position t * 32 + k.
bool inquiry::is_side_by_side() const {
  if (n_ < 2) return false;
  for (unsigned k = 0; k < array_length; ++k) {
    for (std::size_t t = 0; t < n_; ++t) {
      double sum = 0;
      for (unsigned s = 0; s < array_length; ++s) {
        const std::size_t place = t * array_length + s;
        if (place / n_ == k) sum += (s + 1) * reading::mark(place % n_);
      }
      if (from_zero_[k].got[t] != sum) return false;
    }
  }
  return true;
}

std::string inquiry::cause_of_lost() const {
  // Threads that lose the same elements are reported together.
  const auto lost_of = [&](std::size_t t) {
    return chosen_of(array_length, [&](std::size_t k) { return from_zero_[k].got[t] == 0 && from_it_[k].got[t] == 0; });
  };
  const element_set losers = threads_where([&](std::size_t t) { return any(lost_of(t)); });
  if (!any(losers)) return {};
  const element_set lost = lost_of(first_of(losers));
  const std::string where = for_threads(threads_where([&](std::size_t t) { return lost_of(t) == lost; }));
  if (all(lost)) return "No element of the private arrays reaches the sum." + where;
  const std::string words = words_for(lost);
  return fmt::format("{} of the {} in a private array {} never read.{}", capital(words), array_length,
                     is_plural(lost) ? "are" : "is", where);
}

/// Finds out in which order, and with which weights, the elements are read.
std::string inquiry::cause_of_order() const {
  const auto one = [](unsigned) { return 1.0; };
  const auto rising = [](unsigned k) { return k + 1.0; };
  struct order {
    element_set threads;
    const char* words;
  };
  const order orders[] = {
      {threads_with(rising, rising), "starts[t] is never used: every thread begins to read at element 0."},
      {threads_with([](unsigned k) { return k; }, [](unsigned) { return 0; }),
       "The weights are 0 to 31, not 1 to 32: the first element that is read does not count."},
      {threads_with([](unsigned k) { return k == 0 ? 1 : array_length - k + 1; }, one),
       "The elements are read backwards: from number starts[t] down, not up."},
      {threads_with(one, one), "All elements have weight 1: the one read in step s must have weight s % 32 + 1."}};
  for (const order& o : orders)
    if (any(o.threads)) return o.words + for_threads(o.threads);
  return {};
}

std::string inquiry::cause_of_steps() const {
  const auto missing_of = [&](std::size_t t) {
    return chosen_of(array_length, [&](std::size_t k) { return from_zero_[k].got[t] == 0; });
  };
  const element_set idle = threads_where([&](std::size_t t) { return any(missing_of(t)); });
  if (any(idle)) {
    const element_set missing = missing_of(first_of(idle));
    const std::string words = words_for(missing, "step");
    return fmt::format("{} of the {} {} left out: the element that is to be read then is in no sum.{}", capital(words),
                       array_length, is_plural(missing) ? "are" : "is",
                       for_threads(threads_where([&](std::size_t t) { return missing_of(t) == missing; })));
  }
  for (unsigned k = 0; k < array_length; ++k) {
    const element_set wrong = threads_where([&](std::size_t t) { return from_zero_[k].weight(t) != k + 1; });
    if (!any(wrong)) continue;
    const std::size_t t = first_of(wrong);
    const double times = from_zero_[k].got[t] / reading::mark(t);
    return fmt::format(
        "Elements have the wrong weight, or are read in the wrong order: where threads begin at element "
        "0, thread {} adds element {} {} times, not {} times.{}",
        t, k, shown(times), k + 1, for_threads(wrong));
  }
  return {};
}

std::string inquiry::cause_of_zeros() const {
  const element_set wrong = threads_where([&](std::size_t t) { return from_zeros_[t] != 0; });
  if (!any(wrong)) return {};
  const std::size_t t = first_of(wrong);
  return fmt::format("Where all of in is zeros, out[{}] is {}, not 0: a value that isn't an element is added.{}", t,
                     shown(from_zeros_[t]), for_threads(wrong));
}

std::optional<explanation> explain_threads(const problem& p, const gather_maker& make) {
  const std::unique_ptr<gather_trial> trial = make(p);
  return inquiry(*trial).explain();
}

std::optional<explanation> explain_own_input(const problem& p, const gather_maker& make) {
  const std::unique_ptr<gather_trial> trial = make(p);
  const bool right_once = trial->is_right_in_one_turn();
  if (right_once && trial->outputs() != trial->wanted())
    return explanation{
        "Every element is right when it is read for the first time, and wrong when it is read again: what a "
        "step writes back (weight - element) does not stay in the array.",
        "", ""};
  return explain_outputs(trial->outputs(), trial->wanted(), trial->plan().block_size);
}

}  // namespace

std::optional<explanation> explain_gather(const problem& failed, const gather_maker& make) {
  static const std::string name = "gather";
  if (failed.count == 0) return {};
  auto told = explained_by(name, work_per_thread * failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_threads);
    if (p.count != failed.count && !explain_own_input(p, make)) p.count = failed.count;
    return explain_threads(p, make);
  });
  if (told) return told;
  return explained_by(name, work_per_thread * failed.count, [&] { return explain_own_input(failed, make); });
}

}  // namespace chapter10
