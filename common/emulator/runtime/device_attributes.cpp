#include "emulator/runtime/device_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

namespace emulator::runtime {
namespace {

constexpr int max_pitch_bytes = 2147483647;
constexpr int texture_alignment = 512;

/// A limit, and where it lies in cudaDeviceProp.
struct texture_limit {
  cudaDeviceAttr name;
  int value;
  std::size_t place = 0;  ///< 0: it has no member there, or none that is an int.
};

/// The programming guide's table "Technical Specifications per Compute Capability", the same from 7.0 to 9.0.
constexpr texture_limit texture_limits[] = {
    {cudaDevAttrMaxTexture1DWidth, 131072, offsetof(cudaDeviceProp, maxTexture1D)},
    {cudaDevAttrMaxTexture2DWidth, 131072, offsetof(cudaDeviceProp, maxTexture2D[0])},
    {cudaDevAttrMaxTexture2DHeight, 65536, offsetof(cudaDeviceProp, maxTexture2D[1])},
    {cudaDevAttrMaxTexture3DWidth, 16384, offsetof(cudaDeviceProp, maxTexture3D[0])},
    {cudaDevAttrMaxTexture3DHeight, 16384, offsetof(cudaDeviceProp, maxTexture3D[1])},
    {cudaDevAttrMaxTexture3DDepth, 16384, offsetof(cudaDeviceProp, maxTexture3D[2])},
    {cudaDevAttrMaxTexture3DWidthAlt, 8192, offsetof(cudaDeviceProp, maxTexture3DAlt[0])},
    {cudaDevAttrMaxTexture3DHeightAlt, 8192, offsetof(cudaDeviceProp, maxTexture3DAlt[1])},
    {cudaDevAttrMaxTexture3DDepthAlt, 32768, offsetof(cudaDeviceProp, maxTexture3DAlt[2])},
    {cudaDevAttrMaxTexture2DLayeredWidth, 32768, offsetof(cudaDeviceProp, maxTexture2DLayered[0])},
    {cudaDevAttrMaxTexture2DLayeredHeight, 32768, offsetof(cudaDeviceProp, maxTexture2DLayered[1])},
    {cudaDevAttrMaxTexture2DLayeredLayers, 2048, offsetof(cudaDeviceProp, maxTexture2DLayered[2])},
    {cudaDevAttrMaxTexture1DLayeredWidth, 32768, offsetof(cudaDeviceProp, maxTexture1DLayered[0])},
    {cudaDevAttrMaxTexture1DLayeredLayers, 2048, offsetof(cudaDeviceProp, maxTexture1DLayered[1])},
    {cudaDevAttrMaxTexture2DGatherWidth, 32768, offsetof(cudaDeviceProp, maxTexture2DGather[0])},
    {cudaDevAttrMaxTexture2DGatherHeight, 32768, offsetof(cudaDeviceProp, maxTexture2DGather[1])},
    {cudaDevAttrMaxTextureCubemapWidth, 32768, offsetof(cudaDeviceProp, maxTextureCubemap)},
    {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768, offsetof(cudaDeviceProp, maxTextureCubemapLayered[0])},
    {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046, offsetof(cudaDeviceProp, maxTextureCubemapLayered[1])},
    {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072, offsetof(cudaDeviceProp, maxTexture2DLinear[0])},
    {cudaDevAttrMaxTexture2DLinearHeight, 65000, offsetof(cudaDeviceProp, maxTexture2DLinear[1])},
    {cudaDevAttrMaxTexture2DLinearPitch, 2097120, offsetof(cudaDeviceProp, maxTexture2DLinear[2])},
    {cudaDevAttrMaxTexture1DMipmappedWidth, 32768, offsetof(cudaDeviceProp, maxTexture1DMipmap)},
    {cudaDevAttrMaxTexture2DMipmappedWidth, 32768, offsetof(cudaDeviceProp, maxTexture2DMipmap[0])},
    {cudaDevAttrMaxTexture2DMipmappedHeight, 32768, offsetof(cudaDeviceProp, maxTexture2DMipmap[1])},
    {cudaDevAttrMaxSurface1DWidth, 32768, offsetof(cudaDeviceProp, maxSurface1D)},
    {cudaDevAttrMaxSurface2DWidth, 131072, offsetof(cudaDeviceProp, maxSurface2D[0])},
    {cudaDevAttrMaxSurface2DHeight, 65536, offsetof(cudaDeviceProp, maxSurface2D[1])},
    {cudaDevAttrMaxSurface3DWidth, 16384, offsetof(cudaDeviceProp, maxSurface3D[0])},
    {cudaDevAttrMaxSurface3DHeight, 16384, offsetof(cudaDeviceProp, maxSurface3D[1])},
    {cudaDevAttrMaxSurface3DDepth, 16384, offsetof(cudaDeviceProp, maxSurface3D[2])},
    {cudaDevAttrMaxSurface1DLayeredWidth, 32768, offsetof(cudaDeviceProp, maxSurface1DLayered[0])},
    {cudaDevAttrMaxSurface1DLayeredLayers, 2048, offsetof(cudaDeviceProp, maxSurface1DLayered[1])},
    {cudaDevAttrMaxSurface2DLayeredWidth, 32768, offsetof(cudaDeviceProp, maxSurface2DLayered[0])},
    {cudaDevAttrMaxSurface2DLayeredHeight, 32768, offsetof(cudaDeviceProp, maxSurface2DLayered[1])},
    {cudaDevAttrMaxSurface2DLayeredLayers, 2048, offsetof(cudaDeviceProp, maxSurface2DLayered[2])},
    {cudaDevAttrMaxSurfaceCubemapWidth, 32768, offsetof(cudaDeviceProp, maxSurfaceCubemap)},
    {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768, offsetof(cudaDeviceProp, maxSurfaceCubemapLayered[0])},
    {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046, offsetof(cudaDeviceProp, maxSurfaceCubemapLayered[1])},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
};

int limit_of(cudaDeviceAttr attribute) {
  for (const texture_limit& limit : texture_limits)
    if (limit.name == attribute) return limit.value;
  return 0;
}

/// How much of the second cache may be kept for persisting accesses: from compute capability 8.0 on, in sixteenths.
int persisting_l2_bytes(const device_facts& device) {
  if (device.major < 8) return 0;
  return static_cast<int>(device.l2_bytes / 16 * (device.minor == 0 ? 10 : 11));
}

/// How long the window of an access policy may be, in bytes: an H100's.
int access_policy_bytes(const device_facts& device) {
  return device.major < 8 ? 0 : 134217728;
}

/// What the emulated device can do.
constexpr cudaDeviceAttr capabilities[] = {cudaDevAttrStreamPrioritiesSupported,
                                           cudaDevAttrGlobalL1CacheSupported,
                                           cudaDevAttrLocalL1CacheSupported,
                                           cudaDevAttrUnifiedAddressing,
                                           cudaDevAttrManagedMemory,
                                           cudaDevAttrConcurrentManagedAccess,
                                           cudaDevAttrCanMapHostMemory,
                                           cudaDevAttrCooperativeLaunch,
                                           cudaDevAttrMemoryPoolsSupported,
                                           cudaDevAttrGpuOverlap,
                                           cudaDevAttrHostRegisterSupported,
                                           cudaDevAttrCanUseHostPointerForRegisteredMem,
                                           cudaDevAttrMemSyncDomainCount};
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
                                      cudaDevAttrGPUDirectRDMASupported,
                                      cudaDevAttrGPUDirectRDMAFlushWritesOptions,
                                      cudaDevAttrGPUDirectRDMAWritesOrdering,
                                      cudaDevAttrCanFlushRemoteWrites,
                                      cudaDevAttrSparseCudaArraySupported,
                                      cudaDevAttrHostRegisterReadOnlySupported,
                                      cudaDevAttrTimelineSemaphoreInteropSupported,
                                      cudaDevAttrMemoryPoolSupportedHandleTypes,
                                      cudaDevAttrDeferredMappingCudaArraySupported,
                                      cudaDevAttrIpcEventSupport,
                                      cudaDevAttrNumaConfig,
                                      cudaDevAttrMpsEnabled};

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
      {cudaDevAttrClusterLaunch, device.major >= 9 ? 1 : 0},
      {cudaDevAttrMaxPersistingL2CacheSize, persisting_l2_bytes(device)},
      {cudaDevAttrMaxAccessPolicyWindowSize, access_policy_bytes(device)},
      {cudaDevAttrNumaId, -1},
      {cudaDevAttrHostNumaId, -1},
  };
  const auto* found =
      std::find_if(std::begin(known), std::end(known), [&](const auto& row) { return row.first == attribute; });
  if (found != std::end(known)) return found->second;
  if (const int limit = limit_of(attribute); limit != 0) return limit;
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
  properties.clusterLaunch = device.major >= 9 ? 1 : 0;
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.maxBlocksPerMultiProcessor = device.max_blocks_per_multiprocessor;
  properties.reservedSharedMemPerBlock = device.reserved_shared_bytes_per_block;
  properties.memoryPoolsSupported = 1;
  properties.hostRegisterSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.persistingL2CacheMaxSize = persisting_l2_bytes(device);
  properties.accessPolicyMaxWindowSize = access_policy_bytes(device);
  for (const texture_limit& limit : texture_limits) {
    auto* const member = reinterpret_cast<char*>(&properties) + limit.place;
    if (limit.place != 0) std::memcpy(member, &limit.value, sizeof limit.value);
  }
  properties.texturePitchAlignment = static_cast<std::size_t>(limit_of(cudaDevAttrTexturePitchAlignment));
  properties.surfaceAlignment = static_cast<std::size_t>(limit_of(cudaDevAttrSurfaceAlignment));
  set_older_members(properties, device);
  return properties;
}

}  // namespace emulator::runtime
