#pragma once
/// \file
/// What the first blocks of a launch did, step by step: one JSON line per launch, which drawings, `--record` and the
/// player read. docs/pages/recording.md describes each field.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// Blocks 0 to this, less one, are traced: a drawing shows few, and a trace of all would fill the disk.
inline constexpr std::uint64_t traced_blocks = 8;
/// Steps of a block that are kept: a step takes up to a kilobyte of memory while the kernel runs.
inline constexpr std::size_t traced_steps = 20000;
/// Bytes of a trace from which on launches are added without their steps: a program may launch thousands of times.
inline constexpr std::uintmax_t traced_bytes = std::uintmax_t{256} << 20;

enum class trace_kind : std::uint8_t {
  access,
  shuffle,
  barrier,  ///< A barrier of the block opens.
  warp_barrier,
  run,       ///< Instructions of one line, for the same lanes, that are none of the others.
  branch,    ///< Some lanes jump and others do not.
  arrive,    ///< Lanes wait at a barrier of the block.
  announce,  ///< Lanes tell a barrier that they have come, and go on.
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
  std::uint8_t barrier = 0;                ///< Arrive, announce, barrier: its number; __syncthreads() is 0.
  std::uint32_t jumped = 0;                ///< Branch: of the lanes, those that jump.
  std::uint32_t instructions = 0;          ///< That the warp has executed for this step.
  std::uint32_t thread_instructions = 0;   ///< Their active lanes, summed.
  std::vector<std::uint64_t> at = {};      ///< By lane: address, offset, or the operand of a shuffle. Else empty.
  std::vector<std::uint32_t> givers = {};  ///< Shuffle: by lane, whose value it asked for.
  std::vector<std::byte> values = {};  ///< By lane, `bytes` each. Access: as they are when it is done; shuffle: got.
  std::vector<std::byte> found = {};   ///< Atomic whose result is kept: by lane, `bytes` each.
};

/// Collects steps. Instructions come first, by `run`; those that are a step of their own are told again, by `keep`.
class step_log {
 public:
  /// \param line_of  by program counter: a number for its source line; must live as long as this
  explicit step_log(const std::vector<std::uint32_t>& line_of) : line_of_(line_of) {}

  void begin_block(std::uint64_t block);
  void end_block() { end_run(); }
  /// What follows is done by this warp.
  void turn_of(std::uint32_t warp) { turn_ = warp; }
  /// An instruction for the lanes in `mask`, which may be 0.
  void run(std::uint32_t pc, std::uint32_t mask);
  /// A step that is more than instructions.
  void keep(trace_event e);
  template <typename T>
  void keep(trace_event e, const T* at) {  ///< \param at  by lane
    e.at.assign(at, at + warp_size);
    keep(std::move(e));
  }
  /// The access that was kept last is done: `bytes` by lane are what lies there now, and `found`, by lane of the
  /// access's size, what an atomic gave back; null where none did.
  void carried_out(const std::byte (*bytes)[32], const std::byte* found);

  [[nodiscard]] const std::vector<trace_event>& events() const { return events_; }
  /// Steps beyond `traced_steps` of a block.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  void clear();

 private:
  void push(trace_event e);
  void end_run();

  const std::vector<std::uint32_t>& line_of_;
  std::vector<trace_event> events_;
  trace_event run_;               ///< What goes on; nothing where it has no instructions.
  std::uint32_t last_pc_ = 0;     ///< The last instruction of the run …
  std::uint32_t last_lanes_ = 0;  ///< … and for how many lanes it was.
  std::uint64_t block_ = 0;
  std::uint32_t turn_ = 0;
  std::size_t steps_ = 0;  ///< Of the block.
  std::uint64_t left_out_ = 0;
  bool expects_values_ = false;  ///< The last event is an access that is about to be carried out.
};

}  // namespace emulator::observers
