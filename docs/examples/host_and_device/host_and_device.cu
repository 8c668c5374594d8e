// Measures what it costs to give work to a GPU and to fetch the result: a vector addition, copies, a matrix product,
// and a sum by the simplest tree, in global memory. Each result is verified. Times are medians that the host measures.
//
//   host_and_device [ELEMENTS [ROWS [SUMMED]]]     default: 2^20 elements, 1000 rows, 2^29 summed ints
//
// It prints JSON. Plain CUDA: nvcc -O3 -std=c++20 host_and_device.cu, or build/bin/emulate for a run without a GPU.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

constexpr unsigned block_size = 256;

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(code));
  std::exit(3);
}

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "%s is wrong\n", what);
  std::exit(1);
}

unsigned blocks_for(std::size_t n) {
  return static_cast<unsigned>((n + block_size - 1) / block_size);
}

__global__ void add(const float* x, const float* y, float* sum, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = x[i] + y[i];
}

// One thread for each element of the product. Neighbouring threads read neighbouring elements of b.
__global__ void multiply(const float* a, const float* b, float* c, unsigned rows) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= rows || row >= rows) return;
  float sum = 0;
  for (unsigned k = 0; k < rows; ++k) sum += a[row * rows + k] * b[k * rows + column];
  c[row * rows + column] = sum;
}

// A tree over the block's elements in place, in global memory: the input is overwritten.
__global__ void reduce_in_place(int* in, int* partials, std::size_t n) {
  const std::size_t begin = std::size_t{blockIdx.x} * blockDim.x;
  const unsigned tid = threadIdx.x;
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride && begin + tid + stride < n) in[begin + tid] += in[begin + tid + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }
  if (tid == 0) partials[blockIdx.x] = in[begin];
}

// The same tree in shared memory.
__global__ void reduce_in_tile(const int* in, int* partials, std::size_t n) {
  __shared__ int tile[block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + tid;
  tile[tid] = i < n ? in[i] : 0;
  __syncthreads();  // all elements are in the tile before any thread reads another's
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) tile[tid] += tile[tid + stride];
    __syncthreads();  // this step's sums are written before the next step reads them
  }
  if (tid == 0) partials[blockIdx.x] = tile[0];
}

__global__ void fill(int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

// Returns the median of `runs` runs in microseconds. `before` is not timed, and the GPU is idle when a run begins.
double microseconds(
    int runs, const std::function<void()>& run, const std::function<void()>& before = [] {}) {
  std::vector<double> times;
  for (int k = 0; k < runs; ++k) {
    before();
    check(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    check(cudaDeviceSynchronize());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <typename T>
T* on_device(std::size_t n) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, n * sizeof(T)));
  return memory;
}

void wait() {
  check(cudaDeviceSynchronize());
}

void vectors(std::size_t n, int runs) {
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> x(n, 1), y(n, 2), sum(n);
  float *dx = on_device<float>(n), *dy = on_device<float>(n), *dsum = on_device<float>(n), *pinned = nullptr;
  check(cudaMallocHost(&pinned, bytes));
  std::fill(pinned, pinned + n, 1.0f);
  const auto launch = [&] { add<<<blocks_for(n), block_size>>>(dx, dy, dsum, n); };
  const auto copy = [&](void* to, const void* from, cudaMemcpyKind kind) { check(cudaMemcpy(to, from, bytes, kind)); };
  copy(dy, y.data(), cudaMemcpyHostToDevice);
  std::printf("\"copies\": {\"bytes\": %zu, \"to_us\": %.2f, ", bytes,
              microseconds(runs, [&] { copy(dx, x.data(), cudaMemcpyHostToDevice); }));
  std::printf("\"to_pinned_us\": %.2f, ", microseconds(runs, [&] { copy(dx, pinned, cudaMemcpyHostToDevice); }));
  std::printf("\"from_pinned_us\": %.2f, ", microseconds(runs, [&] { copy(pinned, dx, cudaMemcpyDeviceToHost); }));
  std::printf("\"add_called_us\": %.2f, ", microseconds(runs, launch));
  std::printf("\"add_done_us\": %.2f, ", microseconds(runs, [&] { launch(), wait(); }));
  std::printf("\"from_us\": %.2f, ", microseconds(runs, [&] { copy(sum.data(), dsum, cudaMemcpyDeviceToHost); }));
  require(std::all_of(sum.begin(), sum.end(), [](float s) { return s == 3; }), "the vector addition");
  float total = 0;
  const double host = microseconds(runs, [&] { total = std::accumulate(x.begin(), x.end(), 0.0f); });
  std::printf("\"sum_on_host_us\": %.2f},\n", host);
  require(total == static_cast<float>(n), "the host's sum");
  for (float* memory : {dx, dy, dsum}) check(cudaFree(memory));
  check(cudaFreeHost(pinned));
}

void product(unsigned rows, int runs) {
  const std::size_t n = std::size_t{rows} * rows, bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n), of_host(n);
  // Small whole numbers, so that no product or sum is rounded.
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  float *da = on_device<float>(n), *db = on_device<float>(n), *dc = on_device<float>(n);
  const auto there = [&] {
    check(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
  };
  const auto back = [&] { check(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost)); };
  const dim3 block(32, 8), grid((rows + 31) / 32, (rows + 7) / 8);
  const auto launch = [&] { multiply<<<grid, block>>>(da, db, dc, rows); };
  there();
  const double host = microseconds(3, [&] {
    std::fill(of_host.begin(), of_host.end(), 0.0f);
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned k = 0; k < rows; ++k)
        for (unsigned j = 0; j < rows; ++j) of_host[i * rows + j] += a[i * rows + k] * b[k * rows + j];
  });
  std::printf("\"product\": {\"rows\": %u, \"host_us\": %.2f, ", rows, host);
  std::printf("\"called_us\": %.2f, ", microseconds(runs, launch));
  std::printf("\"done_us\": %.2f, ", microseconds(runs, [&] { launch(), wait(); }));
  std::printf("\"with_copies_us\": %.2f},\n", microseconds(runs, [&] { there(), launch(), back(); }));
  require(c == of_host, "the matrix product");
  for (float* memory : {da, db, dc}) check(cudaFree(memory));
}

void trees(std::size_t n, int runs) {
  int *in = on_device<int>(n), *partials = on_device<int>(blocks_for(n)), *sums = on_device<int>(blocks_for(n));
  int total = 0;
  const auto fill_again = [&] { fill<<<blocks_for(n), block_size>>>(in, n); };
  // As many launches as necessary. Each leaves one sum per block, and then the two arrays are swapped.
  const auto sum_up = [&](auto&& level) {
    int *from = in, *to = partials;
    for (std::size_t left = n; left > 1; left = blocks_for(left)) {
      level(from, to, left);
      from = to;
      to = to == partials ? sums : partials;
    }
    check(cudaMemcpy(&total, from, sizeof(int), cudaMemcpyDeviceToHost));
  };
  const double in_place = microseconds(
      runs,
      [&] {
        sum_up([](int* from, int* to, std::size_t m) { reduce_in_place<<<blocks_for(m), block_size>>>(from, to, m); });
      },
      fill_again);
  require(total == static_cast<int>(n), "the sum in global memory");
  fill_again();
  const double in_tile = microseconds(runs, [&] {
    sum_up([](int* from, int* to, std::size_t m) { reduce_in_tile<<<blocks_for(m), block_size>>>(from, to, m); });
  });
  require(total == static_cast<int>(n), "the sum in shared memory");
  std::printf("\"trees\": {\"count\": %zu, \"in_place_us\": %.1f, \"in_tile_us\": %.1f}", n, in_place, in_tile);
  for (int* memory : {in, partials, sums}) check(cudaFree(memory));
}

int main(int count, char** words) {
  const auto word = [&](int k, std::size_t otherwise) {
    return count > k ? std::strtoull(words[k], nullptr, 10) : otherwise;
  };
  const std::size_t n = word(1, 1u << 20), rows = word(2, 1000), summed = word(3, std::size_t{1} << 29);
  const int runs = n < (1u << 20) ? 1 : 21;
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("{\"device\": {\"name\": \"%s\"},\n", device.name);
  vectors(n, runs);
  product(static_cast<unsigned>(rows), runs);
  trees(summed, runs);
  std::printf("}\n");
}
