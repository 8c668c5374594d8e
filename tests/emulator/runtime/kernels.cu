// Assertions must be active in release builds, too, because they are tested.
#undef NDEBUG

#include "emulator/runtime/kernels.hpp"

#include <cooperative_groups.h>

#include <cassert>

namespace runtime_test {
namespace {

__constant__ int scale = 3;
__device__ int counter = 40;
__managed__ int shared_value = 5;

__global__ void add_one(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] += 1;
}

__global__ void __launch_bounds__(128) bounded(int* values, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) values[i] += 1;
}

template <int length>
__global__ void gather(int* values, int at) {
  int own[length];
  for (int i = 0; i < length; ++i) own[i] = values[i * blockDim.x + threadIdx.x];
  // A single access would not be enough to keep the long array in memory.
  for (int i = 0; length > 8 && i < at; ++i) own[(i * at) % length] += i;
  values[threadIdx.x] = own[at];
}

__global__ void store(int* address, int value) {
  *address = value;
}

__global__ void copy_through_shared(unsigned char* values, unsigned n) {
  extern __shared__ unsigned char tile[];
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) tile[i] = static_cast<unsigned char>(i);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) values[i] = tile[n - 1 - i];
}

__global__ void trap() {
  __trap();
}
__global__ void fail_assertion() {
  assert(blockIdx.x == 1);
}

__global__ void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void read_variables(int* out) {
  out[0] = scale;
  out[1] = counter++;
  out[2] = shared_value;
}

__global__ void sum_over_grid(int* total) {
  if (threadIdx.x == 0) total[1 + blockIdx.x] = static_cast<int>(blockIdx.x) + 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += total[1 + i];
    total[0] = sum;
  }
}

}  // namespace

void launch_add_one(int* values, int n, dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, cudaStream_t stream) {
  add_one<<<grid, block, dynamic_shared_bytes, stream>>>(values, n);
}
void launch_bounded(int* values, int n, dim3 block) {
  bounded<<<1, block>>>(values, n);
}
void launch_store(int* address, int value) {
  store<<<1, 1>>>(address, value);
}
void launch_shared(unsigned char* values, unsigned block, std::size_t dynamic_shared_bytes) {
  copy_through_shared<<<1, block, dynamic_shared_bytes>>>(values, static_cast<unsigned>(dynamic_shared_bytes));
}
void launch_trap() {
  trap<<<1, 1>>>();
}
void launch_assertion() {
  fail_assertion<<<1, 1>>>();
}
void launch_endless(int* flag) {
  endless<<<1, 1>>>(flag);
}
void launch_variables(int* out) {
  read_variables<<<1, 1>>>(out);
}

cudaError_t launch_cooperative(int* total, unsigned grid, unsigned block) {
  void* arguments[] = {&total};
  return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(sum_over_grid), dim3(grid), dim3(block), arguments,
                                     0, nullptr);
}

const void* add_one_kernel() {
  return reinterpret_cast<const void*>(add_one);
}
const void* bounded_kernel() {
  return reinterpret_cast<const void*>(bounded);
}
const void* shared_kernel() {
  return reinterpret_cast<const void*>(copy_through_shared);
}
const void* short_array_kernel() {
  return reinterpret_cast<const void*>(&gather<8>);
}
const void* long_array_kernel() {
  return reinterpret_cast<const void*>(&gather<40>);
}
const void* large_frame_kernel() {
  return reinterpret_cast<const void*>(&gather<16384>);
}
const void* scale_symbol() {
  return reinterpret_cast<const void*>(&scale);
}
const void* counter_symbol() {
  return reinterpret_cast<const void*>(&counter);
}
int& managed_value() {
  return shared_value;
}

}  // namespace runtime_test
