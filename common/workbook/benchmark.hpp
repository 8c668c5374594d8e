#pragma once
/// \file
/// `--benchmark`: runs the chapter's kernels under Google Benchmark, timed by CUDA events.

#include "workbook/chapter.hpp"
#include "workbook/command_line.hpp"

namespace workbook {

/// Runs Google Benchmark, with its own flags, over the chapter's kernels.
/// \return  the status of `run_chapter`; 2 if there is no GPU, because the emulator cannot measure time
[[nodiscard]] int run_benchmarks(const chapter& c, const command_line& line, bool gpu_there);

}  // namespace workbook
