#include "emulator/runtime/launch_rules.hpp"

#include <fmt/format.h>

namespace emulator::runtime {
namespace {

constexpr char axis_names[] = {'x', 'y', 'z'};

verdict check_dimensions(const simt::launch_shape& shape) {
  const auto wrong = [](std::string words, bool empty_grid = false) {
    return verdict{cudaErrorInvalidConfiguration, std::move(words), empty_grid};
  };
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t blocks = shape.grid[axis];
    const std::uint32_t extent = shape.block[axis];
    if (blocks == 0 || extent == 0)
      return wrong(fmt::format("the {}'s {} dimension is 0; every dimension must be at least 1",
                               blocks == 0 ? "grid" : "block", axis_names[axis]),
                   blocks == 0);
    if (blocks > device_facts::max_grid_dimensions[axis])
      return wrong(fmt::format("the grid's {} dimension is {}, the limit is {}", axis_names[axis], blocks,
                               device_facts::max_grid_dimensions[axis]));
    if (extent > static_cast<std::uint32_t>(device_facts::max_block_dimensions[axis]))
      return wrong(fmt::format("the block's {} dimension is {}, the limit is {}", axis_names[axis], extent,
                               device_facts::max_block_dimensions[axis]));
    threads *= extent;
  }
  if (threads > device_facts::max_threads_per_block)
    return wrong(fmt::format("a block of {} threads is too large, the limit is {}", threads,
                             static_cast<int>(device_facts::max_threads_per_block)));
  return {};
}

/// Sets the cluster: that of the launch or, if it has none, the one that the kernel was compiled for
/// (`__cluster_dims__`) or that its attributes require.
verdict set_cluster(simt::launch_shape& shape, const dim3& asked, const kernel_needs& needs) {
  const std::uint32_t wanted[3] = {asked.x, asked.y, asked.z};
  const bool asks = (asked.x | asked.y | asked.z) != 0;
  const bool requires_one = needs.required_cluster[0] != 0;
  shape.explicit_cluster = asks || requires_one;
  if (needs.must_have_cluster && !shape.explicit_cluster)
    return {cudaErrorInvalidClusterSize,
            "the kernel has __cluster_dims__() without a size, so the launch has to give one, by "
            "cudaLaunchKernelEx and cudaLaunchAttributeClusterDimension"};
  for (int axis = 0; axis < 3; ++axis) {
    if (asks && requires_one && wanted[axis] != needs.required_cluster[axis]) {
      shape.explicit_cluster = false;
      return {
          cudaErrorInvalidClusterSize,
          fmt::format("the launch requests clusters of {} x {} x {} blocks, and the kernel is made for {} x {} x {}",
                      wanted[0], wanted[1], wanted[2], needs.required_cluster[0], needs.required_cluster[1],
                      needs.required_cluster[2])};
    }
    if (shape.explicit_cluster) shape.cluster[axis] = asks ? wanted[axis] : needs.required_cluster[axis];
  }
  return {};
}

/// The maximum cluster size that every device with clusters supports, and the maximum on devices that allow more.
constexpr unsigned portable_cluster = 8, largest_cluster = 16;

verdict check_cluster(const device_facts& device, const kernel_needs& needs, const simt::launch_shape& shape) {
  if (!shape.explicit_cluster) return {};
  const auto wrong = [&](std::string words) { return verdict{cudaErrorInvalidClusterSize, std::move(words)}; };
  const std::uint32_t* const size = shape.cluster;
  const std::string asked = fmt::format("clusters of {} x {} x {} blocks are requested", size[0], size[1], size[2]);
  if (device.major < 9)
    return {cudaErrorNotSupported, fmt::format("{}: only devices of compute capability 9.0 and above have clusters, "
                                               "this one has {}.{}",
                                               asked, device.major, device.minor)};
  for (int axis = 0; axis < 3; ++axis) {
    if (size[axis] == 0) return wrong(fmt::format("{}: every dimension must be at least 1", asked));
    if (shape.grid[axis] % size[axis] != 0)
      return wrong(fmt::format("{}, and the grid's {} dimension, {}, isn't a multiple of {}", asked, axis_names[axis],
                               shape.grid[axis], size[axis]));
  }
  const std::uint64_t blocks = std::uint64_t{size[0]} * size[1] * size[2];
  const std::uint64_t most = max_blocks_of_cluster(needs);
  if (blocks > most)
    return wrong(fmt::format("{}, {} in all, the limit is {}{}", asked, blocks, most,
                             needs.large_clusters
                                 ? ""
                                 : "; up to 16 are allowed after cudaFuncSetAttribute(kernel, "
                                   "cudaFuncAttributeNonPortableClusterSizeAllowed, 1), on devices that support them"));
  if (needs.max_cluster_blocks != 0 && blocks > needs.max_cluster_blocks)
    return wrong(
        fmt::format("{}, {} in all, the kernel's launch bounds allow {}", asked, blocks, needs.max_cluster_blocks));
  return {};
}

}  // namespace

unsigned max_blocks_of_cluster(const kernel_needs& needs) {
  return needs.large_clusters ? largest_cluster : portable_cluster;
}

verdict check_launch(const device_facts& device, const kernel_needs& needs, const dim3& cluster,
                     simt::launch_shape& shape) {
  if (verdict wrong = set_cluster(shape, cluster, needs); wrong.error != cudaSuccess) return wrong;
  if (verdict wrong = check_dimensions(shape); wrong.error != cudaSuccess) return wrong;
  if (verdict wrong = check_cluster(device, needs, shape); wrong.error != cudaSuccess) return wrong;
  const std::uint32_t threads = shape.block[0] * shape.block[1] * shape.block[2];
  if (needs.max_threads_per_block != 0 && threads > needs.max_threads_per_block) {
    return {cudaErrorInvalidValue,
            fmt::format("a block of {} threads is too large, the kernel's launch bounds allow {}", threads,
                        needs.max_threads_per_block)};
  }
  if (threads > max_threads_per_block(needs)) {
    return {cudaErrorLaunchOutOfResources,
            fmt::format("a block of {} threads with {} registers each needs more registers than an SM has; "
                        "{} threads fit",
                        threads, needs.registers_per_thread, max_threads_per_block(needs))};
  }
  if (needs.static_shared_bytes > device_facts::shared_bytes_per_block) {
    return {
        cudaErrorInvalidValue,
        fmt::format("its variables in shared memory take {} bytes, {} are allowed: more is only possible as dynamic "
                    "shared memory (extern __shared__), and ptxas refuses the kernel for a real GPU",
                    needs.static_shared_bytes, device_facts::shared_bytes_per_block)};
  }
  if (shape.dynamic_shared_bytes > max_dynamic_shared_bytes(needs)) {
    return {
        cudaErrorInvalidValue,
        fmt::format(
            "{} bytes of dynamic shared memory are requested, {} are allowed in addition to {} static ones; up to {} "
            "are allowed after cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, …)",
            shape.dynamic_shared_bytes, max_dynamic_shared_bytes(needs), needs.static_shared_bytes,
            device.shared_bytes_per_block_optin - needs.static_shared_bytes)};
  }
  if (shape.cooperative) {
    const auto resident =
        static_cast<std::uint64_t>(blocks_per_multiprocessor(device, needs, threads, shape.dynamic_shared_bytes)) *
        static_cast<std::uint64_t>(device.multiprocessors);
    // The product of two dimensions fits into 64 bits; the third dimension is at most 65535.
    __extension__ using wide = unsigned __int128;
    const wide blocks = static_cast<wide>(shape.grid[0]) * shape.grid[1] * shape.grid[2];
    if (blocks > resident) {
      return {
          cudaErrorCooperativeLaunchTooLarge,
          fmt::format("a cooperative grid of {} x {} x {} blocks is requested, {} of them fit on the device at once",
                      shape.grid[0], shape.grid[1], shape.grid[2], resident)};
    }
  }
  return {};
}

cudaError_t error_of(observers::fault_kind fault) {
  using observers::fault_kind;
  switch (fault) {
    case fault_kind::none:
      return cudaSuccess;
    case fault_kind::out_of_bounds:
    case fault_kind::use_after_free:
    case fault_kind::host_pointer:
    case fault_kind::no_peer_access:
    case fault_kind::null_pointer:
    case fault_kind::read_only:
    case fault_kind::surface_out_of_bounds:
    case fault_kind::bad_condition:
      return cudaErrorIllegalAddress;
    case fault_kind::wrong_space:
      return cudaErrorInvalidAddressSpace;
    case fault_kind::misaligned:
      return cudaErrorMisalignedAddress;
    case fault_kind::trap:
    case fault_kind::bad_texture:
    case fault_kind::bad_matrix:
    case fault_kind::left_cluster:
    case fault_kind::cluster_protocol:
    case fault_kind::bad_bulk_copy:
    case fault_kind::bad_free:
    case fault_kind::double_free:
      return cudaErrorLaunchFailure;
    case fault_kind::assertion:
      return cudaErrorAssert;
    case fault_kind::deadlock:
    case fault_kind::grid_deadlock:
    case fault_kind::instruction_limit:
    case fault_kind::divergent_barrier:
      return cudaErrorLaunchTimeout;
    case fault_kind::bad_member_mask:
    case fault_kind::incomplete_warp:
      return cudaErrorIllegalInstruction;
    case fault_kind::unsupported:
      return cudaErrorNotSupported;
  }
  return cudaErrorUnknown;
}

}  // namespace emulator::runtime
