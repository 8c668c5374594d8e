#pragma once
/// \file
/// A version of chapter 11 with every launch bound and element type.

#include "11_launch_bounds/sums_kernel.hpp"
#include "11_launch_bounds/versions.cuh"
#include "workbook/every_type.hpp"

namespace chapter11 {

template <typename Version>
sums_kernel without_bounds() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return unbounded<Version, T>; })};
}

template <typename Version, unsigned threads, unsigned blocks>
sums_kernel with_bounds() {
  return {workbook::kernels_of_every_type([]<typename T>(T*) { return bounded<Version, threads, blocks, T>; })};
}

template <typename Version>
versions all_bounds() {
  return {without_bounds<Version>(), with_bounds<Version, 1024, 1>(), with_bounds<Version, 512, 2>()};
}

}  // namespace chapter11
