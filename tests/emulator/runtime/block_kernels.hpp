#pragma once
/// \file
/// Kernels whose blocks pass data to each other through global memory, correctly and incorrectly.

#include <cuda_runtime_api.h>

namespace runtime_test {

/// The fence between a write and the atomic that announces it, or between that atomic and the read.
enum class fencing { none, block, device };

/// The last block that takes a ticket adds up what all blocks have written, and stores the sum in words[grid]. `words`
/// has grid + 1 ints.
void launch_last_block(int* words, unsigned grid, fencing before, fencing after);
/// Does the same in the way of the programming guide: the reads are volatile, and there is no fence after the ticket.
void launch_last_block_volatile(int* words, unsigned grid, bool fence);

/// Block 0 writes words[1] and sets the flag words[0]. Block 1 polls the flag, then reads words[1], and stores the
/// value in words[2].
void launch_flag(int* words, fencing before, fencing after);
enum class atomic_flag { release_acquire, relaxed_store, relaxed_load, block_scope };
/// Does the same with a flag that is accessed through `cuda::atomic_ref`.
void launch_atomic_flag(int* words, atomic_flag how);
/// Each block adds to its predecessor's value. The value and its flag share one 64-bit word, so no ordering is needed.
void launch_look_back(unsigned long long* words, unsigned grid);

/// All blocks do words[1] += 1, protected by the lock words[0].
void launch_lock(int* words, unsigned grid, bool fences);
/// All blocks do words[0] += 1, with an atomic whose scope is the device or only the block.
void launch_count(int* words, unsigned grid, bool block_scope);
/// The same, but block 0 only reads the counter, with an ordinary load.
void launch_count_and_look(int* words, unsigned grid);
/// Sets words[i] = words[i + 1], cyclically, with or without a grid-wide barrier in between. \return the launch's error
cudaError_t launch_neighbours(int* words, unsigned grid, bool barrier);
/// Thread i reads what thread i + 32 of its block has written.
void launch_warps(int* words, unsigned grid, bool barrier);
/// Moves every other one of 64 * grid words to the front. counts[i] gives block i + 1 the position at which to
/// continue.
void launch_compact_in_place(int* words, unsigned* counts, unsigned grid);
/// All blocks read words[0 … 7], and each writes eight other bytes.
void launch_own_words(int* words, unsigned grid);
/// Blocks write words that are 32 apart or, if `stride` is 1, overwrite the words of other blocks.
void launch_overlapping(int* words, unsigned grid, unsigned stride);

}  // namespace runtime_test
