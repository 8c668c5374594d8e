#pragma once
/// \file
/// Records what the first blocks of a launch do, step by step.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"
#include "emulator/observers/trace.hpp"

namespace emulator::observers {

/// Records blocks if `options::trace_path` is set.
class recording : public observer {
 public:
  struct of_launch : public launch_part {
    using launch_part::launch_part;
    std::vector<trace_event> events;
    std::uint64_t left_out = 0;  ///< Steps beyond `traced_steps` of a block.
  };

  explicit recording(block_context& context) : observer(context), steps_(context.launch.line_numbers()) {}
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return !launch.watched().trace_path.empty(); }
  [[nodiscard]] bool wants_instructions() const { return records_; }
  [[nodiscard]] bool wants_results() const { return records_; }

  void begin_block();
  void end_block(std::uint64_t, bool) {
    if (records_) steps_.end_block();
  }
  void flush(of_launch& launch);

  void turn_of(std::uint32_t warp) { steps_.turn_of(warp); }
  void instructions(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
    for (const std::uint32_t end = pc + count; records_ && pc != end; ++pc) steps_.run(pc, mask);
  }
  void access(std::uint32_t warp, const memory_event& event, const access_shape&) {
    if (records_) [[unlikely]]
      keep_access(warp, event);
  }
  void access_done(const std::byte (*bytes)[32], const std::byte* found) { steps_.carried_out(bytes, found); }
  void divergence(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken);
  void barrier_arrive(const barrier_arrival& arrival);
  void barrier_opens(std::uint32_t barrier, std::uint32_t pc, std::span<const std::uint32_t> masks, bool waits_for_all);
  void warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);
  void shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event) {
    if (records_) [[unlikely]]
      keep_shuffle(warp, pc, mask, event);
  }
  void exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask);

 private:
  void keep_access(std::uint32_t warp, const memory_event& event);
  void keep_shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event);

  step_log steps_;
  bool records_ = false;  ///< The current block is recorded.
};

}  // namespace emulator::observers
