#pragma once
/// \file
/// The interpreter's only interface to the observers: what a block does, event by event.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "emulator/observers/activity.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

class cluster_check;
class launch_observation;

/// Delivers the events of the blocks that one host thread runs to all observers (list.hpp), one block at a time. (A
/// cooperative launch interleaves blocks, so each block has its own `block_observer`, and `begin_block` is called
/// once.) Instructions are so frequent that they are counted here and only delivered if an observer asks for them. An
/// object must not be shared between host threads. Its results go to the `launch_observation` at the end.
class block_observer {
 public:
  explicit block_observer(launch_observation& launch);
  ~block_observer();
  block_observer(const block_observer&) = delete;
  block_observer& operator=(const block_observer&) = delete;

  void begin_block(const block_identity& block);
  /// \param executed   warp instructions of the block
  /// \param completed  false if a fault stopped it
  void end_block(std::uint64_t executed, bool completed = true);

  /// The following events belong to this warp, until the next call.
  void turn_of(std::uint32_t warp) {
    if (wants_instructions_) [[unlikely]]
      deliver_turn(warp);
  }
  /// A warp is about to execute the instruction at `pc` for the lanes in `mask`. The guard predicate has been applied,
  /// so `mask` is 0 if it is false for all lanes.
  void instruction(std::uint32_t pc, std::uint32_t mask) {
    if (wants_instructions_) [[unlikely]]
      deliver_instructions(pc, 1, mask);
    instruction_activity& here = hot_[pc];
    ++here.executed;
    here.lanes += static_cast<std::uint64_t>(std::popcount(mask));
    if (mask == 0) [[unlikely]]
      ++here.idle;
  }
  /// A warp executes instructions for the lanes in `mask`, starting at `pc`, one after the other, until `leave` is
  /// called with the first instruction that it does not execute. They must not be counted by `instruction` as well.
  void enter(std::uint32_t pc, std::uint32_t mask) {
    edges_[pc].executed += 1;
    edges_[pc].lanes += static_cast<std::uint64_t>(std::popcount(mask));
  }
  void leave(std::uint32_t pc, std::uint32_t mask) {
    edges_[pc].executed -= 1;
    edges_[pc].lanes -= static_cast<std::uint64_t>(std::popcount(mask));
  }
  /// Between `enter` and `leave`: the next `count` instructions, starting at `pc`, are about to be executed.
  void run(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
    if (wants_instructions_) [[unlikely]]
      deliver_instructions(pc, count, mask);
  }
  /// Returns true if `run` is to be called for each instruction.
  [[nodiscard]] bool wants_instructions() const { return wants_instructions_; }
  /// Returns the memory in which `enter` and `leave` count: 16 bytes per program counter, for executions and lanes.
  [[nodiscard]] void* edges() { return edges_; }
  /// Returns the address of the counter of diverging branches at program counter 0 (`instruction_activity::special`).
  /// The next counters follow at the distance of an `instruction_activity`.
  [[nodiscard]] std::uint64_t* divergences() { return &hot_->special; }
  /// Returns true if stores to shared memory need `memory_event::values`.
  [[nodiscard]] bool wants_values() const { return wants_values_; }
  /// Returns true if an observer keeps track of the bytes that have been written.
  [[nodiscard]] bool tracks_writes() const { return tracks_writes_; }
  /// Returns true if `access_done` is to be called after each access.
  [[nodiscard]] bool wants_results() const { return wants_results_; }

  // The events of observer.hpp.
  void access(std::uint32_t warp, const memory_event& event);
  void access_done(const std::byte (*bytes)[32], const std::byte* found);
  void copy_begins(std::uint32_t warp, const memory_event& event);
  void copy_lands(std::uint32_t warp, const memory_event& event);
  void copy_ends_reading(std::uint32_t warp, const memory_event& event);
  void bulk_copy_begins(const bulk_event& event);
  void bulk_copy_lands(const bulk_event& event);
  /// A conditional branch. `taken` is a subset of `mask`; the branch diverges if `taken` is neither 0 nor `mask`.
  void branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
    if (taken != 0 && taken != mask) diverge(warp, pc, mask, taken);
  }
  /// The lanes `mask` of a warp arrive at block barrier `barrier`. `live` are the warp's lanes that have not exited.
  void barrier_arrive(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t live,
                      std::uint32_t barrier);
  /// The same if all live lanes of a warp, `mask`, arrive at a __syncthreads().
  void barrier_arrive_whole(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
    if (wants_results_ || last_pc_[0] != pc) return barrier_arrive(warp, pc, mask, mask, 0);
    waits_at_0_ = true;
    last_thread_ = warp * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask));
  }
  void barrier_opens(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all);
  void warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  void fence(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, int scope);
  void shuffle_from_nowhere(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  void waited_in_vain(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t gone);
  void shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event);
  void join_cluster(std::shared_ptr<cluster_check> cluster, std::uint32_t rank);
  void access_of_other_block(std::uint32_t warp, const memory_event& event, std::uint32_t owner);
  void cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool releases);
  void cluster_opens(std::uint64_t cluster);
  void exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  void runs_ahead(std::uint32_t warp, std::uint32_t mask);

  /// Hands over everything since the last call to the `launch_observation`. The destructor calls it, too.
  void flush();

 private:
  struct state;

  void deliver_turn(std::uint32_t warp);
  void deliver_instructions(std::uint32_t pc, std::uint32_t count, std::uint32_t mask);
  void diverge(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken);

  instruction_activity* hot_ = nullptr;  ///< Indexed by program counter.
  edge* edges_ = nullptr;                ///< Likewise, with one more at the end.
  bool wants_instructions_ = false;      ///< An observer wants every instruction, …
  bool wants_results_ = false;           ///< … or the values that accesses read and write.
  bool wants_values_ = false;
  bool tracks_writes_ = false;
  std::uint32_t last_pc_[16] = {};  ///< For each barrier: the instruction at which the most recent warp arrived.
  bool waits_at_0_ = false;         ///< A warp waits at barrier 0, …
  std::uint32_t last_thread_ = 0;   ///< … and this is a thread of the warp that arrived last.
  std::unique_ptr<state> state_;
};

}  // namespace emulator::observers
