// Measures the atomic additions of chapter 0, by type: in its own kernel; with an address that the compiler cannot know
// to be the same in all lanes, so that each lane adds by itself; and after adding up each warp by shuffles. Every sum
// is verified. Times are medians and include a memset. Each run is queued after a flush of L2.
//
//   atomic_sums EXPONENT[,EXPONENT…] [COMMIT [DRIVER]]     20,26 is 2^20 and 2^26 elements
//
// It prints JSON. nvcc -O3 -std=c++20 -arch=native -I common -I . atomic_sums.cu, or build/bin/emulate without a GPU.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "solutions/00_ceiling/reduce.cuh"

namespace chapter = chapter0::solution;

constexpr unsigned block_size = 128, warp_size = 32;
constexpr int warm_ups = 3, repetitions = 21;
// Large enough to evict any current L2, and to take longer to read than the host needs to queue the timed work.
constexpr std::size_t flushed_bytes = std::size_t{1} << 30;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(3);
}

// `where` holds zeros, so all lanes add to partials[0], but the compiler cannot know that.
template <typename T>
__global__ void add_at(const T* in, T* partials, const unsigned* where, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) chapter::add_atomically(partials + where[threadIdx.x], in[i]);
}

// All lanes of a warp take part in its shuffles, so lanes beyond the end have a zero.
template <typename T>
__global__ void add_by_warp(const T* in, T* partials, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = i < n ? in[i] : T{};
  for (unsigned stride = warp_size / 2; stride > 0; stride /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, stride);
  if (threadIdx.x % warp_size == 0) chapter::add_atomically(partials, sum);
}

__global__ void read_everything(const unsigned* words, std::size_t n, unsigned* sink) {
  unsigned kept = 0;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) kept ^= words[i];
  if (kept == 0xffffffffu) *sink = kept;
}

struct device_memory {
  unsigned* flushed = nullptr;
  unsigned* where = nullptr;
  std::size_t words = 0;
};

// Times `run` from event to event. Ends the program if a run was not queued before the GPU began with it.
template <typename Run>
double median_us(const device_memory& memory, bool on_gpu, Run run) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int k = on_gpu ? -warm_ups : 0; k < (on_gpu ? repetitions : 1); ++k) {
    read_everything<<<1024, 256>>>(memory.flushed, memory.words, memory.where);
    check(cudaEventRecord(begin));
    run();
    check(cudaEventRecord(end));
    if (on_gpu && k >= 0 && cudaEventQuery(begin) != cudaErrorNotReady) {
      std::fprintf(stderr, "the host was too slow to queue a run\n");
      std::exit(2);
    }
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    if (k >= 0) times.push_back(ms);
  }
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return 1e3 * times[times.size() / 2];
}

template <typename T>
void time_type(const char* name, std::size_t n, const device_memory& memory, bool on_gpu, bool first) {
  // Small whole numbers whose running sum stays near 0, so that no partial sum is rounded in any type.
  std::vector<T> values(n);
  long long expected = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int value = static_cast<int>(i % 5) - 2 + (i % 64 == 0 ? 1 : 0);
    values[i] = static_cast<T>(value);
    expected += value;
  }
  T *in = nullptr, *sum = nullptr;
  check(cudaMalloc(&in, n * sizeof(T)));
  check(cudaMalloc(&sum, sizeof(T)));
  check(cudaMemcpy(in, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  const unsigned grid_size = workbook::block_count(n, block_size);
  const auto timed = [&](const char* method, auto run) {
    const double us = median_us(memory, on_gpu, run);
    T got{};
    check(cudaMemcpy(&got, sum, sizeof(T), cudaMemcpyDeviceToHost));
    if (got != static_cast<T>(expected)) {
      std::fprintf(stderr, "%s, %s: the sum of %zu elements is %lld, and %lld was expected\n", name, method, n,
                   static_cast<long long>(got), expected);
      std::exit(1);
    }
    return us;
  };
  const auto zero = [&] { check(cudaMemsetAsync(sum, 0, sizeof(T), nullptr)); };
  const double as_written =
      timed("as written", [&] { static_cast<void>(chapter::reduce_by_atomics(in, sum, n, block_size)); });
  const double by_lane =
      timed("each lane", [&] { zero(), add_at<<<grid_size, block_size>>>(in, sum, memory.where, n); });
  const double by_warp = timed("warps first", [&] { zero(), add_by_warp<<<grid_size, block_size>>>(in, sum, n); });
  std::printf(
      "%s  {\"type\": \"%s\", \"count\": %zu, \"as_written_us\": %.1f, \"by_lane_us\": %.1f, \"by_warp_us\": %.1f}",
      first ? "" : ",\n", name, n, as_written, by_lane, by_warp);
  check(cudaFree(in));
  check(cudaFree(sum));
}

int main(int count, char** arguments) {
  std::vector<std::size_t> counts;
  for (const char* at = count > 1 ? arguments[1] : ""; *at != '\0';) {
    char* rest = nullptr;
    const unsigned long exponent = std::strtoul(at, &rest, 10);
    if (rest == at || exponent > 28 || (*rest != ',' && *rest != '\0')) break;
    counts.push_back(std::size_t{1} << exponent);
    at = *rest == ',' ? rest + 1 : rest;
    if (*at == '\0') break;
  }
  if (counts.empty()) {
    std::fprintf(stderr, "usage: atomic_sums EXPONENT[,EXPONENT...] [COMMIT [DRIVER]], with exponents up to 28\n");
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  int toolkit = 0;
  check(cudaRuntimeGetVersion(&toolkit));
  // A small count is a trial, on the emulator or on a GPU. It is run once, with little to flush.
  const bool on_gpu = counts.front() >= (1u << 20);
  device_memory memory;
  memory.words = (on_gpu ? flushed_bytes : 4096) / sizeof(unsigned);
  check(cudaMalloc(&memory.flushed, memory.words * sizeof(unsigned)));
  check(cudaMemset(memory.flushed, 1, memory.words * sizeof(unsigned)));
  check(cudaMalloc(&memory.where, block_size * sizeof(unsigned)));
  check(cudaMemset(memory.where, 0, block_size * sizeof(unsigned)));

  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  std::printf(
      "{\"schema\": 1,\n\"provenance\": {\"gpu\": \"%s\", \"driver\": \"%s\", \"toolkit\": %d, \"date\": \"%s\", "
      "\"commit\": \"%s\", \"command\": \"atomic_sums %s\", \"repetitions\": %d, \"block_size\": %u},\n",
      device.name, count > 3 ? arguments[3] : "not recorded", toolkit, date, count > 2 ? arguments[2] : "not recorded",
      arguments[1], repetitions, block_size);
  std::printf("\"device\": {\"name\": \"%s\"},\n\"sums\": [\n", device.name);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    time_type<int>("int", counts[k], memory, on_gpu, k == 0);
    time_type<float>("float", counts[k], memory, on_gpu, false);
    time_type<long long>("long", counts[k], memory, on_gpu, false);
    time_type<double>("double", counts[k], memory, on_gpu, false);
  }
  std::printf("\n]}\n");
  return 0;
}
