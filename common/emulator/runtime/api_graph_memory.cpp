// Memory nodes of graphs.

#include <algorithm>
#include <map>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"

namespace emulator::runtime {
namespace {

struct brought {
  std::size_t size_bytes = 0;
  int device = 0;
};

/// The memory of allocating nodes, indexed by address, and the maximum that was in use at a time, indexed by device.
struct brought_memory {
  std::map<std::uintptr_t, brought> all;
  std::map<int, std::uint64_t> high;

  static brought_memory& instance() { return singleton<brought_memory>(); }
  [[nodiscard]] std::uint64_t in_use(int device) const {
    std::uint64_t sum = 0;
    for (const auto& [address, one] : all)
      if (one.device == device && is_brought(address)) sum += one.size_bytes;
    return sum;
  }
};

/// Notes an access to all of the memory, because work that uses it must be ordered after the node that allocates it,
/// and before the node that frees it.
void note_in_order(std::uintptr_t address) {
  memory::touched_bytes* const touched = stream_order::instance().touched();
  const memory::allocation* const in = process_memory().memory.find(address);
  if (touched != nullptr && in != nullptr) touched->note_whole(*in);
}

cudaError_t bring(std::uintptr_t address) {
  brought_memory& memory = brought_memory::instance();
  const brought& what = memory.all.at(address);
  const memory::on_device owner(what.device);
  if (!process_memory().memory.allocate_again(address, what.size_bytes, memory::origin::pool))
    return cudaErrorMemoryAllocation;
  std::uint64_t& high = memory.high[what.device];
  high = std::max(high, memory.in_use(what.device));
  note_in_order(address);
  return cudaSuccess;
}

cudaError_t take_away(std::uintptr_t address) {
  if (!is_brought(address)) {
    explain("a node of a graph frees memory that is not there: it has been freed, or no node has brought it");
    return cudaErrorInvalidValue;
  }
  note_in_order(address);
  process_memory().memory.free(address);
  return cudaSuccess;
}

}  // namespace

cudaError_t bringing_work(std::size_t size_bytes, graph_work& work) {
  if (size_bytes == 0) return cudaErrorInvalidValue;
  memory::global_memory& memory = process_memory().memory;
  // The addresses stay reserved for the node, because addresses are not reused before the whole range is exhausted.
  const std::uintptr_t address = memory.allocate(size_bytes, memory::origin::pool);
  if (address == 0) return cudaErrorMemoryAllocation;
  static_cast<void>(memory.free(address));
  brought_memory::instance().all[address] = {size_bytes, memory::current_device()};
  work.type = cudaGraphNodeTypeMemAlloc;
  work.run = [address] { return bring(address); };
  work.memory = address;
  return cudaSuccess;
}

cudaError_t freeing_work(void* pointer, graph_work& work) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!brought_memory::instance().all.contains(address)) {
    explain(
        "a graph node can only free memory that a node has allocated (cudaGraphAddMemAllocNode, or cudaMallocAsync in "
        "a capture)");
    return cudaErrorInvalidValue;
  }
  work.type = cudaGraphNodeTypeMemFree;
  work.run = [address] { return take_away(address); };
  work.memory = address;
  return cudaSuccess;
}

bool is_brought(std::uintptr_t address) {
  const memory::allocation* in = process_memory().memory.find(address);
  return in != nullptr && in->begin == address;
}

cudaError_t refuse_second_instance(const graph& which) {
  for (const auto& node : which.nodes) {
    if (node->work.type != cudaGraphNodeTypeMemAlloc || !graph_table::instance().is_instantiated(node.get())) continue;
    explain(
        "a graph with nodes that allocate memory can have only one executable graph at a time: destroy the first one");
    return cudaErrorNotSupported;
  }
  return cudaSuccess;
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

EMULATOR_API(cudaGraphMemAllocNodeGetParams, (cudaGraphNode_t node, cudaMemAllocNodeParams* params), node, params) {
  if (params == nullptr || graph_table::instance().owner_of(node) == nullptr) return cudaErrorInvalidValue;
  const graph_work& work = node_of(node)->work;
  if (work.type != cudaGraphNodeTypeMemAlloc) return cudaErrorInvalidValue;
  const brought& what = brought_memory::instance().all.at(work.memory);
  *params = {};
  params->poolProps.allocType = cudaMemAllocationTypePinned;
  params->poolProps.location.type = cudaMemLocationTypeDevice;
  params->poolProps.location.id = what.device;
  params->bytesize = what.size_bytes;
  params->dptr = reinterpret_cast<void*>(work.memory);
  return cudaSuccess;
}

EMULATOR_API(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void* pointer), node, pointer) {
  if (pointer == nullptr || graph_table::instance().owner_of(node) == nullptr) return cudaErrorInvalidValue;
  const graph_work& work = node_of(node)->work;
  if (work.type != cudaGraphNodeTypeMemFree) return cudaErrorInvalidValue;
  *static_cast<void**>(pointer) = reinterpret_cast<void*>(work.memory);
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceGetGraphMemAttribute, (int number, cudaGraphMemAttributeType which, void* value), number, which,
             value) {
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  brought_memory& memory = brought_memory::instance();
  auto& answer = *static_cast<unsigned long long*>(value);
  if (which == cudaGraphMemAttrUsedMemCurrent)
    answer = memory.in_use(number);
  else if (which == cudaGraphMemAttrUsedMemHigh)
    answer = memory.high[number];
  else
    return not_implemented("cudaDeviceGetGraphMemAttribute, for what is reserved,");
  return cudaSuccess;
}

EMULATOR_API(cudaDeviceSetGraphMemAttribute, (int number, cudaGraphMemAttributeType which, void* value), number, which,
             value) {
  if (!process_memory().devices.has(number)) return cudaErrorInvalidDevice;
  // A high-water mark can only be reset to 0.
  if (value == nullptr || *static_cast<unsigned long long*>(value) != 0) return cudaErrorInvalidValue;
  if (which == cudaGraphMemAttrReservedMemHigh) return cudaSuccess;
  if (which != cudaGraphMemAttrUsedMemHigh) return cudaErrorInvalidValue;
  brought_memory& memory = brought_memory::instance();
  memory.high[number] = memory.in_use(number);
  return cudaSuccess;
}

/// There is nothing to trim, because free memory has been returned already.
EMULATOR_API(cudaDeviceGraphMemTrim, (int number), number) {
  return process_memory().devices.has(number) ? cudaSuccess : cudaErrorInvalidDevice;
}
