#include "10_private_arrays/wrong_gather.hpp"

#include <chrono>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter10 {
namespace {

using namespace workbook;

/// Threads that show every pattern; more take long to look at.
constexpr std::size_t enough_threads = 300;
/// Thread t's mark is this and t: no mark is twice another.
constexpr double first_mark = 4096;

/// What threads get of the element that each has marked: by thread, in their weighted sum.
struct reading {
  std::vector<double> got;
  [[nodiscard]] bool is_right(std::size_t t) const { return got[t] == first_mark + static_cast<double>(t); }
  [[nodiscard]] bool is_lost(std::size_t t) const { return got[t] == 0; }
  /// The thread whose marked element this one has; `threads` where it is no thread's, or several.
  [[nodiscard]] std::size_t owner_of(std::size_t t) const {
    const double thread = got[t] - first_mark;
    return thread >= 0 && thread < static_cast<double>(got.size()) && thread == std::floor(thread)
               ? static_cast<std::size_t>(thread)
               : got.size();
  }
  /// The weight with which the thread has its own element; 0 where it has not.
  [[nodiscard]] double weight(std::size_t t) const {
    const double times = got[t] / (first_mark + static_cast<double>(t));
    return times == std::floor(times) && times >= 1 && times <= array_length ? times : 0;
  }
};

class inquiry {
 public:
  explicit inquiry(gather_trial& trial) : trial_(trial), n_(trial.threads()) {}

  std::optional<explanation> explain() {
    std::string cause = cause_of_zeros();
    if (cause.empty() && look()) cause = cause_of_starts();
    if (cause.empty() && complete_) cause = cause_of_places();
    if (cause.empty()) return {};
    return explanation{cause, {}, {}};
  }

 private:
  [[nodiscard]] std::vector<double> zeros() const { return std::vector<double>(n_ * array_length, 0); }
  [[nodiscard]] element_set threads_where(const std::function<bool(std::size_t)>& holds) const {
    return chosen_of(n_, holds);
  }
  /// Marks element k of every thread, and has all begin to read at `start`.
  reading read(unsigned k, unsigned start) {
    std::vector<double> in = zeros();
    for (std::size_t t = 0; t < n_; ++t) in[k * n_ + t] = first_mark + static_cast<double>(t);
    return {trial_.outputs_of(in, std::vector<unsigned>(n_, start))};
  }
  /// "", or " in threads 32 to 63 of every block".
  [[nodiscard]] std::string in_threads(const element_set& set) const;

  [[nodiscard]] std::string cause_of_zeros();
  /// Fills `read_first_`. False where that would take too long.
  bool look();
  [[nodiscard]] std::string cause_of_starts();
  [[nodiscard]] std::string cause_of_places();
  [[nodiscard]] std::string cause_of_input();
  [[nodiscard]] std::string cause_of_one(unsigned k, std::size_t t);

  gather_trial& trial_;
  std::size_t n_;
  /// By element: where all threads begin to read at it, so that it has weight 1.
  std::vector<reading> read_first_;
  bool complete_ = false;
  std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
};

std::string inquiry::in_threads(const element_set& set) const {
  if (all(set)) return {};
  std::string words = words_for_outputs(set, trial_.block_size());
  if (words.rfind("the output", 0) == 0) return " in " + words.substr(words.find("of ") + 3);
  return fmt::format(" in {} of {}", words_for(set, "thread"), n_);
}

std::string inquiry::cause_of_zeros() {
  const std::vector<double> out = trial_.outputs_of(zeros(), std::vector<unsigned>(n_, 0));
  // Once an element is read it holds its weight: with 32 reads nobody sees that.
  const element_set silent = threads_where([&](std::size_t t) { return std::isnan(out[t]); });
  const element_set wrong = threads_where([&](std::size_t t) { return out[t] != 0; });
  if (any(silent)) {
    const auto told = explain_outputs(out, std::vector<double>(n_, 0), trial_.block_size());
    return told ? told->cause : std::string();
  }
  if (!any(wrong)) return {};
  const std::size_t t = first_of(wrong);
  return fmt::format(
      "Where all of in is zeros, out[{}] is {}, not 0{}: an element is read that was rewritten before, or something is "
      "added that is no element.",
      t, shown(out[t]), in_threads(wrong));
}

bool inquiry::look() {
  for (unsigned k = 0; k < array_length; ++k) {
    if (std::chrono::steady_clock::now() > until_) return false;
    read_first_.push_back(read(k, k));
  }
  complete_ = true;
  return true;
}

/// Where threads begin to read.
std::string inquiry::cause_of_starts() {
  // With weight 1 throughout there is nothing to say of starts; else every element may have the weight of one start.
  for (std::size_t t = 0; t < n_; ++t)
    for (unsigned k = 0; k < array_length; ++k)
      if (read_first_[k].weight(t) != k + 1) return {};
  return "starts[t] is never used: every thread begins to read at element 0.";
}

std::string inquiry::cause_of_places() {
  if (std::string words = cause_of_input(); !words.empty()) return words;
  // The same elements lost: those threads are told together.
  const auto lost_of = [&](std::size_t t) {
    return chosen_of(array_length, [&](std::size_t k) { return read_first_[k].is_lost(t); });
  };
  const element_set losers = threads_where([&](std::size_t t) { return any(lost_of(t)); });
  if (any(losers)) {
    const element_set lost = lost_of(first_of(losers));
    const element_set alike = threads_where([&](std::size_t t) { return lost_of(t) == lost; });
    const std::string words = words_for(lost);
    if (all(lost)) return fmt::format("No element of the private arrays reaches the sum{}.", in_threads(alike));
    return fmt::format("{} of the {} in a private array {} never read{}.", capital(words), array_length,
                       is_plural(words) ? "are" : "is", in_threads(alike));
  }
  for (unsigned k = 0; k < array_length; ++k)
    for (std::size_t t = 0; t < n_; ++t)
      if (!read_first_[k].is_right(t)) return cause_of_one(k, t);
  return {};
}

/// Where the arrays are filled from the wrong places: as if a thread's elements stood side by side.
std::string inquiry::cause_of_input() {
  if (n_ < 2) return {};
  // Element k of thread t stands at k * n + t; it comes from t * 32 + k.
  for (unsigned k = 0; k < array_length; ++k) {
    for (std::size_t t = 0; t < n_; ++t) {
      // A thread that begins at element k reads each of its elements with a weight.
      double sum = 0;
      for (unsigned s = 0; s < array_length; ++s) {
        const std::size_t place = t * array_length + (k + s) % array_length;
        if (place / n_ == k) sum += (s + 1) * (first_mark + static_cast<double>(place % n_));
      }
      if (read_first_[k].got[t] != sum) return {};
    }
  }
  return "in is read as if the elements of a thread stood side by side: element k of thread t is taken from t * 32 + k, "
         "not from k * n + t.";
}

std::string inquiry::cause_of_one(unsigned k, std::size_t t) {
  const reading& r = read_first_[k];
  const std::size_t other = r.owner_of(t);
  if (other < n_) {
    const element_set strangers =
        threads_where([&](std::size_t u) { return !r.is_right(u) && r.owner_of(u) < n_; });
    return fmt::format("Threads read each other's elements{}: thread {} has element {} of thread {}. Their arrays "
                       "overlap, or are filled from the wrong place in in.",
                       in_threads(strangers), t, k, other);
  }
  const double weight = r.weight(t);
  if (weight > 1)
    return fmt::format("Elements are read in the wrong order{}: thread {} begins at element {}, and reads it in step {} "
                       "only.",
                       in_threads(threads_where([&](std::size_t u) { return !r.is_right(u); })), t, k,
                       shown(weight - 1));
  return fmt::format("Element {} of thread {} is in its sum {} times, not once, where it begins there.", k, t,
                     shown(r.got[t] / (first_mark + static_cast<double>(t))));
}

std::optional<explanation> explain_threads(const problem& p, const gather_maker& make) {
  const std::unique_ptr<gather_trial> trial = make(p);
  return inquiry(*trial).explain();
}

std::optional<explanation> explain_own_input(const problem& p, const gather_maker& make) {
  const std::unique_ptr<gather_trial> trial = make(p);
  return explain_outputs(trial->outputs(), trial->wanted(), trial->block_size());
}

}  // namespace

std::optional<explanation> explain_gather(const problem& failed, const gather_maker& make) {
  static const std::string name = "gather";
  if (failed.count == 0) return {};
  auto told = explained_by(name, failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_threads);
    if (p.count != failed.count && !explain_own_input(p, make)) p.count = failed.count;
    return explain_threads(p, make);
  });
  if (told) return told;
  return explained_by(name, failed.count, [&] { return explain_own_input(failed, make); });
}

}  // namespace chapter10
