#pragma once
/// \file
/// Data of a graph's edges, by which a node may begin before the one in front of it has ended.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace emulator::runtime {

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
