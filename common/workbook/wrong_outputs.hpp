#pragma once
/// \file
/// Descriptions of a kernel's wrong outputs, and helpers for explaining wrong results.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "workbook/element_places.hpp"
#include "workbook/guarded.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// A clock for the processor time of this process, with all its threads. It stops while other processes use the
/// machine, so a search that is limited by this clock gives the same result on a busy machine. It meets the
/// TrivialClock requirements of the C++ library, and counts microseconds.
struct processor_clock {
  using duration = std::chrono::microseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<processor_clock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept {
    return time_point(duration(static_cast<rep>(std::clock()) * (1'000'000 / CLOCKS_PER_SEC)));
  }
};

/// Returns the contents of an array after a launch as numbers: NaN for elements that are still poisoned, infinite if
/// the value written isn't a number.
template <typename T>
[[nodiscard]] std::vector<double> as_numbers(const std::vector<T>& values) {
  std::vector<double> numbers;
  for (const T& value : values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&value);
    const bool unwritten = std::all_of(bytes, bytes + sizeof(T), [](unsigned char byte) { return byte == poison; });
    const double number = static_cast<double>(value);
    numbers.push_back(unwritten ? NAN : std::isnan(number) ? HUGE_VAL : number);
  }
  return numbers;
}

/// Returns whole numbers as elements of type T.
template <typename T>
[[nodiscard]] std::vector<T> as_elements(const std::vector<double>& numbers) {
  std::vector<T> values(numbers.size());
  std::transform(numbers.begin(), numbers.end(), values.begin(), [](double x) { return static_cast<T>(x); });
  return values;
}

/// Returns the shortest text of a number that distinguishes it from `other`: "7", "2.5", or "nothing" for NaN.
[[nodiscard]] std::string shown(double x, double other = 0);

/// Returns the text with a capital first letter.
[[nodiscard]] std::string capital(std::string text);

/// Returns the set of elements for which `holds` is true.
[[nodiscard]] element_set chosen_of(std::size_t n, const std::function<bool(std::size_t)>& holds);
[[nodiscard]] bool any(const element_set& s);
[[nodiscard]] bool all(const element_set& s);
/// Returns the first element of the set, or the set's length if it is empty.
[[nodiscard]] std::size_t first_of(const element_set& s);

/// Returns the text of `words_for(set)` or `words_within(set, noun)` as the subject of a sentence: with a capital
/// letter, and with a comma if it ends in a clause.
[[nodiscard]] std::string as_subject(const std::string& text, const element_set& set);

/// A description of a set of outputs.
struct outputs_text {
  std::string text;             ///< "outputs 3 and 7 of 997", "the outputs of threads 32 to 63 of every block", …
  bool is_plural = true;        ///< True if the verb is "are".
  bool ends_in_clause = false;  ///< True if the verb needs a comma before it.
};

/// \param per_block  the number of outputs of a block; 0 if they do not depend on blocks
[[nodiscard]] outputs_text text_for_outputs(const element_set& chosen, std::size_t per_block);

/// Returns an explanation of which outputs are wrong or never written, with one of them as an example. Returns nothing
/// if all are right.
/// \param array  the name of the output in the kernel
[[nodiscard]] std::optional<explanation> explain_outputs(const std::vector<double>& got,
                                                         const std::vector<double>& wanted, std::size_t per_block,
                                                         const std::string& array = "out");

/// Finds the positions in [0, n) that are not right, by bisection. Returns nothing if the search takes longer than
/// until `until`.
/// \param is_right  returns true if all positions in [begin, end) are right
[[nodiscard]] std::optional<element_set> places_not_right(std::size_t n,
                                                          const std::function<bool(std::size_t, std::size_t)>& is_right,
                                                          processor_clock::time_point until);

/// Runs `probe` without observing the kernels that it launches, which are named `name` and get `count` elements.
/// Returns its result. If the device fails, resets it and returns nothing, so `probe` must not leave buffers on it.
/// \tparam Probe  returns an optional
template <typename Probe>
[[nodiscard]] std::invoke_result_t<const Probe&> explained_by(const std::string& name, std::size_t count,
                                                              const Probe& probe) {
  const watched_run plainly(/*observe=*/false, count);
  try {
    return probe();
  } catch (const std::runtime_error&) {
    recover_device(name);
    return {};
  }
}

}  // namespace workbook
