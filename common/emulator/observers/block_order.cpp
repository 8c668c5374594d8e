#include "emulator/observers/block_order.hpp"

#include <algorithm>

namespace emulator::observers {
namespace {

/// Limits searches to a few seconds.
constexpr std::uint64_t max_effort = 200'000'000;

/// About 200 MB.
constexpr std::size_t max_edges = 20'000'000;

constexpr std::uint64_t location_bytes = 16;

}  // namespace

block_order::vertex block_order::add(std::span<const vertex> before) {
  if (edges_.size() > max_edges) return static_cast<vertex>(first_edge_.size() - 2);
  const auto made = static_cast<vertex>(first_edge_.size() - 1);
  for (const vertex v : before) {
    if ((v & ~seen_only) != none) edges_.push_back(v);
  }
  first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
  return made;
}

block_order::vertex block_order::follow(vertex before, std::span<const vertex> received, relation how) {
  const vertex made = add(received);
  if (made == before) return made;
  if (how == relation::seen) {
    for (std::uint32_t e = first_edge_[made]; e < first_edge_[made + 1]; ++e) edges_[e] |= seen_only;
  }
  edges_.push_back(before);
  ++first_edge_.back();
  return made;
}

void block_order::publish(std::uint64_t address, vertex released, vertex done) {
  vertex& there = released_[address / location_bytes];
  if (there != none) {
    // If a block stores repeatedly in one epoch, the later stores release nothing new.
    bool new_release = released != none, new_done = true;
    for (std::uint32_t e = first_edge_[there]; e < first_edge_[there + 1]; ++e) {
      new_release &= edges_[e] != released;
      new_done &= edges_[e] != (done | seen_only);
    }
    if (!new_release && !new_done) return;
  }
  const vertex all[] = {there, released, done | seen_only};
  there = add(all);
}

block_order::vertex block_order::released_at(std::uint64_t address) const {
  const auto found = released_.find(address / location_bytes);
  return found == released_.end() ? none : found->second;
}

/// Marks everything that happened before `last`.
void block_order::search_from(vertex last, relation how) {
  found_.resize(first_edge_.size(), 0);
  ++search_;
  searched_ = last;
  searched_how_ = how;
  std::vector<vertex> open = {last};
  found_[last] = search_;
  while (!open.empty()) {
    const vertex v = open.back();
    open.pop_back();
    ++effort_;
    for (std::uint32_t e = first_edge_[v]; e < first_edge_[v + 1]; ++e) {
      const vertex before = edges_[e] & ~seen_only;
      if (before != edges_[e] && how == relation::acquired) continue;
      if (found_[before] == search_) continue;
      found_[before] = search_;
      open.push_back(before);
    }
  }
}

bool block_order::ordered(vertex one, vertex other, relation how) {
  const auto [first, last] = std::minmax(one, other);
  if (first == last || edges_.size() > max_edges) return true;
  if (searched_ != last || searched_how_ != how) {
    if (effort_ > max_effort) return true;
    search_from(last, how);
  }
  return found_[first] == search_;
}

}  // namespace emulator::observers
