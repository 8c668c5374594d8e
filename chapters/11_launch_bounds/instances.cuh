#pragma once
/// \file
/// A version of chapter 11 with every launch bound and element type.

#include "11_launch_bounds/sums_kernel.hpp"
#include "11_launch_bounds/versions.cuh"

namespace chapter11 {

template <typename Version>
sums_kernel without_bounds() {
  return {{reinterpret_cast<const void*>(&unbounded<Version, int>),
           reinterpret_cast<const void*>(&unbounded<Version, unsigned>),
           reinterpret_cast<const void*>(&unbounded<Version, long long>),
           reinterpret_cast<const void*>(&unbounded<Version, float>),
           reinterpret_cast<const void*>(&unbounded<Version, double>)}};
}

template <typename Version, unsigned threads, unsigned blocks>
sums_kernel with_bounds() {
  return {{reinterpret_cast<const void*>(&bounded<Version, threads, blocks, int>),
           reinterpret_cast<const void*>(&bounded<Version, threads, blocks, unsigned>),
           reinterpret_cast<const void*>(&bounded<Version, threads, blocks, long long>),
           reinterpret_cast<const void*>(&bounded<Version, threads, blocks, float>),
           reinterpret_cast<const void*>(&bounded<Version, threads, blocks, double>)}};
}

template <typename Version>
versions all_bounds() {
  return {without_bounds<Version>(), with_bounds<Version, 1024, 1>(), with_bounds<Version, 512, 2>()};
}

}  // namespace chapter11
