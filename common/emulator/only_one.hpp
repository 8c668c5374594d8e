#pragma once
/// \file
/// Objects of which a program has one.

namespace emulator {

/// Returns the only object of its type, made by the first call. Never destroyed: destructors of the program's static
/// objects still call the runtime. Hidden: two libraries with an emulator in each have one each.
template <typename T>
[[nodiscard, gnu::visibility("hidden")]] T& only_one() {
  static auto* const one = new T;
  return *one;
}

}  // namespace emulator
