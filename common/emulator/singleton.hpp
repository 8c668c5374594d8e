#pragma once
/// \file
/// Singletons.

namespace emulator {

/// Returns the only object of its type, which the first call makes. It is never destroyed, because destructors of the
/// program's static objects still call the runtime. The symbol is hidden, so two libraries that both contain an
/// emulator have one object each.
template <typename T>
[[nodiscard, gnu::visibility("hidden")]] T& singleton() {
  static auto* const one = new T;
  return *one;
}

}  // namespace emulator
