// covers: device library | video instructions in assembly: selectors, a third operand; packed minima

#include <cstdio>

#define VIDEO(text)                             \
  asm(text : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
  *o++ = d;

const int RESULTS = 18;

__global__ void video(const unsigned* in, unsigned* out, int n) {
  int i = threadIdx.x;
  unsigned a = in[i], b = in[(i + 5) % n], c = in[(i + 11) % n], d;
  unsigned* o = out + i * RESULTS;
  VIDEO("vadd4.u32.u32.u32.sat %0, %1, %2, %3;")
  VIDEO("vavrg4.s32.s32.s32 %0, %1, %2, %3;")
  VIDEO("vsub2.s32.s32.s32.sat %0.h1, %1.h01, %2.h23, %3;")
  VIDEO("vabsdiff4.s32.s32.s32.add %0, %1, %2, %3;")
  VIDEO("vmax4.s32.s32.s32 %0.b31, %1.b0123, %2.b7654, %3;")
  VIDEO("vset2.u32.u32.lt %0, %1, %2, %3;")
  VIDEO("vset4.s32.s32.ge.add %0, %1, %2, %3;")
  VIDEO("vadd.s32.u32.s32.add %0, %1.h1, %2, %3;")
  VIDEO("vsub.u32.u32.u32 %0.b2, %1.b3, %2.b1, %3;")
  VIDEO("vabsdiff.u32.s32.s32.add %0, %1, %2, %3;")
  VIDEO("vmin.s32.s32.s32.add %0, %1.b2, %2.h0, %3;")
  VIDEO("vshl.u32.u32.u32.wrap.add %0, %1, %2, %3;")
  VIDEO("vshr.s32.s32.u32.clamp %0.b0, %1, %2.b0, %3;")
  VIDEO("vset.u32.s32.gt.add %0, %1, %2, %3;")
  VIDEO("vmad.s32.s32.u32 %0, %1.h0, %2.h1, %3;")
  VIDEO("vmad.u32.u32.u32.po %0, %1.b0, %2.b3, %3;")
  VIDEO("vmad.s32.s32.s32 %0, %1.h1, %2.h1, %3;")
  VIDEO("vmin2.u32.u32.u32 %0, %1, %2, %3;")
}

int main() {
  const int n = 32;
  unsigned *in, *out;
  cudaMallocManaged(&in, n * sizeof(unsigned));
  cudaMallocManaged(&out, n * RESULTS * sizeof(unsigned));
  for (int i = 0; i < n; ++i) in[i] = i % 5 == 0 ? 0x80ff7f00u + i : (i + 3) * 2246822519u;
  video<<<1, n>>>(in, out, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int wrong = 0;
  for (int i = 0; i < n; ++i) {  // checks the results that one line can express; the printed sums cover the others
    unsigned a = in[i], b = in[(i + 5) % n], c = in[(i + 11) % n];
    const unsigned* o = out + i * RESULTS;
    unsigned sum = 0, distances = c, smaller = 0;
    for (int k = 0; k < 32; k += 8) {
      unsigned t = (a >> k & 255) + (b >> k & 255);
      sum |= (t > 255 ? 255 : t) << k;
      int x = static_cast<signed char>(a >> k), y = static_cast<signed char>(b >> k);
      distances += x > y ? x - y : y - x;
    }
    for (int k = 0; k < 32; k += 16) smaller |= ((a >> k & 0xffff) < (b >> k & 0xffff) ? a : b) & 0xffffu << k;
    int third = (static_cast<int>(a) >> 24 & 255) - (b >> 8 & 255);
    long long product =
        static_cast<long long>(static_cast<int>(a) >> 16) * (static_cast<int>(b) >> 16) + static_cast<int>(c);
    wrong += o[0] != sum;
    wrong += o[3] != distances;
    wrong += o[8] != ((c & 0xff00ffffu) | (static_cast<unsigned>(third) & 255) << 16);
    wrong += o[11] != (a << (b & 31)) + c;
    wrong += o[16] != static_cast<unsigned>(product);
    wrong += o[17] != smaller;
  }
  for (int k = 0; k < RESULTS; ++k) {
    unsigned checksum = 0;
    for (int i = 0; i < n; ++i) checksum = checksum * 31 + out[i * RESULTS + k];
    std::printf("%2d %08x\n", k, checksum);
  }
  std::printf("%s\n", wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}
