// covers: classics | parallel merge sort: each thread finds its element's place in the other run by binary search
//
// 1000 keys: runs of 1, 2, …, 512 are merged in ten launches of 8 blocks of 4 warps. No shared memory, no barrier.
// count: merge | barriers | 0
// Each of the 1000 threads writes its key once per launch: 32 warps, 10 launches, one request each.
// count: merge | global store requests | 320

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

// Returns how many keys in [begin, end) belong before `key`. If keys are equal, those of the left run come first.
__device__ int count_before(const int* keys, int begin, int end, int key, bool equal_too) {
  int low = begin, high = end;
  while (low < high) {
    int middle = (low + high) / 2;
    bool before = equal_too ? keys[middle] <= key : keys[middle] < key;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low - begin;
}

__global__ void merge(const int* from, int* to, int n, int run) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int left = i / (2 * run) * (2 * run);
  int middle = min(left + run, n), right = min(left + 2 * run, n);
  int place = i < middle ? i + count_before(from, middle, right, from[i], false)
                         : i - middle + left + count_before(from, left, middle, from[i], true);
  to[place] = from[i];
}

int main() {
  const int n = 1000;
  std::vector<int> keys(n), result(n);
  for (int i = 0; i < n; ++i) keys[i] = i * 7919 % 613 - 300;  // some keys occur twice
  int *from, *to;
  cudaMalloc(&from, n * sizeof(int));
  cudaMalloc(&to, n * sizeof(int));
  cudaMemcpy(from, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  for (int run = 1; run < n; run *= 2) {
    merge<<<(n + 127) / 128, 128>>>(from, to, n, run);
    std::swap(from, to);
  }
  cudaMemcpy(result.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::sort(keys.begin(), keys.end());
  cudaFree(from);
  cudaFree(to);
  return result != keys;
}
