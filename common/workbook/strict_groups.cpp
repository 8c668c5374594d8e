#include "workbook/strict_groups.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace workbook {
namespace {

constexpr unsigned all_block_sizes[] = {32, 64, 128, 256, 512, 1024};

/// Sizes at which kernels go wrong: nothing, one, about a warp, about a block, primes, and two that the seed chooses.
std::vector<std::size_t> telling_sizes(std::size_t block_size, std::uint64_t seed) {
  std::vector<std::size_t> sizes = {0,
                                    1,
                                    2,
                                    31,
                                    32,
                                    33,
                                    block_size - 1,
                                    block_size,
                                    block_size + 1,
                                    2 * block_size + 1,
                                    997,
                                    1000,
                                    4093,
                                    100 + static_cast<std::size_t>(mixed(seed + 1) % 800),
                                    5000 + static_cast<std::size_t>(mixed(seed) % 5000)};
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  // Nothing at last: what goes wrong there alone is a thing of its own.
  std::rotate(sizes.begin(), sizes.begin() + 1, sizes.end());
  return sizes;
}

problem shaped(problem p, std::array<unsigned, 3> shape) {
  p.block_shape = shape;
  p.block_size = shape[0] * shape[1] * shape[2];
  return p;
}

/// Inputs that begin where no vector of 16 bytes may, some of them shorter than the way to the next such place.
strict_group group_of_starts(unsigned block_size, std::uint64_t seed) {
  strict_group g{"starts off a multiple of 16 bytes", {}};
  for (const element_type type : {element_type::int32, element_type::int64, element_type::float64})
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{2}, std::size_t{33}, 2 * std::size_t{block_size} + 1, std::size_t{5003}})
      for (const std::size_t offset : {1, 3})
        g.problems.push_back({.type = type, .count = n, .block_size = block_size, .seed = seed + 4, .offset = offset});
  return g;
}

/// A little more than what the table on the emulator runs on.
std::size_t large_odd_size(const study& s, std::uint64_t seed) {
  return s.default_count_emulator + 1 + 2 * static_cast<std::size_t>(mixed(seed + 2) % 500);
}

/// Small sizes and a large one for kernels side by side, and blocks of more than one dimension where the chapter has
/// them.
std::vector<strict_group> groups_side_by_side(const study& s, std::uint64_t seed) {
  std::vector<strict_group> groups;
  const unsigned usual = s.default_block_size;
  for (const element_type type : all_element_types) {
    strict_group g{fmt::format("{}, blocks of {}", name_of(type), usual), {}};
    for (const std::size_t n : {1, 2, 31, 32, 33, 127, 300, 997}) g.problems.push_back({type, n, usual, seed});
    groups.push_back(g);
  }
  for (const unsigned block_size : all_block_sizes) {
    strict_group g{fmt::format("float, blocks of {}", block_size), {}};
    for (const std::size_t n : {33, 1001}) g.problems.push_back({element_type::float32, n, block_size, seed + 1});
    if (block_size != usual) groups.push_back(g);
  }
  strict_group large{"int, large sizes", {{element_type::int32, large_odd_size(s, seed), usual, seed + 2}}};
  for (const std::size_t n : s.telling_counts) {
    large.problems.push_back({element_type::int32, n, usual, seed + 5});
    large.problems.push_back({element_type::int32, n, 1024, seed + 6});
  }
  groups.push_back(large);
  if (s.takes_offsets) groups.push_back(group_of_starts(usual, seed));
  if (!s.takes_shapes) return groups;
  strict_group g{"float, blocks of 2 and 3 dimensions", {}};
  for (const auto& shape : {std::array<unsigned, 3>{16, 8, 1}, std::array<unsigned, 3>{7, 5, 3}})
    g.problems.push_back(shaped({element_type::float32, 500, 0, seed + 2}, shape));
  groups.push_back(g);
  return groups;
}

/// The sizes at which sums go wrong.
std::vector<strict_group> groups_of_sums(const study& s, std::uint64_t seed, bool gpu) {
  std::vector<strict_group> groups;
  const unsigned usual = s.default_block_size;
  for (const element_type type : all_element_types) {
    strict_group g{fmt::format("{}, blocks of {}", name_of(type), usual), {}};
    for (const std::size_t n : telling_sizes(usual, seed)) g.problems.push_back({type, n, usual, seed});
    groups.push_back(g);
  }
  for (const unsigned block_size : all_block_sizes) {
    if (block_size == usual) continue;
    strict_group g{fmt::format("int and double, blocks of {}", block_size), {}};
    for (const element_type type : {element_type::int32, element_type::float64}) {
      for (const std::size_t n : {std::size_t{33}, std::size_t{block_size} - 1, std::size_t{block_size} + 1,
                                  2 * std::size_t{block_size} + 1, std::size_t{7001}})
        g.problems.push_back({type, n, block_size, seed + 1});
    }
    groups.push_back(g);
  }
  groups.push_back(group_of_starts(usual, seed));
  groups.push_back({"a large odd size", {{element_type::int32, large_odd_size(s, seed), usual, seed + 2}}});
  if (gpu) groups.push_back({"more than 2^31 elements", {{element_type::int32, (1ull << 31) + 11, usual, seed + 3}}});
  return groups;
}

}  // namespace

bool takes(const specimen& kernel, const problem& p) {
  return !kernel.why_not(p);
}

std::vector<strict_group> groups_for(const study& s, const specimen& yours, std::uint64_t seed, bool gpu) {
  std::vector<strict_group> groups = s.one_sum ? groups_of_sums(s, seed, gpu) : groups_side_by_side(s, seed);
  for (strict_group& one : groups) std::erase_if(one.problems, [&](const problem& p) { return !takes(yours, p); });
  std::erase_if(groups, [](const strict_group& one) { return one.problems.empty(); });
  return groups;
}

}  // namespace workbook
