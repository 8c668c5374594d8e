// covers: CUB | DeviceMergeSort, BlockMergeSort: they read an uninitialised key without using it; initcheck reports it
// status: 86
// finding: reads static_temp_storage[
// finding: reads static_temp_storage[
//
// SerialMerge (block_merge_sort.cuh) fetches the next key of a run even after the run's end. After the tile's last key
// it therefore reads one element that has never been written, but the index alone decides whether the element is used.
// The second part shows that the result is the same for any value there. compute-sanitizer reports nothing, because its
// initcheck watches global memory only.

#include <cstdio>
#include <vector>

#include <cub/cub.cuh>

struct less_than {
  __device__ bool operator()(int a, int b) const { return a < b; }
};

using block_sort = cub::BlockMergeSort<int, 64, 4>;

__global__ void sort_over(int poison, const int* in, int* out) {
  __shared__ block_sort::TempStorage storage;
  int* words = reinterpret_cast<int*>(&storage);
  for (unsigned k = threadIdx.x; k < sizeof storage / sizeof(int); k += blockDim.x) words[k] = poison;
  __syncthreads();
  int keys[4];
  for (int k = 0; k < 4; ++k) keys[k] = in[threadIdx.x * 4 + k];
  block_sort(storage).Sort(keys, less_than{});
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = keys[k];
}

int main() {
  const int n = 20000;
  int* keys;
  cudaMallocManaged(&keys, n * sizeof(int));
  for (int i = 0; i < n; ++i) keys[i] = i * 7919 % 20011 - 500;
  std::size_t bytes = 0;
  cub::DeviceMergeSort::SortKeys(nullptr, bytes, keys, n, less_than{});
  void* storage;
  cudaMalloc(&storage, bytes);
  cub::DeviceMergeSort::SortKeys(storage, bytes, keys, n, less_than{});
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  for (int i = 1; i < n; ++i) {
    if (keys[i - 1] > keys[i]) {
      std::printf("not sorted at %d\n", i);
      return 2;
    }
  }

  int* in;
  int* out;
  cudaMallocManaged(&in, 256 * sizeof(int));
  cudaMallocManaged(&out, 256 * sizeof(int));
  for (int i = 0; i < 256; ++i) in[i] = i * 7919 % 257 - 100;
  std::vector<int> first;
  for (int poison : {0, -1, 0x7fffffff, static_cast<int>(0x80000000u)}) {
    sort_over<<<1, 64>>>(poison, in, out);
    if (cudaDeviceSynchronize() != cudaSuccess) return 2;
    if (first.empty()) first.assign(out, out + 256);
    for (int i = 0; i < 256; ++i) {
      if (out[i] != first[i] || (i > 0 && out[i - 1] > out[i])) {
        std::printf("what lies behind the keys changes the result at %d\n", i);
        return 2;
      }
    }
  }
  return 0;
}
