// covers: host | a slice of a larger input is overwritten by the next copy while a kernel may still read it
// status: 86
// finding: cudaMemcpyAsync writes byte 0 of allocation 2 (128 bytes), which kernel sum(int const*, int*) in line 34
// says: sum 496 of slice 0
// says: in order: 496 496

#include <cstdio>

__global__ void sum(const int* slice, int* out) {
  int all = 0;
  for (int i = 0; i < 32; ++i) all += slice[i];
  *out = all;
}

int main() {
  int *room, *slice, *sums, got[2] = {};
  cudaMallocHost(&room, 2 * 128);
  for (int i = 0; i < 64; ++i) room[i] = i % 32;
  cudaMalloc(&slice, 128);
  cudaMalloc(&sums, 2 * sizeof(int));
  cudaStream_t copies, kernels;
  cudaStreamCreate(&copies);
  cudaStreamCreate(&kernels);
  cudaEvent_t copied, summed;
  cudaEventCreate(&copied);
  cudaEventCreate(&summed);

  for (int with_event = 0; with_event < 2; ++with_event) {
    for (int k = 0; k < 2; ++k) {
      if (with_event != 0 && k != 0) cudaStreamWaitEvent(copies, summed, 0);
      cudaMemcpyAsync(slice, room + k * 32, 128, cudaMemcpyHostToDevice, copies);
      cudaEventRecord(copied, copies);
      cudaStreamWaitEvent(kernels, copied, 0);
      sum<<<1, 1, 0, kernels>>>(slice, sums + k);
      cudaEventRecord(summed, kernels);
    }
    cudaDeviceSynchronize();
    cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost);
    if (with_event == 0)
      printf("sum %d of slice 0\n", got[0]);
    else
      printf("in order: %d %d\n", got[0], got[1]);
  }
  return 0;
}
