#include "emulator/observers/recording.hpp"

#include <cstring>
#include <utility>

namespace emulator::observers {

void recording::begin_block() {
  records_ = context_.block.linear < traced_blocks;
  if (records_) steps_.begin_block(context_.block.linear);
}

void recording::flush(of_launch& launch) {
  steps_.end_block();
  launch.left_out += steps_.left_out();
  launch.events.insert(launch.events.end(), steps_.events().begin(), steps_.events().end());
  steps_.clear();
}

void recording::keep_access(std::uint32_t warp, const memory_event& event) {
  steps_.keep({.warp = warp,
               .pc = event.pc,
               .mask = event.mask,
               .access = event.access,
               .space = event.space,
               .bytes = event.bytes_per_lane},
              event.addresses);
}

void recording::divergence(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, std::uint32_t taken) {
  if (records_) steps_.keep({.kind = trace_kind::branch, .warp = warp, .pc = pc, .mask = mask, .jumped = taken});
}

void recording::barrier_arrive(const barrier_arrival& arrival) {
  if (!records_) return;
  steps_.keep({.kind = arrival.waits ? trace_kind::arrive : trace_kind::announce,
               .warp = arrival.warp,
               .pc = arrival.pc,
               .mask = arrival.mask,
               .barrier = static_cast<std::uint8_t>(arrival.barrier)});
}

void recording::barrier_opens(std::uint32_t barrier, std::uint32_t pc, std::span<const std::uint32_t>, bool) {
  if (records_) steps_.keep({.kind = trace_kind::barrier, .pc = pc, .barrier = static_cast<std::uint8_t>(barrier)});
}

void recording::warp_barrier(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  if (records_) steps_.keep({.kind = trace_kind::warp_barrier, .warp = warp, .pc = pc, .mask = mask});
}

void recording::keep_shuffle(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask, const shuffle_event& event) {
  trace_event e{.kind = trace_kind::shuffle, .warp = warp, .pc = pc, .mask = mask};
  e.givers.assign(event.giver, event.giver + warp_size);
  if (event.got != nullptr) {
    e.bytes = sizeof *event.got;
    e.values.resize(warp_size * sizeof *event.got);
    std::memcpy(e.values.data(), event.got, e.values.size());
  }
  steps_.keep(std::move(e), event.wanted);
}

void recording::exited(std::uint32_t warp, std::uint32_t pc, std::uint32_t mask) {
  if (records_) steps_.keep({.kind = trace_kind::leave, .warp = warp, .pc = pc, .mask = mask});
}

}  // namespace emulator::observers
