// Measures why a fused multiply-add with three different source registers is slower than one with two. In streams of
// these instructions, the three registers are neighbours, or two or four apart, so that they are in different banks of
// the register file or in the same one. Other streams use two registers, or one. 0_1_3 means x[j], x[j+1] and x[j+3]. A
// block has 32 warps, as in `make machine`.
//
//   register_banks [COMMIT [DRIVER]]
//
// It prints JSON. nvcc -O3 -std=c++20 -arch=native register_banks.cu. `cuobjdump -sass` shows which registers the
// compiler chose.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

constexpr unsigned threads = 1024, values = 8, unrolled = 8, repetitions = 4096;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(3);
}

// x[j] = x[j] * x[j + First] + x[j + Second], for successive j.
template <unsigned First, unsigned Second>
__host__ __device__ void step(float (&x)[values], unsigned j) {
  x[j % values] = fmaf(x[j % values], x[(j + First) % values], x[(j + Second) % values]);
}

template <unsigned First, unsigned Second>
__global__ void __launch_bounds__(threads) stream(long long* cycles, float* out) {
  float x[values];
  for (unsigned k = 0; k < values; ++k) x[k] = out[threadIdx.x] + static_cast<float>(k);
  long long begin = 0, end = 0;
  // The first iteration fills the instruction cache.
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
    __syncthreads();  // all warps begin together
    begin = clock64();
#pragma unroll 1
    for (unsigned r = 0; r < repetitions; ++r) {
#pragma unroll
      for (unsigned j = 0; j < unrolled * values; ++j) step<First, Second>(x, j);
    }
    __syncthreads();  // all warps are done
    end = clock64();
  }
  float all = 0;
  for (unsigned k = 0; k < values; ++k) all += x[k];
  out[threadIdx.x] = all;
  if (threadIdx.x == 0) *cycles = end - begin;
}

template <unsigned First, unsigned Second>
void time_stream(const char* name, bool first) {
  long long* cycles = nullptr;
  float* out = nullptr;
  check(cudaMalloc(&cycles, sizeof *cycles));
  check(cudaMalloc(&out, threads * sizeof(float)));
  check(cudaMemset(out, 0, threads * sizeof(float)));
  stream<First, Second><<<1, threads>>>(cycles, out);
  check(cudaDeviceSynchronize());
  long long taken = 0;
  check(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
  const double instructions = double{threads} / 32 * repetitions * unrolled * values;
  std::printf("%s  {\"sources\": \"%s\", \"per_cycle\": %.3f}", first ? "" : ",\n", name,
              instructions / static_cast<double>(taken));
  check(cudaFree(cycles));
  check(cudaFree(out));
}

int main(int count, char** arguments) {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  int toolkit = 0;
  check(cudaRuntimeGetVersion(&toolkit));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "{\"schema\": 1,\n\"provenance\": {\"gpu\": \"%s\", \"driver\": \"%s\", \"toolkit\": %d, \"date\": \"%s\", "
      "\"commit\": \"%s\", \"command\": \"register_banks\"},\n",
      device.name, count > 2 ? arguments[2] : "not recorded", toolkit, date, count > 1 ? arguments[1] : "not recorded");
  std::printf("\"device\": {\"name\": \"%s\"},\n\"streams\": [\n", device.name);
  time_stream<1, 2>("0_1_2", true);
  time_stream<1, 3>("0_1_3", false);
  time_stream<3, 5>("0_3_5", false);
  time_stream<2, 4>("0_2_4", false);
  time_stream<1, 0>("0_1", false);
  time_stream<2, 0>("0_2", false);
  time_stream<0, 0>("0", false);
  std::printf("\n]}\n");
  return 0;
}
