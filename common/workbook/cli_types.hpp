#pragma once
/// \file
/// Types of option values on the workbook's command lines, for `app.add_option(…).transform(…)`. An invalid value is
/// refused with a list of the valid ones.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/emulator.hpp"
#include "host/command_line.hpp"
#include "workbook/element.hpp"

namespace workbook {

/// Returns a rule that maps each of `words` to the value next to it. It is for an option that sets a variable of type
/// `Enum`.
/// \param what  the noun for a value in the message, such as "device"
template <typename Enum>
[[nodiscard]] host::word_rule one_of(const std::string& what, const std::vector<std::pair<std::string, Enum>>& words) {
  std::string list;
  for (const auto& [name, value] : words) list += (list.empty() ? "" : ", ") + name;
  const auto transform = [=](std::string& word) -> std::string {
    for (const auto& [name, value] : words) {
      if (name != word) continue;
      // The parser expects the number of an enumerator.
      word = std::to_string(static_cast<long long>(value));
      return {};
    }
    return fmt::format("'{}' is not a {}; it can be {}", word, what, list);
  };
  return {transform, list};
}

/// Returns a rule for a variable of type `element_type`: one of `types`, or any type if that is empty.
[[nodiscard]] inline host::word_rule a_type(std::vector<element_type> types = {}) {
  if (types.empty()) types.assign(std::begin(all_element_types), std::end(all_element_types));
  std::vector<std::pair<std::string, element_type>> words;
  for (const element_type type : types) words.emplace_back(name_of(type), type);
  return one_of("type", words);
}

/// Returns a rule for a variable of type `emulator::device_kind`.
[[nodiscard]] inline host::word_rule a_device() {
  return one_of<emulator::device_kind>(
      "device", {{"gpu", emulator::device_kind::gpu}, {"emulator", emulator::device_kind::emulator}});
}

inline constexpr std::uint64_t largest_count = std::uint64_t{1} << 40;

/// Returns a rule for a number of elements, such as 1000000, 2^22 or 4Mi. The variable is a `std::size_t` or a list of
/// them.
[[nodiscard]] inline host::word_rule a_count() {
  return host::a_number_that([](std::uint64_t count) { return count <= largest_count; },
                             "a number of elements; give one from 0 to 2^40, such as 1000000, 2^22 or 4Mi", "COUNT");
}

/// Returns a rule for a file name. It refuses "-", because standard output is used for text.
[[nodiscard]] inline host::word_rule a_file_name() {
  const auto check = [](const std::string& word) -> std::string {
    return word.empty() || word == "-" ? fmt::format("'{}' is not the name of a file", word) : std::string();
  };
  return {check, "FILE"};
}

/// Returns a rule for the number of timed runs.
[[nodiscard]] inline host::word_rule repetitions_from(std::uint64_t least) {
  return host::number_from(least, 100000);
}

/// Returns a rule for a number of threads per block.
[[nodiscard]] inline host::word_rule a_block_size() {
  return host::number_from(32, 1024);
}

}  // namespace workbook
