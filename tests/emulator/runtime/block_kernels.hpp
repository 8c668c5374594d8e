#pragma once
/// \file
/// Kernels whose blocks pass data on to each other through global memory, rightly and wrongly.

#include <cuda_runtime_api.h>

namespace runtime_test {

/// What stands between a write and the atomic that tells of it, or between that and the read.
enum class fencing { none, block, device };

/// The last block to take a ticket adds what all have written, into words[grid]. `words` has grid + 1 ints.
void launch_last_block(int* words, unsigned grid, fencing before, fencing after);
/// The same as the programming guide has it: what is read is volatile, and no fence follows the ticket.
void launch_last_block_volatile(int* words, unsigned grid, bool fence);

/// Block 0 writes words[1] and sets the flag words[0], which block 1 polls before it reads; words[2] is what it read.
void launch_flag(int* words, fencing before, fencing after);
enum class atomic_flag { release_acquire, relaxed_store, relaxed_load, block_scope };
/// The same with `cuda::atomic_ref`.
void launch_atomic_flag(int* words, atomic_flag how);
/// A value and its flag are one word of 64 bits, and each block adds to its predecessor's: no order is needed.
void launch_look_back(unsigned long long* words, unsigned grid);

/// words[1] += 1 by all blocks, under the lock words[0].
void launch_lock(int* words, unsigned grid, bool fences);
/// words[0] += 1 by all blocks: by an atomic, or at the scope of the block only.
void launch_count(int* words, unsigned grid, bool block_scope);
/// Block 0 reads the counter instead, weakly.
void launch_count_and_look(int* words, unsigned grid);
/// words[i] = neighbour's words[i ± 1], between a grid-wide barrier or without one. \return the launch's error
cudaError_t launch_neighbours(int* words, unsigned grid, bool barrier);
/// Thread i reads what thread i + 32 of its block has written.
void launch_warps(int* words, unsigned grid, bool barrier);
/// Every other of 64 * grid words moves to the front; counts[i] tells block i + 1 where to go on.
void launch_compact_in_place(int* words, unsigned* counts, unsigned grid);
/// All blocks read words[0 … 7] and write a word of their own each, eight bytes for one.
void launch_own_words(int* words, unsigned grid);
/// Blocks write words 32 apart or, where `stride` is 1, over each other's.
void launch_overlapping(int* words, unsigned grid, unsigned stride);

}  // namespace runtime_test
