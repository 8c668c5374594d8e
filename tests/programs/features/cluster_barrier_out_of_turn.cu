// covers: device library | clusters: a second arrival without a wait between
// status: 86
// finding: arrives at the cluster's barrier once more, without having waited for it since it did in

__global__ void __cluster_dims__(2) twice(int* out) {
  asm volatile("barrier.cluster.arrive.aligned;");
  if (blockIdx.x == 1) out[0] = 1;
  // The wait is missing here.
  asm volatile("barrier.cluster.arrive.release.aligned;");
  asm volatile("barrier.cluster.wait.acquire.aligned;");
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  twice<<<2, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : 0;
}
