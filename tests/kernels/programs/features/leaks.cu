// covers: host | memory that is not freed is reported on request, freed memory isn't
// checks: all,leaks
// status: 86
// finding: Allocation 2 (4096 bytes, from cudaMalloc) has not been freed

int main() {
  void* freed;
  void* lost;
  cudaMalloc(&freed, 1024);
  cudaMalloc(&lost, 4096);
  return cudaFree(freed) != cudaSuccess;
}
