// Shuffles that need not wait for each other: in one warp, and in many.

#include <array>
#include <utility>

#include "tools/machine/kernels/clocked.hpp"

namespace workbook::machine {
namespace {

constexpr unsigned all = 0xffffffffu;
constexpr unsigned unrolled = 16;

/// Lane `lane` of a warp gets what lane `lane + distance` has, or keeps its own behind the end.
template <unsigned... Distances>
struct together {
  __device__ static unsigned apply(unsigned a) { return (__shfl_down_sync(all, a, Distances) ^ ...); }
  static unsigned on_host(const std::array<unsigned, 32>& warp, unsigned lane) {
    return (warp[lane + Distances < 32 ? lane + Distances : lane] ^ ...);
  }
};

/// The sum of 16 lanes, in lane 0, by four steps of one shuffle.
struct chain {
  __device__ static unsigned apply(unsigned a) {
#pragma unroll
    for (unsigned distance = 8; distance > 0; distance /= 2) a += __shfl_down_sync(all, a, distance);
    return a;
  }
  static unsigned on_host(const std::array<unsigned, 32>& warp, unsigned lane) {
    std::array<unsigned, 32> a = warp;
    for (unsigned distance = 8; distance > 0; distance /= 2) {
      const std::array<unsigned, 32> before = a;
      for (unsigned l = 0; l < 32; ++l) a[l] += before[l + distance < 32 ? l + distance : l];
    }
    return a[lane];
  }
};

/// The same by two steps of three.
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

/// All warps of the block do `Step`, `unrolled` times a repetition, each with the result of the one before.
template <typename Step>
__global__ void time_steps(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned a = values[threadIdx.x];
  long long begin = 0, end = 0;
  // The first round fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    begin = clock64();
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < unrolled; ++j) a = Step::apply(a);
    }
    // Nobody reads the clock before all have their results.
    if (a == 0x12345678u) begin += a;
    __syncthreads();
    end = clock64();
  }
  values[threadIdx.x] = a;
  if (threadIdx.x == 0) *cycles = end - begin;
}

/// What thread `thread` has when every warp began with its threads' numbers from 1 on.
template <typename Step>
unsigned left_by(unsigned thread, unsigned repetitions) {
  std::array<unsigned, 32> warp{};
  for (unsigned l = 0; l < 32; ++l) warp[l] = thread / 32 * 32 + l + 1;
  for (unsigned step = 0; step < 2 * repetitions * unrolled; ++step) {
    const std::array<unsigned, 32> before = warp;
    for (unsigned l = 0; l < 32; ++l) warp[l] = Step::on_host(before, l);
  }
  return warp[thread % 32];
}

template <typename Step>
clocked_kernel of(std::string name, unsigned warps = 1) {
  clocked_kernel k{std::move(name), reinterpret_cast<const void*>(&time_steps<Step>), unrolled};
  k.threads = 32 * warps;
  k.expected = &left_by<Step>;
  return k;
}

}  // namespace

std::vector<clocked_kernel> shuffles_together() {
  return {of<together<1>>("1"), of<together<1, 2>>("2"), of<together<1, 2, 3>>("3"), of<together<1, 2, 3, 4>>("4")};
}

clocked_kernel sums_by_chains(unsigned warps) {
  return of<chain>("chain", warps);
}

clocked_kernel sums_by_trees(unsigned warps) {
  return of<tree>("tree", warps);
}

}  // namespace workbook::machine
