#include "workbook/strict_groups.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace workbook {
namespace {

constexpr unsigned all_block_sizes[] = {32, 64, 128, 256, 512, 1024};

/// Returns sizes at which kernels often fail: 0, 1, about a warp, about a block, primes, and two that depend on the
/// seed.
std::vector<std::size_t> telling_sizes(std::size_t block_size, seed_source& seeds) {
  std::set<std::size_t> sizes = {1, 2, 31, 32, 33, 997, 1000, 4093};
  sizes.insert({block_size - 1, block_size, block_size + 1, 2 * block_size + 1});
  sizes.insert({seeds.between(100, 899), seeds.between(5000, 9999)});
  std::vector<std::size_t> in_order(sizes.begin(), sizes.end());
  // 0 comes last, because a failure with 0 elements alone is a different problem.
  in_order.push_back(0);
  return in_order;
}

problem shaped(problem p, std::array<unsigned, 3> shape) {
  p.block_shape = shape;
  p.block_size = shape[0] * shape[1] * shape[2];
  return p;
}

/// Returns inputs that are not aligned to vectors of 16 bytes. Some of them are shorter than the distance to the next
/// aligned address.
strict_group group_of_starts(unsigned block_size) {
  strict_group g{"starts off a multiple of 16 bytes", {}};
  for (const element_type type : all_element_types)
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{2}, std::size_t{33}, 2 * std::size_t{block_size} + 1, std::size_t{5003}})
      for (const std::size_t offset : {1, 3})
        g.problems.push_back({.type = type, .count = n, .block_size = block_size, .offset = offset});
  return g;
}

/// Returns a size that is slightly larger than that of the emulator's table.
std::size_t large_odd_size(const study& s, seed_source& seeds) {
  return s.default_count_emulator + 1 + 2 * seeds.between(0, 499);
}

/// Returns the block sizes that a kernel accepts, as far as this is known without compiling it.
std::vector<unsigned> block_sizes_of(const specimen& kernel) {
  std::vector<unsigned> sizes;
  for (unsigned size = 32; size <= 1024; size += 32) {
    if (kernel.takes({element_type::int32, 1000, size})) sizes.push_back(size);
  }
  return sizes;
}

/// Returns a problem with a random block size, count and offset, which students cannot know in advance.
problem drawn_problem(element_type type, const std::vector<unsigned>& block_sizes, std::size_t least, std::size_t most,
                      bool offsets, seed_source& seeds) {
  problem p{.type = type};
  p.block_size = block_sizes[seeds.between(0, block_sizes.size() - 1)];
  p.count = seeds.between(least, most);
  p.offset = offsets ? seeds.between(0, 3) : 0;
  return p;
}

/// Adds random problems for each type, so that a kernel cannot be written for the known ones only.
void add_drawn(std::vector<strict_group>& groups, const specimen& yours, std::size_t most, bool offsets,
               seed_source& seeds) {
  const std::vector<unsigned> block_sizes = block_sizes_of(yours);
  if (block_sizes.empty()) return;
  strict_group g{"all types, sizes drawn by lot", {}};
  for (const element_type type : all_element_types) {
    g.problems.push_back(drawn_problem(type, block_sizes, 1, most / 20, offsets, seeds));
    g.problems.push_back(drawn_problem(type, block_sizes, most / 20, most, offsets, seeds));
  }
  groups.push_back(g);
}

/// Adds all numbers of warps that aren't powers of two, if the kernel accepts them.
void add_warps(std::vector<strict_group>& groups, const specimen& yours, seed_source& seeds) {
  strict_group g{"every number of warps", {}};
  for (const unsigned size : block_sizes_of(yours)) {
    if ((size & (size - 1)) == 0) continue;
    const element_type type = all_element_types[seeds.between(0, std::size(all_element_types) - 1)];
    g.problems.push_back({type, seeds.between(size, 4 * size), size});
  }
  if (!g.problems.empty()) groups.push_back(g);
}

/// Adds problems of millions of elements, with the types in random order. A kernel with a thread per element gets only
/// some of them, so that the group takes at most a second.
void add_large(std::vector<strict_group>& groups, seed_source& seeds) {
  std::vector<element_type> types(std::begin(all_element_types), std::end(all_element_types));
  strict_group g{"millions, drawn by lot", {}, /*checked=*/false, /*enough_instructions=*/20'000'000};
  while (!types.empty()) {
    const auto one = types.begin() + static_cast<std::ptrdiff_t>(seeds.between(0, types.size() - 1));
    // At most 32 MiB, because a kernel may store the same amount again.
    const std::size_t power =
        std::size_t{1} << seeds.between(21, with_type(*one, [](auto* tag) { return sizeof(*tag); }) == 8 ? 21 : 22);
    g.problems.push_back({*one, power + seeds.between(1, power), problem{}.block_size});
    types.erase(one);
  }
  groups.push_back(g);
}

/// Returns groups for chapters that compare kernels: small sizes, a large one, and blocks of several dimensions if the
/// chapter has such blocks.
std::vector<strict_group> groups_side_by_side(const study& s, const specimen& yours, seed_source& seeds) {
  std::vector<strict_group> groups;
  const unsigned usual = s.default_block_size;
  for (const element_type type : all_element_types) {
    strict_group g{fmt::format("{}, blocks of {}", name_of(type), usual), {}};
    for (const std::size_t n : {1, 2, 31, 32, 33, 127, 300, 997}) g.problems.push_back({type, n, usual});
    groups.push_back(g);
  }
  for (const unsigned block_size : all_block_sizes) {
    strict_group g{fmt::format("float, blocks of {}", block_size), {}};
    for (const std::size_t n : {33, 1001}) g.problems.push_back({element_type::float32, n, block_size});
    if (block_size != usual) groups.push_back(g);
  }
  strict_group large{"int, large sizes", {{element_type::int32, large_odd_size(s, seeds), usual}}};
  for (const std::size_t n : s.telling_counts) {
    large.problems.push_back({element_type::int32, n, usual});
    large.problems.push_back({element_type::int32, n, 1024});
  }
  groups.push_back(large);
  if (s.takes_offsets) groups.push_back(group_of_starts(usual));
  // Fewer elements than GPUs, and chunks with different lengths.
  for (const unsigned gpus : {1u, 2u, 3u, 5u, 7u, 8u}) {
    if (gpus > s.max_gpus) break;
    strict_group g{fmt::format("{} GPU{}", gpus, gpus == 1 ? "" : "s"), {}};
    for (const std::size_t n : {1, 2, 5, 7, 1000, 4099})
      g.problems.push_back({.type = element_type::int32, .count = n, .block_size = usual, .gpus = gpus});
    groups.push_back(g);
  }
  add_drawn(groups, yours, 4000, s.takes_offsets, seeds);
  if (!s.takes_shapes) return groups;
  strict_group g{"float, blocks of 2 and 3 dimensions", {}};
  for (const auto& shape : {std::array<unsigned, 3>{16, 8, 1}, std::array<unsigned, 3>{7, 5, 3}})
    g.problems.push_back(shaped({element_type::float32, 500, 0}, shape));
  groups.push_back(g);
  return groups;
}

/// Returns groups with sizes at which sums often go wrong.
std::vector<strict_group> groups_of_sums(const study& s, const specimen& yours, seed_source& seeds, bool gpu) {
  std::vector<strict_group> groups;
  const unsigned usual = s.default_block_size;
  for (const element_type type : all_element_types) {
    strict_group g{fmt::format("{}, blocks of {}", name_of(type), usual), {}};
    for (const std::size_t n : telling_sizes(usual, seeds)) g.problems.push_back({type, n, usual});
    groups.push_back(g);
  }
  for (const unsigned block_size : all_block_sizes) {
    if (block_size == usual) continue;
    strict_group g{fmt::format("all types, blocks of {}", block_size), {}};
    for (const element_type type : {element_type::int32, element_type::float64}) {
      for (const std::size_t n : {std::size_t{33}, std::size_t{block_size} - 1, std::size_t{block_size} + 1,
                                  2 * std::size_t{block_size} + 1, std::size_t{7001}})
        g.problems.push_back({type, n, block_size});
    }
    for (const element_type type : {element_type::uint32, element_type::int64, element_type::float32}) {
      g.problems.push_back({type, seeds.between(2, 2 * block_size), block_size});
      g.problems.push_back({type, seeds.between(3000, 8000), block_size});
    }
    groups.push_back(g);
  }
  groups.push_back(group_of_starts(usual));
  add_warps(groups, yours, seeds);
  add_drawn(groups, yours, 100'000, true, seeds);
  const element_type other = all_element_types[seeds.between(0, std::size(all_element_types) - 1)];
  groups.push_back({"large sizes",
                    {{element_type::int32, large_odd_size(s, seeds), usual},
                     {other, 2 * s.default_count_emulator + seeds.between(1, s.default_count_emulator / 4), usual}}});
  add_large(groups, seeds);
  if (gpu) groups.push_back({"more than 2^31 elements", {{element_type::int32, (1ull << 31) + 11, usual}}});
  return groups;
}

/// Returns a random block shape whose number of threads isn't a multiple of the warp size. It reveals a layout that
/// depends only on the block's width. There is more than one warp, because rows of 16 words have no conflicts if a
/// block has only 16 threads.
std::array<unsigned, 3> drawn_shape(seed_source& seeds) {
  for (;;) {
    const std::array<unsigned, 3> shape{static_cast<unsigned>(seeds.between(3, 15)),
                                        static_cast<unsigned>(seeds.between(3, 9)), 1};
    if (shape[0] * shape[1] > 32 && shape[0] * shape[1] % 32 != 0) return shape;
  }
}

/// Returns the goal's inputs for chapters that compare kernels. Types other than the table's integers are added,
/// because an optimisation that works only for integers isn't the chapter's idea.
std::vector<goal_problem> goal_problems_side_by_side(const study& s, const std::vector<specimen>& kernels,
                                                     seed_source& seeds) {
  const problem usual{element_type::int32, s.default_count_emulator, s.default_block_size, seeds.next()};
  std::vector<goal_problem> all = {{usual}};
  for (const element_type type : s.goal_types) {
    const std::size_t n = s.default_count_emulator;
    problem drawn = drawn_problem(type, {usual.block_size}, n - n / 4, n, /*offsets=*/false, seeds);
    drawn.seed = seeds.next();
    if (s.takes_shapes) {
      drawn = shaped(drawn, drawn_shape(seeds));
      drawn.random_indices = true;  // "whatever the index"
    }
    if (std::all_of(kernels.begin(), kernels.end(), [&](const specimen& k) { return k.takes(drawn); }))
      all.push_back({drawn});
  }
  return all;
}

}  // namespace

std::vector<strict_group> groups_for(const study& s, const specimen& yours, seed_source& seeds, bool gpu) {
  std::vector<strict_group> groups =
      s.one_sum ? groups_of_sums(s, yours, seeds, gpu) : groups_side_by_side(s, yours, seeds);
  for (strict_group& one : groups) {
    std::erase_if(one.problems, [&](const problem& p) {
      return !yours.takes(p) &&
             std::ranges::none_of(s.kernels, [&p](const specimen& k) { return k.as == role::reference && k.takes(p); });
    });
    for (problem& p : one.problems) p.seed = seeds.next();
  }
  std::erase_if(groups, [](const strict_group& one) { return one.problems.empty(); });
  return groups;
}

std::vector<goal_problem> goal_problems(const study& s, const std::vector<specimen>& kernels, const goal_inputs& more,
                                        seed_source& seeds) {
  if (!s.one_sum) return goal_problems_side_by_side(s, kernels, seeds);
  const problem usual{element_type::int32, s.default_count_emulator, s.default_block_size, seeds.next()};
  // The random inputs have 4-byte words like the lesson's, because bank conflicts and unneeded requests depend on that.
  // They are floats, because an optimisation that works only for integers, by bit operations or atomics, isn't the
  // chapter's idea.
  const element_type type = element_type::float32;
  // The default block size and a larger one. Smaller blocks have too few steps to save, and with still larger blocks
  // there are too few of them.
  std::vector<unsigned> block_sizes;
  for (const unsigned size : {256u, 512u}) {
    const auto takes_size = [&](const specimen& k) { return k.takes({type, s.default_count_emulator, size}); };
    if (std::ranges::all_of(kernels, takes_size)) block_sizes.push_back(size);
  }
  if (block_sizes.empty()) return {{usual}};
  const std::size_t n = s.default_count_emulator;
  const auto offset = [&] { return more.offsets ? seeds.between(1, 3) : 0; };
  std::vector<goal_problem> all = {{usual}};
  for (const unsigned block_size : block_sizes) {
    problem drawn = drawn_problem(type, {block_size}, n / 4, n / 2, /*offsets=*/false, seeds);
    drawn.offset = offset();
    drawn.seed = seeds.next();
    all.push_back({drawn});
  }
  // A small input of doubles. If shares may be large, it is about as large as the table's input, so that there are
  // several elements per thread.
  problem doubles{element_type::float64, n / 8, block_sizes.back()};
  if (more.large_shares) {
    doubles.count = n - seeds.between(0, n / 8);
    doubles.block_size = usual.block_size;
  } else {
    doubles.count += seeds.between(0, 1000);
  }
  doubles.seed = seeds.next();
  all.push_back({.input = doubles, .other = true});
  if (more.large_shares) {
    problem large{type, large_share * n - seeds.between(0, n), usual.block_size};
    large.offset = offset();
    large.seed = seeds.next();
    all.push_back({.input = large, .large = true, .other = true});
  }
  return all;
}

seed_source seed_source::of_judge(const std::string& words) {
  seed_source source(0);
  std::istringstream in(words);
  for (std::string one; in >> one;) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), value, 16);
    if (error != std::errc() || end != one.data() + one.size())
      throw std::runtime_error("the judge was given an invalid seed; give hexadecimal numbers separated by blanks");
    source.given_.push_back(value);
  }
  if (source.given_.empty()) throw std::runtime_error("the judge was given no seeds");
  source.next_ = mixed(source.given_.back());
  std::reverse(source.given_.begin(), source.given_.end());
  return source;
}

std::uint64_t seed_source::next() {
  if (given_.empty()) return next_++;
  const std::uint64_t seed = given_.back();
  given_.pop_back();
  return seed;
}

std::uint64_t seed_source::between(std::uint64_t least, std::uint64_t most) {
  return least + mixed(next()) % (most - least + 1);
}

}  // namespace workbook
