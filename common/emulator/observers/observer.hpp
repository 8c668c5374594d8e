#pragma once
/// \file
/// The events of a launch, and the interface of counters and checks.
///
/// An observer is a class that derives from `observer` and declares the member functions that it needs, with the
/// signatures below. list.hpp lists all observers. `block_observer` delivers every event to each of them, in the order
/// of that list: once per warp instruction, and without a virtual call. A new check is one file and a line in list.hpp.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator {
struct launch_report;
}

namespace emulator::observers {

class cluster_check;
class global_access_log;
class launch_observation;
class shared_init_check;
class thread_order;

/// State that the observers of one host thread share. A pointer is set by the observer that owns the object, and null
/// if that observer is off.
struct block_context {
  launch_observation& launch;
  const kernel_facts& facts;
  incident_table& found;                         ///< Receives the faults that checks find.
  block_identity block = {};                     ///< The block that is running.
  thread_order* order = nullptr;                 ///< The order made by barriers; set by `shared_races`.
  shared_init_check* shared_reads = nullptr;     ///< The `shared_init_check` itself.
  global_access_log* global_accesses = nullptr;  ///< The log of `global_races`.
};

/// Lanes of a warp arrive at a barrier of the block.
struct barrier_arrival {
  std::uint32_t warp = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;  ///< The lanes that arrive, …
  std::uint32_t live = 0;  ///< … and all lanes of the warp that have not exited.
  std::uint32_t barrier = 0;
  bool waits = true;                 ///< False for `bar.arrive`.
  bool others_wait = false;          ///< At __syncthreads(): another warp waits there already.
  std::uint32_t earlier_pc = 0;      ///< The instruction at which the previous warp arrived at this barrier.
  std::uint32_t earlier_thread = 0;  ///< If `others_wait`: a thread of the previous warp.
};

/// The results of an observer for the whole launch: the sum over all host threads. An observer that stores anything
/// until the launch ends derives a class from this one and calls it `of_launch`.
class launch_part {
 public:
  explicit launch_part(launch_observation& launch) : launch_(launch) {}
  /// The launch has ended, and all observers have handed over their results.
  void finish(incident_table& /*found*/) {}
  /// Writes numbers into the report.
  void fill(launch_report&) const {}

 protected:
  launch_observation& launch_;
};

/// The base class, which ignores every event.
class observer {
 public:
  using of_launch = launch_part;

  explicit observer(block_context& context) : context_(context) {}
  /// Returns true if this launch needs the observer, according to its options.
  [[nodiscard]] static bool is_wanted(const launch_observation&) { return true; }

  // Work that the interpreter skips unless an observer asks for it. The answers may change from block to block.
  [[nodiscard]] bool wants_instructions() const { return false; }  ///< `turn_of` and `instructions`.
  [[nodiscard]] bool wants_values() const { return false; }        ///< `memory_event::values` of shared stores.
  [[nodiscard]] bool wants_results() const { return false; }       ///< `access_done`.
  [[nodiscard]] bool tracks_writes() const { return false; }       ///< Keeps track of the bytes that were written.

  /// `block_context::block` begins. A cooperative launch interleaves blocks and has a set of observers for each of
  /// them.
  void begin_block() {}
  /// \param executed   warp instructions of the block
  /// \param completed  false if a fault stopped it
  void end_block([[maybe_unused]] std::uint64_t executed, [[maybe_unused]] bool completed) {}
  /// Hands over the results since the last call.
  void flush(launch_part&) {}

  /// The following events belong to this warp, until the next call.
  void turn_of(std::uint32_t /*warp*/) {}
  /// `count` instructions, starting at `pc`, are about to be executed for the lanes in `mask`. `mask` is 0 if a
  /// predicate is false for all lanes.
  void instructions(std::uint32_t /*pc*/, std::uint32_t /*count*/, std::uint32_t /*mask*/) {}
  /// A load, store or atomic in any state space, before it is executed. \param shape  of the event's addresses
  void access([[maybe_unused]] std::uint32_t warp, const memory_event&, [[maybe_unused]] const access_shape& shape) {}
  /// The same event again, to a separate function for each state space. `access_elsewhere` receives accesses to local,
  /// constant and parameter memory.
  void access_shared(std::uint32_t /*warp*/, const memory_event&, const access_shape& /*shape*/) {}
  void access_global(std::uint32_t /*warp*/, const memory_event&, const access_shape& /*shape*/) {}
  void access_elsewhere(std::uint32_t /*warp*/, const memory_event&, const access_shape& /*shape*/) {}
  /// The last access has been executed. `bytes` are the current values in memory, 32 bytes for each lane. `found` are
  /// the values that an atomic returned, by lane; else null.
  void access_done(const std::byte (* /*bytes*/)[32], const std::byte* /*found*/) {}
  /// A conditional branch at which the lanes `taken` jump and the other lanes of `mask` do not.
  void divergence(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/, std::uint32_t /*taken*/) {}
  /// A `cp.async` begins. It may write to shared memory until its thread has waited for it. The event is its store.
  void copy_begins(std::uint32_t /*warp*/, const memory_event&) {}
  /// A thread has waited for the `mbarrier` that the copy was handed over to, so the copy no longer writes.
  void copy_lands(std::uint32_t /*warp*/, const memory_event&) {}
  /// The copy ends. Until now it may have read global memory. The event is that load, which was delivered to `access`
  /// before.
  void copy_ends_reading(std::uint32_t /*warp*/, const memory_event&, const access_shape&) {}
  /// A `cp.async.bulk` begins and reads, …
  void bulk_copy_begins(const bulk_event&) {}
  /// … is in flight, so from now on it may access shared memory at any time, …
  void bulk_copy_in_flight(const bulk_event&) {}
  /// … and has been waited for.
  void bulk_copy_lands(const bulk_event&) {}
  void barrier_arrive(const barrier_arrival&) {}
  /// A block barrier opens for the lanes `masks[warp]` of each warp, so that everything they did before it is ordered
  /// before everything they do after it.
  /// \param pc             the instruction at which the last warp arrived
  /// \param waits_for_all  false if the barrier is for a given number of threads
  void barrier_opens([[maybe_unused]] std::uint32_t barrier, [[maybe_unused]] std::uint32_t pc,
                     [[maybe_unused]] std::span<const std::uint32_t> masks, [[maybe_unused]] bool waits_for_all) {}
  /// A `bar.warp.sync` completes for the lanes `mask`.
  void warp_barrier(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/) {}
  /// A fence (`membar`, `fence`). \param scope  0: block, 1: device, 2: system
  void fence([[maybe_unused]] std::uint32_t warp, [[maybe_unused]] std::uint32_t mask, [[maybe_unused]] int scope) {}
  void shuffle(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/, const shuffle_event&) {}
  /// The lanes `mask` of a shuffle read from inactive lanes, so they must not use the values.
  void shuffle_from_nowhere(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/) {}
  /// The lanes `mask` waited at a `.sync` operation for lanes of its member mask that have exited: `gone`.
  void waited_in_vain(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/, std::uint32_t /*gone*/) {}
  void exited(std::uint32_t /*warp*/, std::uint32_t /*pc*/, std::uint32_t /*mask*/) {}
  /// The lanes `mask` do not wait any longer for others of their warp at a reconvergence point, and run the code after
  /// it, because the others wait elsewhere or poll.
  void runs_ahead([[maybe_unused]] std::uint32_t warp, [[maybe_unused]] std::uint32_t mask) {}
  /// The block, which has just begun, has this rank in a cluster.
  void join_cluster(const std::shared_ptr<cluster_check>&, std::uint32_t /*rank*/) {}
  /// A load, store or atomic in the shared memory of the cluster's block `owner`.
  void access_of_other_block(std::uint32_t /*warp*/, const memory_event&, std::uint32_t /*owner*/) {}
  void cluster_arrive(std::uint32_t /*warp*/, std::uint32_t /*mask*/, bool /*releases*/) {}
  /// The cluster's barrier opens for all of its blocks. Delivered to one of them.
  void cluster_opens(std::uint64_t /*cluster*/) {}

 protected:
  /// Returns an incident of lanes of one warp at one instruction.
  [[nodiscard]] incident incident_of(incident_kind kind, std::uint32_t warp, std::uint32_t pc,
                                     std::uint32_t mask) const {
    incident one =
        incident_at(kind, pc, context_.block, warp * warp_size + static_cast<std::uint32_t>(std::countr_zero(mask)));
    one.mask = mask;
    return one;
  }

  block_context& context_;
};

}  // namespace emulator::observers
