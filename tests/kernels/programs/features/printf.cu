// covers: device library | printf in kernels
// says: block 0 thread 0: 0.00 x 100% sixteen 0x10
// says: block 1 thread 1: 1.50 x 100% sixteen 0x10
// says: 12345678901
// says: -5536 12345678902
// says: <    7|7    >
// says: returned 3 0 4 -1
// says: begin
// says:  1999 xxxxxxxx
// says: xxxxxxxxend

#include <cstdio>

__global__ void speak() {
  std::printf("block %d thread %d: %.2f %c 100%% %s %#x\n", blockIdx.x, threadIdx.x, 1.5 * threadIdx.x, 'x', "sixteen",
              16);
  if (blockIdx.x == 1 && threadIdx.x == 1) std::printf("%lld\n", 12345678901LL);
}

// Tests lengths of a type (a GPU knows only h, l and ll), widths from arguments, and printf's result, which is the
// number of arguments instead of the number of characters.
__global__ void count(char* line) {
  std::printf("%hd %ld\n", 60000, 12345678902L);
  int three = std::printf("<%*d|", 5, 7);
  three += std::printf("%-5d>\n", 7);
  const int none = std::printf("\n");
  const int four = std::printf("%d%%%c%f%s\n", 1, 'c', 2.0, "text");
  const int without = std::printf(nullptr);
  std::printf("returned %d %d %d %d\n", three, none, four, without);
  // Prints an item of more than 511 characters.
  std::printf("begin %*d %send\n", 1000, 1999, line);
}

int main() {
  char* line;
  cudaMallocManaged(&line, 3000);
  for (int i = 0; i < 2999; ++i) line[i] = 'x';
  line[2999] = 0;
  speak<<<2, 2>>>();
  count<<<1, 1>>>(line);
  return cudaDeviceSynchronize() != cudaSuccess;
}
