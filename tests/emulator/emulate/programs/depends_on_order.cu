// Kernels whose result depends on an order that the programming model leaves undefined, and some whose result doesn't.
#include <cstdio>

// Lanes of one warp exchange values through global memory without a __syncwarp() between them.
__global__ void shift(int* out) {
  const unsigned t = threadIdx.x;
  out[t] = t;
  const int next = out[(t + 1) % 32];
  out[t] = next;  // finding: out[
}

// All lanes store to one word, and it is undefined which value remains.
__global__ void all_to_one(int* out) {
  out[0] = threadIdx.x;  // finding: out[0] is 31 in the usual order
}

// Does the same as shift(), with the barriers that it needs.
__global__ void shift_in_turn(int* out) {
  const unsigned t = threadIdx.x;
  out[t] = t;
  __syncwarp();
  const int next = out[(t + 1) % 32];
  __syncwarp();
  out[t] = next;
}

// It is undefined which block gets which ticket, but that is allowed.
__global__ void take_tickets(int* out, int* counter) {
  if (threadIdx.x == 0) out[atomicAdd(counter, 1)] = blockIdx.x;
}

// The sum of floats is rounded in the order in which its terms are added.
__global__ void add_up(float* out) {
  atomicAdd(out, 1.0f / (1 + threadIdx.x + blockIdx.x * 77));
}

// After reruns in other orders, the output and the changes of the launch are still those of the usual order.
__global__ void count_and_say(int* out) {
  atomicAdd(out, 1);
  if (threadIdx.x == 0) printf("block\n");
}

// Half of the warps pass a tile to the others with numbered barriers, at which one side arrives without waiting.
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

// Each thread has its own place on the surface. The surface has the same contents before every run.
__global__ void count_on_surface(cudaSurfaceObject_t surface) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * sizeof(int);
  surf1Dwrite(surf1Dread<int>(surface, x) + 1, surface, x);
}

// All threads store to one place, and it is undefined which value remains.
__global__ void all_to_one_on_surface(cudaSurfaceObject_t surface) {
  surf1Dwrite<int>(threadIdx.x, surface, 0);  // finding: is 31 in the usual order
}

// Returns the value that `kernel` leaves in the first place of a surface of zeros.
int first_on_surface(void (*kernel)(cudaSurfaceObject_t), int blocks) {
  int values[64] = {};
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &format, 64, 0, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  kernel<<<blocks, 32>>>(surface);
  cudaMemcpy2DFromArray(values, sizeof values, array, 0, 0, sizeof values, 1, cudaMemcpyDeviceToHost);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  return values[0];
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
  const int counted = first_on_surface(count_on_surface, 2);
  std::printf("%d %d\n", counted, first_on_surface(all_to_one_on_surface, 1));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
