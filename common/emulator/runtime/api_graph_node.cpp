// Makes the work of graph nodes from the parameters of API calls. Also the calls that add and change nodes of any type,
// including conditional ones.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/conditional_nodes.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/graph_nodes.hpp"
#include "emulator/runtime/memory_rules.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"

namespace emulator::runtime {

cudaError_t kernel_work(const cudaKernelNodeParams* given, graph_work& work) {
  if (given == nullptr) return cudaErrorInvalidValue;
  if (given->extra != nullptr) return not_implemented("cudaKernelNodeParams::extra");
  std::shared_ptr<const kept_launch> kept;
  const cudaError_t error = keep_launch(
      {given->func, given->gridDim, given->blockDim, given->kernelParams, given->sharedMemBytes, nullptr, false}, kept);
  if (error == cudaSuccess) work = kernel_work(std::move(kept));
  return error;
}

cudaError_t copy_work(const char* call, void* destination, const void* source, size_t size, cudaMemcpyKind kind,
                      graph_work& work) {
  if (destination == nullptr || source == nullptr) return cudaErrorInvalidValue;
  const auto run = [=] { return copy(call, destination, source, size, kind); };
  work = {cudaGraphNodeTypeMemcpy, run, nullptr, nullptr};
  return cudaSuccess;
}

cudaError_t box_work(const char* call, const cudaMemcpy3DParms* given, graph_work& work) {
  if (given == nullptr) return cudaErrorInvalidValue;
  const cudaMemcpy3DParms kept = *given;
  work = {cudaGraphNodeTypeMemcpy, [call, kept] { return copy_box(call, kept); }, nullptr, nullptr};
  return cudaSuccess;
}

cudaError_t fill_work(const char* call, const cudaMemsetParams* given, graph_work& work) {
  if (given == nullptr) return cudaErrorInvalidValue;
  const cudaMemsetParams kept = *given;
  if (kept.elementSize != 1 && kept.elementSize != 2 && kept.elementSize != 4) return cudaErrorInvalidValue;
  work = {cudaGraphNodeTypeMemset, [call, kept] { return fill_elements(call, kept); }, nullptr, nullptr};
  return cudaSuccess;
}

cudaError_t host_work(const cudaHostNodeParams* given, graph_work& work) {
  if (given == nullptr || given->fn == nullptr) return cudaErrorInvalidValue;
  const cudaHostNodeParams kept = *given;
  const auto run = [kept] {
    kept.fn(kept.userData);
    return cudaSuccess;
  };
  work = {cudaGraphNodeTypeHost, run, nullptr, nullptr};
  return cudaSuccess;
}

cudaError_t refuse_copy(const graph& which, const char* call, const char* what) {
  const bool has_memory = std::ranges::any_of(which.nodes, [](const auto& node) { return node->work.memory != 0; });
  const bool has_branches =
      std::ranges::any_of(which.nodes, [](const auto& node) { return node->work.branches != nullptr; });
  if (!has_memory && !has_branches) return cudaSuccess;
  explain(fmt::format("{}: a graph {} cannot be {}", call,
                      has_memory ? "that allocates or frees memory" : "with conditional nodes", what));
  return cudaErrorNotSupported;
}

cudaError_t child_work(cudaGraph_t child, graph_work& work) {
  const graph* found = graph_table::instance().find(child);
  auto list = std::make_shared<std::vector<graph_work>>();
  if (found == nullptr || !list_work(*found, *list)) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_copy(*found, "cudaGraphAddChildGraphNode", "a child"); error != cudaSuccess)
    return error;
  work.type = cudaGraphNodeTypeGraph;
  work.child = std::move(list);
  return cudaSuccess;
}

cudaError_t memory_work(const cudaMemPoolProps& pool, std::size_t shared_with, std::size_t size_bytes, void*& address,
                        graph_work& work) {
  if (pool.allocType != cudaMemAllocationTypePinned || pool.location.type != cudaMemLocationTypeDevice)
    return cudaErrorInvalidValue;
  if (!process_memory().devices.has(pool.location.id)) return cudaErrorInvalidDevice;
  if (shared_with != 0) return not_implemented("memory of a graph that several devices may use");
  const memory::on_device owner(pool.location.id);
  const cudaError_t error = bringing_work(size_bytes, work);
  if (error == cudaSuccess) address = reinterpret_cast<void*>(work.memory);
  return error;
}

cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies, size_t count,
                     const work_maker& make) {
  graph* const into = graph_table::instance().find(handle);
  if (node == nullptr || into == nullptr || (count != 0 && dependencies == nullptr)) return cudaErrorInvalidValue;
  std::vector<graph_node*> after;
  for (size_t i = 0; i < count; ++i) {
    after.push_back(node_of(dependencies[i]));
    if (!into->contains(after.back())) return cudaErrorInvalidValue;
  }
  graph_work work;
  if (const cudaError_t error = make(work); error != cudaSuccess) return error;
  note_origin(work);
  *node = handle_of(into->add(std::move(work), std::move(after)));
  return cudaSuccess;
}

}  // namespace emulator::runtime

#if CUDART_VERSION >= 13000

using namespace emulator::runtime;

namespace {

/// Makes the work for the parameters of a node. \param into  the graph that contains the node, or will contain it
cudaError_t work_of(graph& into, const char* call, cudaGraphNodeParams& given, graph_work& work) {
  switch (given.type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& wanted = given.kernel;
      const cudaKernelNodeParams kernel{wanted.func,           wanted.gridDim,      wanted.blockDim,
                                        wanted.sharedMemBytes, wanted.kernelParams, wanted.extra};
      return kernel_work(&kernel, work);
    }
    case cudaGraphNodeTypeMemcpy:
      return box_work(call, &given.memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& wanted = given.memset;
      const cudaMemsetParams fill{wanted.dst,         wanted.pitch, wanted.value,
                                  wanted.elementSize, wanted.width, wanted.height};
      return fill_work(call, &fill, work);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams host{given.host.fn, given.host.userData};
      return host_work(&host, work);
    }
    case cudaGraphNodeTypeGraph:
      return child_work(given.graph.graph, work);
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
      return memory_work(given.alloc.poolProps, given.alloc.accessDescCount, given.alloc.bytesize, given.alloc.dptr,
                         work);
    case cudaGraphNodeTypeMemFree:
      return freeing_work(given.free.dptr, work);
    case cudaGraphNodeTypeConditional:
      return branching_work(into, given.conditional, work);
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      return not_implemented("a graph's node of an event or semaphore");
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

EMULATOR_API(cudaGraphConditionalHandleCreate,
             (cudaGraphConditionalHandle * handle, cudaGraph_t of, unsigned default_value, unsigned flags), handle, of,
             default_value, flags) {
  graph* const found = graph_table::instance().find(of);
  if (handle == nullptr || found == nullptr) return cudaErrorInvalidValue;
  return make_condition(*found, default_value, flags, *handle);
}

EMULATOR_API(cudaGraphAddNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies,
              const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* given),
             node, into, dependencies, edges, count, given) {
  graph* const found = graph_table::instance().find(into);
  if (given == nullptr || found == nullptr) return cudaErrorInvalidValue;
  if (has_edge_data(edges, count)) return not_implemented(part_of_a_kernel);
  return add_node(node, into, dependencies, count,
                  [&](graph_work& work) { return work_of(*found, "cudaGraphAddNode", *given, work); });
}

#endif
