#include "emulator/observers/thread_order.hpp"

#include <algorithm>
#include <bit>

namespace emulator::observers {
namespace {

constexpr std::uint32_t restart_sequence_at = 0x80000000u;

void raise_row(std::span<std::uint32_t> row, std::span<const std::uint32_t> by) {
  for (std::size_t t = 0; t < row.size(); ++t) row[t] = std::max(row[t], by[t]);
}

}  // namespace

bool thread_order::begin_block(const block_identity& block) {
  const bool restart = sequence_ >= restart_sequence_at;
  if (restart) sequence_ = 0;
  warps_ = block.warp_count;
  threads_ = warps_ * warp_size;
  live_.resize(warps_);
  for (std::uint32_t w = 0; w < warps_; ++w) {
    const std::uint32_t threads = block.thread_count - w * warp_size;
    live_[w] = threads >= warp_size ? 0xffffffffu : (1u << threads) - 1;
  }
  left_.assign(warps_, 0);
  warp_floor_.resize(warps_);
  stamp_.resize(threads_);
  same_stamps_.resize(warps_);
  fence_stamp_.assign(threads_, 0);
  has_lane_matrix_.assign(warps_, false);
  raise_floor();
  return restart;
}

void thread_order::raise_floor() {
  block_floor_ = ++sequence_;
  std::fill(warp_floor_.begin(), warp_floor_.end(), block_floor_);
  std::fill(stamp_.begin(), stamp_.end(), block_floor_);
  std::fill(same_stamps_.begin(), same_stamps_.end(), std::uint8_t{1});
  if (!lane_matrix_.empty()) std::fill(has_lane_matrix_.begin(), has_lane_matrix_.end(), false);
  has_matrix_ = false;
  if (!announced_.empty()) announced_.clear();
  if (!passed_on_.empty()) passed_on_.clear();
  if (!received_.empty()) received_.clear();
}

bool thread_order::ordered(std::uint32_t earlier, std::uint32_t stamp, std::uint32_t later) const {
  if (stamp < block_floor_ || earlier == later) return true;
  if (has_matrix_) return stamp < matrix_[std::size_t{later} * threads_ + earlier];
  const std::uint32_t warp = later / warp_size;
  if (earlier / warp_size != warp) return false;
  if (has_lane_matrix_[warp]) return stamp < lane_matrix_[warp][later % warp_size][earlier % warp_size];
  return stamp < warp_floor_[warp];
}

void thread_order::stamp_lanes(std::uint32_t warp, std::uint32_t mask, std::uint32_t stamp) {
  std::uint32_t* const stamps = &stamp_[warp * warp_size];
  const bool all = (live_[warp] & ~mask) == 0;
  for (unsigned l = 0; l < warp_size; ++l) stamps[l] = all || (mask >> l & 1u) != 0 ? stamp : stamps[l];
  same_stamps_[warp] = all ? 1 : 0;
}

void thread_order::use_lane_matrix(std::uint32_t warp) {
  if (has_lane_matrix_[warp]) return;
  if (lane_matrix_.size() < warps_) lane_matrix_.resize(warps_);
  has_lane_matrix_[warp] = true;
  for (auto& floors : lane_matrix_[warp]) floors.fill(warp_floor_[warp]);
}

void thread_order::fill_without_matrix(std::uint32_t thread, std::span<std::uint32_t> floors) const {
  std::fill(floors.begin(), floors.end(), block_floor_);
  const std::uint32_t warp = thread / warp_size;
  for (std::uint32_t l = 0; l < warp_size; ++l)
    floors[warp * warp_size + l] =
        has_lane_matrix_[warp] ? lane_matrix_[warp][thread % warp_size][l] : warp_floor_[warp];
}

void thread_order::use_block_matrix() {
  if (has_matrix_) return;
  matrix_.resize(std::size_t{threads_} * threads_);
  for (std::uint32_t thread = 0; thread < threads_; ++thread) fill_without_matrix(thread, row_of(thread));
  has_matrix_ = true;
}

/// The same as `block_barrier` for some lanes of one warp.
void thread_order::sync_in_block_matrix(std::uint32_t warp, std::uint32_t mask) {
  const std::uint32_t now = ++sequence_;
  row joint(threads_, 0);
  for (const unsigned l : lanes_in(mask)) raise_row(joint, row_of(warp * warp_size + l));
  for (const unsigned l : lanes_in(mask)) joint[warp * warp_size + l] = now;
  for (const unsigned l : lanes_in(mask)) std::copy(joint.begin(), joint.end(), row_of(warp * warp_size + l).begin());
  stamp_lanes(warp, mask, now);
}

void thread_order::warp_barrier(std::uint32_t warp, std::uint32_t mask) {
  const bool all = ((live_[warp] | left_[warp]) & ~mask) == 0;
  if (has_matrix_) {
    sync_in_block_matrix(warp, mask);
    if (all) warp_floor_[warp] = sequence_;
    return;
  }
  if (all) {
    warp_floor_[warp] = ++sequence_;
    stamp_lanes(warp, mask, sequence_);
    has_lane_matrix_[warp] = false;
    return;
  }
  if (std::has_single_bit(mask)) return;
  use_lane_matrix(warp);
  lane_matrix& floors = lane_matrix_[warp];
  const std::uint32_t now = ++sequence_;
  std::array<std::uint32_t, warp_size> joint{};
  for (const unsigned lane : lanes_in(mask)) {
    const auto& known = floors[lane];
    for (unsigned l = 0; l < warp_size; ++l) joint[l] = std::max(joint[l], known[l]);
  }
  for (unsigned l = 0; l < warp_size; ++l) joint[l] = (mask >> l & 1u) != 0 ? now : joint[l];
  for (const unsigned l : lanes_in(mask)) floors[l] = joint;
  stamp_lanes(warp, mask, now);
}

void thread_order::announce(std::uint32_t warp, std::uint32_t mask, std::uint32_t barrier) {
  use_block_matrix();
  const std::uint32_t now = ++sequence_;
  announcement made{warp, mask, row(threads_, 0)};
  for (const unsigned l : lanes_in(mask)) raise_row(made.known, row_of(warp * warp_size + l));
  for (const unsigned l : lanes_in(mask)) made.known[warp * warp_size + l] = now;
  stamp_lanes(warp, mask, now);
  announced_[barrier].push_back(std::move(made));
}

void thread_order::block_barrier(std::uint32_t barrier, std::span<const std::uint32_t> masks, bool waits_for_all) {
  const auto announced = announced_.empty() ? announced_.end() : announced_.find(barrier);
  std::uint32_t missing = 0;
  for (std::uint32_t w = 0; w < warps_; ++w) missing |= (live_[w] | (waits_for_all ? 0 : left_[w])) & ~masks[w];
  if (missing == 0 && announced == announced_.end()) {
    raise_floor();
    return;
  }
  use_block_matrix();
  std::vector<std::uint32_t> waiting(masks.begin(), masks.end());
  row joint(threads_, 0);
  if (announced != announced_.end()) {
    for (const announcement& made : announced->second) {
      raise_row(joint, made.known);
      waiting[made.warp] &= ~made.mask;
    }
    announced_.erase(announced);
  }
  const std::uint32_t now = ++sequence_;
  const auto for_each_waiting = [&](auto&& act) {
    for (std::uint32_t w = 0; w < warps_; ++w) {
      for (const unsigned l : lanes_in(waiting[w])) act(w * warp_size + l);
    }
  };
  for_each_waiting([&](std::uint32_t thread) { raise_row(joint, row_of(thread)); });
  for_each_waiting([&](std::uint32_t thread) { joint[thread] = now; });
  for_each_waiting([&](std::uint32_t thread) { std::copy(joint.begin(), joint.end(), row_of(thread).begin()); });
  for (std::uint32_t w = 0; w < warps_; ++w) {
    if (waiting[w] == 0) continue;
    stamp_lanes(w, waiting[w], now);
    if ((live_[w] & ~waiting[w]) == 0) warp_floor_[w] = now;
  }
}

void thread_order::fence(std::uint32_t warp, std::uint32_t mask) {
  const std::uint32_t now = ++sequence_;
  stamp_lanes(warp, mask, now);
  for (const unsigned l : lanes_in(mask)) {
    const std::uint32_t thread = warp * warp_size + l;
    fence_stamp_[thread] = now;
    if (received_.empty()) continue;
    const auto found = received_.find(thread);
    if (found == received_.end()) continue;
    raise_row(row_of(thread), found->second);
    received_.erase(found);
  }
}

std::uint32_t thread_order::release_stamp(std::uint32_t thread) {
  stamp_[thread] = ++sequence_;
  same_stamps_[thread / warp_size] = 0;
  return sequence_;
}

std::uint32_t thread_order::arrive_at_cluster(std::uint32_t warp, std::uint32_t mask) {
  stamp_lanes(warp, mask, ++sequence_);
  return sequence_;
}

void thread_order::learn(std::uint32_t thread, const std::vector<std::uint32_t>& floors) {
  use_block_matrix();
  raise_row(row_of(thread), floors);
}

void thread_order::learn_all(const std::vector<std::uint32_t>& floors) {
  for (std::uint32_t t = 0; t < threads_; ++t) learn(t, floors);
  const std::uint32_t now = ++sequence_;
  for (std::uint32_t w = 0; w < warps_; ++w) stamp_lanes(w, live_[w], now);
}

std::vector<std::uint32_t> thread_order::known_to(std::uint32_t thread) const {
  if (has_matrix_) {
    const auto begin = matrix_.begin() + static_cast<std::ptrdiff_t>(std::size_t{thread} * threads_);
    return {begin, begin + threads_};
  }
  std::vector<std::uint32_t> floors(threads_);
  fill_without_matrix(thread, floors);
  return floors;
}

void thread_order::pass_on(std::uint32_t thread, std::uint32_t location, bool release) {
  const std::uint32_t until = release ? release_stamp(thread) : fence_stamp_[thread];
  if (until <= block_floor_) return;  // everything has been ordered by a barrier already
  use_block_matrix();
  row& there = passed_on_[location];
  there.resize(threads_, 0);
  raise_row(there, row_of(thread));
  there[thread] = std::max(there[thread], until);
}

void thread_order::carry_over(std::uint32_t from, std::uint32_t to) {
  const auto found = passed_on_.find(from);
  if (found == passed_on_.end()) return;
  const row known = found->second;
  row& there = passed_on_[to];
  there.resize(threads_, 0);
  raise_row(there, known);
}

void thread_order::receive(std::uint32_t thread, std::uint32_t location, bool acquire) {
  if (passed_on_.empty()) return;
  const auto found = passed_on_.find(location);
  if (found == passed_on_.end()) return;
  if (acquire) {
    raise_row(row_of(thread), found->second);
    return;
  }
  row& kept = received_[thread];
  kept.resize(threads_, 0);
  raise_row(kept, found->second);
}

}  // namespace emulator::observers
