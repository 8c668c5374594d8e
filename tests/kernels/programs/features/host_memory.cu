// covers: host | the host's own memory, pinned by cudaHostRegister, and polled by the host without a call
// says: doubled in place: right
// says: a copy behind it: right
// says: unregistered, and registered anew: right
// says: the kernel's answer: 42
// says: three letters: 11 22 33
// says: a long kernel's news: right

#include <cstdio>
#include <cstdlib>

__global__ void twice(int* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

// Waits for the host's question, then answers.
__global__ void answer(volatile int* question, int* data, volatile int* answered) {
  while (*question == 0) {
  }
  *data = *question + 41;
  __threadfence_system();
  *answered = 1;
}

// Sends one letter at a time, and waits until the host has taken it before it writes the next.
__global__ void letters(volatile int* box) {
  for (int k = 1; k <= 3; ++k) {
    while (box[0] != 0) {
    }
    box[1] = 11 * k;
    __threadfence_system();
    box[0] = 1;
  }
}

// Tells the host that it has begun, and runs for a long time.
__global__ void works_on(volatile int* news, int rounds) {
  unsigned x = 1;
  for (int k = 0; k < rounds; ++k) {
    if (k % 4096 == 0) news[0] = k / 4096 + 1;
    x = x * 1664525u + 1013904223u;
  }
  news[1] = static_cast<int>(x | 1u);
}

int main() {
  const int n = 1000;
  int* own = static_cast<int*>(std::malloc(n * sizeof(int)));
  for (int i = 0; i < n; ++i) own[i] = 3 * i - 7;
  if (cudaHostRegister(own, n * sizeof(int), cudaHostRegisterMapped) != cudaSuccess) return 1;
  int* seen = nullptr;
  cudaHostGetDevicePointer(&seen, own, 0);
  twice<<<4, 256>>>(seen, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += own[i] != 2 * (3 * i - 7);
  std::printf("doubled in place: %s\n", wrong == 0 ? "right" : "wrong");

  int* device;
  cudaMalloc(&device, n * sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(device, own, n * sizeof(int), cudaMemcpyHostToDevice, stream);
  twice<<<4, 256, 0, stream>>>(device, n);
  cudaMemcpyAsync(own, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int i = 0; i < n; ++i) wrong += own[i] != 4 * (3 * i - 7);
  std::printf("a copy behind it: %s\n", wrong == 0 ? "right" : "wrong");
  cudaPointerAttributes what;
  cudaPointerGetAttributes(&what, own + 5);
  wrong += what.type != cudaMemoryTypeHost;
  cudaHostUnregister(own);
  cudaPointerGetAttributes(&what, own + 5);
  wrong += what.type != cudaMemoryTypeUnregistered;
  wrong += cudaHostRegister(own + 10, 40, cudaHostRegisterDefault) != cudaSuccess;
  wrong += cudaHostUnregister(own + 10) != cudaSuccess;
  std::printf("unregistered, and registered anew: %s\n", wrong == 0 ? "right" : "wrong");
  std::free(own);

  volatile int* flags;
  cudaMallocHost((void**)&flags, 4 * sizeof(int));
  int* data;
  cudaMallocHost(&data, sizeof(int));
  for (int k = 0; k < 4; ++k) flags[k] = 0;
  answer<<<1, 1>>>(flags, data, flags + 1);
  flags[0] = 1;
  while (flags[1] == 0) {
  }
  std::printf("the kernel's answer: %d\n", *data);
  cudaDeviceSynchronize();

  flags[0] = 0;
  letters<<<1, 1>>>(flags);
  std::printf("three letters:");
  for (int k = 1; k <= 3; ++k) {
    while (flags[0] == 0) {
    }
    std::printf(" %d", flags[1]);
    flags[0] = 0;
  }
  std::printf("\n");
  cudaDeviceSynchronize();

  flags[0] = flags[1] = 0;
  works_on<<<1, 1, 0, stream>>>(flags, 1 << 16);
  while (flags[0] < 3) {
  }
  while (flags[1] == 0) {
  }
  std::printf("a long kernel's news: %s\n", flags[0] == 16 ? "right" : "wrong");
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(device);
  cudaFreeHost(data);
  cudaFreeHost((void*)flags);
  return wrong;
}
