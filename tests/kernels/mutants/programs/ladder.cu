// The reference kernels of chapters 0 to 9 on two small inputs: one fills all blocks, the other does not.

#include "00_ceiling/reduce.cuh"
#include "01_interleaved_addressing/reduce.cuh"
#include "02_strided_index/reduce.cuh"
#include "03_sequential_addressing/reduce.cuh"
#include "04_first_add_during_load/reduce.cuh"
#include "05_unroll_last_warp/reduce.cuh"
#include "06_complete_unrolling/reduce.cuh"
#include "07_many_per_thread/reduce.cuh"
#include "08_vector_loads/reduce.cuh"
#include "09_warp_shuffles/reduce.cuh"
#include "check.hpp"

namespace {

using mutants::array;
using mutants::numbers;

/// Returns true if a chapter's partial sums add up to the sum, for an input that fills all blocks and one that doesn't.
template <typename Reduce>
bool sums(Reduce reduce, unsigned block_size = 64, std::size_t odd = 517, std::size_t even = 1024) {
  bool right = true;
  for (const std::size_t n : {odd, even}) {
    const std::vector<int> in = numbers(n);
    int sum = 0;
    for (const int x : in) sum += x;
    const array<int> a(in), partials(std::vector<int>(64));
    const std::size_t left = reduce(a.get(), partials.get(), n, block_size);
    std::vector<int> each(left);
    if (cudaMemcpy(each.data(), partials.get(), left * sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess)
      return false;
    for (const int x : each) sum -= x;
    right = right && sum == 0;
  }
  return right;
}

bool by_one_thread() {
  return sums(chapter0::solution::reduce<int>);
}
bool by_atomics() {
  return sums(chapter0::solution::reduce_by_atomics<int>);
}
bool interleaved() {
  return sums(chapter1::solution::reduce<int>);
}
bool strided() {
  return sums(chapter2::solution::reduce<int>);
}
bool sequential() {
  return sums(chapter3::solution::reduce<int>);
}
bool first_add() {
  return sums(chapter4::solution::reduce<int>);
}
bool unrolled_warp() {
  return sums(chapter5::solution::reduce<int>, 128);
}
bool unrolled() {
  return sums(chapter6::solution::reduce<int>, 128);
}
bool many() {
  return sums(chapter7::solution::reduce<int>, 128);
}
bool vectors() {
  return sums(chapter8::solution::reduce<int>, 128, 5003, 8192);
}
bool shuffles() {
  return sums(
      [](const int* in, int* out, std::size_t n, unsigned b) { return chapter9::solution::reduce(in, out, n, b); }, 64,
      5003, 8192);
}
constexpr mutants::one_case cases[] = {
    {"reduce_single_thread", by_one_thread}, {"reduce_atomic", by_atomics},
    {"reduce_interleaved", interleaved},     {"reduce_strided", strided},
    {"reduce_sequential", sequential},       {"reduce_first_add", first_add},
    {"reduce_unrolled_warp", unrolled_warp}, {"reduce_unrolled", unrolled},
    {"reduce_many_per_thread", many},        {"reduce_vector_loads", vectors},
    {"reduce_shuffles", shuffles},
};

}  // namespace

int main(int argc, char** argv) {
  return mutants::run(argc, argv, cases);
}
