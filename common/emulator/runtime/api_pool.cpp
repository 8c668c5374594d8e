// Stream-ordered memory. Work is executed immediately, so an allocation exists, or is gone, when the call returns.

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/call_findings.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/handle_table.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

using namespace emulator::runtime;
using emulator::memory::allocation;
using emulator::memory::global_memory;
using emulator::memory::origin;

namespace {

struct pool_record {
  int device = 0;
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0;
  std::uint32_t reached_from = 0;  ///< A bit for each other device whose kernels may use its memory.
};

/// The live pools, including those of the devices. Their addresses are the handles.
struct pool_table {
  std::array<pool_record, emulator::memory::max_devices> own;
  std::array<pool_record*, emulator::memory::max_devices> current{};  ///< Null: the device's own.
  handle_table<pool_record, cudaMemPool_t> made;
  std::map<std::uintptr_t, pool_record*> pool_of;  ///< Indexed by allocation; null if its pool has been destroyed.

  static pool_table& instance() { return emulator::singleton<pool_table>(); }
  pool_table() {
    for (std::size_t k = 0; k < own.size(); ++k) own[k].device = static_cast<int>(k);
  }
  pool_record* find(cudaMemPool_t handle) {
    for (pool_record& one : own)
      if (static_cast<const void*>(handle) == &one) return &one;
    return made.find(handle);
  }
  pool_record& current_of(int number) {
    const auto n = static_cast<std::size_t>(number);
    return current[n] != nullptr ? *current[n] : own[n];
  }
};

cudaMemPool_t handle_of(pool_record* pool) {
  return reinterpret_cast<cudaMemPool_t>(pool);
}

/// Notes in a stream that memory is allocated or freed, so that work that uses the memory has to be ordered after the
/// allocation and before the free.
cudaError_t note_in_stream(const stream_record& stream, std::uintptr_t address) {
  return stream_order::instance().run(stream, false, [address] {
    emulator::memory::touched_bytes* const touched = stream_order::instance().touched();
    const allocation* const in = process_memory().memory.find(address);
    if (touched != nullptr && in != nullptr) touched->note_whole(*in);
    return cudaSuccess;
  });
}

cudaError_t allocate(void** pointer, size_t size, pool_record* pool, cudaStream_t stream) {
  if (pointer == nullptr || pool == nullptr) return cudaErrorInvalidValue;
  const stream_record* const in = timeline::instance().find(stream);
  if (in == nullptr) return cudaErrorInvalidResourceHandle;
  *pointer = nullptr;
  if (is_captured(stream)) {
    graph_work work;
    const emulator::memory::on_device owner(pool->device);
    if (const cudaError_t error = bringing_work(size, work); error != cudaSuccess) return error;
    *pointer = reinterpret_cast<void*>(work.memory);
    return in_stream(stream, std::move(work));
  }
  if (size == 0) return cudaSuccess;
  global_memory& memory = process_memory().memory;
  const emulator::memory::on_device owner(pool->device);
  const std::uintptr_t address = memory.allocate(size, origin::pool);
  if (address == 0) return cudaErrorMemoryAllocation;
  memory.find(address)->reached_from = pool->reached_from;
  pool->used += size;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool_table::instance().pool_of[address] = pool;
  *pointer = reinterpret_cast<void*>(address);
  note_allocation(*pointer);
  return note_in_stream(*in, address);
}

}  // namespace

void emulator::runtime::note_freed_of_pool(std::uintptr_t address) {
  pool_table& table = pool_table::instance();
  const allocation* const in = process_memory().memory.find(address);
  const auto from = table.pool_of.find(address);
  if (in == nullptr || from == table.pool_of.end()) return;
  if (from->second != nullptr) from->second->used -= std::min(from->second->used, in->size_bytes);
  table.pool_of.erase(from);
}

EMULATOR_API_STREAM(cudaMallocAsync, _ptsz, (void** pointer, size_t size, cudaStream_t stream), pointer, size, stream) {
  const stream_record* const in = timeline::instance().find(stream);
  if (in == nullptr) return cudaErrorInvalidResourceHandle;
  return allocate(pointer, size, &pool_table::instance().current_of(in->device), stream);
}

EMULATOR_API_STREAM(cudaMallocFromPoolAsync, _ptsz,
                    (void** pointer, size_t size, cudaMemPool_t pool, cudaStream_t stream), pointer, size, pool,
                    stream) {
  return allocate(pointer, size, pool_table::instance().find(pool), stream);
}

EMULATOR_API_STREAM(cudaFreeAsync, _ptsz, (void* pointer, cudaStream_t stream), pointer, stream) {
  if (pointer == nullptr) return cudaSuccess;
  if (timeline::instance().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (is_captured(stream)) {
    graph_work work;
    const cudaError_t error = freeing_work(pointer, work);
    return error != cudaSuccess ? error : in_stream(stream, std::move(work));
  }
  global_memory& memory = process_memory().memory;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const allocation* found = memory.find(address);
  // Memory from cudaMalloc can also be freed here.
  if (found == nullptr || found->begin != address || (found->from != origin::pool && found->from != origin::device)) {
    report_bad_free("cudaFreeAsync", pointer);
    return cudaErrorInvalidValue;
  }
  const stream_record* const in = timeline::instance().find(stream);
  const auto free = [address, in] {
    const cudaError_t error = note_in_stream(*in, address);
    note_freed_of_pool(address);
    process_memory().memory.free(address);
    return error;
  };
  waiting_work& waiting = waiting_work::instance();
  waiting.resume();
  if (!waiting.is_queued_after(*in)) return free();
  waiting.keep(*in, free);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int number), pool, number) {
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  return answer(pool, handle_of(&pool_table::instance().own[static_cast<std::size_t>(number)]));
}

EMULATOR_API(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int number), pool, number) {
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  return answer(pool, handle_of(&pool_table::instance().current_of(number)));
}

EMULATOR_API(cudaDeviceSetMemPool, (int number, cudaMemPool_t pool), number, pool) {
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  pool_record* const found = pool_table::instance().find(pool);
  if (found == nullptr || found->device != number) return cudaErrorInvalidValue;
  pool_table::instance().current[static_cast<std::size_t>(number)] = found;
  return cudaSuccess;
}

EMULATOR_API(cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps* properties), pool, properties) {
  if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
  if (properties->location.type != cudaMemLocationTypeDevice) return not_implemented("a memory pool of the host's");
  if (!process_memory().devices.has(properties->location.id)) return cudaErrorInvalidValue;
  if (properties->handleTypes != cudaMemHandleTypeNone) return not_implemented("a memory pool for other processes");
  *pool =
      pool_table::instance().made.add(std::make_unique<pool_record>(pool_record{.device = properties->location.id}));
  return cudaSuccess;
}

EMULATOR_API(cudaMemPoolDestroy, (cudaMemPool_t pool), pool) {
  pool_table& table = pool_table::instance();
  pool_record* const found = table.made.find(pool);
  if (found == nullptr) return cudaErrorInvalidValue;
  std::ranges::replace(table.current, found, nullptr);
  for (auto& [address, from] : table.pool_of)
    if (from == found) from = nullptr;  // its memory stays allocated until it is freed
  return table.made.destroy(pool) ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaMemPoolSetAccess, (cudaMemPool_t pool, const cudaMemAccessDesc* wanted, size_t count), pool, wanted,
             count) {
  pool_record* const found = pool_table::instance().find(pool);
  if (found == nullptr || (count != 0 && wanted == nullptr)) return cudaErrorInvalidValue;
  const auto& all = process_memory().devices;
  for (size_t k = 0; k < count; ++k) {
    const int number = wanted[k].location.id;
    if (wanted[k].location.type != cudaMemLocationTypeDevice || !all.has(number)) return cudaErrorInvalidDevice;
    const bool allow = wanted[k].flags == cudaMemAccessFlagsProtReadWrite;
    if (number == found->device && !allow) return cudaErrorInvalidValue;
    if (number != found->device && allow && !all.peers_possible()) return cudaErrorInvalidDevice;
    const std::uint32_t bit = std::uint32_t{1} << static_cast<unsigned>(number);
    found->reached_from = allow ? found->reached_from | bit : found->reached_from & ~bit;
  }
  for (const auto& [address, from] : pool_table::instance().pool_of) {
    if (from != found) continue;
    if (allocation* const given = process_memory().memory.find(address)) given->reached_from = found->reached_from;
  }
  return cudaSuccess;
}

EMULATOR_API(cudaMemPoolGetAccess, (cudaMemAccessFlags * flags, cudaMemPool_t pool, cudaMemLocation* location), flags,
             pool, location) {
  const pool_record* const found = pool_table::instance().find(pool);
  if (found == nullptr || flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
  if (!process_memory().devices.has(location->id)) return cudaErrorInvalidDevice;
  const bool reached = location->id == found->device || (found->reached_from >> location->id & 1u) != 0;
  *flags = reached ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

EMULATOR_API(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), pool, keep) {
  static_cast<void>(keep);  // Freed memory is returned at once, so there is nothing to trim.
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
  // Policies for reusing memory across streams, which have no effect, because no memory is reused.
  if (attribute == cudaMemPoolReuseFollowEventDependencies || attribute == cudaMemPoolReuseAllowOpportunistic ||
      attribute == cudaMemPoolReuseAllowInternalDependencies) {
    return cudaSuccess;
  }
  if (attribute == cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemHigh) {
    found->used_high = found->used;
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
      *static_cast<std::uint64_t*>(value) = found->used;
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
