#pragma once
/// \file
/// What blocks did in global memory, kept until the launch has ended, and racecheck there: conflicting accesses of
/// different blocks, or of different warps of a block, that nothing orders.

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

/// Accesses of one block at one instruction to neighbouring addresses by neighbouring threads.
struct global_access {
  std::uint64_t begin = 0;
  std::uint32_t length = 0;  ///< Bytes.
  std::uint32_t pc = 0;
  std::uint32_t block = 0;    ///< Linear.
  std::uint32_t stretch = 0;  ///< `block_order::vertex`, or, without an order, the number of barriers before.
  std::uint32_t number = 0;   ///< Rises within the block.
  std::uint16_t thread = 0;   ///< In the block, of the first bytes.
  std::uint8_t bytes = 4;     ///< Of each thread: the one at `begin + k * bytes` is `thread + k`.
  std::uint8_t flags = 0;

  static constexpr std::uint8_t reads = 1;
  static constexpr std::uint8_t writes = 2;
  static constexpr std::uint8_t strong = 4;      ///< volatile, relaxed …, atomic.
  static constexpr std::uint8_t block_only = 8;  ///< … but at the scope of the block.

  [[nodiscard]] std::uint64_t end() const { return begin + length; }
  [[nodiscard]] std::uint32_t thread_at(std::uint64_t address) const {
    return thread + static_cast<std::uint32_t>((address - begin) / bytes);
  }
  [[nodiscard]] bool is(std::uint8_t flag) const { return (flags & flag) != 0; }
};

/// The same of one warp whose lanes lie anywhere within 4 GiB: what would be a `global_access` for nearly each lane.
struct scattered_access {
  global_access hull;  ///< All that lies between, as if it were one; `number` is the first lane's, `thread` lane 0's.
  std::uint32_t mask = 0;
  std::array<std::uint32_t, warp_size> offset;  ///< Of the active lanes: bytes behind `hull.begin`.
};

/// What has been noted.
struct global_accesses {
  std::vector<global_access> rows;
  std::vector<scattered_access> scattered;

  void append(const global_accesses& more);
  /// Makes rows of those scattered ones for which `wanted` holds, and drops all.
  template <typename Wanted>
  void expand(Wanted wanted) {
    for (const scattered_access& one : scattered)
      if (wanted(one)) expand(one);
    scattered.clear();
  }

 private:
  void expand(const scattered_access& one);
};

/// How much of a launch is kept. Numbers of `global_access`es.
struct log_limits {
  std::uint32_t blocks = 1u << 20;  ///< Blocks from this number on are not watched.
  std::size_t per_block = 4096;     ///< Reads beyond are forgotten, and all beyond twice that.

  /// \param block_count  of the launch; 0 where it is not known
  static log_limits for_blocks(std::uint64_t block_count);
};

/// Leaves room for accesses, whatever it holds, to the next launch, which need not ask the system for it: if it is
/// worth it and not too much to keep.
void leave_spare_room(global_accesses room);

/// Notes the accesses of the blocks that one host thread runs, one after the other (of a cooperative launch: of one
/// block). Rows of threads at rows of addresses are one entry.
class global_access_log {
 public:
  /// \param facts  of the kernel; must live as long as this
  /// \param order  null where no instruction of the kernel orders blocks
  global_access_log(const kernel_facts& facts, block_order* order);

  void begin_block(const block_identity& block, const log_limits& limits);
  /// A load, store or atomic on global memory.
  void access(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  /// The same for a range, or one place.
  /// A barrier of the block, whole or in part, or anything else that may order some of its warps.
  void cut() { cut_ = true; }
  /// A fence, scope as in `block_observer::fence`.
  void fence(int scope);
  /// A barrier of the block's cluster opens. First all blocks of the cluster pass on what they did, then all learn.
  void cluster_barrier(std::uint64_t cluster, bool learns);

  /// Hands out all that has been noted, and begins anew.
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
  std::vector<std::uint32_t> last_entry_;  ///< By program counter: index in `noted_.rows`.
  std::uint32_t block_ = 0;
  bool watched_ = false;
  bool cut_ = false;  ///< The next access starts a stretch.
  log_limits limits_;
  std::size_t first_of_block_ = 0;  ///< Likewise.
  std::size_t kept_ = 0;            ///< Of the block: entries, or what would be one.
  std::uint32_t number_ = 0;
  std::uint32_t stretch_ = 0;
  block_order::vertex fenced_ = block_order::none;       ///< What the block's last fence made ready to be passed on.
  std::vector<block_order::vertex> received_;            ///< What strong reads found, until the next fence.
  std::vector<block_order::vertex> known_;               ///< Some of what the block has learned so far.
  std::vector<block_order::vertex> seen_, seen_before_;  ///< Likewise, by strong reads alone.
};

/// Compares the accesses of a launch.
///
/// Two accesses of different blocks race where they touch the same byte, one of them writes, one of them is weak (or
/// strong only within its block), and neither happens before the other by `order`. A block counts as one: what any of
/// its threads releases or acquires is released or acquired by all of them. After a read or a strong access it is
/// enough that the other block has seen, in whatever strong way, what was written behind it: the last block may reset
/// the ticket, and a block may write over what another has read before it published its result. Within a block,
/// accesses of different warps race where no barrier nor anything else that may order them lies between.
///
/// The outcome depends on the entries only, not on their order.
/// \param all       of all blocks; is sorted and thinned out
/// \param order     null where nothing in the kernel orders blocks
/// \param identify  makes a block's identity from its linear number
/// \param found     receives the races
void find_global_races(global_accesses& all, block_order* order,
                       const std::function<block_identity(std::uint64_t)>& identify, incident_table& found);

}  // namespace emulator::observers
