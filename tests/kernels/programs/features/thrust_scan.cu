// covers: Thrust | inclusive_scan

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/scan.h>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

int main() {
  const int n = 2000;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = number(i);
  thrust::device_vector<int> device = host;
  thrust::inclusive_scan(device.begin(), device.end(), device.begin());
  for (int i = 1; i < n; ++i) host[i] += host[i - 1];
  return thrust::host_vector<int>(device) != host;
}
