#include "emulator/runtime/device_attributes.hpp"

#include <algorithm>
#include <cstring>

namespace emulator::runtime {
namespace {

constexpr int max_pitch_bytes = 2147483647;
constexpr int texture_alignment = 512;

/// Ratio of the speeds of float and double arithmetic.
int single_to_double_ratio(const device_facts& device) {
  return device.minor == 0 ? 2 : device.major == 7 ? 32 : 64;
}

std::optional<int> limit_of(const device_facts& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return device_facts::max_threads_per_block;
    case cudaDevAttrMaxBlockDimX:
      return device_facts::max_block_dimensions[0];
    case cudaDevAttrMaxBlockDimY:
      return device_facts::max_block_dimensions[1];
    case cudaDevAttrMaxBlockDimZ:
      return device_facts::max_block_dimensions[2];
    case cudaDevAttrMaxGridDimX:
      return static_cast<int>(device_facts::max_grid_dimensions[0]);
    case cudaDevAttrMaxGridDimY:
      return static_cast<int>(device_facts::max_grid_dimensions[1]);
    case cudaDevAttrMaxGridDimZ:
      return static_cast<int>(device_facts::max_grid_dimensions[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(device_facts::shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(device.shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(device.shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(device.reserved_shared_bytes_per_block);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(device_facts::constant_bytes);
    case cudaDevAttrMaxPitch:
      return max_pitch_bytes;
    case cudaDevAttrMaxRegistersPerBlock:
      return device_facts::registers_per_block;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return device_facts::registers_per_multiprocessor;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return device.max_threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return device.max_blocks_per_multiprocessor;
    default:
      return std::nullopt;
  }
}

std::optional<int> hardware_of(const device_facts& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrWarpSize:
      return device_facts::warp_size;
    case cudaDevAttrClockRate:
      return device.clock_khz;
    case cudaDevAttrMemoryClockRate:
      return device.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return device.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(device.l2_bytes);
    case cudaDevAttrMultiProcessorCount:
      return device.multiprocessors;
    case cudaDevAttrComputeCapabilityMajor:
      return device.major;
    case cudaDevAttrComputeCapabilityMinor:
      return device.minor;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return single_to_double_ratio(device);
    case cudaDevAttrTextureAlignment:
      return texture_alignment;
    case cudaDevAttrAsyncEngineCount:
      return 1;
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    // What a real one of these GPUs may have and the emulated one has not.
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrPciBusId:
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrTccDriver:
    case cudaDevAttrIsMultiGpuBoard:
    case cudaDevAttrMultiGpuBoardGroupID:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
    case cudaDevAttrDirectManagedMemAccessFromHost:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrGPUDirectRDMASupported:
    case cudaDevAttrClusterLaunch:
      return 0;
    default:
      return std::nullopt;
  }
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
  if (const std::optional<int> limit = limit_of(device, attribute)) return limit;
  return hardware_of(device, attribute);
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
