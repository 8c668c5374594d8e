#pragma once
/// \file
/// Objects of which the process has one.

namespace emulator {

/// Returns the only object of its type, made by the first call. Never destroyed: destructors of the program's static
/// objects still call the runtime.
template <typename T>
[[nodiscard]] T& only_one() {
  static auto* const one = new T;
  return *one;
}

}  // namespace emulator
