#pragma once
/// \file
/// Executes the superoptimiser's programs on the device.

#include <array>
#include <cstdint>
#include <vector>

using warp_lanes = std::array<std::uint32_t, 32>;

/// An instruction as plain numbers: opcode, destination, three sources, immediate.
struct device_instruction {
  std::uint32_t op, destination, sources[3], immediate;
};

/// Executes the instructions with the device's own intrinsics on one warp, whose registers 0 to 16 start with the
/// values in `registers`. Returns their values at the end.
std::vector<warp_lanes> interpret_on_device(const std::vector<device_instruction>& code,
                                            const std::vector<warp_lanes>& registers);

/// Runs the printed CUDA C++ of sum16_tree, or of every_opcode, on one warp.
warp_lanes run_printed_tree(const warp_lanes& in3);
warp_lanes run_printed_every_opcode(const warp_lanes& in3, const warp_lanes& in6);
