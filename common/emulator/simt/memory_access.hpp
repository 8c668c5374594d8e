#pragma once
/// \file
/// Loads, stores and atomics of a warp: addresses, bounds checks and data.

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/block_observer.hpp"
#include "emulator/simt/block.hpp"
#include "emulator/simt/deadlock.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::memory {
struct texture_object;
}

namespace emulator::explain {
struct object_phase;
}

namespace emulator::simt {

struct matrix_at;
struct native_state;

/// Returns what the `mbarrier` at that offset of the block's shared memory still needs to complete its phase.
[[nodiscard]] explain::object_phase phase_of_object(const block& b, std::uint64_t at);

/// An allocation that has been accessed recently. Machine code reads this struct.
struct recent_allocation {
  std::uintptr_t begin = 1, end = 0;
  memory::allocation* allocation = nullptr;
  std::uint64_t stores = 0;  ///< Not 0: stores to it are allowed, and nothing has to be recorded for them.
};

/// Executes memory operations for the blocks of one host thread.
class memory_unit {
 public:
  /// \param observer  receives every access; null: nothing is observed. If written bytes are not tracked, an allocation
  /// that a kernel writes to counts as fully initialised
  explicit memory_unit(observers::block_observer* observer)
      : observer_(observer), notes_writes_(observer != nullptr && observer->tracks_writes()) {}

  /// Each of these executes `o` for the lanes in `w.mask`. Returns false and fills `block::fault` if the access is
  /// invalid.
  bool load(block& b, warp& w, const op& o, std::uint32_t pc);
  bool store(block& b, warp& w, const op& o, std::uint32_t pc);
  bool atomic(block& b, warp& w, const op& o, std::uint32_t pc);
  /// Sets what machine code needs for the accesses that it executes itself.
  void prepare(const block& b, native_state& s) const;
  /// Reports to the observer a contiguous or uniform access that machine code has checked and is about to execute.
  void tell(const native_state& s, const op& o, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
            memory::allocation* in);
  /// `mbarrier`; `o.dst` of a wait receives the lanes whose phase is complete.
  bool barrier_object(block& b, warp& w, const op& o, std::uint32_t pc);
  /// `cp.async`, its commits and its waits.
  bool async_copy(block& b, warp& w, const op& o, std::uint32_t pc);
  /// Completes the bulk copies to global memory of lanes that leave the kernel.
  void end_bulk_stores(block& b, warp& w, std::uint32_t lanes);
  /// cudaGraphSetConditional: stores to the words that the lanes' handles refer to.
  bool set_condition(block& b, warp& w, const op& o, std::uint32_t pc, const std::uint64_t* handles,
                     const std::uint32_t* values);
  /// Clears the cache of recent allocations, because they may have been freed.
  void forget_allocations() { recent_[0] = recent_[1] = {}; }
  /// From now on, records changes of memory and polls in `note`; null: stops recording them.
  void note_changes(change_note* note) {
    note_ = note;
    set_noted();
  }
  /// Called when a block begins. Its launch determines what has to be recorded about accesses.
  void begin_block(const block& b) {
    touched_ = b.launch->touched;
    order_ = b.launch->order;
    clustered_ = b.cluster != nullptr;
    note_changes(nullptr);
  }
  /// Called when the launch stops following an order.
  void forget_order() {
    order_ = nullptr;
    set_noted();
  }
  bool parameter_load(block& b, warp& w, const op& o, std::uint32_t pc);
  /// Fetches from textures, loads and stores on surfaces, and queries of both.
  bool texture(block& b, warp& w, const op& o, std::uint32_t pc);
  /// `wmma.load`, `wmma.store`, `ldmatrix` and `stmatrix`, for all 32 lanes.
  bool matrix(block& b, warp& w, const op& o, std::uint32_t pc);

 private:
  struct request;
  void set_noted() {
    long_way_ = touched_ != nullptr || order_ != nullptr || clustered_;
    noted_ = note_ != nullptr || long_way_;
  }
  /// Returns true if only the observer needs to see an ordinary load or store. Change notes don't need to see loads, or
  /// stores after a change has been counted.
  [[nodiscard]] bool needs_no_note(bool loads) const { return !noted_ || (!long_way_ && (loads || note_->counted)); }
  /// Executes an access in which some lanes use the shared memory of other blocks of the cluster. Calls `in_block` once
  /// for each block that is accessed.
  template <typename InBlock>
  bool by_rank(block& b, const warp& w, request& r, InBlock in_block);
  template <observers::access_kind Kind>
  bool noted_access(block& b, warp& w, const op& o, std::uint32_t pc);
  // For a launch that follows an order (other_order.cpp).
  bool go_on_behind(block& b, warp& w, const op& o, std::uint32_t pc);
  void tell_order_before(block& b, const warp& w, const op& o, const request& r);
  void tell_order_after(block& b, warp& w, const op& o, const request& r);
  /// Copies the bytes that each lane accesses.
  void copy_out(block& b, const warp& w, const request& r, std::byte (*to)[32]);
  /// Reports the values at the accessed addresses to the observer after the access.
  void tell_values(block& b, warp& w, const op& o, const request& r);
  /// Called before and after an access if changed bytes, polled words, touched memory or an order have to be recorded.
  void note_before(block& b, const warp& w, const op& o, const request& r);
  void note_after(block& b, const warp& w, const request& r);
  template <bool Noted, typename Carry>
  bool by_space(block& b, warp& w, const op& o, std::uint32_t pc, observers::access_kind kind, Carry carry);
  template <observers::access_kind Kind, bool Noted>
  bool access(block& b, warp& w, const op& o, std::uint32_t pc);
  template <bool Noted>
  bool atomic_access(block& b, warp& w, const op& o, std::uint32_t pc);
  bool hidden_access(block& b, warp& w, const op& o, std::uint32_t pc, observers::access_kind kind);
  bool surface_lane(block& b, warp& w, const op& o, std::uint32_t pc, const memory::texture_object& object, unsigned l);
  bool matrix_rows(block& b, warp& w, const op& o, std::uint32_t pc);
  bool place_matrix(block& b, warp& w, const op& o, std::uint32_t pc, matrix_at& at);
  bool announce_load(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at);
  bool matrix_load(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at);
  bool matrix_store(block& b, warp& w, const op& o, std::uint32_t pc, const matrix_at& at);
  bool announce(block& b, warp& w, const op& o, request& r, const std::uint64_t* values);
  void conclude(block& b, warp& w, const op& o, const request& r);
  bool begin_copy(block& b, warp& w, const op& o, std::uint32_t pc);
  /// Completes all copies except those of the last `groups_left` groups and those that have not been committed.
  void finish_copies(block& b, warp& w, std::int64_t groups_left);
  void end_copy(warp& w, const pending_copy& copy, std::uint32_t lanes, bool still_in_flight);
  void land_copy(block& b, warp& w, pending_copy& copy, std::uint32_t lanes);
  void hand_over_copies(warp& w, const op& o);
  /// Called when the phase of the barrier object at that offset in shared memory is complete.
  static void phase_is_over(block& b, std::uint64_t object);
  /// Called after a thread has waited for the object. Completes the copies that were handed over to it and whose phases
  /// are complete.
  void land_handed_over(block& b, std::uint64_t object);
  // `cp.async.bulk` (bulk_copy.cpp).
  bool bulk_copy(block& b, warp& w, const op& o, std::uint32_t pc);
  bool begin_bulk_load(block& b, warp& w, const op& o, std::uint32_t pc, unsigned lane);
  bool begin_bulk_store(block& b, warp& w, const op& o, std::uint32_t pc, unsigned lane);
  /// Sets the block whose shared memory is accessed. `rank` is the rank field of the address; 0 is the block itself.
  /// Fails if there is no such block.
  bool find_other(block& b, const warp& w, request& r, std::uint64_t rank, unsigned lane);
  bool check_bulk(block& b, warp& w, request& r, std::uint64_t address, std::uint32_t bytes);
  void carry_bulk_store(block& b, warp& w, const bulk_store& copy);
  void land_bulk_loads(block& b, warp& w, const op& o);
  void tell_landing(const bulk_load& copy);
  [[nodiscard]] static bool is_odd_phase(const block& b, std::uint64_t object);
  /// Called when the barrier object is invalidated: it no longer tracks any copies.
  static void forget_handovers(block& b, std::uint64_t object);
  bool check(block& b, warp& w, request& r);
  bool check_global(block& b, warp& w, request& r);
  bool check_local(block& b, warp& w, request& r);
  static bool is_remote(const block& b, const memory::allocation& a);
  bool pass_link(block& b, const warp& w, const request& r, const memory::allocation& in, std::uint32_t mask);
  bool fail(block& b, const warp& w, const request& r, observers::fault_kind kind, unsigned lane,
            std::string message = {});
  /// Records the bytes that the launch touches, so that they can be compared with those of work in other streams.
  void note_touch(const block& b, const request& r, bool strong);
  void observe(block& b, warp& w, const op& o, const request& r);
  void observe_apart(block& b, warp& w, const op& o, const request& r);
  /// Returns the phases of an `mbarrier` that the lanes of an arrival or a wait refer to.
  static observers::barrier_phases phases_of(const block& b, warp& w, const op& o, const request& r);
  /// Returns the event that observers receive for a plain access; `r` must outlive it.
  [[nodiscard]] static observers::memory_event event_of(const request& r);

  observers::block_observer* observer_;
  bool notes_writes_;
  recent_allocation recent_[2];
  change_note* note_ = nullptr;
  memory::touched_bytes* touched_ = nullptr;
  std::byte before_[warp_size][32];  ///< The bytes before the access.
  bool compares_ = false;            ///< `before_` is set.
  other_order* order_ = nullptr;
  bool clustered_ = false;
  bool noted_ = false;     ///< `note_` is set, or `long_way_`.
  bool long_way_ = false;  ///< `touched_` or `order_` is set, or the block is in a cluster.
};

}  // namespace emulator::simt
