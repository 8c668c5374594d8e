#pragma once
/// \file
/// The state of a warp: its lanes' registers and where its lanes are. Lanes that took different ways are *splits*; a
/// *frame* is a place where splits meet again.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/simt/program.hpp"

namespace emulator::simt {

struct block;

/// `held`, `held_for_grid`: it could go on, but the order in which the launch runs lets others go first.
enum class split_state : std::uint8_t { ready, at_barrier, at_warp_barrier, at_cluster_barrier, held, held_for_grid };

/// Lanes of a warp that run together.
struct split {
  std::uint32_t mask = 0;
  std::uint32_t pc = 0;
  std::int32_t frame = -1;  ///< Innermost place where these lanes meet others again; -1: none.
  split_state state = split_state::ready;
  std::uint32_t waits_for = 0;  ///< at_barrier: the barrier's number.
  std::uint32_t turns = 0;      ///< Turns it has used up since it last parted or met others.
};

[[nodiscard]] inline split ready_split(std::uint32_t mask, std::uint32_t pc, std::int32_t frame) {
  return {.mask = mask, .pc = pc, .frame = frame};
}

/// A place where splits meet: the immediate post-dominator of the branch that parted them.
struct frame {
  std::uint32_t pc = no_pc;
  std::uint32_t expected = 0;  ///< Lanes that left together, less those that exited since.
  std::uint32_t arrived = 0;
  std::int32_t parent = -1;
  std::int32_t call = -1;  ///< Of lanes that called a function together: `warp::calls`. They meet where they return.
  bool operator==(const frame&) const = default;
};

/// What lanes left behind when they called a function.
struct call_record {
  std::int32_t frame = -1;      ///< The frame where they meet again.
  std::uint32_t pc = no_pc;     ///< Of the call.
  std::vector<std::byte> file;  ///< The register file, constants excluded.
  bool operator==(const call_record&) const = default;
};

/// A `cp.async` whose bytes have not arrived yet.
struct pending_copy {
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;              ///< Lanes that still wait for theirs.
  std::uint32_t bytes = 0;             ///< A lane's.
  std::uint32_t reads = 0;             ///< Lanes that read; the others copy zeroes.
  std::uint64_t from[warp_size];       ///< Device addresses, of those.
  std::uint64_t to[warp_size];         ///< Offsets in the block's shared memory.
  std::byte data[warp_size][16] = {};  ///< As it was when the copy began; zeroes for lanes that read nothing.
  std::uint32_t group[warp_size];      ///< Groups that the lane had committed before.
  std::uint32_t number = 0;            ///< Copies that the warp had begun before.
  std::uint32_t handed_over = 0;       ///< Lanes that have let an `mbarrier` stand for theirs.
};

/// Lanes that let an `mbarrier` stand for all copies that they have begun (`cp.async.mbarrier.arrive`).
struct copy_handover {
  std::uint32_t waits = 0;          ///< Lanes whose phase is not over.
  std::uint32_t over = 0;           ///< Lanes whose phase is over, and nobody has asked since.
  std::uint32_t copies = 0;         ///< Copies that the warp had begun.
  std::uint64_t object[warp_size];  ///< Offsets in the block's shared memory.
};

/// A `cp.async.bulk` of one thread from shared to global memory.
struct bulk_store {
  std::uint32_t pc = 0;
  std::uint32_t lane = 0;
  std::uint32_t bytes = 0;
  std::uint64_t from = 0;   ///< Offset in the block's shared memory.
  std::uint64_t to = 0;     ///< Device address.
  std::uint32_t group = 0;  ///< Groups that the lane had committed before.
};

struct alignas(64) warp {
  std::byte* file = nullptr;            ///< Register file, `program::file_bytes` long, 64-byte aligned.
  std::uint32_t mask = 0;               ///< Lanes for which the current operation runs.
  std::uint32_t live = 0;               ///< Lanes that have not exited.
  std::uint32_t started = 0;            ///< Lanes that exist at all.
  std::uint32_t carry = 0;              ///< The condition code of `add.cc` and its like, one bit per lane.
  std::uint32_t strays = 0;             ///< Of the last shuffle: lanes that named a lane which took no part.
  std::uint32_t giver[warp_size] = {};  ///< Of the last shuffle: by lane, whose value it asked for.
  std::uint32_t index = 0;              ///< In the block.
  std::uint32_t current = 0;            ///< Split that runs.
  /// Lanes that went on from a meeting point without others, because these polled for long; until a block barrier.
  std::uint32_t let_go = 0;
  std::uint32_t polls = 0;  ///< Atomics and ordered loads it has carried out since it was chosen.
  std::vector<split> splits;
  std::vector<frame> frames;
  std::vector<call_record> calls;
  std::vector<pending_copy> copies;
  std::uint32_t copy_groups[warp_size] = {};  ///< By lane: groups of copies that it has committed.
  block* owner = nullptr;
  const slot* vector_registers = nullptr;  ///< program::vector_registers.
  std::uint64_t clock = 0;                 ///< What the operation that reads the clock is to give.
  std::uint32_t copies_begun = 0;
  std::uint32_t cluster_arrived = 0;   ///< Lanes that have arrived at the cluster's barrier, whose phase is not over.
  std::uint32_t cluster_released = 0;  ///< Lanes whose phase is over, and which have not waited for it yet.
  std::vector<copy_handover> handovers;
  std::vector<bulk_store> bulk_stores;
  std::uint32_t bulk_groups[warp_size] = {};  ///< By lane: groups of bulk copies that it has committed.

  template <typename T>
  [[nodiscard]] T* lanes(slot s) {
    return static_cast<T*>(__builtin_assume_aligned(reinterpret_cast<T*>(file + s), 64));
  }
  [[nodiscard]] std::uint32_t& predicate(slot s) { return *reinterpret_cast<std::uint32_t*>(file + s); }
};

inline void remove_split(warp& w, std::uint32_t index) {
  w.splits[index] = w.splits.back();
  w.splits.pop_back();
}

/// Lanes `lanes` of the current split wait at `pc`; where they are not all of it, the others go on behind.
/// \param number  at a block barrier: which one
inline void wait_at(warp& w, std::uint32_t lanes, std::uint32_t pc, split_state state, std::uint32_t number = 0) {
  split& s = w.splits[w.current];
  if (lanes == s.mask) {
    s.state = state;
    s.waits_for = number;
    s.pc = pc;
    return;
  }
  split waiting = ready_split(lanes, pc, s.frame);
  waiting.state = state;
  waiting.waits_for = number;
  s.mask &= ~lanes;
  s.pc = pc + 1;
  w.splits.push_back(waiting);
}

/// Returns the number of a frame of `w` that is `f` now.
inline std::int32_t new_frame(warp& w, const frame& f) {
  for (std::size_t k = 0; k < w.frames.size(); ++k) {
    if (w.frames[k].pc == no_pc) {
      w.frames[k] = f;
      return static_cast<std::int32_t>(k);
    }
  }
  w.frames.push_back(f);
  return static_cast<std::int32_t>(w.frames.size()) - 1;
}

/// Where lanes of a frame meet; nowhere on their way where they meet by returning from a function.
[[nodiscard]] inline std::uint32_t meeting_point(const warp& w, std::int32_t in_frame) {
  if (in_frame < 0) return no_pc;
  const frame& f = w.frames[static_cast<std::size_t>(in_frame)];
  return f.call < 0 ? f.pc : no_pc;
}

}  // namespace emulator::simt
