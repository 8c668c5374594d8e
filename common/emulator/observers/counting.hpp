#pragma once
/// \file
/// Counts instructions and accesses of a launch, by program counter and by source line.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/observers/access_cost.hpp"
#include "emulator/observers/activity.hpp"
#include "emulator/observers/counters.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

/// This observer is always on. Instructions are counted even if `options::counters` is off, because their number limits
/// a launch. Most instructions don't arrive as events, because `block_observer` and machine code count directly in
/// `instructions_by_pc()` and `edges()`.
class counting : public observer {
 public:
  class of_launch : public launch_part {
   public:
    explicit of_launch(launch_observation& launch);
    void fill(launch_report& report) const;
    void add(const activity& more) { total_.add(more); }
    [[nodiscard]] const activity& total() const { return total_; }

   private:
    void count_at(std::uint32_t pc, counter_values& into) const;
    void attach_examples(std::span<const std::uint32_t> pcs, line_report& line) const;

    activity total_;
  };

  explicit counting(block_context& context);
  [[nodiscard]] instruction_activity* instructions_by_pc() { return counted_.instructions.data(); }
  [[nodiscard]] edge* edges() { return edges_.data(); }

  void begin_block() {
    ++counted_.blocks;
    counted_.warps += context_.block.warp_count;
  }
  void end_block(std::uint64_t executed, bool) { counted_.busiest_block = std::max(counted_.busiest_block, executed); }
  void flush(of_launch& launch);

  void access_shared(std::uint32_t, const memory_event& event, const access_shape& shape) {
    if (!counts_) return;
    access_activity& here = counted_.accesses[slots_[event.pc]];
    ++here.shared_accesses;
    const unsigned conflicts = bank_conflicts_of(event, shape);
    if (conflicts != 0) count_conflicts(here, event, conflicts);
  }
  void access_global(std::uint32_t, const memory_event& event, const access_shape& shape) {
    if (counts_) count_global(counted_.accesses[slots_[event.pc]], event, lane_addresses(event, shape));
  }
  void access_elsewhere(std::uint32_t, const memory_event& event, const access_shape& shape);

 private:
  void count_global(access_activity& here, const memory_event& event, const lane_addresses& a);
  void count_conflicts(access_activity& here, const memory_event& event, unsigned conflicts);

  bool counts_;  ///< `options::counters`.
  const std::uint32_t* slots_;
  activity counted_;
  std::vector<edge> edges_;  ///< Indexed by program counter, with one more at the end.
};

}  // namespace emulator::observers
