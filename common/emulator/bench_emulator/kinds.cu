// Kernels of many kinds, each as short as its kind allows.
// Long because there are many kinds; no two of them have anything to do with each other.

#include <cstddef>
#include <vector>

#include "kinds.hpp"

namespace bench_kinds {
namespace {

constexpr unsigned threads = 256;

/// Device memory for `count` elements, filled with pseudorandom numbers.
template <typename T>
class array {
 public:
  explicit array(std::size_t count) : count_(count) {
    static std::vector<T> values;  // shared by all arrays, to save time on the host
    static std::uint32_t state = 12345;
    while (values.size() < count) {
      state = state * 1664525u + 1013904223u;
      values.push_back(static_cast<T>(state >> 16) / static_cast<T>(sizeof(T) == 1 ? 257 : 16));
    }
    cudaMalloc(&data_, count * sizeof(T));
    cudaMemcpy(data_, values.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~array() { cudaFree(data_); }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  T* get() const { return data_; }
  /// Returns a hash of all bytes, taken eight at a time to save time on the host.
  std::uint64_t hash() const {
    std::vector<std::uint64_t> words((count_ * sizeof(T) + 7) / 8);
    cudaMemcpy(words.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    std::uint64_t h = 14695981039346656037u;
    for (const std::uint64_t w : words) h = (h ^ w) * 0x9e3779b97f4a7c15u ^ h >> 29;
    return cudaGetLastError() == cudaSuccess ? h : 0;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Runs a kernel with one thread per element, from an array of `n` elements into another one. Returns a hash.
template <typename T, typename U, typename... More>
std::uint64_t into_other(void (*kernel)(const T*, U*, More...), unsigned n, More... more) {
  const array<T> a(n);
  const array<U> b(n);
  kernel<<<n / threads, threads>>>(a.get(), b.get(), more...);
  return b.hash();
}
/// The same, in one array.
template <typename T, typename... More>
std::uint64_t in_place(void (*kernel)(T*, More...), unsigned n, More... more) {
  const array<T> a(n);
  kernel<<<n / threads, threads>>>(a.get(), more...);
  return a.hash();
}

__device__ unsigned index_of_thread() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void saxpy(float a, const float* x, float* y, unsigned n) {
  const unsigned i = index_of_thread();
  if (i < n) y[i] = a * x[i] + y[i];
}
std::uint64_t run_saxpy() {
  constexpr unsigned n = 1u << 18;
  const array<float> x(n), y(n);
  saxpy<<<n / threads, threads>>>(2.5f, x.get(), y.get(), n);
  return y.hash();
}

__global__ void many_small(int* data, int add) {
  data[index_of_thread()] += add;
}
std::uint64_t run_many_small() {
  const array<int> a(1024);
  for (int k = 0; k < 400; ++k) many_small<<<4, threads>>>(a.get(), k);
  return a.hash();
}

__global__ void stencil(const float* in, float* out, unsigned n) {
  __shared__ float tile[threads + 2];
  const unsigned i = index_of_thread(), t = threadIdx.x + 1;
  tile[t] = in[i];
  if (threadIdx.x == 0) tile[0] = i == 0 ? 0.0f : in[i - 1];
  if (threadIdx.x == blockDim.x - 1) tile[t + 1] = i + 1 == n ? 0.0f : in[i + 1];
  __syncthreads();
  out[i] = 0.25f * tile[t - 1] + 0.5f * tile[t] + 0.25f * tile[t + 1];
}

__global__ void matrix_product(const float* a, const float* b, float* c, unsigned n) {
  const unsigned row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void tiled_product(const float* a, const float* b, float* c, unsigned n) {
  __shared__ float x[16][16], y[16][17];
  const unsigned row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (unsigned first = 0; first < n; first += 16) {
    x[threadIdx.y][threadIdx.x] = a[row * n + first + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(first + threadIdx.y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k) sum += x[threadIdx.y][k] * y[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
std::uint64_t run_product(void (*kernel)(const float*, const float*, float*, unsigned), dim3 block) {
  constexpr unsigned n = 96;
  const array<float> a(n * n), b(n * n), c(n * n);
  kernel<<<dim3(n / block.x, n / block.y), block>>>(a.get(), b.get(), c.get(), n);
  return c.hash();
}

__global__ void transpose(const int* in, int* out, unsigned n) {
  __shared__ int tile[32][33];
  for (unsigned k = 0; k < 32; k += 8)
    tile[threadIdx.y + k][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y + k) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (unsigned k = 0; k < 32; k += 8)
    out[(blockIdx.x * 32 + threadIdx.y + k) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y + k];
}
std::uint64_t run_transpose() {
  constexpr unsigned n = 512;
  const array<int> a(n * n), b(n * n);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a.get(), b.get(), n);
  return b.hash();
}

__global__ void histogram(const unsigned char* in, unsigned* bins, unsigned n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = index_of_thread(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
std::uint64_t run_histogram() {
  constexpr unsigned n = 1u << 16;
  const array<unsigned char> in(n);
  const array<unsigned> bins(256);
  cudaMemset(bins.get(), 0, 1024);
  histogram<<<16, threads>>>(in.get(), bins.get(), n);
  return bins.hash();
}

__global__ void scan(const int* in, int* out) {
  __shared__ int data[2][threads];
  unsigned from = 0;
  data[0][threadIdx.x] = in[index_of_thread()];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const int own = data[from][threadIdx.x];
    data[1 - from][threadIdx.x] = threadIdx.x >= step ? own + data[from][threadIdx.x - step] : own;
    from = 1 - from;
    __syncthreads();
  }
  out[index_of_thread()] = data[from][threadIdx.x];
}

__global__ void warp_scan(const int* in, int* out) {
  int value = in[index_of_thread()];
  for (unsigned step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 >= step) value += other;
  }
  out[index_of_thread()] = value;
}

__global__ void bodies(const float4* at, float4* force, unsigned n) {
  const float4 own = at[index_of_thread()];
  float4 sum = {0, 0, 0, 0};
  for (unsigned k = 0; k < n; ++k) {
    const float4 other = at[k];
    const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    const float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
    const float scale = other.w * inverse * inverse * inverse;
    sum.x += x * scale;
    sum.y += y * scale;
    sum.z += z * scale;
  }
  force[index_of_thread()] = sum;
}
std::uint64_t run_bodies() {
  constexpr unsigned n = 512;
  const array<float> at(4 * n), force(4 * n);
  bodies<<<n / threads, threads>>>(reinterpret_cast<float4*>(at.get()), reinterpret_cast<float4*>(force.get()), n);
  return force.hash();
}

__global__ void mandelbrot(unsigned* out, unsigned width) {
  const unsigned i = index_of_thread();
  const float cx = -2.0f + 3.0f * static_cast<float>(i % width) / static_cast<float>(width);
  const float cy = -1.5f + 3.0f * static_cast<float>(i / width) / static_cast<float>(width);
  float x = 0, y = 0;
  unsigned count = 0;
  while (count < 64 && x * x + y * y < 4.0f) {
    const float next = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = next;
    ++count;
  }
  out[i] = count;
}

__global__ void options(const float* price, float* call) {
  const unsigned i = index_of_thread();
  const float s = 1.0f + price[i] * 1e-3f, strike = 2.0f, root = sqrtf(0.5f);
  const float d = (logf(s / strike) + 0.03f) / (0.3f * root);
  const float inside = 0.5f * erfcf(-d * 0.70710678f);
  call[i] = s * inside - strike * expf(-0.01f) * (1.0f - inside);
}

__global__ void bitonic(int* data) {
  __shared__ int own[threads];
  own[threadIdx.x] = data[index_of_thread()];
  __syncthreads();
  for (unsigned size = 2; size <= threads; size *= 2) {
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      const unsigned partner = threadIdx.x ^ stride;
      if (partner > threadIdx.x) {
        const bool rising = (threadIdx.x & size) == 0;
        const int a = own[threadIdx.x], b = own[partner];
        if ((a > b) == rising) {
          own[threadIdx.x] = b;
          own[partner] = a;
        }
      }
      __syncthreads();
    }
  }
  data[index_of_thread()] = own[threadIdx.x];
}

__global__ void sparse_product(const unsigned* column, const float* value, const float* x, float* y) {
  const unsigned row = index_of_thread(), length = 4 + row % 13;
  float sum = 0;
  for (unsigned k = 0; k < length; ++k) sum += value[row * 16 + k] * x[column[row * 16 + k] % 4096];
  y[row] = sum;
}
std::uint64_t run_sparse_product() {
  constexpr unsigned rows = 4096;
  const array<unsigned> column(rows * 16);
  const array<float> value(rows * 16), x(rows), y(rows);
  sparse_product<<<rows / threads, threads>>>(column.get(), value.get(), x.get(), y.get());
  return y.hash();
}

__global__ void count_bytes(const unsigned char* text, unsigned* counts, unsigned length) {
  unsigned found = 0;
  const unsigned char* own = text + std::size_t{index_of_thread()} * length;
  for (unsigned k = 0; k < length; ++k) found += own[k] >= 'a' && own[k] <= 'z' ? 1 : 0;
  counts[index_of_thread()] = found;
}
std::uint64_t run_count_bytes() {
  constexpr unsigned n = 2048, length = 64;
  const array<unsigned char> text(n * length);
  const array<unsigned> counts(n);
  count_bytes<<<n / threads, threads>>>(text.get(), counts.get(), length);
  return counts.hash();
}

__global__ void private_array(const unsigned* in, unsigned* out) {
  unsigned own[16];
  for (unsigned k = 0; k < 16; ++k) own[k] = in[(index_of_thread() + k * 97) % 4096];
  unsigned at = in[index_of_thread()] % 16, sum = 0;
  for (unsigned k = 0; k < 32; ++k) {
    sum += own[at];
    own[(at + 5) % 16] ^= sum;
    at = (at + sum) % 16;
  }
  out[index_of_thread()] = sum;
}

__global__ void random_walk(unsigned long long* state, unsigned steps) {
  unsigned long long s = state[index_of_thread()];
  for (unsigned k = 0; k < steps; ++k) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    s = s * 2862933555777941757ull + 3037000493ull;
  }
  state[index_of_thread()] = s;
}

__global__ void relax(const double* in, double* out, unsigned width) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x == width - 1 || y == width - 1) return;
  const unsigned i = y * width + x;
  out[i] = 0.25 * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
}
std::uint64_t run_relax() {
  constexpr unsigned width = 128;
  const array<double> a(width * width), b(width * width);
  for (int k = 0; k < 8; ++k) {
    relax<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(a.get(), b.get(), width);
    relax<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(b.get(), a.get(), width);
  }
  return a.hash();
}

__global__ void largest(const unsigned* in, unsigned* most, unsigned n) {
  for (unsigned i = index_of_thread(); i < n; i += gridDim.x * blockDim.x) atomicMax(most, in[i]);
}
std::uint64_t run_largest() {
  constexpr unsigned n = 1u << 15;
  const array<unsigned> in(n), most(1);
  largest<<<8, threads>>>(in.get(), most.get(), n);
  return most.hash();
}

__global__ void life(const unsigned char* in, unsigned char* out, unsigned width) {
  const unsigned i = index_of_thread(), x = i % width, y = i / width;
  unsigned alive = 0;
  for (unsigned dy = width - 1; dy <= width + 1; ++dy)
    for (unsigned dx = width - 1; dx <= width + 1; ++dx) alive += in[(y + dy) % width * width + (x + dx) % width] & 1u;
  const unsigned own = in[i] & 1u;
  out[i] = static_cast<unsigned char>(alive == 3 || (alive == 4 && own != 0) ? 1 : 0);
}

__global__ void collatz(unsigned* steps) {
  unsigned n = index_of_thread() + 1, count = 0;
  while (n != 1) {
    n = (n & 1u) != 0 ? 3 * n + 1 : n / 2;
    ++count;
  }
  steps[index_of_thread()] = count;
}

__global__ void tree_sum(const float* in, float* out) {
  __shared__ float tile[threads];
  tile[threadIdx.x] = in[index_of_thread()];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = tile[0];
}
std::uint64_t run_tree_sum() {
  constexpr unsigned n = 1u << 17;
  const array<float> a(n), b(n / threads);
  tree_sum<<<n / threads, threads>>>(a.get(), b.get());
  return b.hash();
}

__global__ void hash_words(const unsigned* in, unsigned* out, unsigned count) {
  unsigned h = 2166136261u;
  for (unsigned k = 0; k < count; ++k) {
    const unsigned word = in[(index_of_thread() + k * 64) % 8192];
    h = __funnelshift_l(h ^ word, h, 13) * 16777619u;
    h ^= __byte_perm(h, word, 0x3012);
  }
  out[index_of_thread()] = h;
}

__global__ void search(const int* sorted, const int* keys, unsigned* found, unsigned n) {
  const int key = keys[index_of_thread()];
  unsigned low = 0, high = n;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  found[index_of_thread()] = low;
}
__global__ void rising(int* data) {
  data[index_of_thread()] = static_cast<int>(index_of_thread());
}
std::uint64_t run_search() {
  constexpr unsigned n = 8192;
  const array<int> sorted(n), keys(n);
  const array<unsigned> found(n);
  rising<<<n / threads, threads>>>(sorted.get());
  search<<<n / threads, threads>>>(sorted.get(), keys.get(), found.get(), n);
  return found.hash();
}

}  // namespace

const std::vector<kind>& all() {
  static const std::vector<kind> kinds = {
      {"saxpy", run_saxpy},
      {"many small launches", run_many_small},
      {"stencil", [] { return into_other(stencil, 1u << 17, 1u << 17); }},
      {"matrix product", [] { return run_product(matrix_product, dim3(32, 8)); }},
      {"tiled matrix product", [] { return run_product(tiled_product, dim3(16, 16)); }},
      {"transposition", run_transpose},
      {"histogram", run_histogram},
      {"scan", [] { return into_other(scan, 1u << 16); }},
      {"scan by shuffles", [] { return into_other(warp_scan, 1u << 17); }},
      {"bodies", run_bodies},
      {"mandelbrot", [] { return in_place(mandelbrot, 128u * 128u, 128u); }},
      {"options", [] { return into_other(options, 1u << 14); }},
      {"bitonic sort", [] { return in_place(bitonic, 1u << 14); }},
      {"sparse product", run_sparse_product},
      {"bytes", run_count_bytes},
      {"private array", [] { return into_other(private_array, 4096); }},
      {"64-bit integers", [] { return in_place(random_walk, 4096, 128u); }},
      {"double precision", run_relax},
      {"atomics on one word", run_largest},
      {"game of life", [] { return into_other(life, 128u * 128u, 128u); }},
      {"collatz", [] { return in_place(collatz, 4096); }},
      {"tree sum", run_tree_sum},
      {"hash", [] { return into_other(hash_words, 8192, 32u); }},
      {"binary search", run_search}};
  return kinds;
}

}  // namespace bench_kinds
