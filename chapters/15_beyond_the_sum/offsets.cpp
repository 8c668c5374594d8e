#include "15_beyond_the_sum/offsets.hpp"

#include <numeric>
#include <utility>

#include "workbook/element.hpp"

namespace chapter15 {
namespace {

std::vector<std::size_t> uneven_lengths(std::size_t n, std::uint64_t seed) {
  const std::size_t segments = n / 16 + 8;
  std::vector<std::size_t> rank(segments);
  std::iota(rank.begin(), rank.end(), std::size_t{1});
  const auto by_chance = [&](std::size_t k) { return workbook::mixed(k + workbook::mixed(seed + 15)); };
  for (std::size_t k = segments - 1; k > 1; --k) std::swap(rank[k], rank[1 + by_chance(k) % k]);
  const auto is_empty = [&](std::size_t k) { return k != 0 && by_chance(k + segments) % 8 == 0; };
  double all = 0;
  for (std::size_t k = 0; k < segments; ++k)
    if (!is_empty(k)) all += 1.0 / static_cast<double>(rank[k]);
  std::vector<std::size_t> length(segments, 0);
  std::size_t left = n;
  for (std::size_t k = 0; k < segments; ++k) {
    if (is_empty(k)) continue;
    length[k] = std::min(left, static_cast<std::size_t>(static_cast<double>(n) / all / static_cast<double>(rank[k])));
    left -= length[k];
  }
  // What rounding down has left: one more for each, as far as it goes.
  for (std::size_t k = 0; left > 0; k = (k + 1) % segments) {
    if (is_empty(k)) continue;
    ++length[k];
    --left;
  }
  return length;
}

}  // namespace

std::vector<unsigned> offsets_of(lengths how, std::size_t n, std::uint64_t seed) {
  std::vector<unsigned> offsets = {0};
  if (how.each == 0) {
    for (const std::size_t length : uneven_lengths(n, seed))
      offsets.push_back(offsets.back() + static_cast<unsigned>(length));
    return offsets;
  }
  for (std::size_t begun = 0; begun < n; begun += how.each)
    offsets.push_back(static_cast<unsigned>(std::min<std::size_t>(begun + how.each, n)));
  return offsets;
}

}  // namespace chapter15
