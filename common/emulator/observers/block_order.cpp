#include "emulator/observers/block_order.hpp"

#include <algorithm>

namespace emulator::observers {
namespace {

/// A few seconds' worth.
constexpr std::uint64_t most_effort = 200'000'000;

constexpr std::uint64_t location_bytes = 16;

}  // namespace

block_order::vertex block_order::add(std::span<const vertex> before) {
  const auto made = static_cast<vertex>(first_edge_.size() - 1);
  for (const vertex v : before) {
    if (v != none) edges_.push_back(v);
  }
  first_edge_.push_back(static_cast<std::uint32_t>(edges_.size()));
  return made;
}

block_order::vertex block_order::follow(vertex before, std::span<const vertex> received) {
  const vertex made = add(received);
  edges_.push_back(before);
  ++first_edge_.back();
  return made;
}

void block_order::release(std::uint64_t address, vertex released) {
  if (released == none) return;
  vertex& there = released_[address / location_bytes];
  if (there != none) {
    // Many stores after one fence say nothing new.
    for (std::uint32_t e = first_edge_[there]; e < first_edge_[there + 1]; ++e) {
      if (edges_[e] == released) return;
    }
  }
  const vertex both[] = {there, released};
  there = add(both);
}

block_order::vertex block_order::released_at(std::uint64_t address) const {
  const auto found = released_.find(address / location_bytes);
  return found == released_.end() ? none : found->second;
}

/// Finds all that happened before `last`.
void block_order::search_from(vertex last) {
  seen_.resize(first_edge_.size(), 0);
  ++search_;
  searched_ = last;
  std::vector<vertex> open = {last};
  seen_[last] = search_;
  while (!open.empty()) {
    const vertex v = open.back();
    open.pop_back();
    ++effort_;
    for (std::uint32_t e = first_edge_[v]; e < first_edge_[v + 1]; ++e) {
      if (seen_[edges_[e]] == search_) continue;
      seen_[edges_[e]] = search_;
      open.push_back(edges_[e]);
    }
  }
}

bool block_order::ordered(vertex one, vertex other) {
  const auto [first, last] = std::minmax(one, other);
  if (first == last) return true;
  if (searched_ != last) {
    if (effort_ > most_effort) return true;
    search_from(last);
  }
  return seen_[first] == search_;
}

}  // namespace emulator::observers
