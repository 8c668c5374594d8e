#include "emulator/runtime/device_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace emulator::runtime {
namespace {

constexpr int max_pitch_bytes = 2147483647;
constexpr int texture_alignment = 512, texture_pitch_alignment = 32, surface_alignment = 512;

/// A fact that a program can query as an attribute, and its place in cudaDeviceProp.
struct fact {
  cudaDeviceAttr name;
  int value;
  std::size_t place = 0;  ///< 0: it has no member there, or none of type int.
};

/// Facts that all devices share.
constexpr fact common_facts[] = {
    // The programming guide's table "Technical Specifications per Compute Capability", the same from 7.0 to 9.0.
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
    {cudaDevAttrTexturePitchAlignment, texture_pitch_alignment},
    {cudaDevAttrSurfaceAlignment, surface_alignment},
    // Capabilities of the emulated device.
    {cudaDevAttrStreamPrioritiesSupported, 1, offsetof(cudaDeviceProp, streamPrioritiesSupported)},
    {cudaDevAttrGlobalL1CacheSupported, 1, offsetof(cudaDeviceProp, globalL1CacheSupported)},
    {cudaDevAttrLocalL1CacheSupported, 1, offsetof(cudaDeviceProp, localL1CacheSupported)},
    {cudaDevAttrUnifiedAddressing, 1, offsetof(cudaDeviceProp, unifiedAddressing)},
    {cudaDevAttrManagedMemory, 1, offsetof(cudaDeviceProp, managedMemory)},
    {cudaDevAttrConcurrentManagedAccess, 1, offsetof(cudaDeviceProp, concurrentManagedAccess)},
    {cudaDevAttrCanMapHostMemory, 1, offsetof(cudaDeviceProp, canMapHostMemory)},
    {cudaDevAttrCooperativeLaunch, 1, offsetof(cudaDeviceProp, cooperativeLaunch)},
    {cudaDevAttrMemoryPoolsSupported, 1, offsetof(cudaDeviceProp, memoryPoolsSupported)},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrHostRegisterSupported, 1, offsetof(cudaDeviceProp, hostRegisterSupported)},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1, offsetof(cudaDeviceProp, canUseHostPointerForRegisteredMem)},
    {cudaDevAttrMemSyncDomainCount, 1},
};

/// Returns how much of the L2 cache persisting accesses can use. It is given in sixteenths, from compute capability 8.0
/// on.
int persisting_l2_bytes(const device_facts& device) {
  if (device.major < 8) return 0;
  return static_cast<int>(device.l2_bytes / 16 * (device.minor == 0 ? 10 : 11));
}

/// Returns the maximum size of an access policy window in bytes, which is that of an H100.
int access_policy_bytes(const device_facts& device) {
  return device.major < 8 ? 0 : 134217728;
}

/// Capabilities that a real GPU of the same kind may have, but that the emulated one lacks.
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

/// Returns the ratio of the speeds of float and double arithmetic.
int single_to_double_ratio(const device_facts& device) {
  return device.minor == 0 ? 2 : device.major == 7 ? 32 : 64;
}

/// Returns the facts that `device_facts` contains: those of this device, and those that all devices share.
auto facts_of(const device_facts& device) {
  return std::to_array<fact>({
      {cudaDevAttrMaxThreadsPerBlock, device_facts::max_threads_per_block,
       offsetof(cudaDeviceProp, maxThreadsPerBlock)},
      {cudaDevAttrMaxBlockDimX, device_facts::max_block_dimensions[0], offsetof(cudaDeviceProp, maxThreadsDim[0])},
      {cudaDevAttrMaxBlockDimY, device_facts::max_block_dimensions[1], offsetof(cudaDeviceProp, maxThreadsDim[1])},
      {cudaDevAttrMaxBlockDimZ, device_facts::max_block_dimensions[2], offsetof(cudaDeviceProp, maxThreadsDim[2])},
      {cudaDevAttrMaxGridDimX, static_cast<int>(device_facts::max_grid_dimensions[0]),
       offsetof(cudaDeviceProp, maxGridSize[0])},
      {cudaDevAttrMaxGridDimY, static_cast<int>(device_facts::max_grid_dimensions[1]),
       offsetof(cudaDeviceProp, maxGridSize[1])},
      {cudaDevAttrMaxGridDimZ, static_cast<int>(device_facts::max_grid_dimensions[2]),
       offsetof(cudaDeviceProp, maxGridSize[2])},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(device_facts::shared_bytes_per_block)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(device.shared_bytes_per_block_optin)},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(device.shared_bytes_per_multiprocessor)},
      {cudaDevAttrReservedSharedMemoryPerBlock, static_cast<int>(device.reserved_shared_bytes_per_block)},
      {cudaDevAttrTotalConstantMemory, static_cast<int>(device_facts::constant_bytes)},
      {cudaDevAttrMaxPitch, max_pitch_bytes},
      {cudaDevAttrMaxRegistersPerBlock, device_facts::registers_per_block, offsetof(cudaDeviceProp, regsPerBlock)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, device_facts::registers_per_multiprocessor,
       offsetof(cudaDeviceProp, regsPerMultiprocessor)},
      {cudaDevAttrMaxThreadsPerMultiProcessor, device.max_threads_per_multiprocessor,
       offsetof(cudaDeviceProp, maxThreadsPerMultiProcessor)},
      {cudaDevAttrMaxBlocksPerMultiprocessor, device.max_blocks_per_multiprocessor,
       offsetof(cudaDeviceProp, maxBlocksPerMultiProcessor)},
      {cudaDevAttrWarpSize, device_facts::warp_size, offsetof(cudaDeviceProp, warpSize)},
      {cudaDevAttrClockRate, device.clock_khz},
      {cudaDevAttrMemoryClockRate, device.memory_clock_khz},
      {cudaDevAttrGlobalMemoryBusWidth, device.memory_bus_bits, offsetof(cudaDeviceProp, memoryBusWidth)},
      {cudaDevAttrL2CacheSize, static_cast<int>(device.l2_bytes), offsetof(cudaDeviceProp, l2CacheSize)},
      {cudaDevAttrMultiProcessorCount, device.multiprocessors, offsetof(cudaDeviceProp, multiProcessorCount)},
      {cudaDevAttrComputeCapabilityMajor, device.major, offsetof(cudaDeviceProp, major)},
      {cudaDevAttrComputeCapabilityMinor, device.minor, offsetof(cudaDeviceProp, minor)},
      {cudaDevAttrSingleToDoublePrecisionPerfRatio, single_to_double_ratio(device)},
      {cudaDevAttrTextureAlignment, texture_alignment},
      {cudaDevAttrAsyncEngineCount, 1, offsetof(cudaDeviceProp, asyncEngineCount)},
      {cudaDevAttrClusterLaunch, device.major >= 9 ? 1 : 0, offsetof(cudaDeviceProp, clusterLaunch)},
      {cudaDevAttrMaxPersistingL2CacheSize, persisting_l2_bytes(device),
       offsetof(cudaDeviceProp, persistingL2CacheMaxSize)},
      {cudaDevAttrMaxAccessPolicyWindowSize, access_policy_bytes(device),
       offsetof(cudaDeviceProp, accessPolicyMaxWindowSize)},
      {cudaDevAttrNumaId, -1},
      {cudaDevAttrHostNumaId, -1},
  });
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
  for (const fact& one : facts_of(device))
    if (one.name == attribute) return one.value;
  for (const fact& one : common_facts)
    if (one.name == attribute) return one.value;
  if (std::ranges::find(missing, attribute) != std::end(missing)) return 0;
  return std::nullopt;
}

cudaDeviceProp properties_of(const device_facts& device, std::uint64_t memory_bytes) {
  cudaDeviceProp properties;
  std::memset(&properties, 0, sizeof properties);
  const auto set = [&properties](const auto& facts) {
    for (const fact& one : facts)
      if (one.place != 0) std::memcpy(reinterpret_cast<char*>(&properties) + one.place, &one.value, sizeof one.value);
  };
  set(common_facts);
  set(facts_of(device));
  std::strncpy(properties.name, device.name, sizeof properties.name - 1);
  properties.totalGlobalMem = memory_bytes;
  properties.sharedMemPerBlock = device_facts::shared_bytes_per_block;
  properties.memPitch = max_pitch_bytes;
  properties.totalConstMem = device_facts::constant_bytes;
  properties.textureAlignment = texture_alignment;
  properties.texturePitchAlignment = texture_pitch_alignment;
  properties.surfaceAlignment = surface_alignment;
  properties.sharedMemPerMultiprocessor = device.shared_bytes_per_multiprocessor;
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = device.reserved_shared_bytes_per_block;
  set_older_members(properties, device);
  return properties;
}

}  // namespace emulator::runtime
