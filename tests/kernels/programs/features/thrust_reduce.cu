// covers: Thrust | reduce and transform_reduce

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

static int number(int i) {
  return static_cast<int>(i * 2654435761u >> 20) - 2000;
}

struct square {
  __host__ __device__ long long operator()(int x) const { return static_cast<long long>(x) * x; }
};

int main() {
  const int n = 2000;
  thrust::host_vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = number(i);
  thrust::device_vector<int> device = host;
  long long sum = 0, squares = 0;
  for (int x : host) sum += x, squares += square()(x);
  if (thrust::reduce(device.begin(), device.end(), 0) != sum) return 1;
  return thrust::transform_reduce(device.begin(), device.end(), square(), 0ll, thrust::plus<long long>()) != squares;
}
