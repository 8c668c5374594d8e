#pragma once
/// \file
/// The words of the workbook's command lines as types: what a parser calls with `app.add_option(…).transform(…)`. A
/// word that is none of them is refused, with those that there are.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/emulator.hpp"
#include "host/command_line.hpp"
#include "workbook/element.hpp"

namespace workbook {

/// Turns each of `words` into the value beside it, for an option that names a variable of the type `Enum`.
/// \param what  what the words are, for the message: "device"
template <typename Enum>
[[nodiscard]] host::word_rule one_of(const std::string& what, const std::vector<std::pair<std::string, Enum>>& words) {
  std::string list;
  for (const auto& [name, value] : words) list += (list.empty() ? "" : ", ") + name;
  const auto transform = [=](std::string& word) -> std::string {
    for (const auto& [name, value] : words) {
      if (name != word) continue;
      // An enumeration is read from its number.
      word = std::to_string(static_cast<long long>(value));
      return {};
    }
    return fmt::format("'{}' is not a {}; it can be {}", word, what, list);
  };
  return {transform, list};
}

/// For a variable of type `element_type`: one of `types`, all where it is empty.
[[nodiscard]] inline host::word_rule a_type(std::vector<element_type> types = {}) {
  if (types.empty()) types.assign(std::begin(all_element_types), std::end(all_element_types));
  std::vector<std::pair<std::string, element_type>> words;
  for (const element_type type : types) words.emplace_back(name_of(type), type);
  return one_of("type", words);
}

/// For a variable of type `emulator::device_kind`.
[[nodiscard]] inline host::word_rule a_device() {
  return one_of<emulator::device_kind>(
      "device", {{"gpu", emulator::device_kind::gpu}, {"emulator", emulator::device_kind::emulator}});
}

inline constexpr std::uint64_t largest_count = std::uint64_t{1} << 40;

/// For a variable of type `std::size_t`, or each of several: a number of elements, as 1000000, 2^22 or 4Mi.
[[nodiscard]] inline host::word_rule a_count() {
  return host::a_number_that([](std::uint64_t count) { return count <= largest_count; },
                             "a number of elements; give one from 0 to 2^40, such as 1000000, 2^22 or 4Mi", "COUNT");
}

/// For a file, where standard output has the text: "-" is none here.
[[nodiscard]] inline host::word_rule a_file_name() {
  const auto check = [](const std::string& word) -> std::string {
    return word.empty() || word == "-" ? fmt::format("'{}' is not the name of a file", word) : std::string();
  };
  return {check, "FILE"};
}

/// For how often something is timed.
[[nodiscard]] inline host::word_rule repetitions_from(std::uint64_t least) {
  return host::number_from(least, 100000);
}

/// For a number of threads per block.
[[nodiscard]] inline host::word_rule a_block_size() {
  return host::number_from(32, 1024);
}

}  // namespace workbook
