// covers: functions | indices beyond __constant__ and __device__ arrays: the finding names the array, not a pointer
// status: 86
// finding: thread 16 reads table[16] (index[threadIdx.x]) in variables_out_of_bounds.cu:20, but table has 16 elements
// finding: thread 0 reads table[-1] (int(threadIdx.x) - 1) in variables_out_of_bounds.cu:25, but table has 16
// finding: atomically changes counts[8] (index[i]) in variables_out_of_bounds.cu:31, but counts has 8 elements
// finding: reads index[32] (threadIdx.x + counts[0]) in variables_out_of_bounds.cu:36, but index has 32 elements
// finding: writes counts[9] (9 + extra) in variables_out_of_bounds.cu:42, but counts has 8 elements
// finding: thread 0 reads table[100000] (100000 + threadIdx.x) in variables_out_of_bounds.cu:51, but table has 16
// finding: in variables_out_of_bounds.cu:58, 0 bytes past the end of allocation

#include <cuda_runtime.h>

#include <cstddef>

__constant__ int table[16];
__device__ int counts[8];

// Reads a table in constant memory, with an index from the input.
__global__ void look_up(const int* index, int* out) {
  out[threadIdx.x] = table[index[threadIdx.x]];
}

// Reads below the first element.
__global__ void look_below(int* out) {
  out[threadIdx.x] = table[int(threadIdx.x) - 1];
}

// Counts in a histogram that is a variable of the device.
__global__ void count(const int* index, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[index[i]], 1);
}

// The pointer's array is too short, although a variable appears in the same line.
__global__ void read_beyond(const int* index, int* out) {
  out[0] = index[threadIdx.x + counts[0]];
}

// A separate function writes out of bounds.
__device__ __noinline__ void put(int value) {
  const int extra = value / 2;
  counts[9 + extra] = value;
}

__global__ void call(int value) {
  put(value);
}

// The index is garbage and far out of bounds, but the table's name is still reported.
__global__ void look_far(int* out) {
  out[threadIdx.x] = table[100000 + threadIdx.x];
}

// The variable is a pointer. The memory it points to is too short, and has no name.
__device__ int* kept;

__global__ void follow() {
  kept[threadIdx.x + 60] = 1;
}

int *in, *out;

// Resets the device, because a kernel that faults leaves an error that only a reset clears, and fills the arrays again.
void begin_again() {
  cudaDeviceSynchronize();
  cudaDeviceReset();
  int index[32], squares[16];
  for (int k = 0; k < 32; ++k) index[k] = k % 17;
  for (int k = 0; k < 16; ++k) squares[k] = k * k;
  cudaMalloc(&in, sizeof index);
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(in, index, sizeof index, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(table, squares, sizeof squares);
}

int main() {
  begin_again();
  look_up<<<1, 32>>>(in, out);
  begin_again();
  look_below<<<1, 32>>>(out);
  begin_again();
  count<<<1, 32>>>(in, 32);
  begin_again();
  read_beyond<<<1, 33>>>(in, out);
  begin_again();
  call<<<1, 1>>>(0);
  begin_again();
  look_far<<<1, 1>>>(out);
  begin_again();
  cudaMemcpyToSymbol(kept, &out, sizeof out);
  follow<<<1, 32>>>();
  cudaDeviceSynchronize();
}
