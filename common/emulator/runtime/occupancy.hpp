#pragma once
/// \file
/// How many blocks of a kernel fit on a multiprocessor, by the rules of NVIDIA's occupancy calculator.

#include <cstdint>

#include "emulator/emulator.hpp"
#include "emulator/runtime/device_facts.hpp"

namespace emulator::runtime {

/// What a kernel takes.
struct kernel_needs {
  std::uint32_t registers_per_thread = 0;  ///< 0: not known; `assumed_registers` then.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_limit = 0;         ///< As opted in; 0: the default of 48 KiB less the static part.
  std::uint32_t max_threads_per_block = 1024;     ///< `__launch_bounds__`, or the device's limit.
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< Blocks of a cluster that the kernel is made for; 0: any.
  bool must_have_cluster = false;                 ///< It was made for clusters, of whatever size.
  std::uint32_t max_cluster_blocks = 0;           ///< Of a cluster, by its launch bounds; 0: not given.
  bool large_clusters = false;                    ///< cudaFuncAttributeNonPortableClusterSizeAllowed.
  int preferred_carveout = -1;  ///< Percent of the shared memory that the kernel asked for; -1: not asked.
};

/// Registers a thread is taken to need where no machine code says it.
inline constexpr std::uint32_t assumed_registers = 32;

/// Blocks that run on one multiprocessor at a time, as far as each of its resources goes.
struct block_limits {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t by_device = 0;
  std::uint32_t by_warps = 0;
  std::uint32_t by_registers = 0;
  std::uint32_t by_shared = 0;  ///< `none` where a block takes no shared memory.
};

/// Returns the limits for blocks of `threads_per_block` threads, 1 to 1024, with `dynamic_shared_bytes`.
[[nodiscard]] block_limits limits_of(const device_facts& device, const kernel_needs& needs,
                                     std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// Blocks of `threads_per_block` threads with `dynamic_shared_bytes` that run on one multiprocessor at a time; 0 where
/// not even one fits.
[[nodiscard]] int blocks_per_multiprocessor(const device_facts& device, const kernel_needs& needs,
                                            std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// The same, for a report: with what keeps it from more. Not `known` where the registers are not.
[[nodiscard]] occupancy_report report_occupancy(const device_facts& device, const kernel_needs& needs,
                                                std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes);

/// The largest block that the kernel can be launched with: launch bounds, device limit and registers.
[[nodiscard]] std::uint32_t max_threads_per_block(const kernel_needs& needs);

/// The most dynamic shared memory that one launch of the kernel may ask for.
[[nodiscard]] std::uint64_t max_dynamic_shared_bytes(const kernel_needs& needs);

}  // namespace emulator::runtime
