#include "emulator/runtime/device_attributes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace emulator::runtime {
namespace {

constexpr int max_pitch_bytes = 2147483647;
constexpr int texture_alignment = 512;

/// What the emulated device can do.
constexpr cudaDeviceAttr capabilities[] = {
    cudaDevAttrStreamPrioritiesSupported, cudaDevAttrGlobalL1CacheSupported, cudaDevAttrLocalL1CacheSupported,
    cudaDevAttrUnifiedAddressing,         cudaDevAttrManagedMemory,          cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrCanMapHostMemory,          cudaDevAttrCooperativeLaunch,      cudaDevAttrMemoryPoolsSupported};
/// What a real GPU of its kind may be able to do, and the emulated one is not.
constexpr cudaDeviceAttr missing[] = {cudaDevAttrConcurrentKernels,
                                      cudaDevAttrIntegrated,
                                      cudaDevAttrKernelExecTimeout,
                                      cudaDevAttrComputeMode,
                                      cudaDevAttrEccEnabled,
                                      cudaDevAttrPciBusId,
                                      cudaDevAttrPciDeviceId,
                                      cudaDevAttrPciDomainId,
                                      cudaDevAttrTccDriver,
                                      cudaDevAttrIsMultiGpuBoard,
                                      cudaDevAttrMultiGpuBoardGroupID,
                                      cudaDevAttrHostNativeAtomicSupported,
                                      cudaDevAttrPageableMemoryAccess,
                                      cudaDevAttrPageableMemoryAccessUsesHostPageTables,
                                      cudaDevAttrDirectManagedMemAccessFromHost,
                                      cudaDevAttrComputePreemptionSupported,
                                      cudaDevAttrCanUseHostPointerForRegisteredMem,
                                      cudaDevAttrHostRegisterSupported,
                                      cudaDevAttrGPUDirectRDMASupported,
                                      cudaDevAttrClusterLaunch};

/// Ratio of the speeds of float and double arithmetic.
int single_to_double_ratio(const device_facts& device) {
  return device.minor == 0 ? 2 : device.major == 7 ? 32 : 64;
}

/// Sets members that only the headers of CUDA 12 have.
template <typename Properties>
void set_older_members(Properties& properties, const device_facts& device) {
  if constexpr (requires { properties.clockRate; }) properties.clockRate = device.clock_khz;
  if constexpr (requires { properties.memoryClockRate; }) properties.memoryClockRate = device.memory_clock_khz;
  if constexpr (requires { properties.singleToDoublePrecisionPerfRatio; }) {
    properties.singleToDoublePrecisionPerfRatio = single_to_double_ratio(device);
  }
}

}  // namespace

std::optional<int> attribute_of(const device_facts& device, cudaDeviceAttr attribute) {
  const std::pair<cudaDeviceAttr, int> known[] = {
      {cudaDevAttrMaxThreadsPerBlock, device_facts::max_threads_per_block},
      {cudaDevAttrMaxBlockDimX, device_facts::max_block_dimensions[0]},
      {cudaDevAttrMaxBlockDimY, device_facts::max_block_dimensions[1]},
      {cudaDevAttrMaxBlockDimZ, device_facts::max_block_dimensions[2]},
      {cudaDevAttrMaxGridDimX, static_cast<int>(device_facts::max_grid_dimensions[0])},
      {cudaDevAttrMaxGridDimY, static_cast<int>(device_facts::max_grid_dimensions[1])},
      {cudaDevAttrMaxGridDimZ, static_cast<int>(device_facts::max_grid_dimensions[2])},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(device_facts::shared_bytes_per_block)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(device.shared_bytes_per_block_optin)},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(device.shared_bytes_per_multiprocessor)},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(device.reserved_shared_bytes_per_block)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(device_facts::constant_bytes)},
      {cudaDevAttrMaxPitch, max_pitch_bytes},
      {cudaDevAttrMaxRegistersPerBlock, device_facts::registers_per_block},
      {cudaDevAttrMaxRegistersPerMultiprocessor, device_facts::registers_per_multiprocessor},
      {cudaDevAttrMaxThreadsPerMultiProcessor, device.max_threads_per_multiprocessor},
      {cudaDevAttrMaxBlocksPerMultiprocessor, device.max_blocks_per_multiprocessor},
      {cudaDevAttrWarpSize, device_facts::warp_size},
      {cudaDevAttrClockRate, device.clock_khz},
      {cudaDevAttrMemoryClockRate, device.memory_clock_khz},
      {cudaDevAttrGlobalMemoryBusWidth, device.memory_bus_bits},
      {cudaDevAttrL2CacheSize, static_cast<int>(device.l2_bytes)},
      {cudaDevAttrMultiProcessorCount, device.multiprocessors},
      {cudaDevAttrComputeCapabilityMajor, device.major},
      {cudaDevAttrComputeCapabilityMinor, device.minor},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, single_to_double_ratio(device)},
      {cudaDevAttrTextureAlignment, texture_alignment},
      {cudaDevAttrAsyncEngineCount, 1},
  };
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& row) { return row.first == attribute; });
  if (found != std::end(known)) return found->second;
  if (std::find(std::begin(capabilities), std::end(capabilities), attribute) != std::end(capabilities)) return 1;
  if (std::find(std::begin(missing), std::end(missing), attribute) != std::end(missing)) return 0;
  return std::nullopt;
}

cudaDeviceProp properties_of(const device_facts& device, std::uint64_t memory_bytes) {
  cudaDeviceProp properties;
  std::memset(&properties, 0, sizeof properties);
  std::strncpy(properties.name, device.name, sizeof properties.name - 1);
  properties.totalGlobalMem = memory_bytes;
  properties.sharedMemPerBlock = device_facts::shared_bytes_per_block;
  properties.regsPerBlock = device_facts::registers_per_block;
  properties.warpSize = device_facts::warp_size;
  properties.memPitch = max_pitch_bytes;
  properties.maxThreadsPerBlock = device_facts::max_threads_per_block;
  for (int axis = 0; axis < 3; ++axis) {
    properties.maxThreadsDim[axis] = device_facts::max_block_dimensions[axis];
    properties.maxGridSize[axis] = static_cast<int>(device_facts::max_grid_dimensions[axis]);
  }
  properties.totalConstMem = device_facts::constant_bytes;
  properties.major = device.major;
  properties.minor = device.minor;
  properties.textureAlignment = texture_alignment;
  properties.multiProcessorCount = device.multiprocessors;
  properties.canMapHostMemory = 1;
  properties.asyncEngineCount = 1;
  properties.unifiedAddressing = 1;
  properties.memoryBusWidth = device.memory_bus_bits;
  properties.l2CacheSize = static_cast<int>(device.l2_bytes);
  properties.maxThreadsPerMultiProcessor = device.max_threads_per_multiprocessor;
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.sharedMemPerMultiprocessor = device.shared_bytes_per_multiprocessor;
  properties.regsPerMultiprocessor = device_facts::registers_per_multiprocessor;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.cooperativeLaunch = 1;
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.maxBlocksPerMultiProcessor = device.max_blocks_per_multiprocessor;
  properties.reservedSharedMemPerBlock = device.reserved_shared_bytes_per_block;
  properties.memoryPoolsSupported = 1;
  set_older_members(properties, device);
  return properties;
}

}  // namespace emulator::runtime
