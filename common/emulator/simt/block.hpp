#pragma once
/// \file
/// A block in flight (its warps, its shared and local memory, its barriers) and the cluster that it belongs to. Plain
/// data that one host thread owns, so that blocks can take turns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/simt/deadlock.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/simt/program.hpp"
#include "emulator/simt/warp.hpp"

namespace emulator::simt {

class native_kernel;
enum class vector_width : std::uint8_t;
class other_order;
struct cluster_group;

/// Deletes bytes that were allocated at the start of a cache line.
struct aligned_delete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using aligned_bytes = std::unique_ptr<std::byte[], aligned_delete>;
[[nodiscard]] inline aligned_bytes make_aligned_bytes(std::size_t size) {
  return aligned_bytes(static_cast<std::byte*>(::operator new[](size == 0 ? 64 : size, std::align_val_t{64})));
}

/// One of the 16 barriers of a block.
struct block_barrier {
  std::vector<std::uint32_t> arrived;  ///< For each warp: lanes that wait here, or have arrived without waiting.
  std::uint32_t arrived_threads = 0;
  std::uint32_t wanted = 0;  ///< Number of threads that complete it; 0: all threads that have not exited.
  barrier_operation operation = barrier_operation::sync;
  std::uint32_t true_count = 0;  ///< bar.red: number of true predicates so far.
};

inline constexpr unsigned barrier_count = 16;

/// Constants that all blocks of a launch share.
struct launch_constants : launch_shape {
  options watched;
  const program* code = nullptr;
  memory::address_space* space = nullptr;
  std::vector<std::byte> parameters;
  std::uint32_t thread_count = 1;
  std::uint32_t warp_count = 1;
  std::uint32_t cluster_size = 1;
  std::uint64_t shared_bytes = 0;       ///< Reserved, static and dynamic.
  std::uint64_t local_bytes = 0;        ///< Per thread: the kernel's own variables and its call stack.
  std::uint64_t first_local_bytes = 0;  ///< The size of the first of these variables if it begins at 0, else 0.
  std::uint64_t grid_id = 1;
  std::uintptr_t workspace = 0;  ///< Cooperative launch: address of the grid barrier of cooperative groups.
  std::uint64_t instruction_limit = 0;
  std::uint64_t warp_slice = 1u << 16;  ///< Number of instructions that a warp may execute per turn; only programs that
                                        ///< spin can tell the difference.
  std::uint64_t begin_ns = 0;           ///< The value of `%globaltimer` when the launch began.
  native_kernel* native = nullptr;      ///< The kernel's machine code; null: everything is interpreted.
  vector_width native_width{};          ///< The number of bytes of a register that machine code processes at a time.
  other_order* order = nullptr;         ///< Null: the usual order, and nothing has to be recorded.
};

/// A `cp.async.bulk` into a block's shared memory whose bytes have not arrived yet. A barrier object of the same block
/// counts them.
struct bulk_load {
  std::uint32_t pc = 0;
  std::uint32_t thread = 0;     ///< In the block that began it, which may be a different block of the cluster.
  bool own = true;              ///< The block itself began it.
  std::uint64_t to = 0;         ///< Offset in the block's shared memory.
  std::uint64_t object = 0;     ///< Offset of the barrier object.
  std::vector<std::byte> data;  ///< The data when the copy began.
};

struct block {
  const launch_constants* launch = nullptr;
  /// Returns true if `s` is a constant, so that it has the same value in all lanes.
  [[nodiscard]] bool is_constant(slot s) const { return s < launch->code->register_begin; }
  observers::block_identity identity;
  std::vector<warp> warps;
  aligned_bytes registers;  ///< All warps' register files.
  aligned_bytes shared;
  aligned_bytes local;  ///< For each warp: word w of lane l is at offset (w * 32 + l) * 4.
  std::uint64_t local_bytes_per_warp = 0;
  std::array<block_barrier, barrier_count> barriers;
  /// Returns the address of a byte of a lane's local memory. The bytes of one word are adjacent.
  [[nodiscard]] std::byte* local_byte(const warp& w, std::uint64_t offset, unsigned lane) const {
    return local.get() + w.index * local_bytes_per_warp + (offset / 4 * warp_size + lane) * 4 + offset % 4;
  }
  /// The emulator doesn't model cycles. Its clock counts the block's warp instructions, so it never decreases and is
  /// the same in every run.
  [[nodiscard]] std::uint64_t clock() const { return executed + passed; }
  std::uint32_t live_threads = 0;
  std::uint32_t next_warp = 0;  ///< The next warp to run.
  std::uint64_t executed = 0;   ///< Warp instructions so far.
  std::uint64_t passed = 0;     ///< Clock ticks that were skipped because the whole grid was waiting for time to pass.
  observers::fault fault;       ///< Set if the block had to be stopped.
  std::vector<bulk_load> bulk_loads;
  cluster_group* cluster = nullptr;  ///< Null if the kernel can't tell that it is in a cluster.
  std::uint32_t cluster_rank = 0;
};

/// A cluster in flight: blocks that take turns on one host thread, wait for each other and access each other's shared
/// memory.
struct cluster_group {
  std::uint64_t number = 0;
  std::vector<block*> blocks;          ///< Indexed by rank; null if the block has left the kernel.
  std::vector<std::uint64_t> numbers;  ///< The blocks' linear numbers, indexed by rank.
  std::uint32_t arrived_threads = 0;   ///< At the barrier, in the current phase.
  change_note changes;                 ///< Shared by its blocks as long as they take turns only with each other.
};

/// Returns true if a launch has clusters that its kernel can tell from single blocks.
[[nodiscard]] inline bool has_clusters(const launch_constants& launch) {
  return launch.cluster_size > 1 || launch.code->knows_clusters;
}

/// Returns the linear number of the k-th block to start if the blocks of each cluster start one after the other.
[[nodiscard]] std::uint64_t block_of_clusters(const launch_constants& launch, std::uint64_t k);

/// Records a fault of the lanes `mask` of a warp at `pc`, which stops their block. Returns false.
inline bool stop_lanes(block& b, const warp& w, std::uint32_t pc, observers::fault_kind kind, std::uint32_t mask,
                       std::string message, observers::access_kind access = observers::access_kind::load) {
  b.fault.kind = kind;
  b.fault.pc = pc;
  b.fault.block = b.identity;
  b.fault.warp = w.index;
  b.fault.mask = mask;
  b.fault.access = access;
  b.fault.message = std::move(message);
  return false;
}

}  // namespace emulator::simt
