#pragma once
/// \file
/// What a block did, access by access, for programs that draw it: one JSON line per launch.
///
///   {"kernel": "…", "grid": [x, y, z], "block": [x, y, z], "events": [EVENT, …]}
///   EVENT: {"block": 0, "warp": 0, "what": "load" | "store" | "atomic" | "shuffle" | "barrier" | "warp barrier",
///           "op": "ld.shared.u32", "space": "shared", "file": "…", "line": 24, "bytes": 4, "lanes": [0, 1, …],
///           "at": [byte address or offset, or a shuffle's operand, lane by lane]}
///
/// Events of a block stand in the order in which they happened. A barrier has no lanes: it is one event of the block.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// Blocks 0 to this, less one, are traced: a drawing shows few, and a trace of all would fill the disk.
inline constexpr std::uint64_t traced_blocks = 8;

enum class trace_kind : std::uint8_t { access, shuffle, barrier, warp_barrier };

struct trace_event {
  trace_kind kind = trace_kind::access;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  access_kind access = access_kind::load;
  ptx::state_space space = ptx::state_space::global;
  std::uint8_t bytes = 0;
  std::array<std::uint64_t, 32> at{};  ///< By lane: address, offset, or the operand of a shuffle.
};

/// Adds the launch as one line to the file. The events are of few blocks, each block's in its order.
/// \throws std::runtime_error  where the file cannot be written
void append_trace(const std::string& path, const kernel_facts& facts, const launch_report& launch,
                  std::vector<trace_event> events);

}  // namespace emulator::observers
