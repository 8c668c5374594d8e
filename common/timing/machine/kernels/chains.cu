// Chains of dependent instructions between two readings of the clock, and shuffles that do not depend on each other, in
// one warp and in many. The compiler cannot shorten any of these chains, because the result of a step is known only
// after the step has run.

#include <array>
#include <utility>

#include "timing/machine/kernels/clocked.hpp"

namespace workbook::machine {
namespace {

constexpr unsigned all = 0xffffffffu;
constexpr unsigned steps_of_chain = 32, steps_of_block = 16;

/// Runs `Step` `steps_of_chain` times per repetition, on three values in turn. These are loaded from `values` (32
/// words, which also receive the results), so the compiler doesn't know them.
template <typename Step>
__global__ void time_chain(long long* cycles, unsigned* values, unsigned repetitions) {
  __shared__ unsigned words[64];
  const unsigned lane = threadIdx.x;
  unsigned a = values[lane], b = values[lane ^ 1], c = values[lane ^ 2];
  words[lane] = a % 32;
  words[lane + 32] = b % 32;
  __syncwarp();
  long long begin = 0, end = 0;
  // The first iteration fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    begin = clock64();
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < steps_of_chain; ++j) {
        const unsigned next = Step::apply(a, b, c, words);
        c = b;
        b = a;
        a = next;
      }
    }
    end = clock64();
    // Uses the result, so that the clock's second reading waits for it.
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
/// Each result is the sum of the three before it.
struct iadd3_step {
  __device__ static unsigned apply(unsigned a, unsigned b, unsigned c, const unsigned*) { return a + b + c; }
};
/// The majority of three bits, for each bit. Uses PTX, because the compiler would need several instructions for it.
struct lop3_step {
  __device__ static unsigned apply(unsigned a, unsigned b, unsigned c, const unsigned*) {
#ifdef __CUDA_ARCH__
    asm("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(a) : "r"(b), "r"(c));
#endif
    return a;
  }
};
/// A comparison followed by a LOP3, because two comparisons could become one.
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
/// The word that is read determines the next address. A LOP3 keeps the address inside the array.
struct lds_step {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned* words) {
    const char* bytes = reinterpret_cast<const char*>(words);
    // Legal: a multiple of 4 below 128, and the array has 256 bytes.
    return *reinterpret_cast<const volatile unsigned*>(bytes + (a & 0x7c));
  }
};

/// Each lane reads the lanes at `Distances` above it, or itself beyond the end, and the results are XORed.
template <unsigned... Distances>
struct together {
  __device__ static unsigned apply(unsigned a) { return (__shfl_down_sync(all, a, Distances) ^ ...); }
  static unsigned on_host(const std::array<unsigned, 32>& warp, unsigned lane) {
    return (warp[lane + Distances < 32 ? lane + Distances : lane] ^ ...);
  }
};

/// The sum of `Lanes` lanes, in lane 0, by dependent shuffles. Each lane continues with its own result.
template <unsigned Lanes>
struct chain_sum {
  __device__ static unsigned apply(unsigned a) {
#pragma unroll
    for (unsigned distance = Lanes / 2; distance > 0; distance /= 2) a += __shfl_down_sync(all, a, distance);
    return a;
  }
  static unsigned on_host(const std::array<unsigned, 32>& warp, unsigned lane) {
    std::array<unsigned, 32> a = warp;
    for (unsigned distance = Lanes / 2; distance > 0; distance /= 2) {
      const std::array<unsigned, 32> before = a;
      for (unsigned l = 0; l < 32; ++l) a[l] += before[l + distance < 32 ? l + distance : l];
    }
    return a[lane];
  }
};

/// The same sum for 16 lanes, in two steps of three shuffles.
struct tree {
  __device__ static unsigned apply(unsigned a) {
    const unsigned a8 = __shfl_down_sync(all, a, 8), a12 = __shfl_down_sync(all, a, 12);
    const unsigned a4 = __shfl_down_sync(all, a, 4);
    const unsigned four = (a8 + a) + (a12 + a4);
    const unsigned b3 = __shfl_down_sync(all, four, 3), b2 = __shfl_down_sync(all, four, 2);
    const unsigned b1 = __shfl_down_sync(all, four, 1);
    return (b3 + four) + (b2 + b1);
  }
  static unsigned on_host(const std::array<unsigned, 32>& warp, unsigned lane) {
    std::array<unsigned, 32> four{};
    const auto of = [](const std::array<unsigned, 32>& a, unsigned l, unsigned distance) {
      return a[l + distance < 32 ? l + distance : l];
    };
    for (unsigned l = 0; l < 32; ++l) four[l] = of(warp, l, 8) + warp[l] + of(warp, l, 12) + of(warp, l, 4);
    return of(four, lane, 3) + four[lane] + of(four, lane, 2) + of(four, lane, 1);
  }
};

/// The same sum for 32 lanes: the first step adds eight values, and the second adds four.
struct tree_of_32 {
  __device__ static unsigned apply(unsigned a) {
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

/// Makes one of these steps usable in a chain.
template <typename Step>
struct alone {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned, const unsigned*) { return Step::apply(a); }
};

template <typename Step>
clocked_kernel of(const char* name, const char* subtract = "", bool needs_80 = false) {
  return {name, reinterpret_cast<const void*>(&time_chain<Step>), steps_of_chain, subtract, needs_80};
}

/// In all warps of the block, runs `Step` `steps_of_block` times per repetition, each time on the previous result.
template <typename Step>
__global__ void time_steps(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned a = values[threadIdx.x];
  long long begin = 0, end = 0;
  // The first iteration fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    begin = clock64();
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < steps_of_block; ++j) a = Step::apply(a);
    }
    // The barrier makes sure that no thread reads the clock before all threads have their results.
    if (a == 0x12345678u) begin += a;
    __syncthreads();
    end = clock64();
  }
  values[threadIdx.x] = a;
  if (threadIdx.x == 0) *cycles = end - begin;
}

/// Returns the final value of thread `thread`, if each thread began with its number in the block, counted from 1.
template <typename Step>
unsigned left_by(unsigned thread, unsigned repetitions) {
  std::array<unsigned, 32> warp{};
  for (unsigned l = 0; l < 32; ++l) warp[l] = thread / 32 * 32 + l + 1;
  for (unsigned step = 0; step < 2 * repetitions * steps_of_block; ++step) {
    const std::array<unsigned, 32> before = warp;
    for (unsigned l = 0; l < 32; ++l) warp[l] = Step::on_host(before, l);
  }
  return warp[thread % 32];
}

template <typename Step>
clocked_kernel in_block(std::string name, unsigned warps = 1) {
  clocked_kernel k{std::move(name), reinterpret_cast<const void*>(&time_steps<Step>), steps_of_block};
  k.threads = 32 * warps;
  k.expected = &left_by<Step>;
  return k;
}

}  // namespace

std::vector<clocked_kernel> single_instructions() {
  return {of<shuffle_step>("SHFL"),        of<iadd3_step>("IADD3"),           of<lop3_step>("LOP3"),
          of<imnmx_step>("IMNMX", "LOP3"), of<redux_step>("REDUX", "", true), of<lds_step>("LDS", "LOP3")};
}

std::vector<clocked_kernel> whole_sequences() {
  return {of<alone<chain_sum<16>>>("sum16"), of<alone<tree>>("sum16_tree"), of<alone<chain_sum<32>>>("sum32"),
          of<alone<tree_of_32>>("sum32_8_4"), of<redux_step>("redux", "", true)};
}

std::vector<clocked_kernel> shuffles_together() {
  return {in_block<together<1>>("1"), in_block<together<1, 2>>("2"), in_block<together<1, 2, 3>>("3"),
          in_block<together<1, 2, 3, 4>>("4")};
}

clocked_kernel sums_by_chains(unsigned warps) {
  return in_block<chain_sum<16>>("chain", warps);
}

clocked_kernel sums_by_trees(unsigned warps) {
  return in_block<tree>("tree", warps);
}

}  // namespace workbook::machine
