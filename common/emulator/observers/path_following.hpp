#pragma once
/// \file
/// Follows the critical path of some blocks of a launch.

#include <cstdint>
#include <span>

#include "emulator/observers/access_cost.hpp"
#include "emulator/observers/critical_path.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

/// Follows about eight blocks, and the last one. It is on if both counters and `options::critical_path` are.
class path_following : public observer {
 public:
  struct of_launch : public launch_part {
    using launch_part::launch_part;
    void add(const path_report& path);
    void fill(launch_report& report) const { report.path = total; }
    path_report total;
  };

  explicit path_following(block_context& context)
      : observer(context), path_(context.facts, context.launch.watched().latencies) {}
  [[nodiscard]] static bool is_wanted(const launch_observation& launch);
  [[nodiscard]] bool wants_instructions() const { return follows_; }

  void begin_block();
  void end_block(std::uint64_t, bool) {
    if (follows_) path_.end_block();
    follows_ = false;
  }
  void flush(of_launch& launch) {
    launch.add(path_.total());
    path_.forget_total();
    follows_ = false;
  }

  void turn_of(std::uint32_t warp) {
    if (follows_) path_.turn_of(warp);
  }
  void instructions(std::uint32_t pc, std::uint32_t count, std::uint32_t mask) {
    if (follows_) path_.run(pc, count, mask);
  }
  void access(std::uint32_t, const memory_event& event, const access_shape& shape) {
    if (follows_) [[unlikely]]
      follow(event, shape);
  }
  void barrier_opens(std::uint32_t, std::uint32_t, std::span<const std::uint32_t> masks, bool) {
    if (follows_) [[unlikely]]
      path_.barrier(masks);
  }

 private:
  void follow(const memory_event& event, const access_shape& shape);

  critical_path path_;
  bool follows_ = false;
};

}  // namespace emulator::observers
