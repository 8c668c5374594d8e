// covers: host | the host accesses memory of both sides in time: after waits and queries, during a copy, after a flag
// says: behind a stream: 1, an event: 2, questions: 3, a host function: 4, a copy: 5
// says: the other half of a page: 6
// says: threads beside it: 40000
// says: read while it is read: 7
// says: a flag of the device: 8
// says: registered: 9

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

constexpr int n = 2048;

__global__ void fill(int* values, int count, int value) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] = value;
}

__global__ void fill_and_say(int* values, int value, volatile int* flag) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = value;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

int look(const int* at) {
  return *static_cast<const volatile int*>(at);
}

int main() {
  int *managed, *pinned, *device, *flag;
  cudaMallocManaged(&managed, n * sizeof(int));
  cudaMallocHost(&pinned, n * sizeof(int));
  cudaMalloc(&device, n * sizeof(int));
  cudaMallocHost(&flag, sizeof(int));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t done;
  cudaEventCreate(&done);

  fill<<<1, 64, 0, stream>>>(managed, n, 1);
  cudaStreamSynchronize(stream);
  const int by_stream = managed[n - 1];
  fill<<<1, 64, 0, stream>>>(managed, n, 2);
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  const int by_event = managed[n - 1];
  fill<<<1, 64, 0, stream>>>(managed, n, 3);
  cudaEventRecord(done, stream);
  while (cudaEventQuery(done) == cudaErrorNotReady) {
  }
  const int by_questions = managed[n - 1];
  fill<<<1, 64, 0, stream>>>(managed, n, 4);
  static std::atomic<bool> told = false;
  cudaLaunchHostFunc(
      stream, [](void*) { told = true; }, nullptr);
  while (!told) {
  }
  const int by_host_function = managed[n - 1];
  fill<<<1, 64>>>(managed, n, 5);
  int copied;
  cudaMemcpy(&copied, managed + 17, sizeof copied, cudaMemcpyDefault);
  std::printf("behind a stream: %d, an event: %d, questions: %d, a host function: %d, a copy: %d\n", by_stream,
              by_event, by_questions, by_host_function, managed[n - 1] == copied ? copied : -1);

  // The copy reads the first 100 numbers while the host writes the others in the same page.
  for (int i = 0; i < n; ++i) pinned[i] = 6;
  cudaMemcpyAsync(device, pinned, 100 * sizeof(int), cudaMemcpyHostToDevice, stream);
  for (int i = 100; i < n; ++i) pinned[i] = 1;
  cudaStreamSynchronize(stream);
  std::printf("the other half of a page: %d\n", pinned[0]);
  int* small;  // fits one page, so each access is checked
  cudaMallocManaged(&small, 64 * sizeof(int));
  fill<<<1, 32, 0, stream>>>(small, 32, 1);
  for (int i = 32; i < 64; ++i) small[i] = 2;
  cudaStreamSynchronize(stream);

  // Several threads together make more accesses than the emulator checks one by one.
  fill<<<1, 32, 0, stream>>>(small, 32, 3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([own = static_cast<volatile int*>(small + 40 + t)] {
      *own = 0;
      for (int i = 0; i < 10000; ++i) *own = *own + 1;
    });
  for (std::thread& one : threads) one.join();
  cudaStreamSynchronize(stream);
  std::printf("threads beside it: %d\n", small[40] + small[41] + small[42] + small[43]);

  for (int i = 0; i < n; ++i) pinned[i] = 7;
  cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice, stream);
  std::printf("read while it is read: %d\n", look(pinned + 5));
  cudaStreamSynchronize(stream);

  // If the host has seen the flag, it may read the elements that the kernel wrote before the flag.
  *flag = 0;
  fill_and_say<<<1, 64, 0, stream>>>(managed, 8, flag);
  while (look(flag) == 0) {
  }
  std::printf("a flag of the device: %d\n", managed[n - 1]);
  cudaStreamSynchronize(stream);

  // The first and last page of the registered memory also hold other host memory.
  auto* own = static_cast<int*>(std::malloc(3 * n * sizeof(int)));
  cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault);
  fill<<<1, 64, 0, stream>>>(own, n, 9);
  for (int i = n; i < 3 * n; ++i) own[i] = 1;
  auto* more = static_cast<int*>(std::malloc(64));
  more[0] = 1;
  std::free(more);
  cudaStreamSynchronize(stream);
  std::printf("registered: %d\n", own[0] * own[n]);
  cudaHostUnregister(own);
  std::free(own);
}
