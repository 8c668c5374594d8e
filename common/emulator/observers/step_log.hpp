#pragma once
/// \file
/// The steps of the blocks that one host thread runs, as they happen.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/observers/trace.hpp"

namespace emulator::observers {

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
