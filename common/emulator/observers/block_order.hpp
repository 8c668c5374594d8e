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
class block_order {
 public:
  using vertex = std::uint32_t;
  static constexpr vertex none = 0;

  /// A stretch of work that nothing precedes.
  [[nodiscard]] vertex start() { return add({}); }
  /// The stretch that follows `before` in its block and knows of all of `received`, in which `none` may occur.
  [[nodiscard]] vertex follow(vertex before, std::span<const vertex> received);
  /// Notes that all up to `released` may be known to those who read the 16 bytes around `address` from now on.
  void release(std::uint64_t address, vertex released);
  /// What has been released there so far, or `none`.
  [[nodiscard]] vertex released_at(std::uint64_t address) const;

  /// Says whether the one stretch happened before the other, whichever of them is the earlier. Beyond a certain amount
  /// of searching in a launch the answer is yes.
  [[nodiscard]] bool ordered(vertex one, vertex other);

 private:
  vertex add(std::span<const vertex> before);
  void search_from(vertex last);

  std::vector<vertex> edges_;
  std::vector<std::uint32_t> first_edge_ = {0, 0};  ///< By vertex, one more at the end; vertex 0 is `none`.
  std::unordered_map<std::uint64_t, vertex> released_;
  vertex searched_ = none;           ///< `seen_` is for this one.
  std::vector<std::uint32_t> seen_;  ///< By vertex: number of the search that found it.
  std::uint32_t search_ = 0;
  std::uint64_t effort_ = 0;  ///< Vertices looked at in all searches.
};

}  // namespace emulator::observers
