// covers: host | copies from and to invalid host memory: an error message instead of a crash
// status: 86
// says: 3 lines on
// finding: the source is host memory that the program may not read: address 0x10
// finding: the destination is host memory that the program may not write
// finding: of which the program may read 4096 bytes, not 8192
// finding: the source is a null pointer
// finding: 4194304 bytes of the host's memory were freed while they were pinned by cudaHostRegister
// finding: Thread 0 writes host memory in bad_host_pointers.cu:17: the kernel got a host pointer

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>

__global__ void set(int* value) {
  *value = 5;
}

int main() {
  char* device;
  cudaMalloc(&device, 8192);
  cudaMemset(device, 0, 8192);
  cudaMemcpy(device, reinterpret_cast<void*>(16), 64, cudaMemcpyHostToDevice);
  cudaMemcpy(const_cast<char*>("text"), device, 4, cudaMemcpyDeviceToHost);
  // There are two pages, the second of which has been unmapped.
  char* pages = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(pages + 4096, 4096);
  cudaMemcpy(device, pages, 8192, cudaMemcpyHostToDevice);
  cudaMemcpy(device, nullptr, 4, cudaMemcpyHostToDevice);
  // It is fine if memory on the stack has not been touched yet.
  char large[1 << 20];
  cudaMemcpy(large, device, 64, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::printf("%d lines on\n", 3 + large[0]);
  // The allocation is so large that free() returns it to the system.
  int* pinned = static_cast<int*>(std::malloc(4 << 20));
  cudaHostRegister(pinned, 4 << 20, cudaHostRegisterDefault);
  std::free(pinned);
  set<<<1, 1>>>(pinned);
  cudaDeviceSynchronize();
  return 0;
}
