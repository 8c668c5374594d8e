// Measures what the threads of a block share: shared memory, with a given number of lanes per bank, and barriers.

#include <cstddef>

#include "reductions/launch.cuh"
#include "timing/machine/kernels/clocked.hpp"
#include "timing/machine/kernels/rounds.cuh"

namespace workbook::machine {
namespace {

constexpr unsigned unrolled = 16, barriers_in_a_row = 16;
/// Words of shared memory per warp. If 32 lanes use one bank, each lane needs its own row of 32 words.
constexpr unsigned words_of_warp = 32 * 32;

__device__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

/// Uses PTX, with a volatile store, so that the machine code has as many loads and stores as the source.
__device__ void load(unsigned& address) {
  // Legal: each word that is read holds an address of a word of the array.
  asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address));
}
__device__ void store(unsigned address, unsigned value) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

/// `values`: the index of each thread's word in its warp's part. Each thread has `Chains` loads in flight at once.
template <unsigned Chains>
__global__ void time_loads(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned* const words = dynamic_shared<unsigned>() + threadIdx.x / 32 * words_of_warp;
  const unsigned mine = values[threadIdx.x];
  // Each word contains its own address, so the next load reads the same word.
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
    // Waits until the last loads have arrived; an address is never all ones.
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
      // The barrier separates nothing; its time is measured.
      for (unsigned j = 0; j < barriers_in_a_row; ++j) __syncthreads();
    }
  });
  values[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) *cycles = taken;
}

/// Lane l uses word l times `degree`, so all lanes together use only every `degree`-th bank.
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
