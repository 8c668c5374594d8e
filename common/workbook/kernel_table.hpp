#pragma once
/// \file
/// The interface between a kernel file and everything else: plain function pointers, without heavy headers. Students
/// wait mostly for the compiler, and nvcc reads every header of a kernel file three times.

#include <cstddef>

namespace workbook {

/// Launches one pass over `n` elements at `in` (device), and stores one partial sum per block in `partials` (device;
/// room for max(1, ceil(n / block_size)) elements). Returns the number of partial sums. `n` may be 0. Does not
/// synchronise.
template <typename T>
using pass_function = std::size_t (*)(const T* in, T* partials, std::size_t n, unsigned block_size);

/// The passes of one kernel, by element type. Null if the kernel does not support the type.
struct kernel_table {
  pass_function<int> for_int = nullptr;
  pass_function<unsigned> for_unsigned = nullptr;
  pass_function<long long> for_longlong = nullptr;
  pass_function<float> for_float = nullptr;
  pass_function<double> for_double = nullptr;
  bool attempted = true;  ///< False for an exercise that the student has not touched.
};

/// Returns the table of a class that has a static member template `pass(in, partials, n, block_size)`.
template <typename Kernel>
constexpr kernel_table table_of(bool attempted = true) {
  return {&Kernel::pass, &Kernel::pass, &Kernel::pass, &Kernel::pass, &Kernel::pass, attempted};
}

/// A sum in one call, as libraries provide it. `workspace_bytes` returns the size of the workspace (device, zeroed
/// once) for `n` elements of T. `run` writes the sum to `*out` (device) and does not synchronise.
template <typename T>
struct whole_function {
  std::size_t (*workspace_bytes)(std::size_t n) = nullptr;
  void (*run)(const T* in, T* out, std::size_t n, void* workspace) = nullptr;
};

/// Such sums for each element type.
struct whole_table {
  whole_function<int> for_int;
  whole_function<unsigned> for_unsigned;
  whole_function<long long> for_longlong;
  whole_function<float> for_float;
  whole_function<double> for_double;
};

/// Returns the table of a class that has static member templates `workspace_bytes<T>(n)` and
/// `run<T>(in, out, n, workspace)`.
template <typename Library>
constexpr whole_table whole_table_of() {
  return {{&Library::template workspace_bytes<int>, &Library::template run<int>},
          {&Library::template workspace_bytes<unsigned>, &Library::template run<unsigned>},
          {&Library::template workspace_bytes<long long>, &Library::template run<long long>},
          {&Library::template workspace_bytes<float>, &Library::template run<float>},
          {&Library::template workspace_bytes<double>, &Library::template run<double>}};
}

}  // namespace workbook
