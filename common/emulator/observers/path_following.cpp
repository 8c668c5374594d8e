#include "emulator/observers/path_following.hpp"

#include <algorithm>

namespace emulator::observers {

bool path_following::is_wanted(const launch_observation& launch) {
  // Facts that a test has made by hand may lack the registers that instructions use.
  const kernel_facts& facts = launch.facts();
  return launch.watched().counters && launch.watched().critical_path &&
         facts.uses_begin.size() > facts.instructions.size();
}

void path_following::begin_block() {
  constexpr std::uint64_t followed_blocks = 8;
  const std::uint64_t block = context_.block.linear;
  const std::uint64_t blocks = std::max<std::uint64_t>(1, context_.launch.block_count());
  const std::uint64_t every = std::max<std::uint64_t>(1, blocks / followed_blocks);
  // Follow one block of every group, each time at a different position. Otherwise it could, for example, always be the
  // same column of an image.
  const std::uint64_t position = (block / every * 0x9e3779b97f4a7c15u >> 32) % every;
  follows_ = block % every == position || block + 1 == blocks;
  // The last block isn't representative, because it may be the one that combines the results of the others.
  if (follows_) path_.begin_block(context_.block.warp_count, block + 1 != blocks || blocks == 1);
}

void path_following::follow(const memory_event& event, const access_shape& shape) {
  const bool shared = event.space == ptx::state_space::shared;
  path_.memory(event, lane_addresses(event, shape), shared ? bank_conflicts_of(event, shape) : 0);
}

void path_following::of_launch::add(const path_report& path) {
  total.blocks += path.blocks;
  total.cycles += path.cycles;
  total.waits += path.waits;
  total.executed += path.executed;
  total.issued += path.issued;
  total.lines += path.lines;
  total.sectors_near += path.sectors_near;
  total.sectors_again += path.sectors_again;
  const double latency = launch_.watched().latencies.global;
  if (path.longest_cycles + path.longest_waits * latency > total.longest_cycles + total.longest_waits * latency) {
    total.longest_cycles = path.longest_cycles;
    total.longest_waits = path.longest_waits;
  }
  // Only one of the results that are added comes from the last block.
  total.last_cycles += path.last_cycles;
  total.last_waits += path.last_waits;
}

}  // namespace emulator::observers
