#pragma once
/// \file
/// `--test`: the strict verdict on the student's kernel, which `make testN` prints.

#include "workbook/chapter.hpp"
#include "workbook/command_line.hpp"

namespace workbook {

/// Runs the chapter's exercise through every size, type and block size, on the emulator under every check, then
/// measures its goal; with `--device gpu` on the GPU, where sizes beyond 2^31 stand in for checks and goal. Says what
/// is right and, in words, what is not. \return  0 right, clean and the goal reached; 1 otherwise, also where the
/// exercise has not been touched; 2 where its file was saved meanwhile
[[nodiscard]] int run_strict_test(const chapter& c, const command_line& line);

/// Leaves no verdict but "another version", of a program whose exercise is not the file's. \return  2
[[nodiscard]] int refuse_strict_test(const chapter& c, const command_line& line);

}  // namespace workbook
