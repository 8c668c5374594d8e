// covers: host | the host accesses pinned, registered or managed memory while work in flight still uses it, by line
// status: 86
// says: sums: 5
// finding: The host writes byte 0 of allocation 1 (16384 bytes), which cudaMemcpyAsync in line 46 reads
// finding: The host reads byte 8 of allocation 1 (16384 bytes), which cudaMemcpyAsync in line 51 writes
// finding: The host reads byte 0 of allocation 3 (20 bytes), which kernel add_up(int const*, int*, int) in line 57
// finding: The host writes byte 0 of allocation 5 (12288 bytes), which kernel add_up(int const*, int*, int) in line 65
// finding: The host reads byte 0 of variable count (4 bytes), which kernel tick() in line 72 writes

#include <cstdio>
#include <cstdlib>

constexpr int n = 4096;

__managed__ int count;

__global__ void tick() {
  count += 1;
}

__global__ void add_up(const int* values, int* sums, int of_each) {
  int sum = 0;
  for (int k = 0; k < of_each; ++k) sum += values[threadIdx.x * of_each + k];
  sums[threadIdx.x] = sum;
}

// The access is volatile, so the compiler neither moves it ahead nor omits it because the value seems unused.
int look(const int* at) {
  return *static_cast<const volatile int*>(at);
}
void put(int* at, int value) {
  *static_cast<volatile int*>(at) = value;
}

int main() {
  int sums = 0;
  int *pinned, *device, *managed;
  cudaMallocHost(&pinned, n * sizeof(int));
  cudaMalloc(&device, n * sizeof(int));
  cudaMallocManaged(&managed, 5 * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  // The next input is written into the buffer while it is still being copied.
  for (int i = 0; i < n; ++i) pinned[i] = 1;
  cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream);
  put(pinned, 1);
  cudaStreamSynchronize(stream);

  // The result is used before it has arrived.
  cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  sums += look(pinned + 2);
  sums += look(pinned + 3);
  cudaStreamSynchronize(stream);

  // A kernel runs in the default stream, and there is no cudaDeviceSynchronize.
  add_up<<<1, 5>>>(device, managed, 2);
  sums += look(managed);
  cudaDeviceSynchronize();

  // This memory was allocated by the program itself.
  auto* own = static_cast<int*>(std::aligned_alloc(4096, 3 * 4096));
  for (int i = 0; i < 3072; ++i) own[i] = 0;
  cudaHostRegister(own, 3 * 4096, cudaHostRegisterDefault);
  add_up<<<1, 32, 0, stream>>>(own, device, 96);
  put(own, 1);
  cudaStreamSynchronize(stream);
  cudaHostUnregister(own);
  std::free(own);

  cudaDeviceSynchronize();
  tick<<<1, 1, 0, stream>>>();
  sums += look(&count) != 1;
  cudaStreamSynchronize(stream);
  sums += count;
  std::printf("sums: %d\n", sums);
}
