#pragma once
/// \file
/// What the source calls things that PTX knows by number only: a kernel's parameters, and the sides of an array of two
/// dimensions. They are looked up in the source file; where that is not there, or says it in another way, nothing is
/// known.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/observers/event.hpp"

namespace emulator::explain {

/// "reduce_strided" of "void chapter3::reduce_strided<int>(int const*, int*, unsigned long)".
[[nodiscard]] std::string kernel_name(const std::string& demangled);

/// The names of a kernel's parameters, in order; empty where they are not known.
[[nodiscard]] std::vector<std::string> parameter_names(const observers::kernel_facts& facts);

/// How many elements a row of the array `name` has, where the kernel's file declares one of two dimensions and
/// `elements` in all; 0 where it does not.
[[nodiscard]] std::uint64_t row_length(const observers::kernel_facts& facts, const std::string& name,
                                       std::uint64_t elements);

}  // namespace emulator::explain
