#pragma once
/// \file
/// Words for findings: kernel, lines, threads, addresses, and what would mend it.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// Puts what a check found into words. `count` of the result is 1.
[[nodiscard]] finding describe(const kernel_facts& facts, const incident& what);

// Pieces of them.

/// "reduce.cuh:14"; where the compiler gave no line, the line of the PTX.
[[nodiscard]] std::string place(const kernel_facts& facts, std::uint32_t pc);
/// "(1,0,0)".
[[nodiscard]] std::string triple(const std::uint32_t (&v)[3]);
/// The same for a thread of `block`, by its number.
[[nodiscard]] std::string thread_name(const block_identity& block, std::uint32_t linear);
/// "1 byte", "4 bytes".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);
/// "lane 3", "lanes 0-15, 31".
[[nodiscard]] std::string lane_list(std::uint32_t mask);
/// The name without the function that it stands in: "reduce(int*)::tile" is `tile`.
[[nodiscard]] std::string plain_name(const std::string& name);
/// A finding without a message, at the instruction's line.
[[nodiscard]] finding started(const kernel_facts& facts, std::uint32_t pc, std::string check, std::string kind);

}  // namespace emulator::observers
