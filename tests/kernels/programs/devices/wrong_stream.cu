// covers: devices | streams and events belong to a device: a launch or record in another device's stream is refused
// gpus: 3
// status: 86
// finding: the event belongs to device 0, the stream to device 2
// says: right
// says: its stream belongs to device 2, and device 0 is the current one

#include <cstdio>

__global__ void nothing() {}

int main() {
  cudaStream_t second;
  cudaEvent_t first;
  cudaEventCreate(&first);
  cudaSetDevice(2);
  cudaStreamCreate(&second);
  cudaSetDevice(0);
  nothing<<<1, 1, 0, second>>>();
  int wrong = cudaGetLastError() != cudaErrorInvalidResourceHandle;
  wrong += cudaEventRecord(first, second) != cudaErrorInvalidResourceHandle;
  cudaEventRecord(first, 0);
  wrong += cudaStreamWaitEvent(second, first, 0) != cudaSuccess;
  std::puts(wrong == 0 ? "right" : "wrong");
}
