#pragma once
/// \file
/// The parts of the program's measurements. Each part prints its table as it goes, and returns its share of the record;
/// on the emulator each kernel runs once at a small size, and the figures are null.

#include <string>

#include <nlohmann/json.hpp>

#include "timing/machine/bench.hpp"

namespace workbook::machine {

/// Time per block of grids that do nothing, by threads, shared memory, registers and a barrier: rows.
[[nodiscard]] nlohmann::json measure_starts(bench& b);
/// One launch, and each further one in a stream, in a graph, and with programmatic dependent launch.
[[nodiscard]] nlohmann::json measure_launches(bench& b);
/// Loads from each level of memory, shared memory, barriers, chains of instructions, atomics.
/// \param cost_table  becomes the superoptimiser's table of latencies
[[nodiscard]] nlohmann::json measure_latencies(bench& b, nlohmann::json& cost_table);
/// Loads only: GB/s against the bytes in flight, and with one short life per block.
[[nodiscard]] nlohmann::json measure_bandwidth(bench& b);
/// The best read, write and copy over a set of shapes.
[[nodiscard]] nlohmann::json measure_best_sweeps(bench& b);
/// Shared memory by the degree of conflict.
[[nodiscard]] nlohmann::json measure_shared(bench& b);
/// Instructions per cycle and multiprocessor.
[[nodiscard]] nlohmann::json measure_instructions(bench& b);
/// Independent shuffles of one warp, and sums of 16 lanes by one to 32 warps.
[[nodiscard]] nlohmann::json measure_shuffles(bench& b);
/// Bytes and small steps between each two GPUs and in larger rings, if there are any, and bytes between GPU 0 and the
/// host.
[[nodiscard]] nlohmann::json measure_links(bench& b);

}  // namespace workbook::machine
