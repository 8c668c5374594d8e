#pragma once
/// \file
/// The facts of known GPUs that a program can query. Device properties, attributes and occupancy are all derived from
/// this one table. Its contents are from NVIDIA's public documents (whitepapers, data sheets, the programming guide's
/// table of compute capabilities).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/warp_size.hpp"

namespace emulator::runtime {

/// Facts about a GPU. All sizes are in bytes, clocks in kHz.
struct device_facts {
  const char* key = "";      ///< The value for `--gpu`.
  const char* name = "";     ///< The name in cudaGetDeviceProperties.
  int major = 0, minor = 0;  ///< Compute capability.
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;  ///< With two transfers per cycle.
  int memory_bus_bits = 0;
  std::uint64_t l2_bytes = 0;

  // These follow from the compute capability.
  int max_threads_per_multiprocessor = 0;
  int max_blocks_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block_optin = 0;
  std::uint64_t reserved_shared_bytes_per_block = 0;
  std::uint64_t shared_allocation_unit = 0;
  std::vector<std::uint64_t> shared_configurations = {};  ///< Possible sizes of an SM's shared memory.

  static constexpr int warp_size = emulator::warp_size;
  static constexpr int max_threads_per_block = 1024;
  static constexpr int max_block_dimensions[3] = {1024, 1024, 64};
  static constexpr std::uint32_t max_grid_dimensions[3] = {2147483647u, 65535u, 65535u};
  static constexpr std::uint64_t shared_bytes_per_block = 48 * 1024;  ///< Without opt-in.
  static constexpr int registers_per_multiprocessor = 65536;
  static constexpr int registers_per_block = 65536;
  static constexpr int register_allocation_unit = 256;  ///< Per warp.
  static constexpr int partitions = 4;                  ///< Schedulers; each has a quarter of the registers.
  static constexpr std::uint64_t constant_bytes = 64 * 1024;

  /// 90 for compute capability 9.0.
  [[nodiscard]] int capability() const { return major * 10 + minor; }
};

/// Returns the facts of a GPU by its key ("h200"), ignoring case; null if it is unknown.
[[nodiscard]] const device_facts* find_device_facts(std::string_view key);

/// Returns the keys of all known GPUs, joined with ", ".
[[nodiscard]] std::string known_devices();

/// Returns all known GPUs.
[[nodiscard]] const std::vector<device_facts>& all_device_facts();

}  // namespace emulator::runtime
