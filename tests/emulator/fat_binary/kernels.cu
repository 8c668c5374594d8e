// Kernels that differ in what ptxas reports: registers, shared memory, the stack frame, the stack of a called function.
__device__ int counter = 7;
__constant__ float weights[4] = {1, 2, 3, 4};

__global__ void store_one(int* out) {
  out[threadIdx.x] = counter;
}

__global__ void shared_tile(int* out) {
  __shared__ int tile[250];
  tile[threadIdx.x] = out[threadIdx.x + 1];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * 7 % 250];
}

__global__ void dynamic_tile(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = out[threadIdx.x + 1];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * 7 % 250];
}

template <int n>
__global__ void private_array(float* out, int m) {
  __shared__ float tile[256];
  float values[n];
  for (int i = 0; i < n; ++i) values[i] = out[i * m];
  tile[threadIdx.x] = values[m % n];
  __syncthreads();
  out[m] = tile[255 - threadIdx.x] * weights[m & 3];
  for (int i = 0; i < n; ++i) out[i + (values[(i * m) % n] > 3 ? 1 : 0)] = values[(i * 7 + m) % n];
}
template __global__ void private_array<40>(float*, int);
template __global__ void private_array<64>(float*, int);

__device__ __noinline__ int pick(const int* from, int i) {
  int values[50];
  for (int k = 0; k < 50; ++k) values[k] = from[k];
  return values[i];
}

__global__ void calls(int* out) {
  out[0] = pick(out, out[1]);
}
