#pragma once
/// \file
/// Small programs of many kinds, for how fast the emulator is, and whether all its ways to run them do the same.

#include <cstdint>
#include <vector>

namespace bench_kinds {

/// A program: it makes its input, launches its kernels, and returns a hash of what they wrote.
struct kind {
  const char* name;
  std::uint64_t (*run)();
};

/// All of them. They run on the device that is selected; none waits for another.
const std::vector<kind>& all();

}  // namespace bench_kinds
