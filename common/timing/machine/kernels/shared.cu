// Measures the resources of a block: shared memory, with a given number of lanes per bank, and barriers.

#include <cstddef>

#include "reductions/launch.cuh"
#include "timing/machine/kernels/clocked.hpp"
#include "timing/machine/kernels/rounds.cuh"

namespace workbook::machine {
namespace {

constexpr unsigned unrolled = 16, barriers_in_a_row = 16;
/// Words of one warp: with 32 lanes in a bank, each lane has a row of 32.
constexpr unsigned words_of_warp = 32 * 32;

__device__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Written as PTX, and the store as volatile, so that the machine code has each of them as often as the source.
__device__ void load(unsigned& address) {
  // Legal: each word that is read holds an address of a word of the array.
  asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address));
}
__device__ void store(unsigned address, unsigned value) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// `values`: the word of the warp's part that each thread uses. `Chains` loads of a thread are in flight together.
template <unsigned Chains>
__global__ void time_loads(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned* const words = dynamic_shared<unsigned>() + threadIdx.x / 32 * words_of_warp;
  const unsigned mine = values[threadIdx.x];
  // Each word holds its own address, so the next load goes to the same one.
  words[mine] = address_of(&words[mine]);
  unsigned at[Chains];
#pragma unroll
  for (unsigned c = 0; c < Chains; ++c) at[c] = address_of(&words[mine]);
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < unrolled; ++j) load(at[j % Chains]);
    }
    unsigned last = 0;
#pragma unroll
    for (unsigned c = 0; c < Chains; ++c) last |= at[c];
    // The last loads have arrived; an address is never all ones.
    if (last == 0xffffffffu) values[0] = last;
  });
  values[threadIdx.x] = (at[0] - address_of(words)) / sizeof(unsigned);
  if (threadIdx.x == 0) *cycles = taken;
}

__global__ void time_stores(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned* const words = dynamic_shared<unsigned>() + threadIdx.x / 32 * words_of_warp;
  const unsigned mine = values[threadIdx.x], at = address_of(&words[mine]);
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      for (unsigned j = 0; j < unrolled; ++j) store(at, mine);
    }
  });
  values[threadIdx.x] = words[mine];
  if (threadIdx.x == 0) *cycles = taken;
}

__global__ void time_barriers(long long* cycles, unsigned* values, unsigned repetitions) {
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned k = 0; k < repetitions; ++k) {
#pragma unroll
      // Nothing to separate: the barrier is what is measured.
      for (unsigned j = 0; j < barriers_in_a_row; ++j) __syncthreads();
    }
  });
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) *cycles = taken;
}

/// Lane l uses word l times `degree`, so the lanes share every `degree`-th bank.
clocked_kernel accesses(const char* name, const void* kernel, unsigned degree, unsigned warps) {
  clocked_kernel k{.name = name,
                   .kernel = kernel,
                   .steps = unrolled,
                   .threads = 32 * warps,
                   .shared_bytes = std::size_t{warps} * words_of_warp * sizeof(unsigned)};
  for (unsigned thread = 0; thread < k.threads; ++thread) k.values.push_back(thread % 32 * degree);
  return k;
}

}  // namespace

clocked_kernel dependent_shared_loads(unsigned degree) {
  return accesses("dependent loads", reinterpret_cast<const void*>(&time_loads<1>), degree, 1);
}

clocked_kernel shared_loads(unsigned degree, unsigned warps) {
  return accesses("loads", reinterpret_cast<const void*>(&time_loads<4>), degree, warps);
}

clocked_kernel shared_stores(unsigned degree, unsigned warps) {
  return accesses("stores", reinterpret_cast<const void*>(&time_stores), degree, warps);
}

clocked_kernel barriers(unsigned warps) {
  return {.name = "__syncthreads",
          .kernel = reinterpret_cast<const void*>(&time_barriers),
          .steps = barriers_in_a_row,
          .threads = 32 * warps};
}

}  // namespace workbook::machine
