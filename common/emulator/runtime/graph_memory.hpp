#pragma once
/// \file
/// Memory that comes and goes in its turn in a stream: of nodes of graphs, and of pools. The address of what a node
/// brings is known when the node is made; the memory is there from each launch's node that brings it until something
/// frees it.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "emulator/runtime/graph.hpp"

namespace emulator::runtime {

/// Makes a node's work that brings memory of the current device, and says where it will lie.
[[nodiscard]] cudaError_t bringing_work(std::size_t size_bytes, graph_work& work);
/// Makes a node's work that frees memory which a node brings.
[[nodiscard]] cudaError_t freeing_work(void* pointer, graph_work& work);

/// Says whether what a node has brought is there.
[[nodiscard]] bool is_brought(std::uintptr_t address);

/// Refuses, in words, to make a second executable graph of nodes that bring memory.
[[nodiscard]] cudaError_t refuse_second_instance(const graph& which);

/// The allocation that begins at `address` goes: its pool has that much less in use. Nothing where it is of no pool.
void note_freed_of_pool(std::uintptr_t address);

}  // namespace emulator::runtime
