// covers: Thrust | sort

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <algorithm>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

int main() {
  const int n = 2000;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = number(i);
  thrust::device_vector<int> device = host;
  thrust::sort(device.begin(), device.end());
  std::sort(host.begin(), host.end());
  return thrust::host_vector<int>(device) != host;
}
