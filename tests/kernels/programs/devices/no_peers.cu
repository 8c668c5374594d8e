// covers: devices | eight devices without peer access: how a program finds this out and copies nevertheless
// gpus: 8:no-peer
// link: 3 5 | copies | 1
// says: right

#include <cstdio>

int main() {
  int can = -1, wrong = 0, count = 0;
  wrong += cudaGetDeviceCount(&count) != cudaSuccess || count != 8;
  wrong += cudaDeviceCanAccessPeer(&can, 3, 5) != cudaSuccess || can != 0;
  int *from, *to, host = 4;
  cudaSetDevice(3);
  cudaMalloc(&from, 4);
  cudaMemcpy(from, &host, 4, cudaMemcpyHostToDevice);
  cudaSetDevice(5);
  cudaMalloc(&to, 4);
  wrong += cudaMemcpy(to, from, 4, cudaMemcpyDefault) != cudaSuccess;
  cudaMemcpy(&host, to, 4, cudaMemcpyDeviceToHost);
  std::puts(wrong == 0 && host == 4 ? "right" : "wrong");
}
