// Devices: counting and querying them, waiting for them, and resetting them.

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/device_attributes.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/waiting_work.hpp"

using namespace emulator::runtime;

namespace {

/// The programming guide's limit on local memory per thread, which includes the stack.
constexpr size_t largest_stack = 512 * 1024;

/// The values that cudaDeviceGetLimit returns: defaults, or those of cudaDeviceSetLimit. Except for stack and heap,
/// they have no effect on the emulated device.
std::map<int, size_t>& limits() {
  static auto* values = new std::map<int, size_t>{{cudaLimitStackSize, 1024},
                                                  {cudaLimitPrintfFifoSize, 1 << 20},
                                                  {cudaLimitMallocHeapSize, 8 << 20},
                                                  {cudaLimitDevRuntimeSyncDepth, 2},
                                                  {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                                  {cudaLimitMaxL2FetchGranularity, 64},
                                                  {cudaLimitPersistingL2CacheSize, 0}};
  return *values;
}

unsigned device_flags = cudaDeviceScheduleAuto;

emulator::memory::device_table& devices() {
  return process_memory().devices;
}

/// Returns true if both devices exist and are different.
bool are_peers(int one, int other) {
  return devices().has(one) && devices().has(other) && one != other;
}

}  // namespace

EMULATOR_API_ALWAYS(cudaGetDeviceCount, (int* count), count) {
  return answer(count, devices().count());
}

EMULATOR_API_ALWAYS(cudaGetDevice, (int* number), number) {
  return answer(number, emulator::memory::current_device());
}

EMULATOR_API(cudaSetDevice, (int number), number) {
  if (!devices().has(number)) {
    // With one device, the error's own text is more helpful than an explanation.
    if (devices().count() > 1) {
      explain(
          fmt::format("cudaSetDevice: there is no device {}; the emulator has {} (--gpus)", number, devices().count()));
    }
    return cudaErrorInvalidDevice;
  }
  emulator::memory::choose_device(number);
  // Each device has its own default stream, so the program may now use several streams.
  if (number != 0) stream_order::instance().stream_made();
  return cudaSuccess;
}

#if CUDART_VERSION >= 12000
EMULATOR_API(cudaInitDevice, (int number, unsigned device_flags_, unsigned flags), number, device_flags_, flags) {
  return devices().has(number) ? cudaSuccess : cudaErrorInvalidDevice;
}
#endif

EMULATOR_API(cudaChooseDevice, (int* number, const cudaDeviceProp* wanted), number, wanted) {
  if (wanted == nullptr) return cudaErrorInvalidValue;
  return answer(number, 0);
}

EMULATOR_API(cudaGetDeviceProperties, (cudaDeviceProp * properties, int number), properties, number) {
  if (properties == nullptr) return cudaErrorInvalidValue;
  if (!devices().has(number)) return cudaErrorInvalidDevice;
  *properties = properties_of(device::instance().facts(), process_memory().memory.capacity());
  properties->pciBusID = number;
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int number), value, attribute, number) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (!devices().has(number)) return cudaErrorInvalidDevice;
  const std::optional<int> known = attribute_of(device::instance().facts(), attribute);
  if (!known) {
    announce_once(fmt::format("cudaDeviceGetAttribute: the emulator does not know device attribute {}",
                              static_cast<int>(attribute)));
    return cudaErrorNotSupported;
  }
  *value = *known;
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceSynchronize, ()) {
  const cudaError_t error = refuse_while_capturing("cudaDeviceSynchronize");
  if (error != cudaSuccess) return error;
  waiting_work::instance().finish_device(emulator::memory::current_device());
  stream_order::instance().host_waited_for_device(emulator::memory::current_device());
  return device::instance().sticky_error();
}

EMULATOR_API_ALWAYS(cudaDeviceReset, ()) {
  waiting_work::instance().finish_device(emulator::memory::current_device());
  if (devices().count() > 1) stream_order::instance().host_waited_for_device(emulator::memory::current_device());
  device::instance().reset();
  if (devices().count() == 1) stream_order::instance().clear();
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceSetLimit, (cudaLimit limit, size_t value), limit, value) {
  const auto known = limits().find(limit);
  if (known == limits().end()) return cudaErrorUnsupportedLimit;
  if (limit == cudaLimitStackSize) {
    if (value > largest_stack) {
      explain(fmt::format("cudaDeviceSetLimit: a stack of {} bytes is requested, no thread may have more than {}",
                          value, largest_stack));
      return cudaErrorInvalidValue;
    }
    device::instance().set_stack_limit(value);
  }
  if (limit == cudaLimitPersistingL2CacheSize) {
    const int most = *attribute_of(device::instance().facts(), cudaDevAttrMaxPersistingL2CacheSize);
    if (most == 0) return cudaErrorUnsupportedLimit;
    if (value > static_cast<size_t>(most)) {
      explain(
          fmt::format("cudaDeviceSetLimit: {} bytes of the L2 cache are to be set aside, and {} are allowed "
                      "(persistingL2CacheMaxSize)",
                      value, most));
      return cudaErrorInvalidValue;
    }
    // Rounded up to a sixteenth of the L2 cache, as on an H100.
    const auto sixteenth = static_cast<size_t>(device::instance().facts().l2_bytes / 16);
    value = (value + sixteenth - 1) / sixteenth * sixteenth;
  }
  if (limit == cudaLimitMallocHeapSize && !process_memory().memory.set_heap_size(value)) {
    explain(
        "cudaDeviceSetLimit: the size of malloc()'s heap cannot change after a kernel has used it: set it before "
        "the first such kernel is launched");
    return cudaErrorInvalidValue;
  }
  known->second = value;
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetLimit, (size_t * value, cudaLimit limit), value, limit) {
  const auto known = limits().find(limit);
  if (known == limits().end()) return cudaErrorUnsupportedLimit;
  return answer(value, known->second);
}

EMULATOR_API(cudaSetDeviceFlags, (unsigned flags), flags) {
  device_flags = flags;
  return cudaSuccess;
}

EMULATOR_API(cudaGetDeviceFlags, (unsigned* flags), flags) {
  return answer(flags, device_flags | cudaDeviceMapHost);
}

// Cache preferences, which the emulated device ignores.
EMULATOR_API(cudaDeviceSetCacheConfig, (cudaFuncCache wanted), wanted) {
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetCacheConfig, (cudaFuncCache * current), current) {
  return answer(current, cudaFuncCachePreferNone);
}

EMULATOR_API(cudaCtxResetPersistingL2Cache, ()) {
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), least, greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceCanAccessPeer, (int* can, int from, int to), can, from, to) {
  if (can == nullptr) return cudaErrorInvalidValue;
  if (!devices().has(from) || !devices().has(to)) return cudaErrorInvalidDevice;
  *can = are_peers(from, to) && devices().peers_possible() ? 1 : 0;
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), peer, flags) {
  if (flags != 0) return cudaErrorInvalidValue;
  const int here = emulator::memory::current_device();
  if (!are_peers(here, peer)) return cudaErrorInvalidDevice;
  if (!devices().peers_possible()) return cudaErrorPeerAccessUnsupported;
  if (devices().may_access(here, peer)) return cudaErrorPeerAccessAlreadyEnabled;
  devices().set_access(here, peer, true);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceDisablePeerAccess, (int peer), peer) {
  const int here = emulator::memory::current_device();
  if (!are_peers(here, peer)) return cudaErrorInvalidDevice;
  if (!devices().may_access(here, peer)) return cudaErrorPeerAccessNotEnabled;
  devices().set_access(here, peer, false);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetP2PAttribute, (int* value, cudaDeviceP2PAttr attribute, int from, int to), value, attribute,
             from, to) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (!are_peers(from, to)) return cudaErrorInvalidDevice;
  switch (attribute) {
    case cudaDevP2PAttrAccessSupported:
    case cudaDevP2PAttrNativeAtomicSupported:
      *value = devices().peers_possible() ? 1 : 0;
      return cudaSuccess;
    case cudaDevP2PAttrPerformanceRank:
    case cudaDevP2PAttrCudaArrayAccessSupported:
      *value = 0;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

EMULATOR_API(cudaDeviceGetPCIBusId, (char* text, int size, int number), text, size, number) {
  if (!devices().has(number)) return cudaErrorInvalidDevice;
  if (text == nullptr || size < 13) return cudaErrorInvalidValue;
  std::snprintf(text, static_cast<size_t>(size), "0000:%02x:00.0", number);
  return cudaSuccess;
}

EMULATOR_API_ALWAYS(cudaDriverGetVersion, (int* version), version) {
  return answer(version, CUDART_VERSION);
}

EMULATOR_API_ALWAYS(cudaRuntimeGetVersion, (int* version), version) {
  return answer(version, CUDART_VERSION);
}

extern "C" cudaError_t CUDARTAPI cudaProfilerStart();
extern "C" cudaError_t CUDARTAPI cudaProfilerStop();
EMULATOR_API(cudaProfilerStart, ()) {
  return cudaSuccess;
}
EMULATOR_API(cudaProfilerStop, ()) {
  return cudaSuccess;
}
