#pragma once
/// \file
/// Runs the warps of a block. Compiled twice: with an observer that receives every instruction, and without.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/jit/native_code.hpp"
#include "emulator/observers/block_observer.hpp"
#include "emulator/simt/block.hpp"
#include "emulator/simt/deadlock.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt {

/// The reason why a block's turn ended. `stalled`: no warp can make progress until memory is changed from outside.
enum class turn { finished, faulted, more, stalled };

/// Number of turns that a path may run while others wait for it at a reconvergence point. After that, the others
/// continue without it, because the hardware's independent thread scheduling guarantees progress to both sides of a
/// spin lock.
inline constexpr std::uint32_t turn_patience = 64;

/// Prepares `b` to run block `identity` from the beginning; reuses the memory that `b` already has.
void start_block(block& b, const launch_constants& launch, const observers::block_identity& identity);

/// Interprets blocks for one host thread.
template <bool Watched>
class interpreter {
 public:
  /// \param observer  null if and only if `Watched` is false
  explicit interpreter(observers::block_observer* observer) : observer_(observer), memory_(observer) {}

  /// Runs `b` until it has finished or faulted, or has executed `slice` more warp instructions. With
  /// `until_deadlock`, it also stops if the block is stalled.
  turn run(block& b, std::uint64_t slice, bool until_deadlock);

  /// Called after the block has run. Returns true if it is stalled, that is, if each of its warps waits or repeats
  /// itself without any change that it could see.
  [[nodiscard]] bool makes_no_progress(const block& b) const;
  /// Returns true if the block is stalled, but may continue after time has passed.
  [[nodiscard]] bool waits_for_time(const block& b) const;
  /// From now on, counts changes in `note`, which other blocks also use.
  void share_changes(change_note& note);
  /// Must be called if the host or another kernel may have freed memory since it last ran.
  void forget_allocations() { memory_.forget_allocations(); }
  /// Called when the launch stops following an order.
  void forget_order() { memory_.forget_order(); }
  /// Starts to record what the block's warps poll, and what changes.
  void note_changes_from_now_on(const block& b);
  /// Returns true if polls and changes are being recorded.
  [[nodiscard]] bool notes_changes() const { return watches_changes_; }
  /// Returns the place that a warp polls if the warp is known to repeat itself, else null (for example if it waits at a
  /// barrier).
  [[nodiscard]] const polled_place* looks_at(const warp& w) const {
    return watches_.empty() || !watches_[w.index].circles(*note_) ? nullptr : &watches_[w.index].polled();
  }

 private:
  turn run_in_order(block& b, std::uint64_t slice, bool until_deadlock);
  void watch_for_circles(block& b, warp& w, bool stands_aside);
  void read_clock(const block& b, warp& w);
  /// Records an event that may end another warp's or block's wait.
  void note_change() {
    if (watches_changes_) [[unlikely]]
      note_->changed();
  }
  turn run_in_turns(block& b, std::uint64_t slice, bool until_deadlock);
  /// Returns the next warp to schedule and advances the round-robin cursor.
  static warp& next_warp(block& b) {
    warp& w = b.warps[b.next_warp];
    b.next_warp = b.next_warp + 1 == b.warps.size() ? 0 : b.next_warp + 1;
    return w;
  }
  void run_warp(block& b, warp& w, std::uint64_t slice);
  void end_turn(block& b, warp& w, bool stands_aside);
  bool carry_out(block& b, warp& w, std::uint32_t& pc, std::uint32_t mask, std::uint64_t& executed);
  static const std::byte* carry_out_for_code(native_state& s, std::uint32_t pc);
  [[nodiscard]] native_kernel* code_for(const block& b) const;
  void prepare(block& b, warp& w, std::uint64_t limit, const native_kernel& code, native_state& s);
  [[nodiscard]] watching who_watches() const;
  void note_work(native_kernel& code, native_state& s, bool full, std::uint64_t operations);
  [[nodiscard]] native_kernel::form form_of(const block& b, bool full) const;
  static void begin_comparison(native_state& s);
  static void end_comparison(native_state& s, const compared_stretch& stretch);
  bool has_ready(warp& w);
  bool next_warp_for_code(native_state& s);
  const std::byte* next_for_code(native_state& s);
  static const std::byte* wait_for_code(native_state& s, std::uint32_t pc, std::uint32_t number);
  static const std::byte* carry_out_apart_for_code(native_state& s, std::uint32_t pc, std::uint32_t branch);
  static const std::byte* meet_for_code(native_state& s);
  static const std::byte* part_for_code(native_state& s, std::uint32_t pc, std::uint32_t taken);
  bool step(block& b, warp& w, const op& o, std::uint32_t& pc);
  bool next_split(warp& w);
  void arrive_at_frame(warp& w);
  void diverge(warp& w, const op& o, std::uint32_t pc, std::uint32_t taken);
  bool exit_lanes(block& b, warp& w, std::uint32_t pc, std::uint32_t lanes);
  bool branch_by_table(block& b, warp& w, const op& o, std::uint32_t& pc);

  bool call(block& b, warp& w, const op& o, std::uint32_t pc);
  bool return_from_call(block& b, warp& w, const op& o, std::uint32_t pc);

  // Waiting for other lanes and warps.
  bool warp_barrier(block& b, warp& w, const op& o, std::uint32_t pc);
  bool release_warp_barriers(block& b, warp& w);
  bool gather_warp(block& b, warp& w, std::uint32_t pc);
  void meet(warp& w, const std::vector<op>& code, const std::vector<std::size_t>& party);
  void perform_collective(block& b, warp& w, const op& o, std::uint32_t pc, std::uint32_t lanes);
  bool arrive_at_barrier(block& b, warp& w, const op& o, std::uint32_t pc);
  void open_barrier(block& b, unsigned number);
  void open_barriers_after_exit(block& b);
  bool cluster_barrier(block& b, warp& w, const op& o, std::uint32_t pc);
  void open_cluster_barrier(block& b);
  void leave_cluster_barrier(block& b, warp& w, std::uint32_t lanes);
  bool release_waiting_join_points(warp& w);
  bool give_way(warp& w, const op& o, std::uint32_t pc);
  bool resolve_deadlock(block& b);
  bool device_runtime(block& b, warp& w, const op& o, std::uint32_t pc);
  bool give(block& b, warp& w, std::uint32_t pc, unsigned lane, std::uint64_t to, std::uint64_t value, unsigned bytes);
  bool set_condition(block& b, warp& w, const op& o, std::uint32_t pc);
  bool system_call(block& b, warp& w, const op& o, std::uint32_t pc);
  /// Stops the block because `lane` frees an address that isn't an allocation of the device heap.
  bool stop_at_bad_free(block& b, warp& w, std::uint32_t pc, unsigned lane, std::uint64_t address);
  bool stop(block& b, const warp& w, std::uint32_t pc, observers::fault_kind kind, std::string message);

  observers::block_observer* observer_;
  memory_unit memory_;
  change_note own_note_;
  change_note* note_ = &own_note_;
  std::vector<warp_watch> watches_;  ///< Indexed by warp; empty until a warp has used up a turn.
  bool watches_changes_ = false;     ///< Polls and changes are being recorded.
  bool jumpers_first_ = false;       ///< After a divergent branch, the lanes that jump run first.
  std::uint64_t turns_end_ = 0;      ///< When the block has executed this many instructions, other blocks get their
                                     ///< turn.
  std::uint32_t turn_ = 0;           ///< Number of turns that warps have had in the current round.
  bool progress_ = false;            ///< A warp could run in the current round.
  bool stands_aside_ = false;        ///< The warp's turn ends although its path could continue.
  aligned_bytes registers_before_;   ///< A warp's registers before a section that is compared.
};

extern template class interpreter<false>;
extern template class interpreter<true>;

/// Instantiates a member function that is defined in a different file, for both interpreters.
#define EMULATOR_OF_BOTH(result, ...)              \
  template result interpreter<false>::__VA_ARGS__; \
  template result interpreter<true>::__VA_ARGS__

/// Returns the lanes that wait in each warp of a deadlocked block, and the warps that have exited.
[[nodiscard]] std::vector<observers::waiting_lanes> waiting_lanes_of(const block& b);

}  // namespace emulator::simt
