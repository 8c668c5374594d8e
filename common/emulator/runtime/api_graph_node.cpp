// The calls that add and change a node of any type, conditional ones among them.

#include <cuda_runtime_api.h>

#include "emulator/runtime/conditional_nodes.hpp"
#include "emulator/runtime/graph_memory.hpp"
#include "emulator/runtime/graph_nodes.hpp"
#include "emulator/runtime/router.hpp"

#if CUDART_VERSION >= 13000

using namespace emulator::runtime;

namespace {

/// What the parameters of a node ask for. \param into  the graph that it is, or will be, in
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
