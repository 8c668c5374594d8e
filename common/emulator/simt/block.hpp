#pragma once
/// \file
/// A block in flight: its warps, its shared and local memory, its barriers; and the cluster that it is in.
/// Plain data that one host thread owns, so that blocks can take turns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/simt/program.hpp"
#include "emulator/simt/standstill.hpp"
#include "emulator/simt/warp.hpp"

namespace emulator::simt {

class native_kernel;
enum class vector_width : std::uint8_t;
class other_order;
struct cluster_group;

/// Bytes that start at a cache line.
struct aligned_delete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using aligned_bytes = std::unique_ptr<std::byte[], aligned_delete>;
[[nodiscard]] inline aligned_bytes make_aligned_bytes(std::size_t size) {
  return aligned_bytes(static_cast<std::byte*>(::operator new[](size == 0 ? 64 : size, std::align_val_t{64})));
}

/// One of the 16 barriers of a block.
struct block_barrier {
  std::vector<std::uint32_t> arrived;  ///< By warp: lanes that wait or have announced themselves.
  std::uint32_t arrived_threads = 0;
  std::uint32_t wanted = 0;  ///< Threads that open it; 0: all that have not exited.
  barrier_operation operation = barrier_operation::sync;
  std::uint32_t true_count = 0;  ///< bar.red: predicates that held so far.
};

inline constexpr unsigned barrier_count = 16;

/// What all blocks of a launch share.
struct launch_constants : launch_shape {
  options watched;
  const program* code = nullptr;
  memory::address_space* space = nullptr;
  std::vector<std::byte> parameters;
  std::uint32_t thread_count = 1;
  std::uint32_t warp_count = 1;
  std::uint32_t cluster_size = 1;
  std::uint64_t shared_bytes = 0;       ///< Reserved, static and dynamic.
  std::uint64_t local_bytes = 0;        ///< A thread's: the kernel's own and the stack of its calls.
  std::uint64_t first_local_bytes = 0;  ///< Of these, those that the first variable has, which begins at 0.
  std::uint64_t grid_id = 1;
  std::uintptr_t workspace = 0;  ///< Cooperative launch: where cooperative groups keep the grid's barrier.
  std::uint64_t instruction_limit = 0;
  std::uint64_t warp_slice =
      1u << 16;  ///< Instructions of a warp's turn, before others get theirs; only programs that spin notice.
  std::uint64_t begin_ns = 0;       ///< When the launch began, by `%globaltimer`.
  native_kernel* native = nullptr;  ///< The kernel's machine code; null: the interpreter does all.
  vector_width native_width{};      ///< How much of a register that works on at a time.
  other_order* order = nullptr;     ///< Null: the usual order, of which nothing need be known.
};

/// A `cp.async.bulk` into a block's shared memory, whose bytes have not arrived yet; a barrier object of the same block
/// counts them.
struct bulk_load {
  std::uint32_t pc = 0;
  std::uint32_t thread = 0;     ///< Of the block that began it, which may be another one of the cluster.
  bool own = true;              ///< It is not.
  std::uint64_t to = 0;         ///< Offset in the block's shared memory.
  std::uint64_t object = 0;     ///< Likewise.
  std::vector<std::byte> data;  ///< As it was when the copy began.
};

struct block {
  const launch_constants* launch = nullptr;
  /// Says whether a register of the warps holds a constant, which is the same for all lanes.
  [[nodiscard]] bool is_constant(slot s) const { return s < launch->code->register_begin; }
  observers::block_identity identity;
  std::vector<warp> warps;
  aligned_bytes registers;  ///< All warps' register files.
  aligned_bytes shared;
  aligned_bytes local;  ///< By warp: word w of lane l lies at (w * 32 + l) * 4.
  std::uint64_t local_bytes_per_warp = 0;
  std::array<block_barrier, barrier_count> barriers;
  /// Where a byte of a lane's local memory lies; the bytes of one word lie together.
  [[nodiscard]] std::byte* local_byte(const warp& w, std::uint64_t offset, unsigned lane) const {
    return local.get() + w.index * local_bytes_per_warp + (offset / 4 * warp_size + lane) * 4 + offset % 4;
  }
  /// The emulator has no cycles: its clock counts the block's warp instructions, so that it only ever rises, and is the
  /// same in every run.
  [[nodiscard]] std::uint64_t clock() const { return executed + passed; }
  std::uint32_t live_threads = 0;
  std::uint32_t next_warp = 0;  ///< Whose turn it is.
  std::uint64_t executed = 0;   ///< Warp instructions so far.
  std::uint64_t passed = 0;     ///< Ticks of the clock beyond these: time that the grid has waited for.
  observers::fault fault;       ///< Set where the block had to be stopped.
  std::vector<bulk_load> bulk_loads;
  cluster_group* cluster = nullptr;  ///< Null where it is in none that anybody could notice.
  std::uint32_t cluster_rank = 0;
};

/// A cluster in flight: blocks that run together, in turns on one host thread, wait for each other and reach each
/// other's shared memory.
struct cluster_group {
  std::uint64_t number = 0;
  std::vector<block*> blocks;          ///< By rank; null where the block has left the kernel.
  std::vector<std::uint64_t> numbers;  ///< By rank: the blocks' linear numbers.
  std::uint32_t arrived_threads = 0;   ///< At the barrier, in the phase under way.
  change_note changes;                 ///< Of its blocks, as long as they run by themselves.
};

/// Says whether launches of that kernel and shape have clusters that anybody could notice.
[[nodiscard]] inline bool has_clusters(const launch_constants& launch) {
  return launch.cluster_size > 1 || launch.code->knows_clusters;
}

/// The linear number of the k-th block, where those of a cluster come one after the other.
[[nodiscard]] std::uint64_t block_of_clusters(const launch_constants& launch, std::uint64_t k);

/// Notes that lanes `mask` of a warp have done at `pc` what stops their block. Returns false.
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
