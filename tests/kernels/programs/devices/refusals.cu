// covers: devices | refused peer calls: the device itself, numbers that do not exist, access that was never enabled
// gpus: 2:no-peer
// checks: racecheck
// says: right

#include <cstdio>

int main() {
  int wrong = 0, can = -1, value = -1;
  int* here;
  cudaMalloc(&here, sizeof(int));
  wrong += cudaDeviceEnablePeerAccess(0, 0) != cudaErrorInvalidDevice;
  wrong += cudaDeviceEnablePeerAccess(2, 0) != cudaErrorInvalidDevice;
  wrong += cudaDeviceEnablePeerAccess(1, 1) != cudaErrorInvalidValue;
  wrong += cudaDeviceEnablePeerAccess(1, 0) != cudaErrorPeerAccessUnsupported;
  wrong += cudaDeviceDisablePeerAccess(1) != cudaErrorPeerAccessNotEnabled;
  wrong += cudaDeviceCanAccessPeer(&can, 0, 2) != cudaErrorInvalidDevice;
  wrong += cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1) != cudaSuccess || value != 0;
  wrong += cudaMemcpyPeer(here, 2, here, 0, sizeof(int)) != cudaErrorInvalidDevice;
  // The memory belongs to device 0.
  wrong += cudaMemcpyPeer(here, 1, here, 0, sizeof(int)) != cudaErrorInvalidValue;
  std::puts(wrong == 0 ? "right" : "wrong");
}
