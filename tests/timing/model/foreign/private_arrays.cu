// Each thread has an array of 16 elements. 64 times, it reads one of them, adds it to a sum and rewrites it. All
// kernels compute the same.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

constexpr unsigned length = 16, turns = 4, fixed_block_size = 128;

/// One access: adds the element to the sum and rewrites it.
__host__ __device__ inline void access(float& element, unsigned s, float& sum) {
  const float weight = static_cast<float>(s % length + 1);
  sum += element;
  element = weight - element;
}

/// The index is known only at run time, so the array is in local memory.
__global__ void private_local(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = in[i];
  // Legal: the input is -1000 or more. Threads start at different places, so lanes access different elements.
  const unsigned start = static_cast<unsigned>(first + 1000) % length;
  float array[length];
  for (unsigned k = 0; k < length; ++k) array[(start + k) % length] = first + static_cast<float>(k);
  float sum = 0;
  for (unsigned s = 0; s < turns * length; ++s) access(array[(start + s) % length], s, sum);
  out[i] = sum;
}

/// The same, but in shared memory: element k of thread t is at k * block_size + t, so there are no conflicts. Blocks
/// have 128 threads.
__global__ void private_shared(const float* in, float* out, std::size_t n) {
  __shared__ float arrays[length][fixed_block_size];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = in[i];
  const unsigned start = static_cast<unsigned>(first + 1000) % length;
  for (unsigned k = 0; k < length; ++k) arrays[(start + k) % length][threadIdx.x] = first + static_cast<float>(k);
  float sum = 0;
  for (unsigned s = 0; s < turns * length; ++s) access(arrays[(start + s) % length][threadIdx.x], s, sum);
  out[i] = sum;
}

/// Each thread's array is contiguous, so the arrays of neighbouring lanes are 16 banks apart and conflict. Blocks have
/// 128 threads.
__global__ void private_shared_in_rows(const float* in, float* out, std::size_t n) {
  __shared__ float arrays[fixed_block_size][length];
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = in[i];
  for (unsigned k = 0; k < length; ++k) arrays[threadIdx.x][k] = first + static_cast<float>(k);
  float sum = 0;
  for (unsigned s = 0; s < turns * length; ++s) access(arrays[threadIdx.x][s % length], s, sum);
  out[i] = sum;
}

/// The index is known at compile time, so the array is in registers. The sum does not depend on the element with which
/// a thread starts.
__global__ void private_registers(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = in[i];
  float array[length];
#pragma unroll
  for (unsigned k = 0; k < length; ++k) array[k] = first + static_cast<float>(k);
  float sum = 0;
#pragma unroll 1  // a single iteration keeps the code short
  for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (unsigned k = 0; k < length; ++k) access(array[k], k, sum);
  }
  out[i] = sum;
}

workbook::specimen array_row(const char* name, void (*kernel)(const float*, float*, std::size_t)) {
  return row("private arrays", name, [=](workbook::problem p) {
    p.block_size = fixed_block_size;
    const std::vector<float> in = small_numbers(p.count, p.seed);
    return map_job(kernel, p, in, listed(in.size(), [&](std::size_t i) {
                     float sum = 0;
                     for (unsigned k = 0; k < length; ++k) {
                       float element = in[i] + static_cast<float>(k);
                       for (unsigned turn = 0; turn < turns; ++turn) access(element, k, sum);
                     }
                     return sum;
                   }));
  });
}

}  // namespace

std::vector<workbook::specimen> private_array_kernels() {
  return {array_row("private array in local memory", private_local),
          array_row("private array in shared memory", private_shared),
          array_row("private array in shared memory, in rows", private_shared_in_rows),
          array_row("private array in registers", private_registers)};
}

}  // namespace foreign
