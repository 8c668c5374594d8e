// The barrier of a cluster, which has separate arrivals and waits. It is complete when all threads that have not left
// the kernel have arrived.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "emulator/simt/interpreter.hpp"

namespace emulator::simt {

using observers::fault_kind;

std::uint64_t block_of_clusters(const launch_constants& launch, std::uint64_t k) {
  if (launch.cluster_size == 1) return k;
  const std::uint32_t* const size = launch.cluster;
  std::uint64_t cluster = k / launch.cluster_size, rank = k % launch.cluster_size;
  std::uint64_t index[3];
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint64_t clusters = launch.grid[axis] / size[axis];
    index[axis] = cluster % clusters * size[axis] + rank % size[axis];
    cluster /= clusters;
    rank /= size[axis];
  }
  return index[0] + launch.grid[0] * (index[1] + launch.grid[1] * index[2]);
}

/// Executes `barrier.cluster` for the current path. Returns true if the path may continue at once.
template <bool Watched>
bool interpreter<Watched>::cluster_barrier(block& b, warp& w, const op& o, std::uint32_t pc) {
  const std::uint32_t lanes = w.mask, here = w.cluster_arrived | w.cluster_released;
  const bool waits = o.sub != 0;
  if (const std::uint32_t wrong = waits ? lanes & ~here : lanes & here; wrong != 0) {
    w.mask = wrong;
    return stop(b, w, pc, fault_kind::cluster_protocol,
                waits ? "waits at the cluster's barrier without having arrived there"
                      : "arrives at the cluster's barrier a second time without having waited in between");
  }
  // On a GPU, lanes that were let go because another lane polled would still be together.
  if (const std::uint32_t missed = w.live & ~w.let_go & ~lanes; (o.flags & flag_aligned) != 0 && missed != 0) {
    w.mask = missed;
    return stop(b, w, pc, fault_kind::cluster_protocol,
                "does not come with the rest of its warp to the cluster's barrier, which is an .aligned one");
  }
  if (!waits) {
    if constexpr (Watched) {
      const std::uint8_t ordering = b.launch->code->facts.instructions[pc].ordering;
      observer_->cluster_arrive(w.index, lanes, (ordering & observers::ordering_release) != 0);
    }
    w.cluster_arrived |= lanes;
    b.cluster->arrived_threads += static_cast<std::uint32_t>(std::popcount(lanes));
    open_cluster_barrier(b);
    return true;
  }
  const std::uint32_t stay = lanes & w.cluster_arrived;
  w.cluster_released &= ~lanes;
  if (stay == 0) return true;
  wait_at(w, stay, pc, path_state::at_cluster_barrier);
  return false;
}

/// Completes the barrier of the block's cluster if all threads have arrived.
template <bool Watched>
void interpreter<Watched>::open_cluster_barrier(block& b) {
  cluster_group& group = *b.cluster;
  std::uint32_t live = 0;
  for (const block* other : group.blocks) live += other == nullptr ? 0 : other->live_threads;
  if (group.arrived_threads == 0 || group.arrived_threads < live) return;
  group.arrived_threads = 0;
  if constexpr (Watched) observer_->cluster_opens(group.number);
  for (block* other : group.blocks) {
    if (other == nullptr) continue;
    for (warp& w : other->warps) {
      w.cluster_released |= std::exchange(w.cluster_arrived, 0u);
      for (path& s : w.paths) {
        if (s.state != path_state::at_cluster_barrier) continue;
        s.state = path_state::ready;
        ++s.pc;
        w.cluster_released &= ~s.mask;
        w.let_go &= ~s.mask;
      }
    }
  }
  note_->changed();
}

/// Stops waiting for lanes that leave the kernel.
template <bool Watched>
void interpreter<Watched>::leave_cluster_barrier(block& b, warp& w, std::uint32_t lanes) {
  b.cluster->arrived_threads -= static_cast<std::uint32_t>(std::popcount(w.cluster_arrived & lanes));
  w.cluster_arrived &= ~lanes;
  w.cluster_released &= ~lanes;
  open_cluster_barrier(b);
}

EMULATOR_OF_BOTH(bool, cluster_barrier(block&, warp&, const op&, std::uint32_t));
EMULATOR_OF_BOTH(void, open_cluster_barrier(block&));
EMULATOR_OF_BOTH(void, leave_cluster_barrier(block&, warp&, std::uint32_t));

namespace {

/// `mapa`. An address that isn't in shared memory stays as it is.
template <typename T>
void map_address(warp& w, const op& o) {
  const T* const a = w.lanes<T>(o.a);
  const std::uint32_t* const rank = w.lanes<std::uint32_t>(o.b);
  T* const d = w.lanes<T>(o.dst);
  for (const unsigned l : lanes_in(w.mask)) {
    if (sizeof(T) == 8 && (a[l] & window_mask) != shared_window) {
      d[l] = a[l];
      continue;
    }
    const T window = sizeof(T) == 8 ? static_cast<T>(shared_window) : 0;
    const T in = rank[l] == w.owner->cluster_rank ? 0 : static_cast<T>(std::min(rank[l], 253u) + 1) << cluster_rank_at;
    d[l] = window | in | static_cast<T>(a[l] & cluster_offset_mask);
  }
}

/// `getctarank`.
template <typename T>
void rank_of_address(warp& w, const op& o) {
  const T* const a = w.lanes<T>(o.a);
  std::uint32_t* const d = w.lanes<std::uint32_t>(o.dst);
  for (const unsigned l : lanes_in(w.mask)) {
    const auto in = static_cast<std::uint32_t>(a[l] >> cluster_rank_at & 0xffu);
    d[l] = in == 0 ? w.owner->cluster_rank : in - 1;
  }
}

}  // namespace

handler find_cluster_address(bool maps, bool wide) {
  if (maps) return wide ? map_address<std::uint64_t> : map_address<std::uint32_t>;
  return wide ? rank_of_address<std::uint64_t> : rank_of_address<std::uint32_t>;
}

}  // namespace emulator::simt
