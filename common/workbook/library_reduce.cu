// The reduction that the book ends with, as a row of a table.

#include "device/reduce.cuh"
#include "workbook/kept_workspace.hpp"
#include "workbook/library.hpp"

namespace workbook {
namespace {

template <typename T>
void sum(kept_workspace& w, const T* in, T* out, std::size_t n) {
  void* storage = w.reserve(reduce_workspace_bytes<T>());
  if (storage != nullptr) reduce<T>(in, out, n, storage);
}

/// Additions on the longest way from an element of type T to the sum, on the current device.
template <typename T>
std::size_t depth_of_sum(std::size_t n) {
  constexpr std::size_t of_a_block = 10;  // two warps' trees, of 32 values each
  const reduce_input<T> input(nullptr, n);
  const reduce_shape shape = shape_of_reduce(input);
  const std::size_t threads = std::size_t{shape.grid_size} * shape.block_size;
  // A value of the slow path, those of the fast path, and the sums beside each other in a thread.
  const std::size_t of_a_thread = 1 + ceil_div(input.vectors, threads) + reduce_input<T>::per_vector;
  return of_a_thread + of_a_block + ceil_div(shape.grid_size, shape.block_size) + of_a_block;
}

}  // namespace

reduction one_launch_reduction() {
  reduction r;
  r.name = "reduce_one_launch";
  r.as = role::reference;
  r.chapter = 12;
  const auto w = std::make_shared<kept_workspace>();
  const auto call = [w](const auto* in, auto* out, std::size_t n) { sum(*w, in, out, n); };
  r.wholes = {whole<int>(call), whole<unsigned>(call), whole<long long>(call), whole<float>(call), whole<double>(call)};
  r.reset = [w] { w->release(); };
  r.depth = [](std::size_t n, unsigned) { return std::max(depth_of_sum<float>(n), depth_of_sum<double>(n)); };
  return r;
}

}  // namespace workbook
