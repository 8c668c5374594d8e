#pragma once
/// \file
/// Takes a module's text apart, without reading what the instructions are.

#include <string>
#include <string_view>

namespace emulator::ptx {

/// Returns the module without the bodies and declarations of all kernels but one; variables and functions stay.
/// \param mangled  the kernel's name
/// \throws parse_error  where the module has no such kernel
[[nodiscard]] std::string only_kernel(std::string_view module, std::string_view mangled);

}  // namespace emulator::ptx
