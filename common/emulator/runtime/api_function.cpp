// Kernels: launches, attributes, and occupancy.

#include <fmt/format.h>

#include "emulator/runtime/launch_rules.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/router.hpp"

using namespace emulator::runtime;

namespace {

/// Returns the pointer by which the real runtime knows a kernel. It knows host stubs, but not our handles.
const void* real_name_of(const void* function) {
  const function_record* found = kernel_to_run(function);
  return found != nullptr ? found->host_function : function;
}

/// Finds a kernel and calls `body` with it. Returns an error if it cannot be loaded or decoded.
template <typename Body>
cudaError_t with_kernel(const void* function, Body&& body) {
  function_record* found = kernel_to_run(function);
  if (found == nullptr) return cudaErrorInvalidDeviceFunction;
  const auto [kernel, error, why_not] = load_kernel(*found);
  if (kernel == nullptr) {
    explain(why_not);
    return error;
  }
  try {
    return body(*found, *kernel);
  } catch (const emulator::simt::unsupported& failed) {
    explain(failed.what());
    return cudaErrorNotSupported;
  } catch (const emulator::ptx::parse_error& failed) {
    explain(failed.what());
    return cudaErrorInvalidPtx;
  }
}

cudaError_t attributes_of(cudaFuncAttributes& attributes, const function_record& found,
                          emulator::simt::kernel& kernel) {
  const kernel_needs needs = needs_of(found, kernel);
  attributes = {};
  attributes.sharedSizeBytes = needs.static_shared_bytes;
  attributes.localSizeBytes = kernel.facts().machine_local_bytes.value_or(kernel.facts().local_bytes);
  attributes.maxThreadsPerBlock = static_cast<int>(max_threads_per_block(needs));
  attributes.numRegs =
      static_cast<int>(needs.registers_per_thread != 0 ? needs.registers_per_thread : assumed_registers);
  attributes.ptxVersion = static_cast<int>(found.module->ptx_architecture);
  attributes.binaryVersion = static_cast<int>(found.module->ptx_architecture);
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared_bytes(needs));
  attributes.preferredShmemCarveout = needs.preferred_carveout;
  attributes.clusterDimMustBeSet = needs.must_have_cluster ? 1 : 0;
  attributes.requiredClusterWidth = static_cast<int>(needs.required_cluster[0]);
  attributes.requiredClusterHeight = static_cast<int>(needs.required_cluster[1]);
  attributes.requiredClusterDepth = static_cast<int>(needs.required_cluster[2]);
  attributes.nonPortableClusterSizeAllowed = found.large_clusters;
  return cudaSuccess;
}

cudaError_t set_dynamic_shared_limit(function_record& found, emulator::simt::kernel& kernel, int value) {
  const device_facts& facts = device::instance().facts();
  const std::uint64_t most = facts.shared_bytes_per_block_optin - kernel.facts().static_shared_bytes;
  if (value < 0 || static_cast<std::uint64_t>(value) > most) {
    explain(
        fmt::format("cudaFuncSetAttribute: {} bytes of dynamic shared memory are too many: kernel {} can "
                    "have {} on this device",
                    value, kernel.facts().demangled, most));
    return cudaErrorInvalidValue;
  }
  found.dynamic_shared_limit = static_cast<std::uint64_t>(value);
  return cudaSuccess;
}

/// Reads the attributes of an extended launch. Fails for an unknown attribute, because it may change what the kernel
/// may do.
cudaError_t read_attributes(const cudaLaunchConfig_t& config, launch_request& request) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeCooperative:
        request.cooperative = attribute.val.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension: {
        const auto& size = attribute.val.clusterDim;
        request.cluster = dim3(size.x, size.y, size.z);
        break;
      }
      // These attributes concern overlapping kernels and caching, and have no effect here, because kernels run one at a
      // time.
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
        break;
      default:
        explain(fmt::format("cudaLaunchKernelExC: launch attribute {} is not implemented by the emulator",
                            static_cast<int>(attribute.id)));
        return cudaErrorNotSupported;
    }
  }
  return cudaSuccess;
}

}  // namespace

EMULATOR_API_STREAM(cudaLaunchKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
                    real_name_of(function), grid, block, arguments, shared, stream) {
  return launch_in_stream({function, grid, block, arguments, shared, stream, false});
}

EMULATOR_API_STREAM(cudaLaunchCooperativeKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream),
                    real_name_of(function), grid, block, arguments, shared, stream) {
  return launch_in_stream({function, grid, block, arguments, shared, stream, true});
}

EMULATOR_API_STREAM(cudaLaunchKernelExC, _ptsz,
                    (const cudaLaunchConfig_t* config, const void* function, void** arguments), config,
                    real_name_of(function), arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  launch_request request{
      function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream, false};
  const cudaError_t error = read_attributes(*config, request);
  return error != cudaSuccess ? error : launch_in_stream(request);
}

EMULATOR_API(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, const void* function), attributes,
             real_name_of(function)) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  return with_kernel(function, [&](const function_record& found, emulator::simt::kernel& kernel) {
    return attributes_of(*attributes, found, kernel);
  });
}

EMULATOR_API(cudaFuncSetAttribute, (const void* function, cudaFuncAttribute attribute, int value),
             real_name_of(function), attribute, value) {
  return with_kernel(function, [&](function_record& found, emulator::simt::kernel& kernel) {
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        return set_dynamic_shared_limit(found, kernel, value);
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        found.preferred_carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        found.large_clusters = value;
        return cudaSuccess;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
      case cudaFuncAttributeRequiredClusterWidth:
      case cudaFuncAttributeRequiredClusterHeight:
      case cudaFuncAttributeRequiredClusterDepth:
        if (value < 0 || kernel.declaration().required_cluster[0] != 0) return cudaErrorInvalidValue;
        found.required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = static_cast<std::uint32_t>(value);
        return cudaSuccess;
      default:
        explain(fmt::format("cudaFuncSetAttribute: attribute {} is not implemented by the emulator",
                            static_cast<int>(attribute)));
        return cudaErrorNotSupported;
    }
  });
}

// Cache preference, which the emulated device ignores.
EMULATOR_API(cudaFuncSetCacheConfig, (const void* function, cudaFuncCache wanted), real_name_of(function), wanted) {
  return registry::instance().find_function(function) != nullptr ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

#if CUDART_VERSION >= 12030
EMULATOR_API(cudaFuncGetName, (const char** name, const void* function), name, real_name_of(function)) {
  const function_record* found = registry::instance().find_function(function);
  if (name == nullptr) return cudaErrorInvalidValue;
  if (found == nullptr) return cudaErrorInvalidDeviceFunction;
  *name = found->device_name;
  return cudaSuccess;
}
#endif

EMULATOR_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             (int* blocks, const void* function, int block_size, size_t shared), blocks, real_name_of(function),
             block_size, shared) {
  if (blocks == nullptr || block_size <= 0) return cudaErrorInvalidValue;
  return with_kernel(function, [&](const function_record& found, emulator::simt::kernel& kernel) {
    *blocks = blocks_per_multiprocessor(device::instance().facts(), needs_of(found, kernel),
                                        static_cast<std::uint32_t>(block_size), shared);
    return cudaSuccess;
  });
}

EMULATOR_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
             (int* blocks, const void* function, int block_size, size_t shared, unsigned flags), blocks,
             real_name_of(function), block_size, shared, flags) {
  if (flags != cudaOccupancyDefault && flags != cudaOccupancyDisableCachingOverride) return cudaErrorInvalidValue;
  return emulated_cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, shared);
}

EMULATOR_API(cudaOccupancyAvailableDynamicSMemPerBlock,
             (size_t * shared, const void* function, int blocks, int block_size), shared, real_name_of(function),
             blocks, block_size) {
  if (shared == nullptr || blocks <= 0 || block_size <= 0) return cudaErrorInvalidValue;
  return with_kernel(function, [&](const function_record& found, emulator::simt::kernel& kernel) {
    const device_facts& facts = device::instance().facts();
    kernel_needs needs = needs_of(found, kernel);
    needs.dynamic_shared_limit = facts.shared_bytes_per_block_optin - needs.static_shared_bytes;
    // More shared memory never lets more blocks fit, so a binary search finds the maximum for this number of blocks.
    std::uint64_t fits = 0;
    for (std::uint64_t step = std::uint64_t{1} << 20; step > 0; step /= 2) {
      const int with_more =
          blocks_per_multiprocessor(facts, needs, static_cast<std::uint32_t>(block_size), fits + step);
      if (with_more >= blocks) fits += step;
    }
    *shared = fits;
    return cudaSuccess;
  });
}

EMULATOR_API(cudaOccupancyMaxPotentialClusterSize, (int* size, const void* function, const cudaLaunchConfig_t* config),
             size, real_name_of(function), config) {
  if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
  if (device::instance().facts().major < 9) return cudaErrorNotSupported;
  return with_kernel(function, [&](const function_record& found, emulator::simt::kernel& kernel) {
    const kernel_needs needs = needs_of(found, kernel);
    const dim3& block = config->blockDim;
    const bool fits = blocks_per_multiprocessor(device::instance().facts(), needs, block.x * block.y * block.z,
                                                config->dynamicSmemBytes) > 0;
    *size = fits ? static_cast<int>(max_blocks_of_cluster(needs)) : 0;
    return cudaSuccess;
  });
}

EMULATOR_API(cudaGetKernel, (cudaKernel_t * handle, const void* function), handle, real_name_of(function)) {
  function_record* found = registry::instance().find_function(function);
  if (handle == nullptr) return cudaErrorInvalidValue;
  if (found == nullptr) return cudaErrorInvalidDeviceFunction;
  *handle = reinterpret_cast<cudaKernel_t>(found);
  return cudaSuccess;
}
