#pragma once
/// \file
/// racecheck: two threads of a block touch the same byte of shared memory, one of them writes, and nothing orders them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/thread_order.hpp"

namespace emulator::observers {

/// What orders: block barriers and `__syncwarp()`, for those that take part; fences together with a flag in shared
/// memory that is written and read by atomics, strong or volatile accesses. What does not: shuffles, votes, `volatile`
/// by itself, and that the lanes of a warp happen to run the same instruction.
///
/// What is no race: an atomic or strong access against another, or against a volatile one (a lock, a flag); lanes that
/// put the same value into the same word in one instruction.
///
/// The shadow keeps, for each word of shared memory, the last plain write, and up to two groups of readers and of
/// threads with atomics since: threads of one warp with the same stamp make a group, and two groups of different warps
/// are enough to find every race as long as barriers are for the whole block or inside a warp. Where they are for some
/// of the block's warps, a race with a third group may go unseen. Words that are accessed by parts have a shadow of
/// their own for each byte.
class race_check {
 public:
  /// \param facts       must live as long as this; so must `order`, which is told of barriers by others, and `found`
  /// \param has_fences  the kernel has fences, or accesses that acquire or release
  race_check(const kernel_facts& facts, bool has_fences, thread_order& order, incident_table& found);

  /// \param restarted  the stamps of `order` began anew
  void begin_block(const block_identity& block, bool restarted);
  /// A load, store or atomic on shared memory, in bounds.
  void access(std::uint32_t warp, const memory_event& event);

 private:
  /// How far an access is a matter of the memory model: `ordinary` ones race against all, `is_volatile` ones among
  /// themselves, and `strong` ones (atomics too) only against ordinary ones.
  enum level : std::uint32_t { ordinary, is_volatile, strong };

  /// Sets of threads that accessed a cell: two groups, each `lanes` of one warp with the same stamp. `key`: stamp,
  /// program counter, level, warp.
  struct groups {
    std::array<std::vector<std::uint64_t>, 2> key;
    std::array<std::vector<std::uint32_t>, 2> lanes;
    void resize(std::size_t cells);
    void copy(std::size_t from, const groups& source, std::size_t to);
  };
  /// The shadow of memory in words or in bytes. `write`: stamp, program counter, level, thread.
  struct cells {
    std::vector<std::uint64_t> write;
    groups readers;
    groups atomics;
    std::vector<std::uint32_t> written_by_event;  ///< Number of the last store that went lane by lane.
    void resize(std::size_t count);
  };
  /// The access at hand.
  struct request {
    const memory_event* event = nullptr;
    std::uint32_t warp = 0;
    std::uint64_t block_floor = 0;
    std::uint64_t warp_floor = 0;
    level how = ordinary;
    bool reads = false;        ///< A plain, volatile or strong load.
    bool plain_write = false;  ///< A plain or volatile store; an atomic or strong store where both are false.
    const std::uint32_t* stamps = nullptr;
  };

  bool access_row(const request& r);
  bool access_one_word(const request& r);
  void access_by_lane(const request& r);
  bool check_cell(const request& r, const cells& c, std::size_t cell, unsigned lane, std::uint64_t address);
  bool check_group(const request& r, const groups& g, std::size_t cell, unsigned lane, std::uint64_t address,
                   incident_kind kind);
  void record(const request& r, cells& c, std::size_t cell, unsigned lane);
  template <typename Visit>
  void visit_cells(std::uint64_t address, unsigned bytes, Visit visit);
  void add_to_group(const request& r, groups& g, std::size_t cell, std::uint64_t key, std::uint32_t lanes);
  [[nodiscard]] bool replaceable(const request& r, std::uint64_t key, std::uint32_t old_lanes, std::uint32_t lanes,
                                 std::uint64_t new_key) const;
  bool check_same_instruction(const request& r, const cells& c, std::size_t cell, unsigned lane, std::uint64_t address,
                              unsigned bytes);
  void report(const request& r, incident_kind kind, unsigned lane, std::uint64_t address, std::uint32_t other_thread,
              std::uint32_t other_pc, level other_level);
  void split(std::size_t word);
  void synchronise(const request& r);

  const kernel_facts& facts_;
  thread_order& order_;
  incident_table& found_;
  block_identity block_;
  cells words_;
  cells bytes_;                          ///< Empty until an access is narrower than a word.
  std::vector<std::uint32_t> split_at_;  ///< By word: block serial for which `bytes_` holds its shadow.
  std::uint32_t block_serial_ = 0;
  std::uint32_t event_serial_ = 0;
  std::uint32_t last_atomic_stamp_ = 0;  ///< Stamps of all atomics on shared memory are not above it.
  bool any_split_ = false;
  bool has_fences_ = false;
};

}  // namespace emulator::observers
