#pragma once
/// \file
/// The number of a kernel's blocks that fit on an SM, by the rules of NVIDIA's occupancy calculator.

#include <cstdint>

#include "emulator/emulator.hpp"
#include "emulator/runtime/device_facts.hpp"

namespace emulator::runtime {

/// The resources that a kernel needs.
struct kernel_needs {
  std::uint32_t registers_per_thread = 0;  ///< 0: unknown, so `assumed_registers` is used.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_limit = 0;         ///< After opt-in; 0: the default of 48 KiB minus the static part.
  std::uint32_t max_threads_per_block = 1024;     ///< `__launch_bounds__`, or the device's limit.
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< Cluster size that the kernel was compiled for, in blocks; 0: any.
  bool must_have_cluster = false;                 ///< It was compiled for clusters of any size.
  std::uint32_t max_cluster_blocks = 0;           ///< Maximum cluster size by its launch bounds; 0: not given.
  bool large_clusters = false;                    ///< cudaFuncAttributeNonPortableClusterSizeAllowed.
  int preferred_carveout = -1;  ///< Shared memory that the kernel prefers, in percent; -1: no preference.
};

/// The assumed number of registers per thread if there is no machine code to read it from.
inline constexpr std::uint32_t assumed_registers = 32;

/// The maximum number of blocks on one SM at a time, by resource.
struct block_limits {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t by_device = 0;
  std::uint32_t by_warps = 0;
  std::uint32_t by_registers = 0;
  std::uint32_t by_shared = 0;  ///< `none` if a block uses no shared memory.
};

/// Returns the limits for blocks of `threads_per_block` threads, 1 to 1024, with `dynamic_shared_bytes`.
[[nodiscard]] block_limits limits_of(const device_facts& device, const kernel_needs& needs,
                                     std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// Returns the number of blocks of `threads_per_block` threads with `dynamic_shared_bytes` that are resident on one SM
/// at a time; 0 if not even one fits.
[[nodiscard]] int blocks_per_multiprocessor(const device_facts& device, const kernel_needs& needs,
                                            std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// The same for a report, with the limiting resources. Its `known` is false if the number of registers is unknown.
[[nodiscard]] occupancy_report report_occupancy(const device_facts& device, const kernel_needs& needs,
                                                std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// Returns the largest block that the kernel can be launched with, considering launch bounds, device limit and
/// registers.
[[nodiscard]] std::uint32_t max_threads_per_block(const kernel_needs& needs);

/// Returns the maximum dynamic shared memory of one launch of the kernel.
[[nodiscard]] std::uint64_t max_dynamic_shared_bytes(const kernel_needs& needs);

}  // namespace emulator::runtime
