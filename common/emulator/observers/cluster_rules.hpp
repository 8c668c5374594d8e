#pragma once
/// \file
/// racecheck and initcheck in the shared memory of a cluster.

#include <cstdint>
#include <memory>
#include <span>

#include "emulator/observers/bulk_parts.hpp"
#include "emulator/observers/cluster_check.hpp"
#include "emulator/observers/observer.hpp"

namespace emulator::observers {

/// Passes the events of one block of a cluster to the `cluster_check` that all blocks of the cluster share.
class cluster_rules : public observer {
 public:
  using observer::observer;

  void join_cluster(const std::shared_ptr<cluster_check>& cluster, std::uint32_t rank) {
    cluster_ = cluster;
    rank_ = rank;
    cluster_->join(rank, {.identity = context_.block,
                          .order = context_.order,
                          .reads = context_.shared_reads,
                          .global = context_.global_accesses,
                          .found = &context_.found});
  }
  void end_block(std::uint64_t, bool completed) {
    if (cluster_) cluster_->leave(rank_, completed);
    cluster_.reset();
  }

  void access_shared(std::uint32_t warp, const memory_event& event, const access_shape&) {
    if (cluster_) cluster_->access(rank_, warp, event, rank_);
  }
  void access_of_other_block(std::uint32_t warp, const memory_event& event, std::uint32_t owner) {
    if (cluster_) cluster_->access(rank_, warp, event, owner);
  }
  void bulk_copy_begins(const bulk_event& event) {
    if (!cluster_) return;
    for_parts_read_from_shared(event, [&](std::uint32_t warp, const memory_event& part, const access_shape&) {
      cluster_->access(rank_, warp, part, rank_);
    });
    if (!event.into_shared) return;
    for_parts(event, event.shared, ptx::state_space::shared, access_kind::store,
              [&](std::uint32_t warp, const memory_event& part, const access_shape&) {
                cluster_->begin_copy(rank_, warp, part, event.owner);
              });
    cluster_->hand_over(rank_, event.thread, event.owner, event.object, event.odd);
  }
  void barrier_opens(std::uint32_t, std::uint32_t, std::span<const std::uint32_t> masks, bool) {
    if (compares()) cluster_->block_barrier(rank_, masks);
  }
  void warp_barrier(std::uint32_t warp, std::uint32_t, std::uint32_t mask) {
    if (compares()) cluster_->warp_barrier(rank_, warp, mask);
  }
  void fence(std::uint32_t warp, std::uint32_t mask, int) {
    if (compares()) cluster_->fence(rank_, warp, mask);
  }
  void cluster_arrive(std::uint32_t warp, std::uint32_t mask, bool releases) {
    if (cluster_) cluster_->arrive(rank_, warp, mask, releases);
  }
  void cluster_opens(std::uint64_t cluster) {
    if (cluster_) cluster_->open(cluster);
  }

 private:
  [[nodiscard]] bool compares() const { return cluster_ != nullptr && context_.order != nullptr; }

  std::shared_ptr<cluster_check> cluster_;  ///< Null if the block isn't in a cluster.
  std::uint32_t rank_ = 0;                  ///< Rank of the block in the cluster.
};

}  // namespace emulator::observers
