// Graphs: building, changing and launching them. Nodes are executed one after the other.

#include <algorithm>
#include <utility>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/conditional_nodes.hpp"
#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/graph_nodes.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

using namespace emulator::runtime;

namespace {

/// Replaces a step's work. The step keeps its dependencies, its node, and whether it is enabled.
void replace_work(graph_work& old, graph_work work) {
  note_origin(work);
  number_work(work);
  work.after = std::move(old.after);
  work.node = old.node;
  work.enabled = old.enabled;
  old = std::move(work);
}

/// Replaces the work of a node in an executable graph by work of the same type.
template <typename Make>
cudaError_t change_step(cudaGraphExec_t handle, cudaGraphNode_t node, cudaGraphNodeType type, Make&& make) {
  executable_graph* const found = graph_table::instance().find(handle);
  graph_work* const step = found != nullptr ? found->find(node_of(node)) : nullptr;
  if (step == nullptr || step->type != type) return cudaErrorInvalidValue;
  graph_work work;
  const cudaError_t error = make(work);
  if (error == cudaSuccess) replace_work(*step, std::move(work));
  return error;
}

/// Returns the node of a handle, or null if the handle is invalid or the node has a different type.
graph_node* find_node(cudaGraphNode_t handle, cudaGraphNodeType type) {
  graph_node* const node = node_of(handle);
  return graph_table::instance().owner_of(handle) != nullptr && node->work.type == type ? node : nullptr;
}

/// Lists nodes as the API does. If `into` is null, it only returns their number. Otherwise it fills `into` with up to
/// `count` nodes, and the rest with null.
cudaError_t list_nodes(const std::vector<graph_node*>& nodes, cudaGraphNode_t* into, size_t* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  for (size_t i = 0; into != nullptr && i < *count; ++i) into[i] = i < nodes.size() ? handle_of(nodes[i]) : nullptr;
  *count = into != nullptr ? std::min(*count, nodes.size()) : nodes.size();
  return cudaSuccess;
}

/// Lists the work that a launch of the graph would execute now.
cudaError_t list_launch(cudaGraphExec_t handle, std::vector<graph_work>& list) {
  const executable_graph* found = graph_table::instance().find(handle);
  if (found == nullptr) return cudaErrorInvalidValue;
  for (const graph_work& step : found->steps) {
    if (step.enabled && step.type == cudaGraphNodeTypeMemAlloc && is_brought(step.memory)) {
      if (!found->frees_on_launch) {
        explain(
            "cudaGraphLaunch: memory that the graph allocated in its last launch has not been freed: free it, or "
            "instantiate the graph with cudaGraphInstantiateFlagAutoFreeOnLaunch");
        return cudaErrorInvalidValue;
      }
      process_memory().memory.free(step.memory);
    }
    list.push_back(step);
  }
  return cudaSuccess;
}

cudaError_t launch_graph(const void* return_address, cudaGraphExec_t handle, cudaStream_t stream) {
  const call_in_progress call("cudaGraphLaunch", return_address);
  auto list = std::make_shared<std::vector<graph_work>>();
  const cudaError_t error = on_emulator<after_fault::refused>([&] {
    const cudaError_t found = list_launch(handle, *list);
    if (found != cudaSuccess) return found;
    // In a captured stream, the graph becomes a child of the captured one. In other streams, this work does nothing,
    // and `run_work` executes the graph.
    graph_work work;
    work.type = cudaGraphNodeTypeGraph;
    work.child = list;
    const bool captured = is_captured(stream);
    if (captured && std::any_of(list->begin(), list->end(), [](const graph_work& w) { return w.memory != 0; })) {
      explain("cudaGraphLaunch: a graph that allocates or frees memory cannot be launched into a capture");
      return cudaErrorNotSupported;
    }
    if (captured && std::any_of(list->begin(), list->end(), [](const graph_work& w) { return w.branches != nullptr; }))
      return refuse_in_capture(stream,
                               "cudaGraphLaunch: a graph with conditional nodes cannot be launched into a capture");
    waiting_work& waiting = waiting_work::instance();
    if (waiting.any()) waiting.resume();
    if (const stream_record* in = timeline::instance().find(stream);
        in != nullptr && !captured && waiting.is_queued_after(*in)) {
      waiting.keep(*in, [stream, later = std::exchange(list, std::make_shared<std::vector<graph_work>>())] {
        return run_work(*later, stream);
      });
      return cudaSuccess;
    }
    const cudaError_t queued = in_stream(stream, std::move(work));
    if (captured) list = std::make_shared<std::vector<graph_work>>();
    return queued;
  });
  return error == cudaSuccess ? run_work(*list, stream) : error;
}

cudaError_t add_dependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count) {
  const graph* found = graph_table::instance().find(handle);
  if (found == nullptr || (count != 0 && (from == nullptr || to == nullptr))) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i) {
    if (!found->contains(node_of(from[i])) || !found->contains(node_of(to[i]))) return cudaErrorInvalidValue;
  }
  for (size_t i = 0; i < count; ++i) node_of(to[i])->after.push_back(node_of(from[i]));
  return cudaSuccess;
}

/// Gives new work the node of the old work, and enables it if the old work was enabled. Does the same for the work in
/// bodies.
void keep_identity(const graph_work& old, graph_work& changed) {
  changed.node = old.node;
  changed.enabled = old.enabled;
  for (std::size_t k = 0; k < old.bodies.size(); ++k)
    for (std::size_t i = 0; i < old.bodies[k]->size(); ++i) keep_identity((*old.bodies[k])[i], (*changed.bodies[k])[i]);
}

}  // namespace

EMULATOR_API(cudaGraphCreate, (cudaGraph_t * graph_out, unsigned flags), graph_out, flags) {
  if (graph_out == nullptr || flags != 0) return cudaErrorInvalidValue;
  *graph_out = graph_table::instance().add(std::make_unique<graph>());
  return cudaSuccess;
}

EMULATOR_API(cudaGraphDestroy, (cudaGraph_t which), which) {
  const graph* const found = graph_table::instance().find(which);
  if (found != nullptr && found->parent != nullptr) {
    explain("cudaGraphDestroy: a body of a conditional node is destroyed together with its graph");
    return cudaErrorInvalidValue;
  }
  if (is_captured_into(which)) {
    explain(
        "cudaGraphDestroy: a capture in progress adds to the graph, or to a body of one of its nodes: end the capture "
        "first");
    return cudaErrorIllegalState;
  }
  return graph_table::instance().destroy(which) ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t of), clone, of) {
  const graph* found = graph_table::instance().find(of);
  if (clone == nullptr || found == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_copy(*found, "cudaGraphClone", "cloned"); error != cudaSuccess) return error;
  *clone = graph_table::instance().add(found->clone());
  return cudaSuccess;
}

EMULATOR_API(cudaGraphAddKernelNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              const cudaKernelNodeParams* given),
             node, into, dependencies, count, given) {
  return add_node(node, into, dependencies, count, [&](graph_work& work) { return kernel_work(given, work); });
}

EMULATOR_API(cudaGraphAddMemcpyNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              const cudaMemcpy3DParms* given),
             node, into, dependencies, count, given) {
  return add_node(node, into, dependencies, count,
                  [&](graph_work& work) { return box_work("cudaGraphAddMemcpyNode", given, work); });
}

EMULATOR_API(cudaGraphAddMemcpyNode1D,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              void* destination, const void* source, size_t size, cudaMemcpyKind kind),
             node, into, dependencies, count, destination, source, size, kind) {
  return add_node(node, into, dependencies, count, [&](graph_work& work) {
    return copy_work("cudaGraphAddMemcpyNode1D", destination, source, size, kind, work);
  });
}

EMULATOR_API(cudaGraphAddMemsetNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              const cudaMemsetParams* given),
             node, into, dependencies, count, given) {
  return add_node(node, into, dependencies, count,
                  [&](graph_work& work) { return fill_work("cudaGraphAddMemsetNode", given, work); });
}

EMULATOR_API(cudaGraphAddHostNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              const cudaHostNodeParams* given),
             node, into, dependencies, count, given) {
  return add_node(node, into, dependencies, count, [&](graph_work& work) { return host_work(given, work); });
}

EMULATOR_API(cudaGraphAddEmptyNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count), node, into,
             dependencies, count) {
  return add_node(node, into, dependencies, count, [](graph_work&) { return cudaSuccess; });
}

EMULATOR_API(cudaGraphAddChildGraphNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              cudaGraph_t child),
             node, into, dependencies, count, child) {
  return add_node(node, into, dependencies, count, [&](graph_work& work) { return child_work(child, work); });
}

EMULATOR_API(cudaGraphAddMemAllocNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              cudaMemAllocNodeParams* given),
             node, into, dependencies, count, given) {
  if (given == nullptr) return cudaErrorInvalidValue;
  return add_node(node, into, dependencies, count, [&](graph_work& work) {
    return memory_work(given->poolProps, given->accessDescCount, given->bytesize, given->dptr, work);
  });
}

EMULATOR_API(cudaGraphAddMemFreeNode,
             (cudaGraphNode_t * node, cudaGraph_t into, const cudaGraphNode_t* dependencies, size_t count,
              void* pointer),
             node, into, dependencies, count, pointer) {
  return add_node(node, into, dependencies, count, [&](graph_work& work) { return freeing_work(pointer, work); });
}

#if CUDART_VERSION >= 13000
EMULATOR_API(cudaGraphAddDependencies,
             (cudaGraph_t into, const cudaGraphNode_t* from, const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
              size_t count),
             into, from, to, edges, count) {
  if (has_edge_data(edges, count)) return not_implemented(part_of_a_kernel);
  return add_dependencies(into, from, to, count);
}
#else
EMULATOR_API(cudaGraphAddDependencies,
             (cudaGraph_t into, const cudaGraphNode_t* from, const cudaGraphNode_t* to, size_t count), into, from, to,
             count) {
  return add_dependencies(into, from, to, count);
}
#endif

EMULATOR_API(cudaGraphGetNodes, (cudaGraph_t of, cudaGraphNode_t* nodes, size_t* count), of, nodes, count) {
  const graph* found = graph_table::instance().find(of);
  return found != nullptr ? list_nodes(found->ordered(), nodes, count) : cudaErrorInvalidValue;
}

EMULATOR_API(cudaGraphGetRootNodes, (cudaGraph_t of, cudaGraphNode_t* nodes, size_t* count), of, nodes, count) {
  const graph* found = graph_table::instance().find(of);
  if (found == nullptr) return cudaErrorInvalidValue;
  std::vector<graph_node*> roots = found->ordered();
  std::erase_if(roots, [](const graph_node* node) { return !node->after.empty(); });
  return list_nodes(roots, nodes, count);
}

EMULATOR_API(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type), node, type) {
  if (graph_table::instance().owner_of(node) == nullptr) return cudaErrorInvalidValue;
  return answer(type, node_of(node)->work.type);
}

EMULATOR_API(cudaGraphKernelNodeGetParams, (cudaGraphNode_t node, cudaKernelNodeParams* params), node, params) {
  const graph_node* found = find_node(node, cudaGraphNodeTypeKernel);
  if (found == nullptr || params == nullptr) return cudaErrorInvalidValue;
  const launch_request& request = found->work.kernel->request();
  *params = {const_cast<void*>(request.function),
             request.grid,
             request.block,
             static_cast<unsigned>(request.dynamic_shared_bytes),
             request.arguments,
             nullptr};
  return cudaSuccess;
}

EMULATOR_API(cudaGraphKernelNodeSetParams, (cudaGraphNode_t node, const cudaKernelNodeParams* given), node, given) {
  graph_node* found = find_node(node, cudaGraphNodeTypeKernel);
  return found != nullptr ? kernel_work(given, found->work) : cudaErrorInvalidValue;
}

EMULATOR_API(cudaGraphInstantiate, (cudaGraphExec_t * executable, cudaGraph_t from, unsigned long long flags),
             executable, from, flags) {
  const graph* found = graph_table::instance().find(from);
  if (executable == nullptr || found == nullptr) return cudaErrorInvalidValue;
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) return not_implemented("a graph launched by a kernel");
  auto made = std::make_unique<executable_graph>();
  if (!list_work(*found, made->steps)) return cudaErrorInvalidValue;
  if (const cudaError_t error = refuse_second_instance(*found); error != cudaSuccess) return error;
  if (const cudaError_t error = check_branches(*found); error != cudaSuccess) return error;
  for (graph_work& step : made->steps) number_work(step);
  made->frees_on_launch = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  // Nodes may conflict with each other, so their order is checked from now on.
  if (made->steps.size() > 1) stream_order::instance().graph_made();
  *executable = graph_table::instance().add(std::move(made));
  return cudaSuccess;
}

EMULATOR_API(cudaGraphInstantiateWithFlags, (cudaGraphExec_t * executable, cudaGraph_t from, unsigned long long flags),
             executable, from, flags) {
  return emulated_cudaGraphInstantiate(executable, from, flags);
}

EMULATOR_API(cudaGraphExecDestroy, (cudaGraphExec_t executable), executable) {
  return graph_table::instance().destroy(executable) ? cudaSuccess : cudaErrorInvalidValue;
}

EMULATOR_API(cudaGraphExecKernelNodeSetParams,
             (cudaGraphExec_t executable, cudaGraphNode_t node, const cudaKernelNodeParams* given), executable, node,
             given) {
  return change_step(executable, node, cudaGraphNodeTypeKernel,
                     [&](graph_work& work) { return kernel_work(given, work); });
}

EMULATOR_API(cudaGraphExecMemcpyNodeSetParams1D,
             (cudaGraphExec_t executable, cudaGraphNode_t node, void* destination, const void* source, size_t size,
              cudaMemcpyKind kind),
             executable, node, destination, source, size, kind) {
  return change_step(executable, node, cudaGraphNodeTypeMemcpy, [&](graph_work& work) {
    return copy_work("cudaGraphExecMemcpyNodeSetParams1D", destination, source, size, kind, work);
  });
}

EMULATOR_API(cudaGraphExecMemsetNodeSetParams,
             (cudaGraphExec_t executable, cudaGraphNode_t node, const cudaMemsetParams* given), executable, node,
             given) {
  return change_step(executable, node, cudaGraphNodeTypeMemset,
                     [&](graph_work& work) { return fill_work("cudaGraphExecMemsetNodeSetParams", given, work); });
}

EMULATOR_API(cudaGraphExecHostNodeSetParams,
             (cudaGraphExec_t executable, cudaGraphNode_t node, const cudaHostNodeParams* given), executable, node,
             given) {
  return change_step(executable, node, cudaGraphNodeTypeHost, [&](graph_work& work) { return host_work(given, work); });
}

EMULATOR_API(cudaGraphNodeSetEnabled, (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled), executable,
             node, enabled) {
  executable_graph* found = graph_table::instance().find(executable);
  graph_work* step = found != nullptr ? found->find(node_of(node)) : nullptr;
  if (step == nullptr || step->branches != nullptr) return cudaErrorInvalidValue;
  step->enabled = enabled != 0;
  return cudaSuccess;
}

/// If the graph has nodes of the same types in the same order, the executable graph executes their work from now on.
EMULATOR_API(cudaGraphExecUpdate,
             (cudaGraphExec_t executable, cudaGraph_t changed, cudaGraphExecUpdateResultInfo* result), executable,
             changed, result) {
  executable_graph* found = graph_table::instance().find(executable);
  const graph* from = graph_table::instance().find(changed);
  if (found == nullptr || from == nullptr || result == nullptr) return cudaErrorInvalidValue;
  std::vector<graph_work> works;
  *result = {cudaGraphExecUpdateErrorTopologyChanged, nullptr, nullptr};
  if (!list_work(*from, works) || works.size() != found->steps.size()) return cudaErrorGraphExecUpdateFailure;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const bool same = works[i].type == found->steps[i].type;
    const cudaGraphExecUpdateResult why =
        same ? compare_branches(found->steps[i], works[i]) : cudaGraphExecUpdateErrorNodeTypeChanged;
    if (why == cudaGraphExecUpdateSuccess) continue;
    *result = {why, handle_of(const_cast<graph_node*>(works[i].node)), nullptr};
    return cudaErrorGraphExecUpdateFailure;
  }
  for (std::size_t i = 0; i < works.size(); ++i) {
    number_work(works[i]);
    // Its steps are still identified by the nodes of the graph that it was instantiated from.
    keep_identity(found->steps[i], works[i]);
    found->steps[i] = std::move(works[i]);
  }
  result->result = cudaGraphExecUpdateSuccess;
  return cudaSuccess;
}

/// Nothing has to be uploaded to the device in advance.
EMULATOR_API_STREAM(cudaGraphUpload, _ptsz, (cudaGraphExec_t executable, cudaStream_t stream), executable, stream) {
  if (timeline::instance().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  return graph_table::instance().find(executable) != nullptr ? cudaSuccess : cudaErrorInvalidValue;
}

extern "C" cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (on_gpu()) return forward_by_name("cudaGraphLaunch", executable, stream);
  return launch_graph(__builtin_return_address(0), executable, stream);
}

extern "C" cudaError_t CUDARTAPI cudaGraphLaunch_ptsz(cudaGraphExec_t executable, cudaStream_t stream) {
  if (on_gpu()) return forward_by_name("cudaGraphLaunch_ptsz", executable, stream);
  return launch_graph(__builtin_return_address(0), executable, stream);
}
