#include "emulator/runtime/occupancy.hpp"

#include <algorithm>

namespace emulator::runtime {
namespace {

template <typename Integer>
Integer round_up(Integer value, Integer unit) {
  return (value + unit - 1) / unit * unit;
}

/// Returns the number of registers that one warp occupies.
std::uint32_t registers_per_warp(const kernel_needs& needs) {
  const std::uint32_t per_thread = needs.registers_per_thread != 0 ? needs.registers_per_thread : assumed_registers;
  return round_up<std::uint32_t>(per_thread * device_facts::warp_size, device_facts::register_allocation_unit);
}

/// Returns the number of warps that fit into an SM's registers. Each quarter of the registers serves its own warps.
std::uint32_t warps_by_registers(const kernel_needs& needs) {
  constexpr std::uint32_t per_partition = device_facts::registers_per_multiprocessor / device_facts::partitions;
  return per_partition / registers_per_warp(needs) * device_facts::partitions;
}

std::uint32_t warps_of(std::uint32_t threads) {
  return (threads + device_facts::warp_size - 1) / device_facts::warp_size;
}

/// Returns the size to which the SM's shared memory is configured. This is the smallest size that satisfies the
/// kernel's preference and is enough for one block, or the maximum if the kernel has no preference.
std::uint64_t configured_shared_bytes(const device_facts& device, int preferred_carveout, std::uint64_t block_bytes) {
  if (preferred_carveout < 0) return device.shared_bytes_per_multiprocessor;
  const std::uint64_t wanted =
      device.shared_bytes_per_multiprocessor * static_cast<std::uint64_t>(std::min(preferred_carveout, 100)) / 100;
  for (const std::uint64_t size : device.shared_configurations) {
    if (size >= wanted && size >= block_bytes) return size;
  }
  return device.shared_bytes_per_multiprocessor;
}

}  // namespace

block_limits limits_of(const device_facts& device, const kernel_needs& needs, std::uint32_t threads_per_block,
                       std::uint64_t dynamic_shared_bytes) {
  const std::uint32_t warps = warps_of(threads_per_block);
  block_limits limits;
  limits.by_device = static_cast<std::uint32_t>(device.max_blocks_per_multiprocessor);
  limits.by_warps = static_cast<std::uint32_t>(device.max_threads_per_multiprocessor / device_facts::warp_size) / warps;
  // For the limit per block, the hardware rounds the warps up to four, one per partition.
  const bool refused = registers_per_warp(needs) * round_up<std::uint32_t>(warps, device_facts::partitions) >
                       static_cast<std::uint32_t>(device_facts::registers_per_block);
  limits.by_registers = refused ? 0 : warps_by_registers(needs) / warps;
  const std::uint64_t shared_bytes =
      round_up(needs.static_shared_bytes + dynamic_shared_bytes + device.reserved_shared_bytes_per_block,
               device.shared_allocation_unit);
  limits.by_shared = shared_bytes == 0
                         ? block_limits::none
                         : static_cast<std::uint32_t>(
                               configured_shared_bytes(device, needs.preferred_carveout, shared_bytes) / shared_bytes);
  return limits;
}

int blocks_per_multiprocessor(const device_facts& device, const kernel_needs& needs, std::uint32_t threads_per_block,
                              std::uint64_t dynamic_shared_bytes) {
  if (threads_per_block == 0 || threads_per_block > max_threads_per_block(needs)) return 0;
  if (dynamic_shared_bytes > max_dynamic_shared_bytes(needs)) return 0;
  const block_limits limits = limits_of(device, needs, threads_per_block, dynamic_shared_bytes);
  return static_cast<int>(std::min({limits.by_device, limits.by_warps, limits.by_registers, limits.by_shared}));
}

occupancy_report report_occupancy(const device_facts& device, const kernel_needs& needs,
                                  std::uint32_t threads_per_block, std::uint64_t dynamic_shared_bytes) {
  if (needs.registers_per_thread == 0 || threads_per_block == 0) return {};
  const block_limits limits = limits_of(device, needs, threads_per_block, dynamic_shared_bytes);
  return {
      .known = true,
      .blocks =
          static_cast<std::uint32_t>(blocks_per_multiprocessor(device, needs, threads_per_block, dynamic_shared_bytes)),
      .by_device = limits.by_device,
      .by_warps = limits.by_warps,
      .by_registers = limits.by_registers,
      .by_shared = limits.by_shared,
      .warps_per_block = warps_of(threads_per_block),
      .warps_at_most = static_cast<std::uint32_t>(device.max_threads_per_multiprocessor / device_facts::warp_size),
      .multiprocessors = static_cast<std::uint32_t>(device.multiprocessors),
      .reserved_shared_bytes = device.reserved_shared_bytes_per_block,
  };
}

std::uint32_t max_threads_per_block(const kernel_needs& needs) {
  const std::uint32_t by_registers = warps_by_registers(needs) * device_facts::warp_size;
  const std::uint32_t bound = needs.max_threads_per_block != 0
                                  ? needs.max_threads_per_block
                                  : static_cast<std::uint32_t>(device_facts::max_threads_per_block);
  return std::min({bound, static_cast<std::uint32_t>(device_facts::max_threads_per_block), by_registers});
}

std::uint64_t max_dynamic_shared_bytes(const kernel_needs& needs) {
  if (needs.dynamic_shared_limit != 0) return needs.dynamic_shared_limit;
  return needs.static_shared_bytes < device_facts::shared_bytes_per_block
             ? device_facts::shared_bytes_per_block - needs.static_shared_bytes
             : 0;
}

}  // namespace emulator::runtime
