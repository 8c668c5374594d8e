#pragma once
/// \file
/// The CUDA runtime of the host process: every call is a packet to the judge.

#include <string>

namespace judge {

/// Returns the mangled name of the kernel behind a host stub; empty where none is registered.
[[nodiscard]] std::string name_of_kernel(const void* host_function);

}  // namespace judge
