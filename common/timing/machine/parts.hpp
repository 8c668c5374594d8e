#pragma once
/// \file
/// The parts of the program's measurements. Each part prints its table row by row, and returns its part of the record.
/// On the emulator, each kernel runs once at a small size, and the times are null.

#include <string>

#include <nlohmann/json.hpp>

#include "timing/machine/bench.hpp"

namespace workbook::machine {

/// Measures the time per block of grids that do nothing, depending on threads, shared memory, registers and a barrier.
/// Returns the rows.
[[nodiscard]] nlohmann::json measure_starts(bench& b);
/// Measures one launch, and each further launch in a stream, in a graph, and with programmatic dependent launch.
[[nodiscard]] nlohmann::json measure_launches(bench& b);
/// Measures loads from each level of memory, shared memory, barriers, chains of instructions, and atomics.
/// \param cost_table  is set to the superoptimiser's table of latencies
[[nodiscard]] nlohmann::json measure_latencies(bench& b, nlohmann::json& cost_table);
/// Measures kernels that only load: GB/s by the number of bytes in flight, and with blocks that load once and end.
[[nodiscard]] nlohmann::json measure_bandwidth(bench& b);
/// Measures the best read, write and copy over a set of shapes.
[[nodiscard]] nlohmann::json measure_best_sweeps(bench& b);
/// Measures shared memory by the degree of conflict.
[[nodiscard]] nlohmann::json measure_shared(bench& b);
/// Measures instructions per cycle and SM.
[[nodiscard]] nlohmann::json measure_instructions(bench& b);
/// Measures independent shuffles of one warp, and sums of 16 lanes by one to 32 warps.
[[nodiscard]] nlohmann::json measure_shuffles(bench& b);
/// Measures bytes and small steps between each pair of GPUs and in larger rings, if there are any, and bytes between
/// GPU 0 and the host.
[[nodiscard]] nlohmann::json measure_links(bench& b);

}  // namespace workbook::machine
