// covers: functions | an access one element before or after a private array
// status: 86
// finding: thread 0 writes byte 20 of local memory in private_array_overrun.cu:16, and the kernel's private arrays are
// finding: thread 1 writes byte 20 of local memory in private_array_overrun.cu:16
// finding: thread 0 writes byte -4 of local memory in private_array_overrun.cu:16
// finding: thread 0 reads byte 9 of local memory in private_array_overrun.cu:24, and the kernel's private arrays are

#include <cstdio>

// The array has five elements, which are 20 bytes. The bytes after it, up to byte 32, belong to no variable.
__global__ void write_at(int index, int* out) {
  int own[5];
  for (int k = 0; k < 5; ++k) own[k] = out[k];
  // There are two threads, and the second one writes to the next element.
  int at = index + static_cast<int>(threadIdx.x);
  own[at] = 7;
  int sum = 0;
  for (int k = 0; k < 5; ++k) sum += own[out[k]];
  out[threadIdx.x] = sum;
}

// The array has nine bytes.
__device__ int byte_at(const char* own, int index) {
  return own[index];
}
__global__ void read_at(int index, int* out) {
  char own[9];
  for (int k = 0; k < 9; ++k) own[k] = static_cast<char>(out[0] + k);
  out[0] = byte_at(own, index) + byte_at(own, out[1]);
}

int* memory;

void begin_again() {
  cudaDeviceSynchronize();
  cudaDeviceReset();
  cudaMallocManaged(&memory, 64);
  cudaMemset(memory, 0, 64);
  cudaDeviceSynchronize();
}

int main() {
  begin_again();
  write_at<<<1, 2>>>(3, memory);  // elements 3 and 4 exist
  read_at<<<1, 1>>>(8, memory);
  write_at<<<1, 1>>>(5, memory);
  begin_again();
  write_at<<<1, 2>>>(4, memory);
  begin_again();
  write_at<<<1, 1>>>(-1, memory);
  begin_again();
  read_at<<<1, 1>>>(9, memory);
  begin_again();
  return 0;
}
