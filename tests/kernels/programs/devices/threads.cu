// covers: devices | each host thread has its own current device; resetting one device keeps the memory of the others
// gpus: 2
// status: 86
// finding: there is no device 2; the emulator has 2 (--gpus)
// says: right

#include <cstdio>
#include <thread>

__global__ void set(int* value) {
  *value = 1;
}

int main() {
  int* at[2] = {};
  int wrong = 0, now = -1;
  cudaSetDevice(1);
  std::thread other([&] {
    int mine = -1;
    wrong += cudaGetDevice(&mine) != cudaSuccess || mine != 0;
    cudaMalloc(&at[0], sizeof(int));
    set<<<1, 1>>>(at[0]);
    cudaDeviceSynchronize();
  });
  other.join();
  wrong += cudaGetDevice(&now) != cudaSuccess || now != 1;
  cudaMalloc(&at[1], sizeof(int));
  set<<<1, 1>>>(at[1]);
  cudaDeviceSynchronize();
  cudaDeviceReset();
  cudaPointerAttributes is;
  wrong += cudaPointerGetAttributes(&is, at[1]) != cudaSuccess || is.type != cudaMemoryTypeUnregistered;
  int value = 0;
  cudaSetDevice(0);
  wrong += cudaMemcpy(&value, at[0], sizeof value, cudaMemcpyDeviceToHost) != cudaSuccess || value != 1;
  wrong += cudaSetDevice(2) != cudaErrorInvalidDevice;
  wrong += cudaGetLastError() != cudaErrorInvalidDevice;
  std::puts(wrong == 0 ? "right" : "wrong");
  return 0;
}
