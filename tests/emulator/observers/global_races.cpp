// Tests racecheck in global memory with events written by hand: which blocks access the same words, and how much is
// stored.

#include <map>
#include <random>
#include <vector>

#include "emulator/observers/block_order.hpp"
#include "emulator/observers/world.hpp"
#include "support/catch.hpp"

using namespace world;

namespace {

constexpr std::uint64_t far_away = 1u << 20;

/// Each lane accesses its own word, starting at byte `at`.
launch::address_of row(std::uint64_t at) {
  return [at](unsigned l) { return at + 4 * l; };
}
launch::address_of same(std::uint64_t at) {
  return [at](unsigned) { return at; };
}

}  // namespace

TEST_CASE("a word that one block writes and another reads is a race, whichever came first") {
  for (const bool write_first : {true, false}) {
    launch l(races_only());
    l.access(write_first ? store_global : load_global, 0, all, row(far_away));
    l.begin(1);
    l.access(write_first ? load_global : store_global, 1, all, row(far_away + 124));
    const auto found = l.findings();
    REQUIRE(found.size() == 1);
    CHECK(name_of(found[0].kind) == "read and write race");
    CHECK(found[0].line == line_of(load_global));
    CHECK(found[0].other_line == line_of(store_global));
    CHECK(found[0].count == 1);
    // The word that both blocks access is that of lane 31 in block 0's warp 0, and of lane 0 in block 1's warp 1.
    CHECK_THAT(found[0].message, ContainsSubstring(write_first ? "Block 1 reads" : "Block 0 reads"));
  }
}

TEST_CASE("neighbouring words, words read by all, and atomics of several blocks do not race") {
  launch l(races_only());
  for (unsigned b = 0; b < 5; ++b) {
    if (b != 0) l.begin(b);
    l.access(load_global, 0, all, row(0));
    l.access(load_global, 0, all, same(64));
    l.access(store_global, 0, all, row(far_away + 128 * b));
    l.access(red_global, 0, all, same(far_away - 8));
  }
  CHECK(l.findings().empty());
}

TEST_CASE("bytes of one word belong to those who access them") {
  launch l(races_only());
  const auto bytes = [](std::uint64_t at) { return [at](unsigned lane) { return at + lane; }; };
  l.access(store_global, 0, all, bytes(far_away), 1);
  l.begin(1);
  l.access(store_global, 0, all, bytes(far_away + 32), 1);
  l.begin(2);
  CHECK(l.findings().empty());

  launch again(races_only());
  again.access(store_global, 0, all, bytes(far_away), 1);
  again.begin(1);
  again.access(store_global, 0, all, bytes(far_away + 31), 1);
  const auto found = again.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].kind) == "write and write race");
}

TEST_CASE("scattered accesses are followed lane by lane, and those that are off do nothing") {
  launch l(races_only());
  l.access(store_global, 0, 0x55555555u, row(far_away));
  l.begin(1);
  l.access(store_global, 0, 0xaaaaaaaau, row(far_away));
  CHECK(l.findings().empty());

  launch again(races_only());
  again.access(store_global, 0, all, [](unsigned lane) { return far_away + 256 * lane; });
  again.begin(1);
  again.access(load_global, 0, all, [](unsigned lane) { return far_away + 256 * (31 - lane); });
  const auto found = again.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 32);
}

TEST_CASE("warps of a block race until the block's barrier, lanes of a warp do not") {
  launch l(races_only());
  l.access(store_global, 0, all, row(far_away));
  l.access(load_global, 0, all, [](unsigned lane) { return far_away + 4 * (31 - lane); });
  l.sync();
  l.access(load_global, 1, all, row(far_away));
  CHECK(l.findings().empty());

  launch again(races_only());
  again.access(store_global, 0, all, row(far_away));
  again.access(load_global, 1, all, row(far_away));
  const auto found = again.findings();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].cure, ContainsSubstring("__syncthreads()"));
}

TEST_CASE("nothing is noted where racecheck is off") {
  options o;
  o.racecheck = o.initcheck = false;
  launch l(o);
  l.access(store_global, 0, all, row(far_away));
  l.begin(1);
  l.access(store_global, 0, all, row(far_away));
  CHECK(l.findings().empty());
}

TEST_CASE("a block that reads more than its share forgets reads, not writes") {
  launch l(races_only());
  for (std::uint64_t k = 0; k < 10'000; ++k) l.access(load_global, 0, 1, same(far_away + 64 * k));
  l.access(store_global, 0, 1, same(far_away + 64 * 10'000));
  l.begin(1);
  l.access(store_global, 0, 1, same(far_away));  // this word was among the first that were read
  l.begin(2);
  l.access(load_global, 0, 1, same(far_away + 64 * 10'000));  // this word was the last that was written
  const auto found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 2);
}

TEST_CASE("scattered lanes count one by one towards a block's share") {
  const auto at = [](unsigned k) {
    return [k](unsigned lane) { return far_away + 128 * ((lane * 7 + k) % 32) + 4096 * std::uint64_t{k}; };
  };
  for (const unsigned number : {0u, 127u, 129u, 200u}) {  // a block may log 128 reads by 32 lanes
    INFO("read number " << number);
    launch l(races_only());
    for (unsigned k = 0; k <= 200; ++k) l.access(load_global, 0, all, at(k));
    l.begin(1);
    l.access(store_global, 0, 1, at(number));
    CHECK(l.findings().size() == (number < 128 ? 1 : 0));
  }
}

TEST_CASE("released writes are ordered before accesses after an acquire, through several blocks") {
  block_order order;
  const auto a = order.start(), b = order.start(), c = order.start();
  order.publish(64, a, a);
  const block_order::vertex from_a[] = {order.released_at(72)};  // in the same 16 bytes
  REQUIRE(from_a[0] != block_order::none);
  CHECK(order.released_at(80) == block_order::none);
  const auto b_later = order.follow(b, from_a);
  order.publish(128, b_later, b_later);
  const block_order::vertex from_b[] = {order.released_at(128)};
  const auto c_later = order.follow(c, from_b);
  using how = block_order::relation;
  CHECK(order.ordered(a, c_later, how::acquired));
  CHECK(order.ordered(c_later, a, how::acquired));
  CHECK_FALSE(order.ordered(a, b, how::acquired));
  CHECK_FALSE(order.ordered(a, c, how::seen));
}

TEST_CASE("a relaxed store that is seen orders less than a release that is acquired") {
  block_order order;
  const auto a = order.start(), b = order.start();
  order.publish(64, block_order::none, a);
  const block_order::vertex from_a[] = {order.released_at(64)};
  using how = block_order::relation;
  const auto seen = order.follow(b, from_a, how::seen);
  CHECK(order.ordered(a, seen, how::seen));
  CHECK_FALSE(order.ordered(a, seen, how::acquired));
  // A fence after the load does not turn the store into a release.
  const auto fenced = order.follow(seen, from_a, how::acquired);
  CHECK_FALSE(order.ordered(a, fenced, how::acquired));
}

namespace {

/// Stores the history of accesses to each word.
class histories {
 public:
  struct one {
    unsigned block, warp, stretch;
    bool writes, strong;
  };
  /// Adds an access. Returns true if it races with an earlier one.
  bool add(std::uint64_t address, const one& now) {
    bool races = false;
    for (const one& past : words_[address]) {
      if ((!now.writes && !past.writes) || (now.strong && past.strong)) continue;
      races |= now.block != past.block || (now.warp != past.warp && now.stretch == past.stretch);
    }
    words_[address].push_back(now);
    return races;
  }

 private:
  std::map<std::uint64_t, std::vector<one>> words_;
};

}  // namespace

TEST_CASE("scattered accesses race exactly if a full history shows a race") {
  std::mt19937 random(31);
  unsigned racy = 0;
  constexpr unsigned programs = 600;
  for (unsigned program = 0; program < programs; ++program) {
    INFO("program " << program);
    launch l(races_only(), 96);
    histories known;
    bool expected = false;
    const bool careful = program % 3 != 0;  // nearly all accesses are to the block's own words
    for (unsigned block = 0; block < 4; ++block) {
      if (block != 0) l.begin(block);
      unsigned stretch = 0;
      for (unsigned event = 0; event < 6; ++event) {
        if (random() % 6 == 0) {
          l.sync();
          ++stretch;
        }
        const unsigned warp = random() % 3, what = random() % 8;
        const bool astray = !careful || random() % 40 == 0;
        const std::uint64_t first = far_away + 4 * (astray ? random() % 24576 : (block * 3 + warp) * 2048u);
        const std::uint64_t step = 4ull << random() % 6;
        const unsigned turn = random() % 32, times = random() % 4 == 0 ? 1 : 7;
        const std::uint32_t mask = random() % 2 == 0 ? all : random() | 1u;
        const auto place = [&](unsigned lane) { return first + step * ((lane * times + turn) % 32); };
        l.access(what < 3 ? load_global : what < 7 ? store_global : red_global, warp, mask, place);
        for (unsigned lane = 0; lane < 32; ++lane) {
          if ((mask >> lane & 1u) != 0)
            expected |= known.add(place(lane), {block, warp, stretch, what >= 3, what == 7});
        }
      }
    }
    CHECK(l.findings().empty() != expected);
    racy += expected ? 1 : 0;
  }
  // Programs with and without races must be common, or else the test would show little.
  CHECK(racy > programs / 5);
  CHECK(racy < programs * 4 / 5);
}
