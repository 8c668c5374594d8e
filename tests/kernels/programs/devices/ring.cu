// covers: devices | a ring of three devices adds vectors in 4 steps by copies and events: bytes per link
// gpus: 3
// link: 0 1 | copied_bytes | 1600
// link: 1 2 | copied_bytes | 1600
// link: 2 0 | copied_bytes | 1600
// link: 0 1 | copies | 4
// says: right
// A vector of 1200 bytes is divided into 3 chunks of 400. Reduce-scatter sends a chunk over each link in each of 2
// steps, and all-gather in 2 more: 4 copies, 4 * 400 = 1600 bytes = 2 (G - 1) / G of the vector.

#include <cstdio>

constexpr int devices = 3, chunk = 100;

__global__ void add(float* to, const float* what) {
  if (threadIdx.x < chunk) to[threadIdx.x] += what[threadIdx.x];
}

int main() {
  float *vector[devices], *inbox[devices], host[devices * chunk];
  cudaStream_t stream[devices];
  cudaEvent_t sent[devices], done[devices];
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&vector[d], sizeof host);
    cudaMalloc(&inbox[d], chunk * sizeof(float));
    for (int i = 0; i < devices * chunk; ++i) host[i] = i + 1000 * d;
    cudaMemcpy(vector[d], host, sizeof host, cudaMemcpyHostToDevice);
    cudaStreamCreate(&stream[d]);
    cudaEventCreate(&sent[d]);
    cudaEventCreate(&done[d]);
    cudaEventRecord(done[d], stream[d]);
  }
  for (int step = 0; step < 2 * (devices - 1); ++step) {
    const bool adds = step < devices - 1;
    for (int d = 0; d < devices; ++d) {
      const int next = (d + 1) % devices;
      const int which = adds ? (d - step + devices) % devices : (d + 1 - (step - devices + 1) + devices) % devices;
      cudaSetDevice(d);
      // Waits until the neighbour has read its inbox and the chunk that it last wrote.
      cudaStreamWaitEvent(stream[d], done[next], 0);
      float* to = adds ? inbox[next] : vector[next] + which * chunk;
      cudaMemcpyPeerAsync(to, next, vector[d] + which * chunk, d, chunk * sizeof(float), stream[d]);
      cudaEventRecord(sent[d], stream[d]);
    }
    for (int d = 0; d < devices; ++d) {
      const int before = (d + devices - 1) % devices;
      cudaSetDevice(d);
      cudaStreamWaitEvent(stream[d], sent[before], 0);
      const int which = (before - step + devices) % devices;
      if (adds) add<<<1, 128, 0, stream[d]>>>(vector[d] + which * chunk, inbox[d]);
      cudaEventRecord(done[d], stream[d]);
    }
  }
  int wrong = 0;
  for (int d = 0; d < devices; ++d) {
    cudaSetDevice(d);
    cudaDeviceSynchronize();
    cudaMemcpy(host, vector[d], sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < devices * chunk; ++i) wrong += host[i] != 3 * i + 3000;
  }
  std::puts(wrong == 0 ? "right" : "wrong");
}
