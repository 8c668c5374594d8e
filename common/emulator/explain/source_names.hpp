#pragma once
/// \file
/// Facts that PTX doesn't contain: the names of a kernel's parameters, and the row length of a two-dimensional array.
/// They are searched for in the source file. If the file doesn't exist, or is written in an unexpected way, they are
/// unknown.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/observers/event.hpp"

namespace emulator::explain {

/// Returns "reduce_strided" for "void chapter3::reduce_strided<int>(int const*, int*, unsigned long)".
[[nodiscard]] std::string kernel_name(const std::string& demangled);

/// Returns the names of a kernel's parameters, in order; empty if they are not known.
[[nodiscard]] std::vector<std::string> parameter_names(const observers::kernel_facts& facts);

/// Returns the number of elements in a row of the array `name` if the kernel's file declares it with two dimensions and
/// `elements` elements in total; else 0.
[[nodiscard]] std::uint64_t row_length(const observers::kernel_facts& facts, const std::string& name,
                                       std::uint64_t elements);

}  // namespace emulator::explain
