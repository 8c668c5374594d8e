#pragma once
/// \file
/// A log of the accesses to global memory, which lasts until the launch ends, and racecheck for them: it finds
/// conflicting accesses by different blocks, or by different warps of a block, that nothing orders.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/block_order.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// Accesses by neighbouring threads of a block to neighbouring addresses, at one instruction.
struct global_access {
  std::uint64_t begin = 0;
  std::uint32_t length = 0;  ///< Bytes.
  std::uint32_t pc = 0;
  std::uint32_t block = 0;    ///< Linear.
  std::uint32_t stretch = 0;  ///< Epoch: a `block_order::vertex`; without an order, the number of barriers before it.
  std::uint32_t number = 0;   ///< Increases within the block.
  std::uint16_t thread = 0;   ///< Index in the block of the thread that accesses the first bytes.
  std::uint8_t bytes = 4;     ///< Per thread: thread `thread + k` accesses the bytes at `begin + k * bytes`.
  std::uint8_t flags = 0;

  static constexpr std::uint8_t reads = 1;
  static constexpr std::uint8_t writes = 2;
  static constexpr std::uint8_t strong = 4;      ///< Volatile, relaxed …, or atomic.
  static constexpr std::uint8_t block_only = 8;  ///< … but only at block scope.

  [[nodiscard]] std::uint64_t end() const { return begin + length; }
  [[nodiscard]] std::uint32_t thread_at(std::uint64_t address) const {
    return thread + static_cast<std::uint32_t>((address - begin) / bytes);
  }
  [[nodiscard]] bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
};

/// One access by a warp whose addresses are scattered over at most 4 GiB. Stored in any other way, it would need a
/// `global_access` for nearly every lane.
struct scattered_access {
  /// The whole range as if it were one access. `number` is that of the first active lane; `thread` is that of lane 0,
  /// active or not.
  global_access hull;
  std::uint32_t mask = 0;
  std::array<std::uint32_t, warp_size> offset;  ///< Offsets of the active lanes, in bytes from `hull.begin`.
};

/// The accesses that have been logged.
struct global_accesses {
  std::vector<global_access> rows;
  std::vector<scattered_access> scattered;

  void append(const global_accesses& more);
  /// Converts those scattered accesses for which `wanted` is true to rows, and removes all scattered accesses.
  template <typename Wanted>
  void expand(Wanted wanted) {
    for (const scattered_access& one : scattered)
      if (wanted(one)) expand(one);
    scattered.clear();
  }

 private:
  void expand(const scattered_access& one);
};

/// Limits on the log of a launch.
struct log_limits {
  std::uint32_t blocks = 1u << 20;  ///< Blocks with this number or a higher one are not logged.
  std::size_t per_block = 4096;     ///< Entries after which reads are dropped; at twice this number, all accesses are.

  /// \param block_count  of the launch; 0 if unknown
  static log_limits for_blocks(std::uint64_t block_count);
};

/// Leaves the memory of `room` to the next launch, which then doesn't have to allocate it from the system. Its contents
/// are dropped. Does nothing if it is too small to be worth it or too large to keep.
void recycle_buffers(global_accesses room);

/// Logs the accesses of the blocks that one host thread runs, one block after the other (in a cooperative launch: of
/// one block). Neighbouring threads that access neighbouring addresses share an entry.
class global_access_log {
 public:
  /// \param facts  of the kernel; must outlive this object
  /// \param order  null if no instruction of the kernel orders blocks
  global_access_log(const kernel_facts& facts, block_order* order);

  void begin_block(const block_identity& block, const log_limits& limits);
  /// A load, store or atomic on global memory.
  void access(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  /// A barrier of the block, complete or partial, or any other event that may order some of its warps.
  void cut() { cut_ = true; }
  /// A fence. `scope` is that of `observer::fence`.
  void fence(int scope);
  /// A barrier of the block's cluster opens. It is called twice: first all blocks of the cluster release what they did,
  /// then all of them acquire it (`learns`).
  void cluster_barrier(std::uint64_t cluster, bool learns);

  /// Returns all entries and removes them from the log.
  [[nodiscard]] global_accesses take_entries();

 private:
  struct run {
    std::uint64_t begin;
    std::uint32_t pc, thread, lanes;
    std::uint8_t bytes, flags;
  };
  void add(const run& r);
  void append(const run& r);
  void add_scattered(std::uint32_t warp, const memory_event& event, const access_shape& shape, std::uint8_t flags);
  void synchronise(const memory_event& event, std::uint8_t ordering, const access_shape& shape);
  void start_stretch();
  static void receive(block_order::vertex what, std::vector<block_order::vertex>& list,
                      const std::vector<block_order::vertex>& known);
  void learn(std::vector<block_order::vertex>& list, std::vector<block_order::vertex>& known,
             block_order::relation how);
  [[nodiscard]] bool full(std::uint8_t flags) const;

  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  const kernel_facts& facts_;
  block_order* order_;
  global_accesses noted_;
  std::vector<std::uint32_t> last_entry_;  ///< Indexed by program counter: index in `noted_.rows`.
  std::uint32_t block_ = 0;
  bool watched_ = false;
  bool cut_ = false;  ///< The next access begins a new stretch.
  log_limits limits_;
  std::size_t first_of_block_ = 0;  ///< Index in `noted_.rows`.
  std::size_t kept_ = 0;            ///< Entries of the block, counting those that a dropped access would have needed.
  std::uint32_t number_ = 0;
  std::uint32_t stretch_ = 0;
  /// The vertex that the block's last fence made ready for a later store to release.
  block_order::vertex fenced_ = block_order::none;
  std::vector<block_order::vertex> received_;  ///< The vertices that strong reads have found, until the next fence.
  std::vector<block_order::vertex> known_;     ///< Some of the vertices that the block has acquired.
  /// The same for vertices seen by strong reads without an acquire.
  std::vector<block_order::vertex> seen_, seen_before_;
};

/// Compares the accesses of a launch.
///
/// Two accesses by different blocks race if they touch the same byte, one of them writes, one of them is weak (or
/// strong only within its block), and neither happens before the other by `order`. Ordering is tracked per block, not
/// per thread: a release or an acquire by one thread counts for all threads of its block. If the earlier access is a
/// read or a strong access, it is enough that the other block has seen, by any strong read, something that was written
/// after it. So the last block may reset the ticket, and a block may overwrite what another block had read before it
/// published its result. Within a block, accesses by different warps race if there is neither a barrier nor anything
/// else between them that may order them.
///
/// The result depends only on the set of entries, not on their order.
/// \param all       the accesses of all blocks; they are sorted, and some are removed
/// \param order     null if nothing in the kernel orders blocks
/// \param identify  returns a block's identity for its linear number
/// \param found     receives the races
void find_global_races(global_accesses& all, block_order* order,
                       const std::function<block_identity(std::uint64_t)>& identify, incident_table& found);

}  // namespace emulator::observers
