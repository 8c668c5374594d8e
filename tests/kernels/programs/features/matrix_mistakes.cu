// covers: device library | matrices: mistakes with half a warp, pointers, alignment, bounds, races, sparse matrices
// status: 86
// finding: in warp 0 lanes 16-31 do not come with the others
// finding: in warp 0 lanes 24-31 have left the kernel
// finding: in warp 1 lanes 8-31 do not exist: the block has 40 threads
// finding: its address is not that of lane 0: one matrix is meant
// finding: the matrix does not begin at a multiple of 32 bytes
// finding: its rows are 36 bytes apart, which isn't a multiple of 16 bytes
// finding: Out of bounds: thread 12 reads in[528] to in[529], at once
// finding: Misaligned: thread 1 reads 16 bytes at once, beginning with tile[4]
// finding: Thread 0 reads tile[0] in matrix_mistakes.cu:79 without waiting for thread 32
// finding: no thread of the block has written it: it is uninitialised
// finding: mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16: sparse matrices
// finding: mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32: matrices of s4

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
using factor = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;

__device__ void use(const factor& f, half* out) {
  out[threadIdx.x] = f.x[0];
}

__global__ void half_a_warp(const half* in, half* out) {
  if (threadIdx.x < 16) {
    factor f;
    wmma::load_matrix_sync(f, in, 16);
    use(f, out);
  }
}

__global__ void some_have_left(const half* in, half* out) {
  if (threadIdx.x >= 24) asm volatile("exit;");
  factor f;
  wmma::load_matrix_sync(f, in, 16);
  use(f, out);
}

__global__ void load(const half* in, half* out, unsigned stride) {
  factor f;
  wmma::load_matrix_sync(f, in, stride);
  use(f, out);
}

__global__ void load_from_each(const half* in, half* out) {
  factor f;
  wmma::load_matrix_sync(f, in + threadIdx.x * 16, 16);
  use(f, out);
}

__global__ void store_with(half* out, unsigned stride) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> f;
  wmma::fill_fragment(f, __float2half(1.0f));
  wmma::store_matrix_sync(out, f, stride, wmma::mem_row_major);
}

// Rows of 8 halves. Each lane's row begins `step` halves after that of the lane before.
__global__ void rows_from(half* out, int step) {
  __shared__ __align__(16) half tile[32 * 8];
  for (int k = 0; k < 8; ++k) tile[threadIdx.x * 8 + k] = out[threadIdx.x];
  __syncthreads();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile + static_cast<int>(threadIdx.x) * step));
  unsigned r0, r1, r2, r3;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
               : "r"(row));
  out[threadIdx.x] = __ushort_as_half(static_cast<unsigned short>(r0 + r1 + r2 + r3));
}

// The other warp writes the tile without a barrier in between. If `writes` is false, the tile is never written.
__global__ void no_barrier(half* out, bool writes) {
  __shared__ __align__(32) half tile[256];
  if (writes && threadIdx.x >= 32)
    for (int k = 0; k < 8; ++k) tile[(threadIdx.x - 32) * 8 + k] = __float2half(1.0f);
  if (threadIdx.x < 32) {
    factor f;
    wmma::load_matrix_sync(f, tile, 16);
    use(f, out);
  }
}

__global__ void sparse(unsigned* out) {
  unsigned d0, d1;
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%2, %2}, {%2, %2}, %2, 0x0;"
               : "=r"(d0), "=r"(d1)
               : "r"(0));
  out[threadIdx.x] = d0 + d1;
}

__global__ void four_bits(int* out) {
  int d0, d1;
  asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0, %1}, {%2}, {%2}, {%2, %2};"
               : "=r"(d0), "=r"(d1)
               : "r"(0));
  out[threadIdx.x] = d0 + d1;
}

half *in, *out;

// Resets the device, because a kernel that is stopped leaves an error that only a reset clears.
void begin_again() {
  cudaDeviceSynchronize();
  cudaDeviceReset();
  cudaMalloc(&in, 512 * sizeof(half));
  cudaMalloc(&out, 512 * sizeof(half));
  cudaMemset(in, 0, 512 * sizeof(half));
  cudaMemset(out, 0, 512 * sizeof(half));
}

int main() {
  begin_again();
  half_a_warp<<<1, 32>>>(in, out);
  begin_again();
  some_have_left<<<1, 32>>>(in, out);
  begin_again();
  load<<<1, 40>>>(in, out, 16);
  begin_again();
  load_from_each<<<1, 32>>>(in, out);
  begin_again();
  load<<<1, 32>>>(in + 8, out, 16);
  begin_again();
  store_with<<<1, 32>>>(out, 18);
  begin_again();
  load<<<1, 32>>>(in, out, 48);
  begin_again();
  rows_from<<<1, 32>>>(out, 4);
  begin_again();
  no_barrier<<<1, 64>>>(out, true);
  begin_again();
  no_barrier<<<1, 64>>>(out, false);
  begin_again();
  sparse<<<1, 32>>>(reinterpret_cast<unsigned*>(in));
  begin_again();
  four_bits<<<1, 32>>>(reinterpret_cast<int*>(in));
  begin_again();
  cudaDeviceReset();
  return 0;
}
