// covers: types | half and half2: arithmetic, comparisons, conversions, shuffles, atomics
//
// The host computes the expected result of each 16-bit operation in double precision, which holds every sum and product
// of two halves exactly, and rounds it by a different method than the emulator's: by trying both neighbours.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_fp16.h>

// One thread for each pair of the chosen numbers.
__global__ void calculate(const __half* x, int n, __half* sums, __half* products, __half* fused, __half2* pairs,
                          int* compared, float* floats, int* whole) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n * n) return;
  __half a = x[k / n], b = x[k % n];
  sums[k] = __hadd(a, b);
  products[k] = __hmul(a, b);
  fused[k] = __hfma(a, b, __hneg(__hsub(a, b)));
  pairs[k] = __hmax2(__halves2half2(a, b), __halves2half2(__habs(b), __hneg(a)));
  compared[k] = __hlt(a, b) + 2 * __heq(a, b) + 4 * __hisnan(a) + 8 * __hge(a, b);
  floats[k] = __half2float(a) + 0.5f * __half2float(__float2half(1.0f / 3.0f));
  whole[k] = __half2int_rn(a) + __half2int_rz(b);
}

__global__ void meet(__half* total, __half2* totals, __half* largest) {
  __half mine = __int2half_rn(threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2) mine = __hmax(mine, __shfl_down_sync(0xffffffffu, mine, offset));
  if (threadIdx.x == 0) *largest = mine;
  atomicAdd(total, __float2half(0.5f));
  atomicAdd(totals, __floats2half2_rn(1.0f, 0.25f));
}

static unsigned short bits_of(__half h) {
  unsigned short bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

static double value_of(unsigned short bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double v = exponent == 31 ? (fraction ? NAN : INFINITY)
                            : std::ldexp(exponent ? fraction + 1024 : fraction, (exponent ? exponent : 1) - 25);
  return bits & 0x8000 ? -v : v;
}

// Returns the half nearest to x, found by bisection over the positive numbers. Ties go to the even one.
static unsigned short nearest(double x) {
  if (std::isnan(x)) return 0x7fff;
  double a = std::fabs(x);
  unsigned short low = 0, high = 0x7c00;
  while (high - low > 1) {
    unsigned short middle = (low + high) / 2;
    (value_of(middle) <= a ? low : high) = middle;
  }
  double below = value_of(low), above = high == 0x7c00 ? 65536.0 : value_of(high);
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
  // The numbers are zeros, subnormal numbers, neighbours of powers of two, the largest numbers, infinities and NaN.
  const unsigned short chosen[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0x3c01, 0xbbff, 0x3555, 0x4248,
                                   0xc500, 0x6400, 0x6401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x1234, 0x9c01};
  const int n = sizeof chosen / 2, count = n * n;
  __half *x, *sums, *products, *fused;
  __half2* pairs;
  int *compared, *whole;
  float* floats;
  cudaMallocManaged(&x, n * 2);
  cudaMallocManaged(&sums, count * 2);
  cudaMallocManaged(&products, count * 2);
  cudaMallocManaged(&fused, count * 2);
  cudaMallocManaged(&pairs, count * 4);
  cudaMallocManaged(&compared, count * 4);
  cudaMallocManaged(&whole, count * 4);
  cudaMallocManaged(&floats, count * 4);
  std::memcpy(x, chosen, sizeof chosen);
  calculate<<<(count + 127) / 128, 128>>>(x, n, sums, products, fused, pairs, compared, floats, whole);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int k = 0; k < count; ++k) {
    double a = value_of(chosen[k / n]), b = value_of(chosen[k % n]);
    expect("sum", k, bits_of(sums[k]), a + b);
    expect("product", k, bits_of(products[k]), a * b);
    double difference = value_of(nearest(a - b));
    double product = a * b;
    // The exact sum needs more bits than a double has. A long double holds it (64 bits of fraction).
    long double exact = static_cast<long double>(product) - difference;
    double rounded = static_cast<double>(exact);
    if (!std::isnan(rounded) && std::isfinite(rounded)) {
      double toward = std::nextafter(rounded, static_cast<long double>(rounded) < exact ? INFINITY : -INFINITY);
      // If the double is a tie of halves only because it was rounded, it is moved off the tie.
      if (static_cast<long double>(rounded) != exact) rounded = toward;
    }
    expect("fused", k, bits_of(fused[k]), rounded);
    double first = std::fabs(b), second = -a;
    double upper = std::isnan(a) ? first : std::isnan(first) ? a : std::fmax(a, first);
    double lower = std::isnan(b) ? second : std::isnan(second) ? b : std::fmax(b, second);
    if (upper != 0) expect("max", k, bits_of(pairs[k].x), upper);
    if (lower != 0) expect("max", k, bits_of(pairs[k].y), lower);
    int want = (a < b) + 2 * (a == b) + 4 * std::isnan(a) + 8 * (a >= b);
    if (compared[k] != want && ++wrong < 10) std::printf("comparison %d: %d, not %d\n", k, compared[k], want);
    float third = static_cast<float>(value_of(nearest(1.0f / 3.0f)));
    float sum = static_cast<float>(a) + 0.5f * third;
    if (floats[k] != sum && !(std::isnan(sum) && std::isnan(floats[k])) && ++wrong < 10)
      std::printf("float %d: %g, not %g\n", k, floats[k], sum);
    if (std::isfinite(a) && std::isfinite(b) && whole[k] != static_cast<int>(std::nearbyint(a)) + static_cast<int>(b) &&
        ++wrong < 10)
      std::printf("integer %d: %d\n", k, whole[k]);
  }
  __half *total, *largest;
  __half2* totals;
  cudaMallocManaged(&total, 2);
  cudaMallocManaged(&totals, 4);
  cudaMallocManaged(&largest, 2);
  *total = __float2half(1.0f);
  *totals = __floats2half2_rn(2.0f, 3.0f);
  meet<<<1, 32>>>(total, totals, largest);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  // The results are 1 + 32 / 2, (2 + 32, 3 + 32 / 4), and the largest lane.
  wrong += __half2float(*total) != 17.0f;
  wrong += __low2float(*totals) != 34.0f || __high2float(*totals) != 11.0f;
  wrong += __half2float(*largest) != 31.0f;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
