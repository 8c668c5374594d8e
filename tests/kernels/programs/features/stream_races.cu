// covers: host | two streams use the same bytes without any order: both calls, by line
// status: 86
// finding: kernel add_one(int*, int) writes byte 0 of allocation 2 (4096 bytes), which cudaMemcpyAsync in line 34
// finding: cudaMemcpyAsync reads byte 1024 of allocation 2 (4096 bytes), which kernel add_one(int*, int) in line 39
// finding: kernel add_one(int*, int) writes byte 0 of allocation 2 (4096 bytes), which cudaMemset in line 43 writes
// finding: kernel copy(int const*, int*) reads byte 0 of allocation 2 (4096 bytes), which kernel add_one(int*, int) in

__global__ void add_one(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

__global__ void copy(const int* from, int* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

int main() {
  const int n = 1024;
  int *host, *values, *other;
  cudaMallocHost(&host, n * sizeof(int));
  cudaMalloc(&values, n * sizeof(int));
  cudaMalloc(&other, n * sizeof(int));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t first, second, free_running;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking);
  cudaEvent_t done;
  cudaEventCreate(&done);
  cudaMemset(values, 0, n * sizeof(int));
  cudaDeviceSynchronize();

  // The kernel does not wait for the copy.
  cudaMemcpyAsync(values, host, n * sizeof(int), cudaMemcpyHostToDevice, first);
  add_one<<<4, 256, 0, second>>>(values, n);
  cudaDeviceSynchronize();

  // The event is recorded before the kernel, not after it. The copy starts in the middle of the kernel's bytes.
  cudaEventRecord(done, first), add_one<<<4, 256, 0, first>>>(values, n), cudaStreamWaitEvent(second, done);
  cudaMemcpyAsync(host, values + 256, 1024, cudaMemcpyDeviceToHost, second);
  cudaDeviceSynchronize();

  cudaMemset(values, 0, n * sizeof(int));
  add_one<<<4, 256, 0, free_running>>>(values, n);
  cudaDeviceSynchronize();

  // Waiting for another stream is not enough.
  add_one<<<4, 256, 0, first>>>(values, n);
  cudaStreamSynchronize(second);
  copy<<<1, 256, 0, free_running>>>(values, other);
  cudaDeviceSynchronize();
  return 0;
}
