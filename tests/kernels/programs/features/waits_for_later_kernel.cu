// covers: host | a kernel waits for one that is launched later in another stream; work queued after it waits, too
// status: 0
// says: not ready: stream 1, event 1
// says: before: 0
// says: 42 7 5 43
// says: ready: stream 0, event 0

#include <cuda/atomic>

#include <cstdio>

using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__global__ void consume(int* box, int* out, int argument) {
  while (flag(box[0]).load(cuda::memory_order_acquire) == 0) {
  }
  out[0] = box[1];
  out[1] = argument;
}

__global__ void produce(int* box, int value) {
  box[1] = value;
  flag(box[0]).store(1, cuda::memory_order_release);
}

__global__ void add_one(int* out) {
  out[3] = out[0] + 1;
}

void called(void* word) {
  *static_cast<int*>(word) = 5;
}

int main() {
  int *box, *out, *host, called_back = 0;
  cudaMalloc(&box, 2 * sizeof(int));
  cudaMalloc(&out, 4 * sizeof(int));
  cudaMallocHost(&host, 4 * sizeof(int));
  cudaMemset(box, 0, 2 * sizeof(int));
  cudaMemset(out, 0, 4 * sizeof(int));
  for (int i = 0; i < 4; ++i) host[i] = 0;
  cudaStream_t consumers, producers, others;
  cudaStreamCreateWithFlags(&consumers, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&producers, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&others, cudaStreamNonBlocking);
  cudaEvent_t consumed;
  cudaEventCreate(&consumed);
  cudaDeviceSynchronize();

  int argument = 7;
  consume<<<1, 1, 0, consumers>>>(box, out, argument);
  argument = 8;  // the kernel has its own copy
  cudaLaunchHostFunc(consumers, called, &called_back);
  cudaEventRecord(consumed, consumers);
  cudaStreamWaitEvent(others, consumed, 0);
  add_one<<<1, 1, 0, others>>>(out);
  cudaMemcpyAsync(host, out, 4 * sizeof(int), cudaMemcpyDeviceToHost, others);
  std::printf("not ready: stream %d, event %d\n", cudaStreamQuery(others) == cudaErrorNotReady,
              cudaEventQuery(consumed) == cudaErrorNotReady);
  std::printf("before: %d\n", host[0] + called_back);
  produce<<<1, 1, 0, producers>>>(box, 42);
  cudaStreamSynchronize(others);
  std::printf("%d %d %d %d\n", host[0], host[1], called_back, host[3]);
  std::printf("ready: stream %d, event %d\n", cudaStreamQuery(consumers), cudaEventQuery(consumed));
}
