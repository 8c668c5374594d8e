#pragma once
/// \file
/// `--benchmark`: the chapter's kernels under Google Benchmark, timed by CUDA events.

#include "workbook/chapter.hpp"
#include "workbook/command_line.hpp"

namespace workbook {

/// Runs Google Benchmark over the chapter's rungs with its own flags.
/// \return  as run_chapter; 2 where there is no GPU: the emulator has no time to measure
[[nodiscard]] int run_benchmarks(const chapter& c, const command_line& line, bool gpu_there);

}  // namespace workbook
