#pragma once
/// \file
/// Small programs of many kinds, to measure how fast the emulator is, and to check that all its modes do the same.

#include <cstdint>
#include <vector>

namespace bench_kinds {

/// A program: it makes its input, launches its kernels, and returns a hash of what they wrote.
struct kind {
  const char* name;
  std::uint64_t (*run)();
};

/// Returns all of them. They run on the selected device; none waits for another.
const std::vector<kind>& all();

}  // namespace bench_kinds
