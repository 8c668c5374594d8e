// Work that the threads of a block share: tiles, steps and bins.

#include <algorithm>

#include "check.hpp"

namespace {

using mutants::array;
using mutants::numbers;

// The tile also has one element of each neighbouring block, at its ends.
__global__ void smooth(const int* in, int* out, int n) {
  __shared__ int tile[66];
  const int tid = threadIdx.x, i = blockIdx.x * 64 + tid;
  tile[tid + 1] = i < n ? in[i] : 0;
  if (tid == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (tid == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[tid] + 2 * tile[tid + 1] + tile[tid + 2];
}

__global__ void reverse(int* data) {
  __shared__ int tile[96];
  const int tid = threadIdx.x;
  tile[tid] = data[tid];
  __syncthreads();
  data[tid] = tile[95 - tid];
}

__global__ void transpose(const int* in, int* out, int width, int height) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}

// All iterations use one tile, so it must have been read before it is refilled.
__global__ void sum_tiles(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int tid = threadIdx.x;
  int sum = 0;
  for (int begin = 0; begin < n; begin += 64) {
    tile[tid] = begin + tid < n ? in[begin + tid] : 0;
    __syncthreads();
    sum += tile[(tid + 1) % 64] - 2 * tile[(tid + 40) % 64];
    __syncthreads();
  }
  out[tid] = sum;
}

// Two tiles alternate, so one barrier per iteration is enough.
__global__ void sum_two_tiles(const int* in, int* out, int n) {
  __shared__ int tile[2][64];
  const int tid = threadIdx.x;
  int sum = 0;
  for (int begin = 0, k = 0; begin < n; begin += 64, k ^= 1) {
    tile[k][tid] = begin + tid < n ? in[begin + tid] : 0;
    __syncthreads();
    sum += tile[k][63 - tid];
  }
  out[tid] = sum;
}

__global__ void sort(int* data, int n) {
  __shared__ int tile[128];
  const int tid = threadIdx.x;
  tile[tid] = tid < n ? data[tid] : 0x7fffffff;
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int partner = tid ^ stride;
      if (partner > tid) {
        const bool rises = (tid & size) == 0;
        const int a = tile[tid], b = tile[partner];
        if ((a > b) == rises) {
          tile[tid] = b;
          tile[partner] = a;
        }
      }
      __syncthreads();
    }
  }
  if (tid < n) data[tid] = tile[tid];
}

__global__ void count_bins(const int* in, int* bins, int n) {
  __shared__ int own[32];
  const int tid = threadIdx.x;
  if (tid < 32) own[tid] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[in[i] & 31], 1);
  __syncthreads();
  if (tid < 32) atomicAdd(&bins[tid], own[tid]);
}

__global__ void multiply(const int* a, const int* b, int* c, int n) {
  __shared__ int ta[8][8], tb[8][8];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, column = blockIdx.x * 8 + x;
  int sum = 0;
  for (int begin = 0; begin < n; begin += 8) {
    ta[y][x] = row < n && begin + x < n ? a[row * n + begin + x] : 0;
    tb[y][x] = column < n && begin + y < n ? b[(begin + y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < 8; ++k) sum += ta[y][k] * tb[k][x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void add_scaled(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 3 * x[i];
}

// Each thread adds up one row. The rows differ in length.
__global__ void sum_rows(const int* begins, const int* in, int* out, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  for (int k = begins[row]; k < begins[row + 1]; ++k) sum += in[k];
  out[row] = sum;
}

bool smooths() {
  const int n = 150;
  const std::vector<int> in = numbers(n);
  const auto at = [&](int i) { return i < 0 || i >= n ? 0 : in[i]; };
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = at(i - 1) + 2 * at(i) + at(i + 1);
  const array<int> a(in), out(std::vector<int>(std::size_t{n}));
  smooth<<<3, 64>>>(a.get(), out.get(), n);
  return out.holds(expected);
}

bool reverses() {
  std::vector<int> data = numbers(96);
  const array<int> a(data);
  reverse<<<1, 96>>>(a.get());
  std::reverse(data.begin(), data.end());
  return a.holds(data);
}

bool transposes() {
  const int width = 40, height = 20;
  const std::vector<int> in = numbers(width * height);
  std::vector<int> expected(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
  const array<int> a(in), out(std::vector<int>(std::size_t{width * height}));
  transpose<<<dim3(3, 2), dim3(16, 16)>>>(a.get(), out.get(), width, height);
  return out.holds(expected);
}

bool sums_tiles() {
  const int n = 150;
  const std::vector<int> in = numbers(n);
  const auto at = [&](int i) { return i >= n ? 0 : in[i]; };
  std::vector<int> expected(64);
  for (int begin = 0; begin < n; begin += 64)
    for (int t = 0; t < 64; ++t) expected[t] += at(begin + (t + 1) % 64) - 2 * at(begin + (t + 40) % 64);
  const array<int> a(in), out(std::vector<int>(64));
  sum_tiles<<<1, 64>>>(a.get(), out.get(), n);
  return out.holds(expected);
}

bool sums_two_tiles() {
  const int n = 300;
  const std::vector<int> in = numbers(n);
  std::vector<int> expected(64);
  for (int begin = 0; begin < n; begin += 64)
    for (int t = 0; t < 64; ++t) expected[t] += begin + 63 - t < n ? in[begin + 63 - t] : 0;
  const array<int> a(in), out(std::vector<int>(64));
  sum_two_tiles<<<1, 64>>>(a.get(), out.get(), n);
  return out.holds(expected);
}

bool sorts() {
  std::vector<int> data = numbers(100);
  for (std::size_t i = 0; i < 100; ++i) std::swap(data[i], data[i * i * 7 % 100]);
  const array<int> a(data);
  sort<<<1, 128>>>(a.get(), 100);
  std::sort(data.begin(), data.end());
  return a.holds(data);
}

bool counts_bins() {
  const int n = 500;
  const std::vector<int> in = numbers(n);
  std::vector<int> expected(32);
  for (const int x : in) ++expected[x & 31];
  const array<int> a(in), bins(std::vector<int>(32));
  count_bins<<<3, 64>>>(a.get(), bins.get(), n);
  return bins.holds(expected);
}

bool multiplies() {
  const int n = 20;
  const std::vector<int> a = numbers(n * n), b = numbers(n * n + 7);
  std::vector<int> expected(n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x)
      for (int k = 0; k < n; ++k) expected[y * n + x] += a[y * n + k] * b[k * n + x];
  const array<int> da(a), db(std::vector<int>(b.begin(), b.begin() + n * n)), c(std::vector<int>(std::size_t{n * n}));
  multiply<<<dim3(3, 3), dim3(8, 8)>>>(da.get(), db.get(), c.get(), n);
  return c.holds(expected);
}

bool adds_scaled() {
  bool right = true;
  for (const int n : {100, 128}) {
    const std::vector<int> x = numbers(n);
    std::vector<int> expected(n);
    for (int i = 0; i < n; ++i) expected[i] = 4 * x[i];
    const array<int> dx(x), y(x);
    add_scaled<<<2, 64>>>(dx.get(), y.get(), n);
    right = right && y.holds(expected);
  }
  return right;
}

bool sums_rows() {
  const int rows = 70;
  std::vector<int> begins(rows + 1), expected(rows);
  for (int r = 0; r < rows; ++r) begins[r + 1] = begins[r] + r % 5;
  const std::vector<int> in = numbers(begins.back());
  for (int r = 0; r < rows; ++r)
    for (int k = begins[r]; k < begins[r + 1]; ++k) expected[r] += in[k];
  const array<int> db(begins), di(in), out(std::vector<int>(std::size_t{rows}));
  sum_rows<<<3, 32>>>(db.get(), di.get(), out.get(), rows);
  return out.holds(expected);
}

constexpr mutants::one_case cases[] = {
    {"smooth", smooths},
    {"reverse", reverses},
    {"transpose", transposes},
    {"sum_tiles", sums_tiles},
    {"sum_two_tiles", sums_two_tiles},
    {"sort", sorts},
    {"count_bins", counts_bins},
    {"multiply", multiplies},
    {"add_scaled", adds_scaled},
    {"sum_rows", sums_rows},
};

}  // namespace

int main(int argc, char** argv) {
  return mutants::run(argc, argv, cases);
}
