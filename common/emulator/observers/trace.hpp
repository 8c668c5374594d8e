#pragma once
/// \file
/// A trace of the first blocks of a launch, step by step. It is one JSON line per launch, which drawings, `--record`
/// and the player read. docs/pages/recording.md describes each field.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// The number of blocks that are traced, starting with block 0. A drawing shows only a few blocks, and a trace of all
/// blocks would fill the disk.
inline constexpr std::uint64_t traced_blocks = 8;
/// The maximum number of steps that are recorded for a block, because each takes up to a kilobyte of memory while the
/// kernel runs.
inline constexpr std::size_t traced_steps = 20000;
/// Once a trace has this number of bytes, launches are added without their steps, because a program may have thousands
/// of them.
inline constexpr std::uintmax_t traced_bytes = std::uintmax_t{256} << 20;

enum class trace_kind : std::uint8_t {
  access,
  shuffle,
  barrier,  ///< A barrier of the block opens.
  warp_barrier,
  run,       ///< Other instructions of one line, executed by the same lanes.
  branch,    ///< Some lanes jump and others do not.
  arrive,    ///< Lanes wait at a barrier of the block.
  announce,  ///< Lanes arrive at a barrier without waiting, and continue.
  leave,     ///< Lanes leave the kernel.
  fault,     ///< The kernel is stopped here.
};

struct trace_event {
  trace_kind kind = trace_kind::access;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  access_kind access = access_kind::load;
  ptx::state_space space = ptx::state_space::global;
  std::uint8_t bytes = 0;
  std::uint8_t barrier = 0;               ///< Arrive, announce, barrier: the barrier's number; 0 for __syncthreads().
  std::uint32_t jumped = 0;               ///< Branch: the lanes that jump.
  std::uint32_t instructions = 0;         ///< Executed by the warp for this step.
  std::uint32_t thread_instructions = 0;  ///< Their active lanes, summed.
  std::vector<std::uint64_t> at =
      {};  ///< For each lane: address, offset, or the operand of a shuffle. Otherwise empty.
  std::vector<std::uint32_t> givers = {};  ///< Shuffle: by lane, the lane whose value was read.
  /// `bytes` for each lane. Access: the values in memory after it; shuffle: the values received.
  std::vector<std::byte> values = {};
  std::vector<std::byte> found = {};  ///< Atomic whose result is used: the old values, `bytes` for each lane.
};

/// Collects steps. Each instruction is first passed to `run`; if it is a step of its own, `keep` follows.
class step_log {
 public:
  /// \param line_of  by program counter: a number of its source line; must outlive this object
  explicit step_log(const std::vector<std::uint32_t>& line_of) : line_of_(line_of) {}

  void begin_block(std::uint64_t block);
  void end_block() { end_run(); }
  /// The following steps belong to this warp.
  void turn_of(std::uint32_t warp) { turn_ = warp; }
  /// An instruction for the lanes in `mask`, which may be 0.
  void run(std::uint32_t pc, std::uint32_t mask);
  /// A step that does more than execute instructions.
  void keep(trace_event e);
  template <typename T>
  void keep(trace_event e, const T* at) {  ///< \param at  by lane
    e.at.assign(at, at + warp_size);
    keep(std::move(e));
  }
  /// The access that was passed to `keep` last has been executed. `bytes` are the current values in memory, by lane.
  /// `found` are the values that an atomic returned, by lane with the size of the access; else null.
  void carried_out(const std::byte (*bytes)[32], const std::byte* found);

  [[nodiscard]] const std::vector<trace_event>& events() const { return events_; }
  /// Returns the number of steps that were left out because their block has more than `traced_steps`.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  void clear();

 private:
  void push(trace_event e);
  void end_run();

  const std::vector<std::uint32_t>& line_of_;
  std::vector<trace_event> events_;
  trace_event run_;               ///< The current run; there is none if it has no instructions.
  std::uint32_t last_pc_ = 0;     ///< The last instruction of the run …
  std::uint32_t last_lanes_ = 0;  ///< … and the number of lanes that executed it.
  std::uint64_t block_ = 0;
  std::uint32_t turn_ = 0;
  std::size_t steps_ = 0;  ///< In the current block.
  std::uint64_t left_out_ = 0;
  bool expects_values_ = false;  ///< The last event is an access that has not been executed yet.
};

}  // namespace emulator::observers
