#pragma once
/// \file
/// Runs blocks that form clusters. The blocks of a cluster take turns on one host thread.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "emulator/observers/cluster_check.hpp"
#include "emulator/simt/launch_state.hpp"

namespace emulator::simt {

/// Starts the blocks of a cluster. \param first  position of the cluster's first block in the order in which blocks
/// start
template <bool Watched>
void start_cluster(launch_state<Watched>& d, std::span<const std::unique_ptr<resident<Watched>>> blocks,
                   std::uint64_t first) {
  auto group = std::make_shared<cluster_group>();
  group->number = first / blocks.size();
  for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
    resident<Watched>& r = *blocks[rank];
    r.start(*d.constants, block_of_clusters(*d.constants, first + rank));
    r.cluster = group;
    r.b.cluster = group.get();
    r.b.cluster_rank = static_cast<std::uint32_t>(rank);
    group->blocks.push_back(&r.b);
    group->numbers.push_back(r.b.identity.linear);
  }
  if constexpr (Watched) {
    const observers::kernel_facts& facts = d.observation->facts();
    const auto check =
        std::make_shared<observers::cluster_check>(facts, d.constants->cluster_size, blocks[0]->b.identity);
    for (const auto& r : blocks) r->observer->join_cluster(check, r->b.cluster_rank);
  }
}

/// Called if all blocks seem to be stalled. Records changes for all of them from now on. \return true if changes were
/// already being recorded for all of them
template <bool Watched>
bool noted_all_along(std::span<const std::unique_ptr<resident<Watched>>> blocks) {
  bool all = true;
  for (const auto& r : blocks) {
    if (r->done || r->runner->notes_changes()) continue;
    r->runner->note_changes_from_now_on(r->b);
    all = false;
  }
  return all;
}

/// Runs the blocks of a cluster in turns, until they have ended or can't make progress on their own. \return true if
/// they have ended
template <bool Watched>
bool run_cluster(launch_state<Watched>& d, std::span<const std::unique_ptr<resident<Watched>>> blocks,
                 std::uint64_t slice) {
  for (std::uint64_t executed = 0; executed < slice && !d.stopped.load(std::memory_order_relaxed);) {
    bool all_done = true, all_stand = true;
    for (const auto& r : blocks) {
      if (r->done) continue;
      const std::uint64_t before = r->b.executed;
      const turn t = r->runner->run(r->b, cooperative_slice, true);
      executed += r->b.executed - before;
      if (t == turn::faulted) d.keep(r->b.fault);
      if (t == turn::finished || t == turn::faulted) {
        r->end();
        all_stand = false;
      } else {
        all_done = false;
      }
      if (t == turn::faulted) return true;
    }
    if (all_done) return true;
    for (const auto& r : blocks) all_stand = all_stand && (r->done || r->runner->makes_no_progress(r->b));
    if (all_stand && noted_all_along<Watched>(blocks)) return false;
  }
  return d.stopped.load(std::memory_order_relaxed);
}

/// Runs clusters until none is left, or until the waiting blocks leave no room for another cluster. All blocks of a
/// cluster are run by one host thread. \return the number of warp instructions of blocks that have ended
template <bool Watched>
[[nodiscard]] std::uint64_t run_clusters(launch_state<Watched>& d) {
  const std::uint32_t size = d.constants->cluster_size;
  const std::uint64_t slice =
      (d.where != pausing::never ? alone_where_others_come : alone_at_most) * std::uint64_t{size};
  std::vector<std::unique_ptr<resident<Watched>>> blocks;
  std::uint64_t executed = 0;
  while (!d.stopped.load(std::memory_order_relaxed)) {
    const std::uint64_t waiting = d.waiting_count.load(std::memory_order_relaxed);
    if (waiting != 0 && waiting + size > d.fit_at_once) break;
    const std::uint64_t first = d.next.fetch_add(size, std::memory_order_relaxed);
    if (first >= d.block_count) break;
    if (first % blocks_between_looks < size && first != 0) d.tell_progress(first);
    while (blocks.size() < size) blocks.push_back(std::make_unique<resident<Watched>>(d.observation));
    start_cluster<Watched>(d, blocks, first);
    for (const auto& r : blocks) r->runner->share_changes(r->cluster->changes);
    const bool over = run_cluster<Watched>(d, blocks, slice);
    for (const auto& r : blocks) executed += r->done || over ? r->b.executed : 0;
    if (over) continue;
    const std::scoped_lock lock(d.mutex);
    for (auto& r : blocks) {
      if (r->done) continue;
      d.waiting.push_back(std::move(r));
      d.waiting_count.fetch_add(1, std::memory_order_relaxed);
    }
    blocks.clear();
  }
  return executed;
}

}  // namespace emulator::simt
