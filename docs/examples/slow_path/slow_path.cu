// Two kernels that add up eight numbers per thread with vector loads. The last threads have fewer than eight, so they
// take a slow path, which comes first in one kernel and last in the other. CUDA 13.0 makes the same machine code of
// both. tests/docs/test_slow_path.py compares it, byte for byte; `nvcc -cubin -O3 -arch=sm_90 slow_path.cu` makes it.

__device__ int sum_of_tail(const int* in, unsigned begin, unsigned n) {
  int sum = 0;
  for (unsigned k = begin; k < n; ++k) sum += in[k];
  return sum;
}

__device__ int sum_of_eight(const int* in, unsigned begin) {
  // Legal: `in` is aligned to 16 bytes, and `begin` is a multiple of 8.
  const int4 a = reinterpret_cast<const int4*>(in)[begin / 4], b = reinterpret_cast<const int4*>(in)[begin / 4 + 1];
  return a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
}

__global__ void slow_path_first(const int* in, int* out, unsigned n) {
  const unsigned begin = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (begin + 8 > n) {
    out[begin / 8] = sum_of_tail(in, begin, n);
    return;
  }
  out[begin / 8] = sum_of_eight(in, begin);
}

__global__ void slow_path_last(const int* in, int* out, unsigned n) {
  const unsigned begin = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (begin + 8 <= n)
    out[begin / 8] = sum_of_eight(in, begin);
  else
    out[begin / 8] = sum_of_tail(in, begin, n);
}
