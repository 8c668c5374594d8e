#pragma once
/// \file
/// Small programs of many kinds, to measure how fast the emulator is, and to check that all its modes give the same
/// results.

#include <cstdint>
#include <vector>

namespace bench_kinds {

/// A program: it makes its input, launches its kernels, and returns a hash of what they wrote.
struct kind {
  const char* name;
  std::uint64_t (*run)();
};

/// Returns all programs. They run on the selected device, and none depends on another.
const std::vector<kind>& all();

}  // namespace bench_kinds
