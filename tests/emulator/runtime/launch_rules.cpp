#include "emulator/runtime/launch_rules.hpp"

#include "support/catch.hpp"

using namespace emulator::runtime;
using emulator::simt::launch_shape;

namespace {

launch_shape shape(std::uint32_t grid, std::uint32_t block, std::uint64_t dynamic_shared = 0) {
  launch_shape result;
  result.grid[0] = grid;
  result.block[0] = block;
  result.dynamic_shared_bytes = dynamic_shared;
  return result;
}

verdict check(launch_shape wanted, const kernel_needs& kernel = {}, const dim3& cluster = dim3(0, 0, 0)) {
  return check_launch(*find_device_facts("h200"), kernel, cluster, wanted);
}

}  // namespace

TEST_CASE("an ordinary launch is allowed, up to the limits") {
  CHECK(check(shape(1, 1)).error == cudaSuccess);
  CHECK(check(shape(2147483647u, 1024)).error == cudaSuccess);
  CHECK(check(shape(1, 128, 48 * 1024)).error == cudaSuccess);
  launch_shape deep = shape(1, 16);
  deep.grid[1] = deep.grid[2] = 65535;
  deep.block[2] = 64;
  CHECK(check(deep).error == cudaSuccess);
}

TEST_CASE("a dimension of 0 or above the limit is an invalid configuration, and the words name it") {
  CHECK(check(shape(0, 128)).error == cudaErrorInvalidConfiguration);
  CHECK(check(shape(1, 0)).error == cudaErrorInvalidConfiguration);
  const verdict too_many = check(shape(1, 1025));
  CHECK(too_many.error == cudaErrorInvalidConfiguration);
  CHECK_THAT(too_many.words, ContainsSubstring("1025") && ContainsSubstring("1024"));
  CHECK(check(shape(2147483648u, 1)).error == cudaErrorInvalidConfiguration);
  for (const int axis : {1, 2}) {
    launch_shape wide = shape(1, 1);
    wide.grid[axis] = 65536;
    CHECK(check(wide).error == cudaErrorInvalidConfiguration);
  }
  launch_shape deep = shape(1, 1);
  deep.block[2] = 65;
  CHECK(check(deep).error == cudaErrorInvalidConfiguration);
  // Each dimension is allowed, but the product 32 x 32 x 2 = 2048 is not.
  launch_shape cube = shape(1, 32);
  cube.block[1] = 32;
  cube.block[2] = 2;
  CHECK(check(cube).error == cudaErrorInvalidConfiguration);
}

TEST_CASE("more dynamic shared memory than the kernel may use is an invalid value, until it opts in") {
  CHECK(check(shape(1, 128, 48 * 1024 + 1)).error == cudaErrorInvalidValue);
  kernel_needs with_static;
  with_static.static_shared_bytes = 1024;
  CHECK(check(shape(1, 128, 47 * 1024), with_static).error == cudaSuccess);
  CHECK(check(shape(1, 128, 47 * 1024 + 1), with_static).error == cudaErrorInvalidValue);
  kernel_needs opted;
  opted.dynamic_shared_limit = 100 * 1024;
  CHECK(check(shape(1, 128, 100 * 1024), opted).error == cudaSuccess);
  CHECK(check(shape(1, 128, 100 * 1024 + 1), opted).error == cudaErrorInvalidValue);
}

TEST_CASE("launch bounds and registers limit the block") {
  kernel_needs bounded;
  bounded.max_threads_per_block = 128;
  CHECK(check(shape(1, 128), bounded).error == cudaSuccess);
  CHECK(check(shape(1, 129), bounded).error == cudaErrorInvalidValue);
  kernel_needs hungry;
  hungry.registers_per_thread = 128;
  CHECK(check(shape(1, 512), hungry).error == cudaSuccess);
  CHECK(check(shape(1, 513), hungry).error == cudaErrorLaunchOutOfResources);
}

TEST_CASE("a cooperative grid must fit on the device at once") {
  // The grid has 16 blocks of 128 threads for each of 132 SMs.
  launch_shape most = shape(132 * 16, 128);
  most.cooperative = true;
  CHECK(check(most).error == cudaSuccess);
  most.grid[0] += 1;
  CHECK(check(most).error == cudaErrorCooperativeLaunchTooLarge);
  most.grid[0] = 2147483647u;
  most.grid[1] = most.grid[2] = 65535;
  CHECK(check(most).error == cudaErrorCooperativeLaunchTooLarge);
}

TEST_CASE(
    "clusters divide the grid, have 8 blocks at most, or 16 where the kernel allows it, and need a device that has "
    "them") {
  const auto clusters = [](std::uint32_t grid, std::uint32_t size, const char* device, const kernel_needs& kernel) {
    launch_shape wanted = shape(grid, 32);
    return check_launch(*find_device_facts(device), kernel, dim3(size), wanted);
  };
  CHECK(clusters(16, 8, "h200", {}).error == cudaSuccess);
  CHECK_THAT(clusters(12, 8, "h200", {}).words, ContainsSubstring("12, isn't a multiple of 8"));
  CHECK(clusters(12, 8, "h200", {}).error == cudaErrorInvalidClusterSize);
  CHECK_THAT(clusters(16, 16, "h200", {}).words, ContainsSubstring("the limit is 8"));
  CHECK(clusters(4, 0, "h200", {}).error == cudaErrorInvalidClusterSize);
  kernel_needs large;
  large.large_clusters = true;
  CHECK(clusters(16, 16, "h200", large).error == cudaSuccess);
  CHECK_THAT(clusters(17, 17, "h200", large).words, ContainsSubstring("the limit is 16"));
  kernel_needs bounded;
  bounded.max_cluster_blocks = 2;
  CHECK_THAT(clusters(4, 4, "h200", bounded).words, ContainsSubstring("launch bounds allow 2"));
  CHECK(clusters(4, 2, "rtx2070", {}).error == cudaErrorNotSupported);
  CHECK_THAT(clusters(4, 2, "rtx2070", {}).words, ContainsSubstring("9.0") && ContainsSubstring("7.5"));
  // This launch requested no clusters.
  launch_shape none = shape(4, 32);
  CHECK(check_launch(*find_device_facts("rtx2070"), {}, dim3(0, 0, 0), none).error == cudaSuccess);
  CHECK_FALSE(none.explicit_cluster);
}

TEST_CASE("a kernel that is made for clusters has them without being asked, and no others") {
  kernel_needs made_for;
  for (std::uint32_t& blocks : made_for.required_cluster) blocks = 1;
  made_for.required_cluster[0] = 2;
  made_for.must_have_cluster = true;
  launch_shape even = shape(4, 32);
  CHECK(check_launch(*find_device_facts("h200"), made_for, dim3(0, 0, 0), even).error == cudaSuccess);
  CHECK(even.explicit_cluster);
  CHECK(even.cluster[0] == 2);
  CHECK(check(shape(3, 32), made_for).error == cudaErrorInvalidClusterSize);
  CHECK(check(shape(4, 32), made_for, dim3(4)).error == cudaErrorInvalidClusterSize);
}
