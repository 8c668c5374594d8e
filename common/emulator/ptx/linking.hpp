#pragma once
/// \file
/// Separate compilation: the modules of a program's files become one, as nvlink makes one of their machine code.

#include <vector>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {

/// Puts the modules of several files together. What a file has for itself stays its own, under another name where two
/// have the same; what it declares `.extern` is what another one defines, and where nobody does, it stays a
/// declaration.
[[nodiscard]] module link(std::vector<module> units);

/// Gives the names and files of a function's body, which has just been read, their places in the whole.
void apply_unit(function& f);

}  // namespace emulator::ptx
