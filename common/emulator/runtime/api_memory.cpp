// Device, pinned and managed memory, and queries about it.

#include <fmt/format.h>

#include <algorithm>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/memory/host_ranges.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"
#include "host/memory.hpp"

using namespace emulator::runtime;
using emulator::memory::address_of;
using emulator::memory::allocation;
using emulator::memory::global_memory;
using emulator::memory::origin;

namespace {

constexpr size_t unasked_pinned_bytes = size_t{64} << 20;

cudaError_t allocate(const char* call, void** pointer, size_t size, origin from) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_while_capturing(call); error != cudaSuccess) return error;
  if (size == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  global_memory& memory = process_memory().memory;
  // Pinned memory is backed by physical pages at once, so check that the host has enough. For small allocations, this
  // would take longer than the allocation itself.
  if (from == origin::pinned && size > unasked_pinned_bytes) {
    if (const std::uint64_t rest = host::unused_memory(); size > rest) {
      explain(fmt::format("{}: {} bytes of pinned memory are requested, the host has {} left", call, size, rest));
      return cudaErrorMemoryAllocation;
    }
  }
  const std::uintptr_t address = memory.allocate(size, from);
  if (address == 0) return cudaErrorMemoryAllocation;
  // The host may write to this memory without a call, so it counts as written.
  if (from == origin::pinned || from == origin::managed) {
    memory.mark_initialized(address, size);
    stream_order::instance().shared_memory_made();
  }
  *pointer = reinterpret_cast<void*>(address);
  note_allocation(*pointer);
  return cudaSuccess;
}

/// Frees memory of one of `origins`.
cudaError_t release(const char* call, void* pointer, std::initializer_list<origin> origins) {
  if (pointer == nullptr) return cudaSuccess;
  if (const cudaError_t error = refuse_while_capturing(call); error != cudaSuccess) return error;
  global_memory& memory = process_memory().memory;
  const allocation* found = memory.find(address_of(pointer));
  if (found == nullptr || found->begin != address_of(pointer) || found->registered ||
      std::find(origins.begin(), origins.end(), found->from) == origins.end()) {
    report_bad_free(call, pointer);
    return cudaErrorInvalidValue;
  }
  static_cast<void>(memory.free(address_of(pointer)));
  return cudaSuccess;
}

/// Returns true if the emulated device allocated this memory, no matter which device is selected when it is freed.
bool is_ours(const void* pointer) {
  return pointer != nullptr && process_memory().memory.is_device_address(address_of(pointer));
}

/// Frees memory of the real runtime through the real runtime, even if the emulated device is selected.
template <typename Release>
cudaError_t free_by_owner(const char* name, const void* return_address, void* pointer, Release&& on_this_device) {
  const bool to_real = pointer == nullptr ? on_gpu() : !is_ours(pointer) && real_runtime::instance().loaded();
  if (to_real) return forward_by_name(name, pointer);
  return on_emulator<after_fault::refused>(name, return_address, on_this_device);
}

/// Waits for a device, because memory that its kernels may use must not disappear. Returns the error if a kernel faults
/// meanwhile.
cudaError_t wait_before_freeing(int number) {
  const cudaError_t before = device::instance().sticky_error();
  waiting_work::instance().finish_device(number);
  const cudaError_t now = device::instance().sticky_error();
  return before == cudaSuccess ? now : cudaSuccess;
}

}  // namespace

EMULATOR_API(cudaMalloc, (void** pointer, size_t size), pointer, size) {
  return allocate("cudaMalloc", pointer, size, origin::device);
}

EMULATOR_API(cudaMallocManaged, (void** pointer, size_t size, unsigned flags), pointer, size, flags) {
  if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
  return allocate("cudaMallocManaged", pointer, size, origin::managed);
}

EMULATOR_API(cudaMallocHost, (void** pointer, size_t size), pointer, size) {
  return allocate("cudaMallocHost", pointer, size, origin::pinned);
}

EMULATOR_API(cudaHostAlloc, (void** pointer, size_t size, unsigned flags), pointer, size, flags) {
  constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if ((flags & ~known) != 0) return cudaErrorInvalidValue;
  return allocate("cudaHostAlloc", pointer, size, origin::pinned);
}

extern "C" cudaError_t CUDARTAPI cudaFree(void* pointer) {
  return free_by_owner("cudaFree", __builtin_return_address(0), pointer, [&] {
    const allocation* found = process_memory().memory.find(address_of(pointer));
    const cudaError_t fault =
        wait_before_freeing(found != nullptr ? found->device : emulator::memory::current_device());
    if (fault != cudaSuccess) return fault;
    stream_order::instance().host_waited_for_all();
    if (found != nullptr && found->from == origin::pool) note_freed_of_pool(address_of(pointer));
    return release("cudaFree", pointer, {origin::device, origin::managed, origin::pool});
  });
}

extern "C" cudaError_t CUDARTAPI cudaFreeHost(void* pointer) {
  return free_by_owner("cudaFreeHost", __builtin_return_address(0), pointer, [&] {
    const cudaError_t fault = wait_before_freeing(emulator::memory::current_device());
    if (fault != cudaSuccess) return fault;
    stream_order::instance().host_waited_for_all();
    return release("cudaFreeHost", pointer, {origin::pinned});
  });
}

EMULATOR_API(cudaHostRegister, (void* pointer, size_t size, unsigned flags), pointer, size, flags) {
  constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped;
  constexpr unsigned later = cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (pointer == nullptr || size == 0 || (flags & ~(known | later)) != 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_while_capturing("cudaHostRegister"); error != cudaSuccess) return error;
  if ((flags & later) != 0) {
    explain(
        "cudaHostRegister: the device takes neither memory of other devices (cudaHostRegisterIoMemory) nor memory "
        "that is read-only (cudaHostRegisterReadOnly)");
    return cudaErrorNotSupported;
  }
  if (!process_memory().memory.is_device_address(address_of(pointer))) {
    if (const auto bad = emulator::memory::first_unusable_byte(address_of(pointer), size, true)) {
      explain(fmt::format("cudaHostRegister: of the {} bytes the program may use {}: check the size, which is in bytes",
                          size, *bad - address_of(pointer)));
      return cudaErrorInvalidValue;
    }
    if (process_memory().memory.adopt(address_of(pointer), size)) {
      stream_order::instance().shared_memory_made();
      return cudaSuccess;
    }
  }
  const allocation* known_as = process_memory().memory.find(address_of(pointer));
  if (known_as != nullptr && known_as->from != origin::pinned) return cudaErrorInvalidValue;
  explain("cudaHostRegister: the memory, or a part of it, is pinned already");
  return cudaErrorHostMemoryAlreadyRegistered;
}

EMULATOR_API(cudaHostUnregister, (void* pointer), pointer) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_while_capturing("cudaHostUnregister"); error != cudaSuccess) return error;
  const allocation* found = process_memory().memory.find(address_of(pointer));
  if (found == nullptr || !found->registered || found->begin != address_of(pointer)) {
    explain("cudaHostUnregister: no registered memory begins at this address");
    return cudaErrorHostMemoryNotRegistered;
  }
  const cudaError_t fault = wait_before_freeing(emulator::memory::current_device());
  if (fault != cudaSuccess) return fault;
  stream_order::instance().host_waited_for_all();
  static_cast<void>(process_memory().memory.free(address_of(pointer)));
  return cudaSuccess;
}

EMULATOR_API(cudaHostGetDevicePointer, (void** device_pointer, void* host_pointer, unsigned flags), device_pointer,
             host_pointer, flags) {
  const allocation* found = process_memory().memory.find(address_of(host_pointer));
  if (device_pointer == nullptr || flags != 0 || found == nullptr || found->from != origin::pinned) {
    return cudaErrorInvalidValue;
  }
  *device_pointer = host_pointer;
  return cudaSuccess;
}

EMULATOR_API(cudaHostGetFlags, (unsigned* flags, void* host_pointer), flags, host_pointer) {
  const allocation* found = process_memory().memory.find(address_of(host_pointer));
  if (found == nullptr || found->from != origin::pinned) return cudaErrorInvalidValue;
  return answer(flags, cudaHostAllocMapped);
}

EMULATOR_API(cudaMallocPitch, (void** pointer, size_t* pitch, size_t width, size_t height), pointer, pitch, width,
             height) {
  constexpr size_t unit = 512;
  if (pitch == nullptr || width > SIZE_MAX - unit) return cudaErrorInvalidValue;
  const size_t rounded = (width + unit - 1) / unit * unit;
  if (height != 0 && rounded > SIZE_MAX / height) return cudaErrorMemoryAllocation;
  const cudaError_t error = allocate("cudaMallocPitch", pointer, rounded * height, origin::device);
  if (error == cudaSuccess) *pitch = rounded;
  return error;
}

EMULATOR_API(cudaMalloc3D, (cudaPitchedPtr * pitched, cudaExtent extent), pitched, extent) {
  if (pitched == nullptr) return cudaErrorInvalidValue;
  if (extent.depth != 0 && extent.height > SIZE_MAX / extent.depth) return cudaErrorMemoryAllocation;
  *pitched = {nullptr, 0, extent.width, extent.height};
  return emulated_cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth);
}

EMULATOR_API(cudaMemGetInfo, (size_t * free_bytes, size_t* total_bytes), free_bytes, total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
  const global_memory& memory = process_memory().memory;
  *total_bytes = memory.capacity();
  *free_bytes = memory.capacity() - std::min(memory.capacity(), memory.used());
  return cudaSuccess;
}

EMULATOR_API(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, const void* pointer), attributes, pointer) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  *attributes = {};
  auto* const same = const_cast<void*>(pointer);
  const allocation* found = process_memory().memory.find(address_of(pointer));
  if (found == nullptr) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = same;
    return cudaSuccess;
  }
  attributes->device = found->device;
  attributes->devicePointer = same;
  attributes->type = found->from == origin::managed  ? cudaMemoryTypeManaged
                     : found->from == origin::pinned ? cudaMemoryTypeHost
                                                     : cudaMemoryTypeDevice;
  if (attributes->type != cudaMemoryTypeDevice) attributes->hostPointer = same;
  return cudaSuccess;
}

// Hints, which have no effect, because host and device share one memory.
#if CUDART_VERSION >= 13000
EMULATOR_API_STREAM(cudaMemPrefetchAsync, _ptsz,
                    (const void* pointer, size_t size, cudaMemLocation location, unsigned flags, cudaStream_t stream),
                    pointer, size, location, flags, stream) {
  const bool known = process_memory().memory.find(address_of(pointer)) != nullptr;
  return known && timeline::instance().find(stream) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemAdvise, (const void* pointer, size_t size, cudaMemoryAdvise advice, cudaMemLocation location),
             pointer, size, advice, location) {
  return process_memory().memory.find(address_of(pointer)) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}
#else
EMULATOR_API_STREAM(cudaMemPrefetchAsync, _ptsz,
                    (const void* pointer, size_t size, int destination_device, cudaStream_t stream), pointer, size,
                    destination_device, stream) {
  const bool known = process_memory().memory.find(address_of(pointer)) != nullptr;
  return known && timeline::instance().find(stream) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemAdvise, (const void* pointer, size_t size, cudaMemoryAdvise advice, int device_number), pointer,
             size, advice, device_number) {
  return process_memory().memory.find(address_of(pointer)) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}
#endif

// Returns a plain structure. Even programs without textures call this function.
extern "C" cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                 cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
