// covers: classics | 1-D stencil with a halo in shared memory
//
// 1024 results in 4 blocks of 256 threads. The input begins RADIUS = 3 elements before the first result, so a warp
// reads 128 bytes beginning at byte 12 of a sector: 5 sectors instead of 4. The two halos of a block are 3 elements in
// 1 sector each. 32 warps * 5 + 4 blocks * 2 = 168 sectors in 32 + 8 = 40 requests.
// count: stencil | global load requests | 40
// count: stencil | global load sectors | 168
// count: stencil | global store requests | 32
// count: stencil | global store sectors | 128
// Each of the 32 warps reads 2 * 3 + 1 = 7 elements per lane from the tile; neighbouring lanes read neighbouring words.
// count: stencil | shared loads | 224
// count: stencil | shared bank conflicts | 0
// count: stencil | barriers | 4

#include <cstdio>
#include <vector>

const int RADIUS = 3;
const int BLOCK = 256;

__global__ void stencil(const int* in, int* out) {
  __shared__ int tile[BLOCK + 2 * RADIUS];
  int g = blockIdx.x * blockDim.x + threadIdx.x + RADIUS;
  int l = threadIdx.x + RADIUS;
  tile[l] = in[g];
  if (threadIdx.x < RADIUS) {
    tile[l - RADIUS] = in[g - RADIUS];
    tile[l + BLOCK] = in[g + BLOCK];
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -RADIUS; offset <= RADIUS; ++offset) sum += tile[l + offset];
  out[g - RADIUS] = sum;
}

int main() {
  const int n = 1024;
  std::vector<int> in(n + 2 * RADIUS), out(n);
  for (int i = 0; i < n + 2 * RADIUS; ++i) in[i] = i * 13 % 101;
  int *d_in, *d_out;
  cudaMalloc(&d_in, in.size() * sizeof(int));
  cudaMalloc(&d_out, out.size() * sizeof(int));
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice);
  stencil<<<n / BLOCK, BLOCK>>>(d_in, d_out);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  for (int i = 0; i < n; ++i) {
    int sum = 0;
    for (int k = 0; k <= 2 * RADIUS; ++k) sum += in[i + k];
    if (out[i] != sum) {
      std::printf("out[%d] is %d, not %d\n", i, out[i], sum);
      return 1;
    }
  }
  return 0;
}
