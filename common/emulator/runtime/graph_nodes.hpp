#pragma once
/// \file
/// What nodes of graphs do, from the parameters that the API takes. Each function returns an error where they are
/// wrong, so that a graph holds only what could be launched.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

[[nodiscard]] cudaError_t kernel_work(const cudaKernelNodeParams* given, graph_work& work);
/// \param call  of the API, for words about what the copy meets when it runs; likewise below
[[nodiscard]] cudaError_t copy_work(const char* call, void* destination, const void* source, size_t size,
                                    cudaMemcpyKind kind, graph_work& work);
[[nodiscard]] cudaError_t box_work(const char* call, const cudaMemcpy3DParms* given, graph_work& work);
[[nodiscard]] cudaError_t fill_work(const char* call, const cudaMemsetParams* given, graph_work& work);
[[nodiscard]] cudaError_t host_work(const cudaHostNodeParams* given, graph_work& work);
[[nodiscard]] cudaError_t child_work(cudaGraph_t child, graph_work& work);
/// Refuses, in words, to copy a graph whose nodes bring or free memory, or are conditional.
/// \param what  that it cannot be: "cloned"
[[nodiscard]] cudaError_t refuse_copy(const graph& which, const char* call, const char* what);
/// \param shared_with  how many further devices are to reach the memory
/// \param address      receives where it will lie
[[nodiscard]] cudaError_t memory_work(const cudaMemPoolProps& pool, std::size_t shared_with, std::size_t size_bytes,
                                      void*& address, graph_work& work);

using work_maker = std::function<cudaError_t(graph_work&)>;

/// Adds a node whose work `make` describes, if all dependencies are nodes of the graph.
[[nodiscard]] cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies,
                                   size_t count, const work_maker& make);

// Data of edges, by which a node may begin before the one in front of it has ended.

/// In words, for those that the emulator does not have.
inline constexpr const char* part_of_a_kernel = "a dependency of a part of a kernel (cudaGraphEdgeData)";

#if CUDART_VERSION >= 12030
/// Says whether an edge is anything but an ordinary one. \param edges  may be null: all are ordinary
[[nodiscard]] inline bool has_edge_data(const cudaGraphEdgeData* edges, std::size_t count) {
  const cudaGraphEdgeData ordinary{};
  return edges != nullptr && std::any_of(edges, edges + count, [&](const cudaGraphEdgeData& one) {
           return std::memcmp(&one, &ordinary, sizeof one) != 0;
         });
}
#endif

}  // namespace emulator::runtime
