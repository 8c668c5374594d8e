// covers: device library | packed 16-bit and 8-bit integers: all __v…2 and __v…4, __vimax, __vibmin, __viaddmax
// The host computes every function again, part by part, from its description.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

// The names are listed one after another, without line breaks by clang-format.
// clang-format off
#define BINARY2(X)                                                                                                  \
  X(vadd2)                                                                                                          \
  X(vaddss2) X(vaddus2) X(vsub2) X(vsubss2) X(vsubus2) X(vavgs2) X(vavgu2) X(vhaddu2) X(vabsdiffs2) X(vabsdiffu2)   \
      X(vmaxs2) X(vmaxu2) X(vmins2) X(vminu2) X(vcmpeq2) X(vcmpgts2) X(vcmpleu2) X(vseteq2) X(vsetles2) X(vsetgtu2) \
          X(vsads2) X(vsadu2)
#define BINARY4(X)                                                                                                  \
  X(vadd4)                                                                                                          \
  X(vaddss4) X(vaddus4) X(vsub4) X(vsubss4) X(vsubus4) X(vavgs4) X(vavgu4) X(vhaddu4) X(vabsdiffs4) X(vabsdiffu4)   \
      X(vmaxs4) X(vmaxu4) X(vmins4) X(vminu4) X(vcmpeq4) X(vcmpgts4) X(vcmpleu4) X(vseteq4) X(vsetles4) X(vsetgtu4) \
          X(vsads4) X(vsadu4)
#define UNARY(X) X(vabs2) X(vabsss2) X(vneg2) X(vnegss2) X(vabs4) X(vabsss4) X(vneg4) X(vnegss4)
#define FUSED(X)                                                                                        \
  X(vimax3_s32)                                                                                         \
  X(vimin3_u32) X(vimax3_s16x2) X(vimin3_u16x2) X(vimax3_s32_relu) X(vimin3_s16x2_relu) X(viaddmax_s32) \
      X(viaddmin_u32) X(viaddmax_u16x2) X(viaddmin_s16x2) X(viaddmax_s16x2_relu) X(viaddmin_s32_relu)
// clang-format on

enum which {
#define NAME(f) of_##f,
  BINARY2(NAME) BINARY4(NAME) UNARY(NAME) FUSED(NAME) of_vimax_relu,
  of_vimin_halves_relu,
  of_vibmax,
  of_vibmin_halves,
  COUNT
#undef NAME
};

__global__ void compute(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = in[i], b = in[(i + 1) % n], c = in[(i + 2) % n];
  unsigned* o = out + static_cast<std::size_t>(i) * COUNT;
#define TWO(f) o[of_##f] = __##f(a, b);
#define ONE(f) o[of_##f] = __##f(a);
#define THREE(f) o[of_##f] = __##f(a, b, c);
  BINARY2(TWO) BINARY4(TWO) UNARY(ONE) FUSED(THREE) o[of_vimax_relu] = __vimax_s32_relu(a, b);
  o[of_vimin_halves_relu] = __vimin_s16x2_relu(a, b);
  bool first, upper, lower;
  int larger = __vibmax_s32(a, b, &first);
  o[of_vibmax] = larger ^ (first ? 0x40000000 : 0);
  unsigned smaller = __vibmin_u16x2(a, b, &upper, &lower);
  o[of_vibmin_halves] = smaller ^ (upper ? 0x40000000u : 0) ^ (lower ? 0x4000u : 0);
}

// Applies f to the parts of both words. Results beyond the range of a part wrap around.
template <typename F>
static unsigned parts(int bits, bool is_signed, unsigned a, unsigned b, F f) {
  unsigned result = 0, mask = (bits == 32 ? 0 : 1u << bits) - 1;
  for (int at = 0; at < 32; at += bits) {
    long long x = a >> at & mask, y = b >> at & mask, sign = 1ll << (bits - 1);
    if (is_signed) x = (x ^ sign) - sign, y = (y ^ sign) - sign;
    result |= (static_cast<unsigned>(f(x, y)) & mask) << at;
  }
  return result;
}
static long long clamp(long long x, long long low, long long high) {
  return std::min(std::max(x, low), high);
}
static unsigned total(int bits, unsigned word) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += bits) sum += word >> at & ((1u << bits) - 1);
  return sum;
}

static int wrong = 0;
static void expect(const char* name, unsigned a, unsigned b, unsigned c, unsigned got, unsigned want) {
  if (got != want && ++wrong < 12) std::printf("%s(%08x, %08x, %08x) = %08x, not %08x\n", name, a, b, c, got, want);
}

using number = long long;

static void check_parts(int bits, const unsigned* o, unsigned a, unsigned b) {
  const number least = -(1 << (bits - 1)), most = (1 << (bits - 1)) - 1, all = (1 << bits) - 1;
  const auto s = [&](auto f) { return parts(bits, true, a, b, f); };
  const auto u = [&](auto f) { return parts(bits, false, a, b, f); };
  const unsigned distances = s([](number x, number y) { return std::llabs(x - y); });
  const unsigned unsigned_distances = u([](number x, number y) { return std::llabs(x - y); });
  const unsigned want[] = {u([](number x, number y) { return x + y; }),
                           s([&](number x, number y) { return clamp(x + y, least, most); }),
                           u([&](number x, number y) { return clamp(x + y, 0, all); }),
                           u([](number x, number y) { return x - y; }),
                           s([&](number x, number y) { return clamp(x - y, least, most); }),
                           u([&](number x, number y) { return clamp(x - y, 0, all); }),
                           s([](number x, number y) { return (x + y + (x + y >= 0)) >> 1; }),
                           u([](number x, number y) { return (x + y + 1) >> 1; }),
                           u([](number x, number y) { return (x + y) >> 1; }),
                           distances,
                           unsigned_distances,
                           s([](number x, number y) { return std::max(x, y); }),
                           u([](number x, number y) { return std::max(x, y); }),
                           s([](number x, number y) { return std::min(x, y); }),
                           u([](number x, number y) { return std::min(x, y); }),
                           u([](number x, number y) { return x == y ? -1 : 0; }),
                           s([](number x, number y) { return x > y ? -1 : 0; }),
                           u([](number x, number y) { return x <= y ? -1 : 0; }),
                           u([](number x, number y) { return x == y; }),
                           s([](number x, number y) { return x <= y; }),
                           u([](number x, number y) { return x > y; }),
                           total(bits, distances),
                           total(bits, unsigned_distances)};
#define TEXT(f) #f,
  const char* const names2[] = {BINARY2(TEXT)};
  const char* const names4[] = {BINARY4(TEXT)};
  for (int k = 0; k < 23; ++k) {
    if (bits == 16)
      expect(names2[k], a, b, 0, o[of_vadd2 + k], want[k]);
    else
      expect(names4[k], a, b, 0, o[of_vadd4 + k], want[k]);
  }
  const unsigned alone[] = {parts(bits, true, a, a, [](number x, number) { return x < 0 ? -x : x; }),
                            parts(bits, true, a, a, [&](number x, number) { return clamp(std::llabs(x), 0, most); }),
                            parts(bits, true, a, a, [](number x, number) { return -x; }),
                            parts(bits, true, a, a, [&](number x, number) { return clamp(-x, least, most); })};
  const char* const names1[] = {UNARY(TEXT)};
  const int first = bits == 16 ? 0 : 4;
  for (int k = 0; k < 4; ++k) expect(names1[first + k], a, 0, 0, o[of_vabs2 + first + k], alone[k]);
}

static void check_fused(const unsigned* o, unsigned a, unsigned b, unsigned c) {
  const auto larger = [](number x, number y) { return std::max(x, y); };
  const auto smaller = [](number x, number y) { return std::min(x, y); };
  const auto positive = [](number x, number) { return std::max<number>(x, 0); };
  const auto sum = [](number x, number y) { return x + y; };
  const auto both = [&](int bits, bool is_signed, auto f, auto g) {
    return parts(bits, is_signed, parts(bits, is_signed, a, b, f), c, g);
  };
  const auto relu = [&](int bits, unsigned x) { return parts(bits, true, x, x, positive); };
  const unsigned want[] = {
      both(32, true, larger, larger),
      both(32, false, smaller, smaller),
      both(16, true, larger, larger),
      both(16, false, smaller, smaller),
      relu(32, both(32, true, larger, larger)),
      relu(16, both(16, true, smaller, smaller)),
      both(32, true, sum, larger),
      both(32, false, sum, smaller),
      both(16, false, sum, larger),
      both(16, true, sum, smaller),
      relu(16, both(16, true, sum, larger)),
      relu(32, both(32, true, sum, smaller)),
      relu(32, parts(32, true, a, b, larger)),
      relu(16, parts(16, true, a, b, smaller)),
      parts(32, true, a, b, larger) ^ (static_cast<int>(a) >= static_cast<int>(b) ? 0x40000000u : 0),
      parts(16, false, a, b, smaller) ^ (a >> 16 <= b >> 16 ? 0x40000000u : 0) ^
          ((a & 0xffff) <= (b & 0xffff) ? 0x4000u : 0)};
  const char* const names[] = {FUSED(TEXT) "vimax_s32_relu", "vimin_s16x2_relu", "vibmax_s32", "vibmin_u16x2"};
  for (int k = 0; k < 16; ++k) expect(names[k], a, b, c, o[of_vimax3_s32 + k], want[k]);
}

int main() {
  const int n = 96;
  unsigned *in, *out;
  cudaMallocManaged(&in, n * sizeof(unsigned));
  cudaMallocManaged(&out, static_cast<std::size_t>(n) * COUNT * sizeof(unsigned));
  const unsigned edges[] = {0,          0x80008000, 0x80808080, 0x7fff7fff, 0x7f7f7f7f,
                            0xffffffff, 0x00ff7f80, 0x80007fff, 0x01fe02fd};
  for (int i = 0; i < n; ++i) in[i] = i % 3 == 0 ? edges[i / 3 % 9] : (i + 1) * 2654435761u;
  compute<<<3, 32>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  unsigned checksum = 0;
  for (int i = 0; i < n; ++i) {
    const unsigned* o = out + static_cast<std::size_t>(i) * COUNT;
    check_parts(16, o, in[i], in[(i + 1) % n]);
    check_parts(8, o, in[i], in[(i + 1) % n]);
    check_fused(o, in[i], in[(i + 1) % n], in[(i + 2) % n]);
    for (int k = 0; k < COUNT; ++k) checksum = checksum * 31 + o[k];
  }
  std::printf("%d functions, checksum %08x: %s\n", COUNT, checksum, wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
