// covers: host | device properties, persisting windows in the L2 cache, and clear errors for sizes that are too large
// status: 86
// says: facts: right
// says: windows: right
// finding: its variables in shared memory take 2147483648 bytes, 49152 are allowed
// finding: the window of an access policy is 1073741824 bytes long
// finding: (cudaErrorHostMemoryAlreadyRegistered): the memory, or a part of it, is pinned already
// finding: (cudaErrorHostMemoryNotRegistered): no registered memory begins at this address
// finding: bytes of pinned memory are requested, the host has

#include <cstdio>
#include <cstdlib>

__global__ void enormous(char* out) {
  __shared__ char bytes[1ull << 31];
  bytes[threadIdx.x] = static_cast<char>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = bytes[31 - threadIdx.x];
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  const auto is = [](cudaDeviceAttr attribute, long long wanted) {
    int value = -1;
    return cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess && value == wanted;
  };
  bool right = is(cudaDevAttrGpuOverlap, 1) && is(cudaDevAttrHostRegisterSupported, 1);
  right = right && is(cudaDevAttrMaxPersistingL2CacheSize, device.persistingL2CacheMaxSize) &&
          is(cudaDevAttrMaxAccessPolicyWindowSize, device.accessPolicyMaxWindowSize) &&
          is(cudaDevAttrMaxTexture1DWidth, device.maxTexture1D) &&
          is(cudaDevAttrMaxTexture2DHeight, device.maxTexture2D[1]) &&
          is(cudaDevAttrMaxSurface3DDepth, device.maxSurface3D[2]) &&
          is(cudaDevAttrTexturePitchAlignment, static_cast<long long>(device.texturePitchAlignment));
  right = right && device.persistingL2CacheMaxSize > 0 && device.persistingL2CacheMaxSize < device.l2CacheSize;
  std::printf("facts: %s\n", right ? "right" : "wrong");

  size_t set_aside = 0;
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  cudaDeviceGetLimit(&set_aside, cudaLimitPersistingL2CacheSize);
  // The size is rounded up, on an H100 to a sixteenth of the cache.
  right = set_aside >= 1 << 20 && set_aside <= static_cast<size_t>(device.persistingL2CacheMaxSize);
  void* window;
  cudaMalloc(&window, 4096);
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaStreamAttrValue wanted = {}, kept = {};
  wanted.accessPolicyWindow = {window, 4096, 0.5f, cudaAccessPropertyPersisting, cudaAccessPropertyStreaming};
  right = right && cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &wanted) == cudaSuccess;
  right = right && cudaStreamCopyAttributes(other, stream) == cudaSuccess;
  right = right && cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &kept) == cudaSuccess;
  right = right && kept.accessPolicyWindow.base_ptr == window && kept.accessPolicyWindow.hitRatio == 0.5f;
  right = right && cudaCtxResetPersistingL2Cache() == cudaSuccess;
  std::printf("windows: %s\n", right ? "right" : "wrong");

  // After this, each call is refused.
  enormous<<<1, 32>>>(static_cast<char*>(window));
  wanted.accessPolicyWindow.num_bytes = 1 << 30;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &wanted);
  void* own = std::malloc(4096);
  cudaHostRegister(own, 4096, cudaHostRegisterDefault);
  cudaHostRegister(static_cast<char*>(own) + 100, 8, cudaHostRegisterDefault);
  cudaHostUnregister(static_cast<char*>(own) + 100);
  cudaHostUnregister(own);
  void* all;
  cudaMallocHost(&all, 1ull << 50);
  cudaFree(window);
  return right ? 0 : 1;
}
