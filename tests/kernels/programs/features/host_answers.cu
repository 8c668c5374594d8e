// covers: host | a kernel waits for a word that the host writes after the launch, in memory that both can access
// status: 0
// says: asked: 1
// says: the answer: 21 42

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_system>;

__global__ void ask(int* words) {
  words[1] = 21;
  flag(words[0]).store(1, cuda::memory_order_release);
  while (flag(words[0]).load(cuda::memory_order_acquire) != 2) {
  }
  words[2] = words[1] * 2;
}

int main() {
  int* words;
  cudaMallocHost(&words, 3 * sizeof(int));
  for (int i = 0; i < 3; ++i) words[i] = 0;
  ask<<<1, 1>>>(words);
  while (flag(words[0]).load(cuda::memory_order_acquire) != 1) {
  }
  std::printf("asked: %d\n", words[0]);
  flag(words[0]).store(2, cuda::memory_order_release);
  cudaDeviceSynchronize();
  std::printf("the answer: %d %d\n", words[1], words[2]);
}
