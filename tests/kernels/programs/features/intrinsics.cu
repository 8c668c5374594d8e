// covers: device library | integer and floating-point intrinsics, bit for bit

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstring>

const int INTEGERS = 22, FLOATS = 14;

__global__ void integers(const unsigned int* in, unsigned int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  unsigned int* o = out + i * INTEGERS;
  o[0] = __popc(a);
  o[1] = __popcll(wide);
  o[2] = __brev(a);
  o[3] = static_cast<unsigned int>(__brevll(wide) >> 32);
  o[4] = __ffs(a);
  o[5] = __ffsll(wide);
  o[6] = __clz(a);
  o[7] = __clzll(wide);
  o[8] = __sad(static_cast<int>(a), static_cast<int>(b), c);
  o[9] = __usad(a, b, c);
  o[10] = __dp4a(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
  o[11] = __dp4a(a, b, c);
  o[12] = __byte_perm(a, b, c);
  o[13] = __funnelshift_l(a, b, c);
  o[14] = __funnelshift_r(a, b, c);
  o[15] = __mulhi(static_cast<int>(a), static_cast<int>(b));
  o[16] = __umulhi(a, b);
  o[17] = __mul24(static_cast<int>(a), static_cast<int>(b));
  o[18] = __hadd(static_cast<int>(a), static_cast<int>(b));
  o[19] = __urhadd(a, b);
  o[20] = static_cast<unsigned int>(__umul64hi(wide, wide + c));
  o[21] = __dp2a_lo(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
}

__global__ void floats(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  float* o = out + i * FLOATS;
  o[0] = __fmaf_rn(a, b, c);
  o[1] = __fadd_rz(a, b);
  o[2] = __fmul_ru(a, b);
  o[3] = __fdiv_rd(a, b);
  o[4] = __fsqrt_rn(fabsf(a));
  o[5] = __frcp_rn(a);
  o[6] = __saturatef(a);
  o[7] = __int2float_rz(__float2int_rd(b * 1000.0f));
  o[8] = __uint_as_float(__float_as_uint(a) ^ 0x80000000u);
  o[9] = static_cast<float>(__float2ll_rn(c));
  o[10] = rintf(a) + truncf(b) + ceilf(c);
  o[11] = copysignf(a, b);
  o[12] = static_cast<float>(__double2float_rn(__fma_rn(a, b, 1e-30)));
  o[13] = fminf(a, fmaxf(b, c));
}

static int bit_at(unsigned long long x, int i) {
  return static_cast<int>(x >> i & 1u);
}

static int wrong = 0;
static void expect(int i, int which, unsigned int got, unsigned int want) {
  if (got != want && ++wrong < 12) std::printf("element %d, result %d: %08x, not %08x\n", i, which, got, want);
}

static void check_integers(const unsigned int* in, const unsigned int* out, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned int a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b, reversed = 0;
    unsigned int count = 0, count64 = 0, mirror = 0, first = 0, first64 = 0, zeros = 0, zeros64 = 0;
    for (int k = 0; k < 32; ++k) count += bit_at(a, k), mirror |= bit_at(a, k) << (31 - k);
    for (int k = 0; k < 64; ++k) {
      count64 += bit_at(wide, k);
      reversed |= static_cast<unsigned long long>(bit_at(wide, k)) << (63 - k);
    }
    for (int k = 31; k >= 0; --k) first = bit_at(a, k) ? k + 1 : first;
    for (int k = 63; k >= 0; --k) first64 = bit_at(wide, k) ? k + 1 : first64;
    while (zeros < 32 && !bit_at(a, 31 - zeros)) ++zeros;
    while (zeros64 < 64 && !bit_at(wide, 63 - zeros64)) ++zeros64;
    long long sa = static_cast<int>(a), sb = static_cast<int>(b);
    unsigned int dot = c, udot = c, bytes = 0;
    for (int k = 0; k < 4; ++k) {
      dot += static_cast<signed char>(a >> 8 * k) * static_cast<signed char>(b >> 8 * k);
      udot += (a >> 8 * k & 255) * (b >> 8 * k & 255);
      unsigned int choice = c >> 4 * k & 7;  // __byte_perm uses three bits
      bytes |= static_cast<unsigned int>((static_cast<unsigned long long>(b) << 32 | a) >> 8 * choice & 255) << 8 * k;
    }
    unsigned int dot2 = c;
    for (int k = 0; k < 2; ++k) dot2 += static_cast<short>(a >> 16 * k) * static_cast<signed char>(b >> 8 * k);
    unsigned long long pair = static_cast<unsigned long long>(b) << 32 | a;
    int shift = c & 31;
    const unsigned int want[INTEGERS] = {
        count,
        count64,
        mirror,
        static_cast<unsigned int>(reversed >> 32),
        first,
        first64,
        zeros,
        zeros64,
        static_cast<unsigned int>((sa > sb ? sa - sb : sb - sa) + c),
        (a > b ? a - b : b - a) + c,
        dot,
        udot,
        bytes,
        static_cast<unsigned int>(pair << shift >> 32),
        static_cast<unsigned int>(pair >> shift),
        static_cast<unsigned int>(sa * sb >> 32),
        static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32),
        static_cast<unsigned int>((static_cast<long long>(a << 8) << 32 >> 40) *
                                  (static_cast<long long>(b << 8) << 32 >> 40)),
        static_cast<unsigned int>((sa + sb) >> 1),
        static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1),
        static_cast<unsigned int>(static_cast<unsigned __int128>(wide) * (wide + c) >> 64),
        dot2};
    for (int k = 0; k < INTEGERS; ++k) expect(i, k, out[i * INTEGERS + k], want[k]);
  }
}

static unsigned int bits(float x) {
  unsigned int b;
  std::memcpy(&b, &x, 4);
  return b;
}

template <typename F>
static float rounding(int mode, F f) {
  std::fesetround(mode);
  volatile float x = f();
  std::fesetround(FE_TONEAREST);
  return x;
}

static void check_floats(const float* in, const float* out, int n) {
  for (int i = 0; i < n; ++i) {
    volatile float a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
    const float want[FLOATS] = {std::fma(a, b, c),
                                rounding(FE_TOWARDZERO, [&] { return a + b; }),
                                rounding(FE_UPWARD, [&] { return a * b; }),
                                rounding(FE_DOWNWARD, [&] { return a / b; }),
                                std::sqrt(std::fabs(a)),
                                1.0f / a,
                                a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f,
                                static_cast<float>(static_cast<int>(std::floor(b * 1000.0f))),
                                -a,
                                static_cast<float>(std::llrint(c)),
                                std::rint(a) + std::trunc(b) + std::ceil(c),
                                std::copysign(a, b),
                                static_cast<float>(std::fma(static_cast<double>(a), b, 1e-30)),
                                std::fmin(a, std::fmax(b, c))};
    for (int k = 0; k < FLOATS; ++k) expect(i, 100 + k, bits(out[i * FLOATS + k]), bits(want[k]));
  }
}

int main() {
  const int n = 64;
  unsigned int *in, *out;
  float *fin, *fout;
  cudaMallocManaged(&in, n * 4);
  cudaMallocManaged(&out, n * INTEGERS * 4);
  cudaMallocManaged(&fin, n * 4);
  cudaMallocManaged(&fout, n * FLOATS * 4);
  unsigned int state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    in[i] = i < 4 ? (i == 0 ? 0u : i == 1 ? 0xffffffffu : i == 2 ? 0x80000000u : 1u) : state >> (i % 7);
    fin[i] = static_cast<float>(static_cast<int>(state)) * 0x1p-28f;
  }
  integers<<<1, n>>>(in, out, n);
  floats<<<1, n>>>(fin, fout, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  check_integers(in, out, n);
  check_floats(fin, fout, n);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
