#pragma once
/// \file
/// A version of chapter 11 with every launch bound and element type.

#include "11_launch_bounds/sums_kernel.hpp"
#include "11_launch_bounds/versions.cuh"
#include "workbook/every_type.hpp"

namespace chapter11 {

template <typename Version>
versions all_bounds() {
  using workbook::kernels_of_every_type;
  return {{kernels_of_every_type([]<typename T>(T*) { return unbounded<Version, T>; })},
          {kernels_of_every_type([]<typename T>(T*) { return bounded<Version, 1024, 1, T>; })},
          {kernels_of_every_type([]<typename T>(T*) { return bounded<Version, 512, 2, T>; })}};
}

}  // namespace chapter11
