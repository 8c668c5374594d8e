// After chapter 7: a scan of a block. What is the running total up to each element?
// A solution of ../7_scan.cu; only the kernel differs.

#include <algorithm>
#include <climits>
#include <cstdio>
#include <vector>

constexpr unsigned block_size = 256;

/// Writes the running totals of each block: out[i] is the sum of the block's elements up to in[i], which is included.
__global__ void scan(const int* in, int* out, std::size_t n) {
  __shared__ int tile[block_size];
  const unsigned tid = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * block_size + tid;

  // Load: one element per thread, 0 beyond the end.
  tile[tid] = i < n ? in[i] : 0;
  __syncthreads();  // all elements are in the tile before any thread reads another's

  // Scan in the block: in each step, a thread adds the total that ends `stride` elements before its own.
  int sum = tile[tid];
  for (unsigned stride = 1; stride < block_size; stride *= 2) {
    if (tid >= stride) sum += tile[tid - stride];
    __syncthreads();  // this step's reads are done before any thread writes
    tile[tid] = sum;
    __syncthreads();  // this step's sums are written before the next step reads them
  }

  // Write one result per element.
  if (i < n) out[i] = sum;
}

/// Returns `n` different values, positive and negative.
std::vector<int> made_up_values(std::size_t n) {
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>((i * 7919 + 1) % 65521) - 30000;
  return values;
}

constexpr int not_written = INT_MIN;

/// Prints what is wrong with out[i], and where to look.
void explain(std::size_t n, const std::vector<int>& in, std::size_t i, int expected, int found) {
  const std::size_t block = i / block_size, first = block * block_size;
  std::printf("Wrong for n = %zu: out[%zu] ", n, i);
  if (found == not_written) {
    std::printf("was never written (block %zu, thread %zu).\n", block, i - first);
    return;
  }
  std::printf("is %d, but in[%zu] to in[%zu] add up to %d (block %zu, thread %zu).\n", found, first, i, expected, block,
              i - first);
  if (found == expected - in[i]) {
    std::printf("That is the sum without in[%zu] itself.\n", i);
    return;
  }
  int sum = 0;
  for (std::size_t k = 1; k <= i - first; ++k) {
    sum += in[i + 1 - k];
    if (sum != found) continue;
    if (k == 1) std::printf("That is in[%zu] alone.\n", i);
    if (k > 1) std::printf("That is the sum of the last %zu elements alone.\n", k);
    std::puts("Is a stride missing? After the steps 1, 2 ... s, a total has the last 2 * s elements in it.");
    return;
  }
}

bool right_for(std::size_t n) {
  const std::vector<int> values = made_up_values(n);
  int *in, *out;
  cudaMallocManaged(&in, std::max<std::size_t>(n, 1) * sizeof(int));
  cudaMallocManaged(&out, std::max<std::size_t>(n, 1) * sizeof(int));
  std::copy(values.begin(), values.end(), in);
  std::fill_n(out, n, not_written);

  const unsigned grid_size = std::max<std::size_t>((n + block_size - 1) / block_size, 1);
  scan<<<grid_size, block_size>>>(in, out, n);
  cudaDeviceSynchronize();
  const cudaError_t error = cudaGetLastError();
  bool right = error == cudaSuccess;
  if (!right) std::printf("The kernel failed for n = %zu: %s.\n", n, cudaGetErrorString(error));
  int expected = 0;
  for (std::size_t i = 0; i < n && right; ++i) {
    expected = i % block_size == 0 ? values[i] : expected + values[i];
    right = out[i] == expected;
    if (!right) explain(n, values, i, expected, out[i]);
  }
  cudaFree(in);
  cudaFree(out);
  return right;
}

int main() {
  for (const std::size_t n : {0, 1, 2, 31, 32, 33, 255, 256, 257, 1009, 4096}) {
    if (!right_for(n)) return 1;
  }
  std::puts("Right for 11 sizes, from 0 to 4096 elements.");
}
