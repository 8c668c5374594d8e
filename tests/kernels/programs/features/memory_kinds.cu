// covers: host | managed, pinned and mapped memory, pitched copies, cudaMallocAsync and pools

#include <cstdio>
#include <vector>

__global__ void add(int* a, const int* b, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] += b[i];
}

__global__ void fill_rows(char* base, size_t pitch, int width) {
  float* row = reinterpret_cast<float*>(base + blockIdx.x * pitch);
  if (threadIdx.x < width) row[threadIdx.x] = 10.0f * blockIdx.x + threadIdx.x;
}

int main() {
  const int n = 64;
  int *managed, *pinned, *mapped;
  cudaMallocManaged(&managed, n * sizeof(int));
  cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped);
  for (int i = 0; i < n; ++i) managed[i] = i, pinned[i] = 100;
  cudaHostGetDevicePointer(&mapped, pinned, 0);
  add<<<1, n>>>(managed, mapped, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) {
    if (managed[i] != i + 100) return 1;
  }

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *pooled, *from_pool;
  cudaMemPool_t pool;
  if (cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess) return 2;
  unsigned long long keep = ~0ull;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
  cudaMallocAsync(&pooled, n * sizeof(int), stream);
  cudaMallocFromPoolAsync(&from_pool, n * sizeof(int), pool, stream);
  cudaMemsetAsync(pooled, 0, n * sizeof(int), stream);
  cudaMemcpyAsync(from_pool, managed, n * sizeof(int), cudaMemcpyDefault, stream);
  add<<<1, n, 0, stream>>>(pooled, from_pool, n);
  std::vector<int> back(n);
  cudaMemcpyAsync(back.data(), pooled, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(pooled, stream);
  cudaFreeAsync(from_pool, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return 3;
  for (int i = 0; i < n; ++i) {
    if (back[i] != i + 100) return 4;
  }

  char* rows;
  size_t pitch = 0;
  const int width = 33, height = 5;
  cudaMallocPitch(reinterpret_cast<void**>(&rows), &pitch, width * sizeof(float), height);
  fill_rows<<<height, 64>>>(rows, pitch, width);
  std::vector<float> dense(width * height);
  cudaMemcpy2D(dense.data(), width * sizeof(float), rows, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost);
  for (int k = 0; k < width * height; ++k) {
    if (dense[k] != 10.0f * (k / width) + k % width) return 5;
  }
  cudaPointerAttributes about;
  if (cudaPointerGetAttributes(&about, managed) != cudaSuccess || about.type != cudaMemoryTypeManaged) return 6;
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFree(rows);
  cudaStreamDestroy(stream);
  return 0;
}
