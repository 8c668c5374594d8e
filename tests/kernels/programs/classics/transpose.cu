// covers: classics | matrix transpose through global memory, through a tile, and through a padded tile
//
// A matrix of 128 x 128 floats in 16 tiles of 32 x 32. A block of 32 x 8 threads is 8 warps, each of which moves 4
// rows: 32 warp instructions per block and direction, 512 in all. A row of a tile is 128 bytes, 4 sectors. A column of
// the matrix spans 32 rows, 32 sectors: 512 * 4 = 2048 and 512 * 32 = 16384.
// count: transpose_naive | global load sectors | 2048
// count: transpose_naive | global store requests | 512
// count: transpose_naive | global store sectors | 16384
// count: transpose_tiled | global load sectors | 2048
// count: transpose_tiled | global store sectors | 2048
// count: transpose_padded | global load sectors | 2048
// count: transpose_padded | global store sectors | 2048
//
// A column of the tile without padding has a stride of 32 words, so all 32 lanes access one bank: 31 more passes for
// each of the 512 loads, 15872. With a row of 33 words neighbouring lanes access neighbouring banks.
// count: transpose_tiled | shared bank conflicts | 15872
// count: transpose_padded | shared bank conflicts | 0
// count: transpose_tiled | shared loads | 512
// count: transpose_padded | shared stores | 512
//
// One barrier per block.
// count: transpose_naive | barriers | 0
// count: transpose_tiled | barriers | 16
// count: transpose_padded | barriers | 16

#include <cstdio>
#include <vector>

const int TILE = 32;
const int ROWS = 8;
const int N = 128;

__global__ void transpose_naive(float* out, const float* in) {
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[x * N + (y + j)] = in[(y + j) * N + x];
}

__global__ void transpose_tiled(float* out, const float* in) {
  __shared__ float tile[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transpose_padded(float* out, const float* in) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  std::vector<float> in(N * N), out(N * N);
  for (int i = 0; i < N * N; ++i) in[i] = static_cast<float>(i);
  float *d_in, *d_out;
  cudaMalloc(&d_in, N * N * sizeof(float));
  cudaMalloc(&d_out, N * N * sizeof(float));
  cudaMemcpy(d_in, in.data(), N * N * sizeof(float), cudaMemcpyHostToDevice);

  dim3 grid(N / TILE, N / TILE), block(TILE, ROWS);
  int wrong = 0;
  for (int version = 0; version < 3; ++version) {
    cudaMemset(d_out, 0, N * N * sizeof(float));
    if (version == 0) transpose_naive<<<grid, block>>>(d_out, d_in);
    if (version == 1) transpose_tiled<<<grid, block>>>(d_out, d_in);
    if (version == 2) transpose_padded<<<grid, block>>>(d_out, d_in);
    cudaMemcpy(out.data(), d_out, N * N * sizeof(float), cudaMemcpyDeviceToHost);
    for (int row = 0; row < N; ++row) {
      for (int column = 0; column < N; ++column) wrong += out[row * N + column] != in[column * N + row];
    }
  }
  cudaFree(d_in);
  cudaFree(d_out);
  std::printf("%d elements are wrong\n", wrong);
  return wrong != 0;
}
