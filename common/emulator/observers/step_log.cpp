// Collects the steps of a trace while they happen.

#include <algorithm>
#include <bit>

#include "emulator/observers/trace.hpp"

namespace emulator::observers {

void step_log::begin_block(std::uint64_t block) {
  end_run();
  block_ = block;
  steps_ = 0;
}

void step_log::run(std::uint32_t pc, std::uint32_t mask) {
  const bool goes_on = run_.instructions != 0 && run_.warp == turn_ && line_of_[run_.pc] == line_of_[pc] &&
                       (mask == 0 || run_.mask == 0 || run_.mask == mask);
  if (!goes_on) {
    end_run();
    run_ = {.kind = trace_kind::run, .block = block_, .warp = turn_, .pc = pc, .mask = mask};
  }
  last_pc_ = pc;
  last_lanes_ = static_cast<std::uint32_t>(std::popcount(mask));
  run_.mask |= mask;
  ++run_.instructions;
  run_.thread_instructions += last_lanes_;
}

void step_log::keep(trace_event e) {
  e.block = block_;
  // The run has already counted the instruction of this step, so it is moved to the step. The opening of a barrier has
  // no instruction of its own.
  const bool counted = e.kind != trace_kind::barrier && run_.instructions != 0 && last_pc_ == e.pc;
  if (counted) {
    e.instructions = 1;
    e.thread_instructions = last_lanes_;
    --run_.instructions;
    run_.thread_instructions -= last_lanes_;
  }
  end_run();
  const std::size_t before = events_.size();
  const bool access = e.kind == trace_kind::access;
  push(std::move(e));
  expects_values_ = access && events_.size() > before;
}

void step_log::carried_out(const std::byte (*bytes)[32], const std::byte* found) {
  if (!std::exchange(expects_values_, false)) return;
  trace_event& e = events_.back();
  e.values.resize(std::size_t{warp_size} * e.bytes);
  for (const unsigned lane : lanes_in(e.mask))
    std::copy_n(bytes[lane], e.bytes, e.values.begin() + static_cast<std::ptrdiff_t>(lane * e.bytes));
  if (found != nullptr) e.found.assign(found, found + std::size_t{warp_size} * e.bytes);
}

void step_log::clear() {
  events_.clear();
  left_out_ = 0;
  expects_values_ = false;
}

void step_log::push(trace_event e) {
  if (++steps_ <= traced_steps)
    events_.push_back(std::move(e));
  else
    ++left_out_;
}

void step_log::end_run() {
  if (run_.instructions != 0) push(run_);
  run_.instructions = 0;
}

}  // namespace emulator::observers
