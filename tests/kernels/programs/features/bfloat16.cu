// covers: types | bfloat16 and bfloat162: arithmetic, comparisons, conversions, shuffles, atomics

#include <cmath>
#include <cstdio>
#include <cstring>

#include <cuda_bf16.h>

__global__ void calculate(const __nv_bfloat16* x, int n, __nv_bfloat16* sums, __nv_bfloat16* products,
                          __nv_bfloat162* fused, int* compared, float* floats) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n * n) return;
  __nv_bfloat16 a = x[k / n], b = x[k % n];
  sums[k] = __hadd(a, b);
  products[k] = __hmul(a, __hneg(b));
  __nv_bfloat162 both = __halves2bfloat162(a, b);
  fused[k] = __hfma2(both, both, __hadd2(both, both));
  compared[k] = __hgt(a, b) + 2 * __hne(a, b) + 4 * __hle(__habs(a), __habs(b));
  floats[k] = __bfloat162float(__hmin(a, b)) + __bfloat162float(__float2bfloat16(0.1f));
}

__global__ void meet(__nv_bfloat16* total, __nv_bfloat162* totals, float* from_last) {
  __nv_bfloat16 mine = __int2bfloat16_rn(threadIdx.x);
  mine = __shfl_sync(0xffffffffu, mine, 31);
  if (threadIdx.x == 0) *from_last = __bfloat162float(mine);
  atomicAdd(total, __float2bfloat16(0.5f));
  atomicAdd(totals, __floats2bfloat162_rn(1.0f, 0.25f));
}

static float value_of(unsigned short bits) {
  unsigned int wide = static_cast<unsigned int>(bits) << 16;
  float v;
  std::memcpy(&v, &wide, 4);
  return v;
}
static unsigned short bits_of(__nv_bfloat16 x) {
  unsigned short bits;
  std::memcpy(&bits, &x, 2);
  return bits;
}

// Returns the bfloat16 nearest to x, found by bisection over the positive numbers. Ties go to the even one.
static unsigned short nearest(double x) {
  if (std::isnan(x)) return 0x7fff;
  double a = std::fabs(x);
  unsigned short low = 0, high = 0x7f80;
  while (high - low > 1) {
    unsigned short middle = (low + high) / 2;
    (value_of(middle) <= a ? low : high) = middle;
  }
  double below = value_of(low), above = high == 0x7f80 ? 0x1p128 : value_of(high);
  bool up = a - below > above - a || (a - below == above - a && (low & 1));
  if (a == INFINITY) up = true;
  return (up ? high : low) | (std::signbit(x) ? 0x8000 : 0);
}

static int wrong = 0;
static void expect(const char* what, int k, unsigned short got, double exact) {
  unsigned short want = nearest(exact);
  if (got != want && ++wrong < 10) std::printf("%s %d: %04x, not %04x\n", what, k, got, want);
}

int main() {
  // The numbers differ little in size, so a double holds every result exactly. There are also zeros, infinity and NaN.
  const unsigned short chosen[] = {0x0000, 0x8000, 0x3f80, 0x3f81, 0xbf7f, 0x3eab, 0x4049, 0xc0a0,
                                   0x4300, 0x4301, 0x7f80, 0xff80, 0x7fc0, 0x3a03, 0xb901};
  const int n = sizeof chosen / 2, count = n * n;
  __nv_bfloat16 *x, *sums, *products;
  __nv_bfloat162* fused;
  int* compared;
  float* floats;
  cudaMallocManaged(&x, n * 2);
  cudaMallocManaged(&sums, count * 2);
  cudaMallocManaged(&products, count * 2);
  cudaMallocManaged(&fused, count * 4);
  cudaMallocManaged(&compared, count * 4);
  cudaMallocManaged(&floats, count * 4);
  std::memcpy(x, chosen, sizeof chosen);
  calculate<<<(count + 127) / 128, 128>>>(x, n, sums, products, fused, compared, floats);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int k = 0; k < count; ++k) {
    double a = value_of(chosen[k / n]), b = value_of(chosen[k % n]);
    expect("sum", k, bits_of(sums[k]), a + b);
    expect("product", k, bits_of(products[k]), a * -b);
    expect("fused", k, bits_of(fused[k].x), a * a + (a + a));
    expect("fused", k, bits_of(fused[k].y), b * b + (b + b));
    int want = (a > b) + 2 * (a < b || a > b) + 4 * (std::fabs(a) <= std::fabs(b));
    if (compared[k] != want && ++wrong < 10) std::printf("comparison %d: %d, not %d\n", k, compared[k], want);
    float smaller = static_cast<float>(std::isnan(a) ? b : std::isnan(b) ? a : std::fmin(a, b));
    float sum = smaller + value_of(nearest(0.1f));
    if (floats[k] != sum && !(std::isnan(sum) && std::isnan(floats[k])) && ++wrong < 10)
      std::printf("float %d: %g, not %g\n", k, floats[k], sum);
  }
  __nv_bfloat16* total;
  __nv_bfloat162* totals;
  float* from_last;
  cudaMallocManaged(&total, 2);
  cudaMallocManaged(&totals, 4);
  cudaMallocManaged(&from_last, 4);
  *total = __float2bfloat16(1.0f);
  *totals = __floats2bfloat162_rn(2.0f, 3.0f);
  meet<<<1, 32>>>(total, totals, from_last);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  wrong += __bfloat162float(*total) != 17.0f;
  wrong += __low2float(*totals) != 34.0f || __high2float(*totals) != 11.0f;
  wrong += *from_last != 31.0f;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
