#pragma once
/// \file
/// Contract stub: see the interface below.  (Owner: observers.)

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"

namespace emulator::observers {

class launch_observation;

/// Watches the blocks that one host thread runs, one block at a time (a cooperative launch interleaves blocks: then there is
/// one `block_observer` a block, and `begin_block` is called once on each).
class block_observer {
public:
  explicit block_observer(launch_observation& launch);
  ~block_observer();

  void begin_block(const block_identity& block);
  void end_block();

  /// A warp is about to execute the instruction at `pc` for the lanes in `mask` (guard predicate applied; may be 0 when all are predicated off).
  void instruction(std::uint32_t pc, std::uint32_t mask) { /* hot: inline, a counter or two */ (void)pc; (void)mask; }
  /// A load, store or atomic. Called before the access is carried out.
  void memory(std::uint32_t warp, const memory_event& event);
  /// A conditional branch: `taken` is a subset of `mask`; it diverges where it is neither 0 nor `mask`.
  void branch(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken);
  /// Lanes `mask` of a warp arrive at block barrier `barrier`; `live` are the warp's lanes that have not exited.
  void barrier_arrive(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t live, std::uint32_t barrier);
  /// A block barrier opens for the lanes `masks[warp]` of each warp: what they did before is ordered before what they do next.
  void barrier_complete(std::uint32_t barrier, std::span<const std::uint32_t> masks);
  /// `bar.warp.sync` completes for the lanes `mask` of a warp.
  void warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  /// A fence (`membar`, `fence`): `scope` 0 block, 1 device, 2 system.
  void fence(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, int scope);
  /// Lanes leave the kernel.
  void exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);

private:
  launch_observation* launch_;
};

}  // namespace emulator::observers
