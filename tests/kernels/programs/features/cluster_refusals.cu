// covers: host | launches with clusters that don't divide the grid, are too large, or differ from the kernel's own size
// status: 86
// says: 3 blocks in clusters of 2: cudaErrorInvalidClusterSize
// says: 16 blocks in clusters of 16: cudaErrorInvalidClusterSize
// says: allowed: cudaSuccess
// says: 17 blocks in clusters of 17: cudaErrorInvalidClusterSize
// says: all that ran: cudaSuccess
// says: as on an H100
// finding: clusters of 3 x 1 x 1 blocks are requested, and the grid's x dimension, 4, isn't a multiple of 3
// finding: clusters of 9 x 1 x 1 blocks are requested, 9 in all, the limit is 8; up to 16 are allowed after
// finding: clusters of 16 x 1 x 1 blocks are requested, 16 in all, the limit is 8
// finding: the launch requests clusters of 1 x 1 x 1 blocks, and the kernel is made for 2 x 1 x 1
// finding: the launch requests clusters of 4 x 1 x 1 blocks, and the kernel is made for 2 x 1 x 1
// finding: clusters of 4 x 1 x 1 blocks are requested, 4 in all, the kernel's launch bounds allow 2

#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) of_two() {
  cg::this_cluster().sync();
}
__global__ void __cluster_dims__() of_some() {
  cg::this_cluster().sync();
}
__global__ void of_any() {
  cg::this_cluster().sync();
}
__global__ void __launch_bounds__(128, 1, 2) of_two_at_most() {
  cg::this_cluster().sync();
}

template <typename Kernel>
cudaError_t launch(Kernel kernel, unsigned grid, dim3 size) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = size.x;
  attribute.val.clusterDim.y = size.y;
  attribute.val.clusterDim.z = size.z;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel);
  static_cast<void>(cudaGetLastError());
  return error;
}

int failed = 0;

void expect(const char* what, cudaError_t got, cudaError_t wanted) {
  std::printf("%s: %s\n", what, cudaGetErrorName(got));
  if (got != wanted) failed = 1;
}

int main() {
  of_some<<<4, 32>>>();
  if (cudaGetLastError() == cudaSuccess || launch(of_some, 4, dim3(2)) != cudaSuccess) failed = 1;
  // The expected errors below are those that an H100 gave (driver 580.159.04, CUDA 13.0).
  of_two<<<3, 32>>>();
  expect("3 blocks in clusters of 2", cudaGetLastError(), cudaErrorInvalidClusterSize);
  of_two<<<4, 32>>>();
  expect("4 blocks in clusters of 2", cudaGetLastError(), cudaSuccess);
  expect("4 blocks in clusters of 3", launch(of_any, 4, dim3(3)), cudaErrorInvalidClusterSize);
  expect("9 blocks in clusters of 9", launch(of_any, 9, dim3(9)), cudaErrorInvalidClusterSize);
  expect("8 blocks in clusters of 8", launch(of_any, 8, dim3(8)), cudaSuccess);
  expect("16 blocks in clusters of 16", launch(of_any, 16, dim3(16)), cudaErrorInvalidClusterSize);
  expect("4 blocks in clusters of 0 x 1 x 1", launch(of_any, 4, dim3(0, 1, 1)), cudaErrorInvalidClusterSize);
  expect("4 blocks in clusters of 0 x 0 x 0", launch(of_any, 4, dim3(0, 0, 0)), cudaSuccess);
  expect("made for 2, asked for 4", launch(of_two, 4, dim3(4)), cudaErrorInvalidClusterSize);
  expect("made for 2, asked for 2", launch(of_two, 4, dim3(2)), cudaSuccess);
  expect("made for 2, asked for 1", launch(of_two, 4, dim3(1)), cudaErrorInvalidClusterSize);
  expect("at most 2, asked for 4", launch(of_two_at_most, 4, dim3(4)), cudaErrorInvalidClusterSize);
  expect("at most 2, asked for 2", launch(of_two_at_most, 4, dim3(2)), cudaSuccess);
  int largest = 0;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1024);
  config.blockDim = dim3(256);
  if (cudaOccupancyMaxPotentialClusterSize(&largest, of_any, &config) != cudaSuccess || largest != 8) failed = 1;
  expect("allowed", cudaFuncSetAttribute(of_any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), cudaSuccess);
  if (cudaOccupancyMaxPotentialClusterSize(&largest, of_any, &config) != cudaSuccess || largest != 16) failed = 1;
  expect("16 blocks in clusters of 16", launch(of_any, 16, dim3(16)), cudaSuccess);
  expect("17 blocks in clusters of 17", launch(of_any, 17, dim3(17)), cudaErrorInvalidClusterSize);
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, of_two) != cudaSuccess || attributes.clusterDimMustBeSet != 1 ||
      attributes.requiredClusterWidth != 2 || attributes.requiredClusterHeight != 1)
    failed = 1;
  expect("its width is set", cudaFuncSetAttribute(of_any, cudaFuncAttributeRequiredClusterWidth, 4), cudaSuccess);
  of_any<<<6, 32>>>();
  expect("6 blocks of a kernel that requires 4", cudaGetLastError(), cudaErrorInvalidClusterSize);
  expect("all that ran", cudaDeviceSynchronize(), cudaSuccess);
  if (failed == 0) std::printf("as on an H100\n");
  return 0;
}
