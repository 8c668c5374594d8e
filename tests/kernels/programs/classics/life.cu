// covers: classics | Game of Life: a tile with a halo in shared memory, two boards that are swapped
//
// A board of 64 x 48 cells in tiles of 16 x 16: 12 blocks. Three generations, one barrier each.
// count: live | barriers | 36

#include <cstdio>
#include <utility>
#include <vector>

const int TILE = 16;

__global__ void live(const unsigned char* from, unsigned char* to, int width, int height) {
  __shared__ unsigned char tile[TILE + 2][TILE + 2];
  int left = blockIdx.x * TILE - 1, top = blockIdx.y * TILE - 1;
  for (int k = threadIdx.y * TILE + threadIdx.x; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
    int x = (left + k % (TILE + 2) + width) % width;  // the board's edges are joined
    int y = (top + k / (TILE + 2) + height) % height;
    tile[k / (TILE + 2)][k % (TILE + 2)] = from[y * width + x];
  }
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1, neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) neighbours += tile[y + dy][x + dx];
  bool alive = neighbours == 3 || (neighbours == 2 && tile[y][x]);
  to[(top + y) * width + left + x] = alive;
}

void live_on_host(std::vector<unsigned char>& board, int width, int height) {
  std::vector<unsigned char> next(board.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      int neighbours = 0;
      for (int k = 0; k < 9; ++k)
        if (k != 4) neighbours += board[(y + k / 3 - 1 + height) % height * width + (x + k % 3 - 1 + width) % width];
      next[y * width + x] = neighbours == 3 || (neighbours == 2 && board[y * width + x]);
    }
  }
  board = next;
}

int main() {
  const int width = 64, height = 48;
  std::vector<unsigned char> board(width * height), result(board.size());
  for (std::size_t i = 0; i < board.size(); ++i) board[i] = (i * i + i / 5) % 7 < 3;
  unsigned char *from, *to;
  cudaMalloc(&from, board.size());
  cudaMalloc(&to, board.size());
  cudaMemcpy(from, board.data(), board.size(), cudaMemcpyHostToDevice);
  for (int generation = 0; generation < 3; ++generation) {
    live<<<dim3(width / TILE, height / TILE), dim3(TILE, TILE)>>>(from, to, width, height);
    std::swap(from, to);
    live_on_host(board, width, height);
  }
  cudaMemcpy(result.data(), from, result.size(), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return result != board;
}
