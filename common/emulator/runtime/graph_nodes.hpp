#pragma once
/// \file
/// The work of graph nodes, made from the parameters of API calls. Each function returns an error if the parameters are
/// invalid, so a graph only contains nodes that can be launched.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

[[nodiscard]] cudaError_t kernel_work(const cudaKernelNodeParams* given, graph_work& work);
/// \param call  the API function, for messages when the copy runs; likewise below
[[nodiscard]] cudaError_t copy_work(const char* call, void* destination, const void* source, size_t size,
                                    cudaMemcpyKind kind, graph_work& work);
[[nodiscard]] cudaError_t box_work(const char* call, const cudaMemcpy3DParms* given, graph_work& work);
[[nodiscard]] cudaError_t fill_work(const char* call, const cudaMemsetParams* given, graph_work& work);
[[nodiscard]] cudaError_t host_work(const cudaHostNodeParams* given, graph_work& work);
[[nodiscard]] cudaError_t child_work(cudaGraph_t child, graph_work& work);
/// Refuses to copy a graph if its nodes allocate or free memory or are conditional, and explains why.
/// \param what  the refused operation, such as "cloned"
[[nodiscard]] cudaError_t refuse_copy(const graph& which, const char* call, const char* what);
/// \param shared_with  number of other devices that need access to the memory
/// \param address      receives the future address
[[nodiscard]] cudaError_t memory_work(const cudaMemPoolProps& pool, std::size_t shared_with, std::size_t size_bytes,
                                      void*& address, graph_work& work);

using work_maker = std::function<cudaError_t(graph_work&)>;

/// Adds a node with the work that `make` returns, if all dependencies are nodes of the graph.
[[nodiscard]] cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies,
                                   size_t count, const work_maker& make);

// Edge data, which let a node begin before the one it depends on has ended.

/// The name of edge data in messages, because the emulator doesn't support them.
inline constexpr const char* part_of_a_kernel = "a dependency on part of a kernel (cudaGraphEdgeData)";

#if CUDART_VERSION >= 12030
/// Returns true if any edge isn't an ordinary one. \param edges  may be null if all edges are ordinary
[[nodiscard]] inline bool has_edge_data(const cudaGraphEdgeData* edges, std::size_t count) {
  const cudaGraphEdgeData ordinary{};
  return edges != nullptr && std::any_of(edges, edges + count, [&](const cudaGraphEdgeData& one) {
           return std::memcmp(&one, &ordinary, sizeof one) != 0;
         });
}
#endif

}  // namespace emulator::runtime
