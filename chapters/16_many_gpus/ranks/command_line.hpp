#pragma once
/// \file
/// The command line of ranks16: the options of chapter 16's program that make sense for several processes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "emulator/emulator.hpp"
#include "workbook/element.hpp"

namespace chapter16 {

struct rank_words {
  std::string program;  ///< As it was typed, without its folder. "chapter16" if that program has started ranks16.
  std::optional<emulator::device_kind> device;
  workbook::element_type type = workbook::element_type::int32;
  std::optional<std::size_t> count;
  std::size_t vector = std::size_t{1} << 14;
  std::uint64_t seed = 1;
  std::chrono::seconds timeout{60};
  std::string json;  ///< The file in which rank 0 writes NCCL's times. If it is empty, no times are measured.
  std::string commit = "unknown";
  std::string help;   ///< The help text or the version, if it was requested.
  std::string wrong;  ///< What is wrong with the arguments; empty if nothing is.
};

/// Parses the arguments. Doesn't print or throw, because all ranks do that together.
[[nodiscard]] rank_words read_rank_words(int argc, char** argv);

}  // namespace chapter16
