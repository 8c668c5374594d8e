// covers: functions | recursion to a different depth in each lane, with local arrays in every frame
// Lanes call to different depths and diverge. They reconverge after the calls, so the warp executes one shuffle.
// count: run | shuffles | 1
// with: -Xptxas -O0
// On an H200, if ptxas 13.0 optimises, some lanes get 0 from the shuffle, and everything else is right.

#include <cstdio>

__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Ackermann's function, in which the argument of a call is a call itself.
__device__ unsigned int ackermann(unsigned int m, unsigned int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

// Adds up digits. Each frame has its own array, which must not change in the calls below it.
__device__ int sum_of_digits(int n, int depth) {
  int digits[4] = {n % 10, depth, n / 10 % 10, -depth};
  int rest = n >= 10 ? sum_of_digits(n / 10, depth + 1) : 0;
  int k = n & 3;
  digits[k] += 1;
  return digits[0] + digits[1] + digits[3] + rest + (k == 2 ? 0 : -1);
}

__device__ bool is_odd(unsigned int n);
__device__ __noinline__ bool is_even(unsigned int n) {
  return n == 0 || is_odd(n - 1);
}
__device__ __noinline__ bool is_odd(unsigned int n) {
  return n != 0 && is_even(n - 1);
}

__global__ void run(int* out) {
  int t = threadIdx.x;
  int value = fibonacci(t % 13) + 1000 * static_cast<int>(ackermann(t % 3, t % 4)) + sum_of_digits(t * 12345, 1);
  if (is_odd(t)) value = -value;
  out[t] = value + __shfl_xor_sync(0xffffffffu, t, 1);
}

static int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int acker(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? acker(m - 1, 1) : acker(m - 1, acker(m, n - 1));
}

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  run<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int t = 0; t < 32; ++t) {
    int digits = 0;
    for (int n = t * 12345; n > 0; n /= 10) digits += n % 10;
    int value = fib(t % 13) + 1000 * acker(t % 3, t % 4) + digits;
    int expected = (t & 1 ? -value : value) + (t ^ 1);
    if (out[t] != expected) {
      std::printf("out[%d] is %d, not %d\n", t, out[t], expected);
      return 1;
    }
  }
  return 0;
}
