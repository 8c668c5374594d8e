// Measures what an access to a private array in local memory costs, by the length of the array and by the number of
// arithmetic instructions next to each access. The GPU is full: 2048 threads per SM, each with an array of its own. All
// threads of a warp use the same index, which the compiler doesn't know, so the array can't be in registers.
//
//   local_arrays [COMMIT [DRIVER [ROUNDS]]]
//
// For each length and each number of multiply-adds, it times two kernels: one reads an element per round, and the other
// uses the index itself instead. It prints JSON, with microseconds as medians of 9. nvcc -O3 -std=c++20 -arch=native
// local_arrays.cu. ROUNDS (4096) is the number of reads of each thread.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

constexpr unsigned threads = 256, threads_per_sm = 2048, repetitions = 9;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(3);
}

// `factor` is 1 and `first` is 0, but the compiler doesn't know. Each thread's result is the sum of the indices.
template <unsigned Length, unsigned Operations, bool Reads>
__global__ void __launch_bounds__(threads) walk(float* out, unsigned rounds, unsigned first, float factor) {
  float array[Length];
#pragma unroll 1
  for (unsigned k = 0; k < Length; ++k) array[(first + k) % Length] = static_cast<float>((first + k) % Length);
  unsigned index = first;
  float sum = 0;
#pragma unroll 1
  for (unsigned r = 0; r < rounds; ++r) {
    index = (index + 1) % Length;
    sum += Reads ? array[index] : static_cast<float>(index);
#pragma unroll
    for (unsigned k = 1; k <= Operations; ++k) sum = fmaf(sum, factor, static_cast<float>(first));
  }
  // So that the array is needed in both kernels.
  out[blockIdx.x * threads + threadIdx.x] = sum + array[first] + (Reads ? 0 : array[(first + rounds) % Length] * 0);
}

template <unsigned Length, unsigned Operations, bool Reads>
double time_walk(float* out, unsigned grid, unsigned rounds) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float us[repetitions];
  for (float& one : us) {
    check(cudaEventRecord(begin));
    walk<Length, Operations, Reads><<<grid, threads>>>(out, rounds, 0, 1.0f);
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    one = ms * 1000;
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  float sum = 0;
  check(cudaMemcpy(&sum, out + (grid - 1) * threads, sizeof sum, cudaMemcpyDeviceToHost));
  float wanted = 0;
  for (unsigned r = 1; r <= rounds; ++r) wanted += static_cast<float>(r % Length);
  if (sum != wanted) {
    std::fprintf(stderr, "the sum is %g, not %g\n", sum, wanted);
    std::exit(1);
  }
  std::sort(us, us + repetitions);
  return us[repetitions / 2];
}

template <unsigned Length, unsigned Operations>
void print_row(float* out, unsigned grid, unsigned rounds, bool last = false) {
  std::printf("  {\"length\": %u, \"operations\": %u, \"with_us\": %.1f, \"without_us\": %.1f}%s\n", Length, Operations,
              time_walk<Length, Operations, true>(out, grid, rounds),
              time_walk<Length, Operations, false>(out, grid, rounds), last ? "" : ",");
}

template <unsigned Length>
void print_rows(float* out, unsigned grid, unsigned rounds) {
  print_row<Length, 0>(out, grid, rounds);
  print_row<Length, 2>(out, grid, rounds);
  print_row<Length, 4>(out, grid, rounds);
  print_row<Length, 8>(out, grid, rounds);
  print_row<Length, 16>(out, grid, rounds);
  print_row<Length, 32>(out, grid, rounds);
}

int main(int count, char** arguments) {
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  int toolkit = 0;
  check(cudaRuntimeGetVersion(&toolkit));
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  const unsigned rounds = count > 3 ? static_cast<unsigned>(std::strtoul(arguments[3], nullptr, 10)) : 4096;
  // A short run is only a test, for which one block is enough.
  const unsigned grid =
      rounds < 4096 ? 1 : static_cast<unsigned>(device.multiProcessorCount) * (threads_per_sm / threads);
  float* out = nullptr;
  check(cudaMalloc(&out, std::size_t{grid} * threads * sizeof(float)));
  std::printf(
      "{\"schema\": 1,\n\"provenance\": {\"gpu\": \"%s\", \"driver\": \"%s\", \"toolkit\": %d, \"date\": \"%s\", "
      "\"commit\": \"%s\", \"command\": \"local_arrays\"},\n",
      device.name, count > 2 ? arguments[2] : "not recorded", toolkit, date, count > 1 ? arguments[1] : "not recorded");
  std::printf("\"device\": {\"name\": \"%s\"},\n\"rounds\": %u,\n\"walks\": [\n", device.name, rounds);
  print_rows<16>(out, grid, rounds);
  print_rows<32>(out, grid, rounds);
  print_rows<64>(out, grid, rounds);
  print_row<128, 0>(out, grid, rounds);
  print_row<256, 0>(out, grid, rounds);
  print_row<512, 0>(out, grid, rounds, true);
  std::printf("]}\n");
  check(cudaFree(out));
  return 0;
}
