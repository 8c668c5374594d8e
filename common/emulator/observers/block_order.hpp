#pragma once
/// \file
/// The order that releases and acquires in global memory impose on the work of different blocks.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace emulator::observers {

/// The relation "happens before" between the blocks of one launch, as a graph. A vertex is either an epoch of a block
/// (a part of its work without a release or an acquire) or the state of a location (everything that had been released
/// there up to some point). Vertices are created in execution order, so edges lead from lower numbers to higher ones.
/// Only one host thread may use it.
///
/// There are two kinds of edges. The edges of a release and an acquire order everything. If a relaxed load by one block
/// sees a relaxed store by another, the memory model orders nothing. But that store was executed after the loads whose
/// values it depends on, so a write that waits for the store cannot overtake these loads. Such edges only count for the
/// relation `seen`.
class block_order {
 public:
  using vertex = std::uint32_t;
  static constexpr vertex none = 0;

  /// Returns a new epoch that nothing precedes.
  [[nodiscard]] vertex start() { return add({}); }
  enum class relation : std::uint8_t { acquired, seen };

  /// Returns the epoch that follows `before` in its block. It begins when the block has acquired or seen (`how`) the
  /// vertices `received`.
  [[nodiscard]] vertex follow(vertex before, std::span<const vertex> received, relation how = relation::acquired);
  /// Notes a strong write to the 16 bytes around `address`. It releases everything up to `released` (or nothing, if
  /// that is `none`), and everything up to `done` was done before it.
  void publish(std::uint64_t address, vertex released, vertex done);
  /// Returns the state of that location: everything that has been released there so far, or `none`.
  [[nodiscard]] vertex released_at(std::uint64_t address) const;

  /// Returns true if one of the two epochs happened before the other, whichever of them is earlier. If the launch has
  /// had too many releases and acquires, or its searches have taken too long, it returns true without searching.
  [[nodiscard]] bool ordered(vertex one, vertex other, relation how);

 private:
  /// This bit is set in entries of `edges_` that are edges of the kind `seen`.
  static constexpr vertex seen_only = 0x80000000u;

  vertex add(std::span<const vertex> before);
  void search_from(vertex last, relation how);

  std::vector<vertex> edges_;
  std::vector<std::uint32_t> first_edge_ = {0, 0};  ///< Indexed by vertex, and one more; vertex 0 is `none`.
  std::unordered_map<std::uint64_t, vertex> released_;
  vertex searched_ = none;                      ///< `found_` is valid for this vertex …
  relation searched_how_ = relation::acquired;  ///< … and this relation.
  std::vector<std::uint32_t> found_;            ///< For each vertex: number of the search that found it.
  std::uint32_t search_ = 0;
  std::uint64_t effort_ = 0;  ///< The number of vertices visited by all searches.
};

}  // namespace emulator::observers
