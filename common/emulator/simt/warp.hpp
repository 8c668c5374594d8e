#pragma once
/// \file
/// The state of a warp: the registers of its lanes, and their positions in the code. Lanes that have diverged follow
/// different paths: each is a `path`, and a `join_point` is a point at which paths reconverge.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/simt/program.hpp"

namespace emulator::simt {

struct block;

/// `held`, `held_for_grid`: the path could continue, but the order that the launch follows lets others run first.
enum class path_state : std::uint8_t { ready, at_barrier, at_warp_barrier, at_cluster_barrier, held, held_for_grid };

/// A path: lanes of a warp that run together.
struct path {
  std::uint32_t mask = 0;
  std::uint32_t pc = 0;
  std::int32_t join = -1;  ///< Innermost reconvergence point of these lanes; -1: none.
  path_state state = path_state::ready;
  std::uint32_t waits_for = 0;  ///< at_barrier: the barrier's number.
  std::uint32_t turns = 0;      ///< Turns it has used up since it last diverged or reconverged.
};

[[nodiscard]] inline path ready_path(std::uint32_t mask, std::uint32_t pc, std::int32_t join) {
  return {.mask = mask, .pc = pc, .join = join};
}

/// A reconvergence point: the immediate post-dominator of the branch at which the paths diverged.
struct join_point {
  std::uint32_t pc = no_pc;
  std::uint32_t expected = 0;  ///< Lanes that diverged together, minus those that have exited since.
  std::uint32_t arrived = 0;
  std::int32_t parent = -1;
  std::int32_t call = -1;  ///< If lanes called a function together: index in `warp::calls`. They reconverge when they
                           ///< return.
  bool operator==(const join_point&) const = default;
};

/// The state that is restored when lanes return from a function.
struct call_record {
  std::int32_t join = -1;       ///< Their join point.
  std::uint32_t pc = no_pc;     ///< Program counter of the call.
  std::vector<std::byte> file;  ///< The register file without the constants.
  bool operator==(const call_record&) const = default;
};

/// A `cp.async` whose bytes have not arrived yet.
struct pending_copy {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;              ///< Lanes whose bytes have not arrived.
  std::uint32_t bytes = 0;             ///< Per lane.
  std::uint32_t reads = 0;             ///< Lanes that read; the others write zeroes.
  std::uint64_t from[warp_size];       ///< Device addresses, for lanes that read.
  std::uint64_t to[warp_size];         ///< Offsets in the block's shared memory.
  std::byte data[warp_size][16] = {};  ///< The data when the copy began; zeroes for lanes that don't read.
  std::uint32_t group[warp_size];      ///< Groups that the lane had committed before this copy.
  std::uint32_t number = 0;            ///< Copies that the warp had begun before this one.
  std::uint32_t handed_over = 0;       ///< Lanes that have handed their copy over to an `mbarrier`.
};

/// Lanes that have handed over to an `mbarrier` all copies that they have begun (`cp.async.mbarrier.arrive`).
struct copy_handover {
  std::uint32_t waits = 0;          ///< Lanes whose phase is not complete.
  std::uint32_t over = 0;           ///< Lanes whose phase is complete, but no thread has waited for it since.
  std::uint32_t copies = 0;         ///< Copies that the warp had begun at that time.
  std::uint64_t object[warp_size];  ///< Offsets in the block's shared memory.
};

/// A `cp.async.bulk` of one thread from shared to global memory.
struct bulk_store {
  std::uint32_t pc = 0;
  std::uint32_t lane = 0;
  std::uint32_t bytes = 0;
  std::uint64_t from = 0;   ///< Offset in the block's shared memory.
  std::uint64_t to = 0;     ///< Device address.
  std::uint32_t group = 0;  ///< Groups that the lane had committed before this copy.
};

struct alignas(64) warp {
  std::byte* file = nullptr;            ///< Register file, `program::file_bytes` long, 64-byte aligned.
  std::uint32_t mask = 0;               ///< Lanes for which the current operation runs.
  std::uint32_t live = 0;               ///< Lanes that have not exited.
  std::uint32_t started = 0;            ///< Lanes that exist at all.
  std::uint32_t carry = 0;              ///< The condition code of `add.cc` and similar instructions, one bit per lane.
  std::uint32_t strays = 0;             ///< Last shuffle: lanes whose source lane did not take part.
  std::uint32_t giver[warp_size] = {};  ///< Last shuffle, by lane: the lane whose value it requested.
  std::uint32_t index = 0;              ///< In the block.
  std::uint32_t current = 0;            ///< The path that runs.
  /// Lanes that the emulator, not the program, has separated from others of their warp, until a barrier joins them:
  /// they did not wait at a reconvergence point for lanes that polled for a long time, or the launch's order separated
  /// them.
  std::uint32_t let_go = 0;
  std::uint32_t polls = 0;  ///< Atomics and ordered loads that its current path has executed since it was scheduled.
  std::vector<path> paths;
  std::vector<join_point> join_points;
  std::vector<call_record> calls;
  std::vector<pending_copy> copies;
  std::uint32_t copy_groups[warp_size] = {};  ///< For each lane: groups of copies that it has committed.
  block* owner = nullptr;
  const slot* vector_registers = nullptr;  ///< program::vector_registers.
  std::uint64_t clock = 0;                 ///< The value for the operation that reads the clock.
  std::uint32_t copies_begun = 0;
  std::uint32_t cluster_arrived = 0;   ///< Lanes that have arrived at the cluster's barrier in a phase that is not
                                       ///< complete.
  std::uint32_t cluster_released = 0;  ///< Lanes whose phase is complete, but which have not waited for it.
  std::vector<copy_handover> handovers;
  std::vector<bulk_store> bulk_stores;
  std::uint32_t bulk_groups[warp_size] = {};  ///< For each lane: groups of bulk copies that it has committed.

  template <typename T>
  [[nodiscard]] T* lanes(slot s) {
    return static_cast<T*>(__builtin_assume_aligned(reinterpret_cast<T*>(file + s), 64));
  }
  [[nodiscard]] std::uint32_t& predicate(slot s) { return *reinterpret_cast<std::uint32_t*>(file + s); }
};

inline void remove_split(warp& w, std::uint32_t index) {
  w.paths[index] = w.paths.back();
  w.paths.pop_back();
}

/// Makes the lanes `lanes` of the current path wait at `pc`. The path's other lanes, if any, continue after it.
/// \param number  the barrier's number, if it is a block barrier
inline void wait_at(warp& w, std::uint32_t lanes, std::uint32_t pc, path_state state, std::uint32_t number = 0) {
  path& s = w.paths[w.current];
  if (lanes == s.mask) {
    s.state = state;
    s.waits_for = number;
    s.pc = pc;
    return;
  }
  path waiting = ready_path(lanes, pc, s.join);
  waiting.state = state;
  waiting.waits_for = number;
  s.mask &= ~lanes;
  s.pc = pc + 1;
  w.paths.push_back(waiting);
}

/// Stores `f` in a free place of `w` and returns its number.
inline std::int32_t new_join_point(warp& w, const join_point& f) {
  for (std::size_t k = 0; k < w.join_points.size(); ++k) {
    if (w.join_points[k].pc == no_pc) {
      w.join_points[k] = f;
      return static_cast<std::int32_t>(k);
    }
  }
  w.join_points.push_back(f);
  return static_cast<std::int32_t>(w.join_points.size()) - 1;
}

/// Returns the pc at which lanes of a join point reconverge; no_pc if they do so by returning from a function.
[[nodiscard]] inline std::uint32_t reconvergence_pc(const warp& w, std::int32_t join) {
  if (join < 0) return no_pc;
  const join_point& f = w.join_points[static_cast<std::size_t>(join)];
  return f.call < 0 ? f.pc : no_pc;
}

}  // namespace emulator::simt
