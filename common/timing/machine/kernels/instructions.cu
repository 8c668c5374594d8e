// Streams of instructions of 32 warps. There are so many of each kind that the units limit them, not the latency.

#include <cmath>
#include <cstring>
#include <numeric>

#include "timing/machine/kernels/clocked.hpp"
#include "timing/machine/kernels/rounds.cuh"

namespace workbook::machine {
namespace {

constexpr unsigned threads = 1024;
/// Number of values that a thread uses in turn. An instruction only needs results that are at least four steps old.
constexpr unsigned values_of_thread = 6;
constexpr unsigned turns = 8;
constexpr unsigned turns_of_loop = 16;

__host__ __device__ float as_float(unsigned word) {
  float value = 0;
  memcpy(&value, &word, sizeof value);
  return value;
}
__host__ __device__ unsigned as_word(float value) {
  unsigned word = 0;
  memcpy(&word, &value, sizeof word);
  return word;
}

// Each returns the new value for a value and the two that follow it. No result is known before the step has run.
struct iadd3 {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned c) { return a + b + c; }
};
struct imad {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned c) { return a * b + c; }
};
struct fadd {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned) {
    return as_word(as_float(a) + as_float(b));
  }
};
struct ffma {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned c) {
    return as_word(fmaf(as_float(a), as_float(b), as_float(c)));
  }
};
/// The majority of three bits, for each bit. Uses PTX, because the compiler would need several instructions for it.
struct lop3 {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned c) {
#ifdef __CUDA_ARCH__
    asm("lop3.b32 %0, %0, %1, %2, 0xe8;" : "+r"(a) : "r"(b), "r"(c));
    return a;
#else
    return (a & b) | (a & c) | (b & c);
#endif
  }
};
struct shfl {
  __device__ static unsigned apply(unsigned a, unsigned, unsigned) { return __shfl_xor_sync(0xffffffffu, a, 1); }
};
/// Remainder by a value that changes, as in chapter 1's loop. An addition and an OR keep the values from becoming 0.
struct remainder {
  __host__ __device__ static unsigned apply(unsigned a, unsigned b, unsigned) { return b % (a | 1) + 0x9e3779b9u; }
};

/// Returns a thread's initial value number `k`. As floats, these values are between 1 and 2.
__host__ __device__ unsigned first_value(unsigned word, unsigned k) {
  return 0x3f800000u + (word << 8) + k;
}

template <typename Step>
__host__ __device__ void do_step(unsigned (&x)[values_of_thread], unsigned j) {
  unsigned& value = x[j % values_of_thread];
  value = Step::apply(value, x[(j + 1) % values_of_thread], x[(j + 2) % values_of_thread]);
}

template <typename Step>
__global__ void __launch_bounds__(threads) time_stream(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned x[values_of_thread];
#pragma unroll
  for (unsigned k = 0; k < values_of_thread; ++k) x[k] = first_value(values[threadIdx.x], k);
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned r = 0; r < repetitions; ++r) {
#pragma unroll
      for (unsigned j = 0; j < turns * values_of_thread; ++j) do_step<Step>(x, j);
    }
  });
  unsigned all = 0;
#pragma unroll
  for (unsigned k = 0; k < values_of_thread; ++k) all ^= x[k];
  values[threadIdx.x] = all;
  if (threadIdx.x == 0) *cycles = taken;
}

template <typename Step>
unsigned expected(unsigned thread, unsigned repetitions) {
  unsigned x[values_of_thread];
  for (unsigned k = 0; k < values_of_thread; ++k) x[k] = first_value(thread + 1, k);
  // The kernel runs two iterations.
  for (unsigned j = 0; j < 2 * repetitions * turns * values_of_thread; ++j) do_step<Step>(x, j);
  return std::accumulate(x, x + values_of_thread, 0u, [](unsigned a, unsigned b) { return a ^ b; });
}

/// Each iteration has one LOP3, because the compiler would remove an empty loop.
__global__ void __launch_bounds__(threads) time_loop(long long* cycles, unsigned* values, unsigned repetitions) {
  unsigned a = values[threadIdx.x];
  const unsigned b = first_value(a, 1), c = first_value(a, 2);
  const long long taken = cycles_of_second([&] {
#pragma unroll 1
    for (unsigned r = 0; r < turns_of_loop * repetitions; ++r) a = lop3::apply(a, b, c);
  });
  values[threadIdx.x] = a;
  if (threadIdx.x == 0) *cycles = taken;
}

unsigned expected_of_loop(unsigned thread, unsigned repetitions) {
  unsigned a = thread + 1;
  const unsigned b = first_value(a, 1), c = first_value(a, 2);
  for (int round = 0; round < 2; ++round)
    for (unsigned r = 0; r < turns_of_loop * repetitions; ++r) a = lop3::apply(a, b, c);
  return a;
}

clocked_kernel stream(const char* name, const void* kernel, unsigned (*on_host)(unsigned, unsigned)) {
  return {.name = name, .kernel = kernel, .steps = turns * values_of_thread, .threads = threads, .expected = on_host};
}

template <typename Step>
clocked_kernel compared(const char* name) {
  return stream(name, reinterpret_cast<const void*>(&time_stream<Step>), &expected<Step>);
}

}  // namespace

std::vector<clocked_kernel> instruction_streams() {
  return {compared<iadd3>("IADD3"),
          compared<fadd>("FADD"),
          compared<ffma>("FFMA"),
          compared<imad>("IMAD"),
          compared<lop3>("LOP3"),
          stream("SHFL", reinterpret_cast<const void*>(&time_stream<shfl>), nullptr),
          compared<remainder>("remainder"),
          {.name = "loop",
           .kernel = reinterpret_cast<const void*>(&time_loop),
           .steps = turns_of_loop,
           .threads = threads,
           .expected = &expected_of_loop}};
}

}  // namespace workbook::machine
