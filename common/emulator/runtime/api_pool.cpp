// Stream-ordered memory. Streams are executed at once, so that an allocation is there, and gone, when the call returns.

#include <map>
#include <memory>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

using namespace emulator::runtime;
using emulator::memory::allocation;
using emulator::memory::global_memory;
using emulator::memory::origin;

namespace {

struct pool_record {
  std::uint64_t release_threshold = 0;
  std::uint64_t used_high = 0;
};

/// The live pools; the first is the device's own. Their addresses are the handles.
struct pool_table {
  pool_record own;
  std::map<const void*, std::unique_ptr<pool_record>> made;

  static pool_table& instance() {
    static auto* table = new pool_table;
    return *table;
  }
  pool_record* find(cudaMemPool_t handle) {
    if (static_cast<const void*>(handle) == &own) return &own;
    const auto found = made.find(handle);
    return found == made.end() ? nullptr : found->second.get();
  }
};

cudaMemPool_t handle_of(pool_record* pool) {
  return reinterpret_cast<cudaMemPool_t>(pool);
}

cudaError_t allocate(void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  if (pointer == nullptr || pool_table::instance().find(pool) == nullptr) return cudaErrorInvalidValue;
  if (timeline::instance().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (is_captured(stream)) return not_implemented("cudaMallocAsync in a stream that is captured");
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  global_memory& memory = global_memory::instance();
  const std::uintptr_t address = memory.allocate(size, origin::pool);
  if (address == 0) return cudaErrorMemoryAllocation;
  pool_record& from = *pool_table::instance().find(pool);
  from.used_high = std::max<std::uint64_t>(from.used_high, memory.used());
  *pointer = reinterpret_cast<void*>(address);
  note_allocation(*pointer);
  return cudaSuccess;
}

}  // namespace

EMULATOR_API_STREAM(cudaMallocAsync, _ptsz, (void** pointer, size_t size, cudaStream_t stream), pointer, size, stream) {
  return allocate(pointer, size, handle_of(&pool_table::instance().own), stream);
}

EMULATOR_API_STREAM(cudaMallocFromPoolAsync, _ptsz,
                    (void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream), pointer, size, pool,
                    stream) {
  return allocate(pointer, size, pool, stream);
}

EMULATOR_API_STREAM(cudaFreeAsync, _ptsz, (void* pointer, cudaStream_t stream), pointer, stream) {
  if (pointer == nullptr) return cudaSuccess;
  if (timeline::instance().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (is_captured(stream)) return not_implemented("cudaFreeAsync in a stream that is captured");
  global_memory& memory = global_memory::instance();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const allocation* found = memory.find(address);
  // Memory from cudaMalloc may be freed here too.
  if (found == nullptr || found->begin != address || (found->from != origin::pool && found->from != origin::device)) {
    report_bad_free("cudaFreeAsync", pointer);
    return cudaErrorInvalidValue;
  }
  const stream_record& in = *timeline::instance().find(stream);
  const auto free = [address] {
    static_cast<void>(global_memory::instance().free(address));
    return cudaSuccess;
  };
  waiting_work& waiting = waiting_work::instance();
  waiting.go_on();
  if (!waiting.comes_behind(in)) return free();
  waiting.keep(in, free);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int number), pool, number) {
  if (!emulator::memory::devices::instance().has(number)) return cudaErrorInvalidDevice;
  if (number != 0) return not_implemented("a memory pool of another device than 0");
  if (pool == nullptr) return cudaErrorInvalidValue;
  *pool = handle_of(&pool_table::instance().own);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int number), pool, number) {
  return emulated_cudaDeviceGetDefaultMemPool(pool, number);
}

EMULATOR_API(cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps* properties), pool, properties) {
  if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
  auto made = std::make_unique<pool_record>();
  *pool = handle_of(made.get());
  pool_table::instance().made.emplace(made.get(), std::move(made));
  return cudaSuccess;
}

EMULATOR_API(cudaMemPoolDestroy, (cudaMemPool_t pool), pool) {
  return pool_table::instance().made.erase(pool) != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), pool, keep) {
  static_cast<void>(keep);  // Freed memory is given back at once: there is nothing to trim.
  return pool_table::instance().find(pool) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value), pool, attribute,
             value) {
  pool_record* found = pool_table::instance().find(pool);
  if (found == nullptr || value == nullptr) return cudaErrorInvalidValue;
  if (attribute == cudaMemPoolAttrReleaseThreshold) {
    found->release_threshold = *static_cast<std::uint64_t*>(value);
    return cudaSuccess;
  }
  // Ways to reuse memory across streams; there is none to reuse.
  if (attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
      attribute == cudaMemPoolReuseAllowInternalDependencies) {
    return cudaSuccess;
  }
  if (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh) {
    found->used_high = 0;
    return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value), pool, attribute,
             value) {
  const pool_record* found = pool_table::instance().find(pool);
  if (found == nullptr || value == nullptr) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      *static_cast<std::uint64_t*>(value) = found->release_threshold;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
      *static_cast<std::uint64_t*>(value) = global_memory::instance().used();
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      *static_cast<std::uint64_t*>(value) = found->used_high;
      return cudaSuccess;
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = 1;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}
