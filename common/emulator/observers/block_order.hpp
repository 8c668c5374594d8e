#pragma once
/// \file
/// Which stretches of work of different blocks are ordered by releases and acquires in global memory.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace emulator::observers {

/// The relation "happens before" between the blocks of one launch, as a graph. A vertex is a stretch of a block's work
/// without a release or an acquire in it, or what had been released at a location at some time. Vertices are made in
/// the order in which things happen, so that edges lead from lower numbers to higher ones. For one host thread.
///
/// There are two kinds of edges. Those of a release and an acquire order everything. A relaxed store that a relaxed
/// load of another block has seen orders nothing in the memory model's eyes; but it comes after the loads whose values
/// the block needed before it, and a write that waits for it cannot overtake them. `seen` says whether such edges
/// count.
class block_order {
 public:
  using vertex = std::uint32_t;
  static constexpr vertex none = 0;

  /// A stretch of work that nothing precedes.
  [[nodiscard]] vertex start() { return add({}); }
  enum class relation : std::uint8_t { acquired, seen };

  /// The stretch that follows `before` in its block and has `received` the ones listed.
  [[nodiscard]] vertex follow(vertex before, std::span<const vertex> received, relation how = relation::acquired);
  /// Notes a strong write to the 16 bytes around `address`: all up to `released` is released by it (`none`: nothing
  /// is), and all up to `done` has been done before it.
  void publish(std::uint64_t address, vertex released, vertex done);
  /// What has been released there so far, or `none`.
  [[nodiscard]] vertex released_at(std::uint64_t address) const;

  /// Says whether the one stretch happened before the other, whichever of them is the earlier. Beyond a certain amount
  /// of searching in a launch, or of releases and acquires, the answer is yes.
  [[nodiscard]] bool ordered(vertex one, vertex other, relation how);

 private:
  /// An edge from such a vertex is of the kind `seen`.
  static constexpr vertex seen_only = 0x80000000u;

  vertex add(std::span<const vertex> before);
  void search_from(vertex last, relation how);

  std::vector<vertex> edges_;
  std::vector<std::uint32_t> first_edge_ = {0, 0};  ///< By vertex, one more at the end; vertex 0 is `none`.
  std::unordered_map<std::uint64_t, vertex> released_;
  vertex searched_ = none;                      ///< `found_` is for this one …
  relation searched_how_ = relation::acquired;  ///< … and for this.
  std::vector<std::uint32_t> found_;            ///< By vertex: number of the search that found it.
  std::uint32_t search_ = 0;
  std::uint64_t effort_ = 0;  ///< Vertices looked at in all searches.
};

}  // namespace emulator::observers
