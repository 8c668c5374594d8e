// covers: device library | mma.sync with ldmatrix, stmatrix and movmatrix in assembly: a product of halves
//
// Each of 4 warps computes 16 x 16 elements of D: 2 products of 16 x 8 in each of 4 steps. In a step it loads A and B
// with one ldmatrix each, of four matrices. At the end it stores D with one stmatrix. That makes 32 loads and 4 stores.
// Copies of 16 bytes a lane are made before these (16 stores) and after them (4 loads). If the rows are 144 bytes
// apart, the 8 rows of a matrix are in different banks. If they are 128 bytes apart, all are in the same banks: 7 more
// passes for each of 4 matrices, 36 times: 1008. Copies to B's tile and from D's move 2 rows of 64 bytes for each
// quarter of a warp, whose banks overlap either way: 1 more pass for each of 32 + 16 quarters.
// count: padded | shared loads | 36
// count: padded | shared stores | 20
// count: padded | shared bank conflicts | 48
// count: bare | shared loads | 36
// count: bare | shared stores | 20
// count: bare | shared bank conflicts | 1056

#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <cstring>

constexpr int m = 32, n = 32, k = 64, row_elements = 64;

__device__ unsigned address_in_shared(const half* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ void load_four(unsigned (&to)[4], const half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address_in_shared(row))
               : "memory");
}

__device__ void load_four_transposed(unsigned (&to)[4], const half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address_in_shared(row))
               : "memory");
}

__device__ void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ unsigned pair_of(float low, float high) {
  const half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&both);
}

// One block of 4 warps, 2 x 2. `Pad` is the number of halves after each row of a tile.
template <int Pad>
__device__ void multiply(const half* a, const half* b, half* d) {
  constexpr int stride = row_elements + Pad;
  __shared__ __align__(16) half tile_a[m * stride];
  __shared__ __align__(16) half tile_b[k * stride];
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32, warp = tid / 32;
  for (int i = tid; i < m * k / 8; i += 128)
    *reinterpret_cast<uint4*>(&tile_a[i / 8 * stride + i % 8 * 8]) = reinterpret_cast<const uint4*>(a)[i];
  for (int i = tid; i < k * n / 8; i += 128)
    *reinterpret_cast<uint4*>(&tile_b[i / 4 * stride + i % 4 * 8]) = reinterpret_cast<const uint4*>(b)[i];
  __syncthreads();  // the tiles are written before they are read
  const int row = warp / 2 * 16, column = warp % 2 * 16;
  float left[4] = {}, right[4] = {};
  for (int at = 0; at < k; at += 16) {
    unsigned fa[4], fb[4];
    // Lane l gives the beginning of row l % 16 of the left or right half.
    load_four(fa, &tile_a[(row + lane % 16) * stride + at + lane / 16 * 8]);
    load_four_transposed(fb, &tile_b[(at + lane % 16) * stride + column + lane / 16 * 8]);
    multiply_add(left, fa, fb[0], fb[1]);
    multiply_add(right, fa, fb[2], fb[3]);
  }
  __syncthreads();  // the tile has been read before D is stored in its place
  unsigned fd[4] = {pair_of(left[0], left[1]), pair_of(left[2], left[3]), pair_of(right[0], right[1]),
                    pair_of(right[2], right[3])};
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   address_in_shared(&tile_a[(row + lane % 16) * stride + column + lane / 16 * 8])),
               "r"(fd[0]), "r"(fd[1]), "r"(fd[2]), "r"(fd[3])
               : "memory");
  __syncthreads();  // D is written before other threads read it
  for (int i = tid; i < m * n / 8; i += 128)
    reinterpret_cast<uint4*>(d)[i] = *reinterpret_cast<const uint4*>(&tile_a[i / 4 * stride + i % 4 * 8]);
}

__global__ void padded(const half* a, const half* b, half* d) {
  multiply<8>(a, b, d);
}

__global__ void bare(const half* a, const half* b, half* d) {
  multiply<0>(a, b, d);
}

// Each lane holds two neighbours of a row of 8 x 8 elements, and gets two neighbours of a column.
__global__ void transpose(const unsigned* in, unsigned* out) {
  unsigned turned;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(in[threadIdx.x]));
  out[threadIdx.x] = turned;
}

bool check_transpose() {
  unsigned short *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(*in));
  cudaMallocManaged(&out, 64 * sizeof(*out));
  for (int i = 0; i < 64; ++i) in[i] = static_cast<unsigned short>(i * 1009);
  transpose<<<1, 32>>>(reinterpret_cast<unsigned*>(in), reinterpret_cast<unsigned*>(out));
  bool right = cudaDeviceSynchronize() == cudaSuccess;
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) right = right && out[column * 8 + row] == in[row * 8 + column];
  cudaFree(in);
  cudaFree(out);
  return right;
}

int main() {
  half *a, *b, *d;
  cudaMallocManaged(&a, m * k * sizeof(half));
  cudaMallocManaged(&b, k * n * sizeof(half));
  cudaMallocManaged(&d, m * n * sizeof(half));
  // Sums of 64 products of multiples of 1/16 are exact in single precision, and are rounded once to a half.
  for (int i = 0; i < m * k; ++i) a[i] = __float2half(static_cast<float>(i * 37 % 31 - 15) / 16);
  for (int i = 0; i < k * n; ++i) b[i] = __float2half(static_cast<float>(i * 29 % 27 - 13) / 16);
  bool right = true;
  for (int which = 0; which < 2; ++which) {
    for (int i = 0; i < m * n; ++i) d[i] = __float2half(NAN);
    if (which == 0)
      padded<<<1, 128>>>(a, b, d);
    else
      bare<<<1, 128>>>(a, b, d);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int wrong = 0;
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        float sum = 0;
        for (int at = 0; at < k; ++at) sum += __half2float(a[row * k + at]) * __half2float(b[at * n + column]);
        wrong += __half2float(d[row * n + column]) != __half2float(__float2half(sum));
      }
    std::printf("%s rows: %d wrong\n", which == 0 ? "padded" : "bare", wrong);
    right = right && wrong == 0;
  }
  const bool turned = check_transpose();
  std::printf("transposed: %s\n", turned ? "right" : "wrong");
  cudaFree(a);
  cudaFree(b);
  cudaFree(d);
  return right && turned ? 0 : 1;
}
