// Chains of dependent instructions between two readings of the clock. Each chain is of a kind that the compiler cannot
// shorten: what a step yields is known only when it has been done.

#include "tools/machine/kernels/clocked.hpp"

namespace workbook::machine {
namespace {

constexpr unsigned all = 0xffffffffu;
constexpr unsigned unrolled = 32;

/// Runs `Step` `unrolled` times a repetition on three values that take turns. `values` (32 of them, also the result)
/// keeps the compiler from knowing them.
template <typename Step>
__global__ void time_chain(long long* cycles, unsigned* values, unsigned repetitions) {
  __shared__ unsigned words[64];
  const unsigned lane = threadIdx.x;
  unsigned a = values[lane], b = values[lane ^ 1], c = values[lane ^ 2];
  words[lane] = a % 32;
  words[lane + 32] = b % 32;
  __syncwarp();
  long long begin = 0, end = 0;
  // The first round fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    begin = clock64();
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < unrolled; ++j) {
        const unsigned next = Step::apply(a, b, c, words);
        c = b;
        b = a;
        a = next;
      }
    }
    end = clock64();
    // The second reading waits for the result.
    if (a == 0x12345678u) end += b + c;
  }
  values[lane] = a + b + c;
  if (lane == 0) *cycles = end - begin;
}

struct shuffle_step {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) {
    return __shfl_down_sync(all, a, 1);
  }
};
/// Each is the sum of the three before it.
struct iadd3_step {
  __device__ static unsigned apply(unsigned a, unsigned b, unsigned c, const unsigned*) { return a + b + c; }
};
/// What at least two of three say, bit by bit. Written as PTX: of an expression the compiler makes several.
struct lop3_step {
  __device__ static unsigned apply(unsigned a, unsigned b, unsigned c, const unsigned*) {
#ifdef __CUDA_ARCH__
    asm("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(a) : "r"(b), "r"(c));
#endif
    return a;
  }
};
/// A comparison, and a LOP3 behind it: two comparisons could become one.
struct imnmx_step {
  __device__ static unsigned apply(unsigned a, unsigned b, unsigned c, const unsigned*) { return max(a, b) ^ c; }
};
struct redux_step {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(all, a);
#else
    return a;
#endif
  }
};
/// The word read says where to read next, and a LOP3 keeps that inside the array.
struct lds_step {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned* words) {
    const char* bytes = reinterpret_cast<const char*>(words);
    // Legal: a multiple of 4 below 128, and the array has 256 bytes.
    return *reinterpret_cast<const volatile unsigned*>(bytes + (a & 0x7c));
  }
};

/// The ends of a reduction. Lane 0 has the sum, and all lanes go on with what they have.
template <unsigned Lanes>
struct chain_sum {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) {
#pragma unroll
    for (unsigned distance = Lanes / 2; distance > 0; distance /= 2) a += __shfl_down_sync(all, a, distance);
    return a;
  }
};
struct tree_of_16 {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) {
    const unsigned a8 = __shfl_down_sync(all, a, 8), a12 = __shfl_down_sync(all, a, 12);
    const unsigned a4 = __shfl_down_sync(all, a, 4);
    const unsigned four = (a8 + a) + (a12 + a4);
    const unsigned b3 = __shfl_down_sync(all, four, 3), b2 = __shfl_down_sync(all, four, 2);
    const unsigned b1 = __shfl_down_sync(all, four, 1);
    return (b3 + four) + (b2 + b1);
  }
};
/// Eight values per step, then four.
struct tree_of_32 {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) {
    unsigned others[7];
#pragma unroll
    for (unsigned k = 0; k < 7; ++k) others[k] = __shfl_down_sync(all, a, 4 * (k + 1));
#pragma unroll
    for (unsigned k = 0; k < 7; ++k) a += others[k];
#pragma unroll
    for (unsigned k = 0; k < 3; ++k) others[k] = __shfl_down_sync(all, a, k + 1);
#pragma unroll
    for (unsigned k = 0; k < 3; ++k) a += others[k];
    return a;
  }
};

template <typename Step>
clocked_kernel of(const char* name, const char* subtract = "", bool needs_80 = false) {
  return {name, reinterpret_cast<const void*>(&time_chain<Step>), unrolled, subtract, needs_80};
}

}  // namespace

std::vector<clocked_kernel> single_instructions() {
  return {of<shuffle_step>("SHFL"),        of<iadd3_step>("IADD3"),           of<lop3_step>("LOP3"),
          of<imnmx_step>("IMNMX", "LOP3"), of<redux_step>("REDUX", "", true), of<lds_step>("LDS", "LOP3")};
}

std::vector<clocked_kernel> whole_sequences() {
  return {of<chain_sum<16>>("sum16"), of<tree_of_16>("sum16_tree"), of<chain_sum<32>>("sum32"),
          of<tree_of_32>("sum32_8_4"), of<redux_step>("redux", "", true)};
}

}  // namespace workbook::machine
