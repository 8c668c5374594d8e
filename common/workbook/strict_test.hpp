#pragma once
/// \file
/// `--test`: the strict verdict on the student's kernel, which `make testN` prints.

#include "workbook/chapter.hpp"
#include "workbook/command_line.hpp"

namespace workbook {

/// Tests the chapter's exercise with all sizes, types and block sizes, on the emulator with every check, and then
/// measures its goal. With `--device gpu`, it runs on the GPU: there are no checks and no goal, but also tests with
/// more than 2^31 elements. Prints what is right, and explains what is not.
/// \return  0 if the kernel is right and clean and reaches the goal; 1 otherwise, also for an untouched exercise; 2 if
/// the exercise's file was saved during the test
[[nodiscard]] int run_strict_test(const chapter& c, const command_line& line);

/// Reports "another version" as the verdict, for a program whose compiled exercise differs from the file. \return  2
[[nodiscard]] int refuse_strict_test(const chapter& c, const command_line& line);

}  // namespace workbook
