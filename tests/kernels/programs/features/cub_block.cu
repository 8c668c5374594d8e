// covers: CUB | BlockScan and BlockRadixSort

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

const int THREADS = 128, ITEMS = 4;

__global__ void sort_and_scan(int* values, int* sums) {
  using sort = cub::BlockRadixSort<int, THREADS, ITEMS>;
  using scan = cub::BlockScan<int, THREADS>;
  __shared__ union {
    sort::TempStorage for_sort;
    scan::TempStorage for_scan;
  } storage;
  int mine[ITEMS];
  for (int k = 0; k < ITEMS; ++k) mine[k] = values[threadIdx.x * ITEMS + k];
  sort(storage.for_sort).Sort(mine);
  __syncthreads();
  int before[ITEMS];
  scan(storage.for_scan).ExclusiveSum(mine, before);
  for (int k = 0; k < ITEMS; ++k) {
    values[threadIdx.x * ITEMS + k] = mine[k];
    sums[threadIdx.x * ITEMS + k] = before[k];
  }
}

int main() {
  const int n = THREADS * ITEMS;
  int *values, *sums;
  cudaMallocManaged(&values, n * sizeof(int));
  cudaMallocManaged(&sums, n * sizeof(int));
  int parity = 0, total = 0;
  for (int i = 0; i < n; ++i) values[i] = number(i), parity ^= values[i], total += values[i];
  sort_and_scan<<<1, THREADS>>>(values, sums);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (sums[i] != sum || (i > 0 && values[i] < values[i - 1])) return 1;
    sum += values[i];
    parity ^= values[i];
  }
  return parity != 0 || sum != total;
}
