#pragma once
/// \file
/// Memory that is allocated and freed in stream order: by graph nodes, and from pools. The address of a node's memory
/// is fixed when the node is created. The memory exists from the execution of the allocating node in a launch until it
/// is freed.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

/// Creates the work of a node that allocates memory of the current device, and sets the address in `work`.
[[nodiscard]] cudaError_t bringing_work(std::size_t size_bytes, graph_work& work);
/// Creates the work of a node that frees the memory of an allocating node.
[[nodiscard]] cudaError_t freeing_work(void* pointer, graph_work& work);

/// Returns true if the memory of an allocating node currently exists.
[[nodiscard]] bool is_brought(std::uintptr_t address);

/// Refuses to instantiate a graph with allocating nodes a second time, and explains why.
[[nodiscard]] cudaError_t refuse_second_instance(const graph& which);

/// Removes the allocation at `address` from its pool's accounting. Does nothing if it belongs to no pool.
void note_freed_of_pool(std::uintptr_t address);

}  // namespace emulator::runtime
