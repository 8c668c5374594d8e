// Kernels whose result depends on what the programming model leaves open, and some whose result does not.
#include <cstdio>

// Lanes of one warp meet in global memory, with no __syncwarp() between them.
__global__ void shift(int* out) {
  const unsigned t = threadIdx.x;
  out[t] = t;
  const int next = out[(t + 1) % 32];
  out[t] = next;  // finding: out[
}

// All lanes store to one word: which one stays is open.
__global__ void all_to_one(int* out) {
  out[0] = threadIdx.x;  // finding: out[0] is 31 in the usual order
}

// The same, said as it should be.
__global__ void shift_in_turn(int* out) {
  const unsigned t = threadIdx.x;
  out[t] = t;
  __syncwarp();
  const int next = out[(t + 1) % 32];
  __syncwarp();
  out[t] = next;
}

// Which block gets which ticket is open, and may be.
__global__ void take_tickets(int* out, int* counter) {
  if (threadIdx.x == 0) out[atomicAdd(counter, 1)] = blockIdx.x;
}

// A sum of floats is rounded in the order in which its terms come.
__global__ void add_up(float* out) {
  atomicAdd(out, 1.0f / (1 + threadIdx.x + blockIdx.x * 77));
}

// What a launch prints and changes stays that of the usual order.
__global__ void count_and_say(int* out) {
  atomicAdd(out, 1);
  if (threadIdx.x == 0) printf("block\n");
}

// Barriers with numbers, at which half of the warps do not wait.
__global__ void hand_over(int* out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x % 64;
  for (int turn = 0; turn < 2; ++turn) {
    if (threadIdx.x < 64) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[t] = t + turn;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[turn * 64 + t] = tile[63 - t];
    }
  }
}

int main() {
  int *out, *counter;
  cudaMalloc(&out, 4096);
  cudaMalloc(&counter, sizeof(int));
  cudaMemset(counter, 0, sizeof(int));
  shift<<<1, 32>>>(out);
  all_to_one<<<1, 32>>>(out);
  shift_in_turn<<<1, 32>>>(out);
  take_tickets<<<4, 32>>>(out, counter);
  cudaMemset(out, 0, 4096);
  add_up<<<4, 64>>>(reinterpret_cast<float*>(out));
  cudaMemset(out, 0, 4096);
  count_and_say<<<3, 64>>>(out);
  int count = 0;
  cudaMemcpy(&count, out, sizeof count, cudaMemcpyDeviceToHost);
  hand_over<<<1, 128>>>(out);
  std::printf("%d\n", count);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
