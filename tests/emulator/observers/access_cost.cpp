// Tests the numbers of sectors and bank conflicts, with expected values derived by hand.

#include "emulator/observers/access_cost.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace emulator::observers;

namespace {

constexpr std::uint32_t all = 0xffffffffu;

struct lanes {
  std::uint64_t at[32];
};

/// Gives lane l the byte address `offset` + l * stride * bytes. Lanes outside the mask get meaningless addresses.
lanes strided(std::uint64_t stride, unsigned bytes, std::uint64_t offset = 0, std::uint32_t mask = all) {
  lanes result;
  for (unsigned l = 0; l < 32; ++l) {
    result.at[l] = (mask >> l & 1u) != 0 ? offset + l * stride * bytes : 0x123456789abcdef0u - l;
  }
  return result;
}

unsigned sectors(const lanes& a, unsigned bytes, std::uint32_t mask = all) {
  return count_sectors({a.at, mask, bytes});
}
unsigned conflicts(const lanes& a, unsigned bytes, std::uint32_t mask = all) {
  return count_bank_conflicts({a.at, mask, bytes});
}
unsigned atomic_sectors(const lanes& a, unsigned bytes, std::uint32_t mask = all) {
  return count_atomic_sectors({a.at, mask, bytes});
}
unsigned local_sectors(const lanes& a, unsigned bytes, std::uint32_t mask = all) {
  return count_local_sectors({a.at, mask, bytes});
}

unsigned greatest_common_divisor(unsigned a, unsigned b) {
  return b == 0 ? a : greatest_common_divisor(b, a % b);
}

// These functions implement the definitions literally and slowly.
unsigned sectors_by_definition(const lanes& a, unsigned bytes, std::uint32_t mask) {
  std::set<std::uint64_t> touched;
  for (unsigned l = 0; l < 32; ++l) {
    if ((mask >> l & 1u) == 0) continue;
    for (unsigned b = 0; b < bytes; ++b) touched.insert((a.at[l] + b) / 32);
  }
  return static_cast<unsigned>(touched.size());
}

unsigned atomic_sectors_by_definition(const lanes& a, std::uint32_t mask) {
  std::map<std::uint64_t, std::map<std::uint64_t, unsigned>> lanes_of_word;  // by sector
  for (unsigned l = 0; l < 32; ++l) {
    if ((mask >> l & 1u) != 0) ++lanes_of_word[a.at[l] / 32][a.at[l]];
  }
  unsigned total = 0;
  for (const auto& [sector, words] : lanes_of_word) {
    unsigned most = 0;
    for (const auto& [word, lanes] : words) most = std::max(most, lanes);
    total += most;
  }
  return total;
}

unsigned conflicts_by_definition(const lanes& a, unsigned bytes, std::uint32_t mask) {
  const unsigned at_once = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  unsigned total = 0;
  for (unsigned begin = 0; begin < 32; begin += at_once) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    for (unsigned l = begin; l < begin + at_once; ++l) {
      if ((mask >> l & 1u) == 0) continue;
      for (unsigned b = 0; b < bytes; ++b) {
        const std::uint64_t word = (a.at[l] + b) / 4;
        words_of_bank[word % 32].insert(word);
      }
    }
    std::size_t passes = 0;
    for (const auto& [bank, words] : words_of_bank) passes = std::max(passes, words.size());
    if (passes > 1) total += static_cast<unsigned>(passes) - 1;
  }
  return total;
}

unsigned local_sectors_by_definition(const lanes& a, unsigned bytes, std::uint32_t mask) {
  std::set<std::uint64_t> touched;
  for (unsigned l = 0; l < 32; ++l) {
    if ((mask >> l & 1u) == 0) continue;
    for (unsigned b = 0; b < bytes; ++b) {
      const std::uint64_t offset = a.at[l] + b;
      touched.insert(((offset / 4 * 32 + l) * 4 + offset % 4) / 32);
    }
  }
  return static_cast<unsigned>(touched.size());
}

}  // namespace

TEST_CASE("atomics send a sector to L2 as often as lanes meet in its most frequent word") {
  CHECK(atomic_sectors(strided(1, 4), 4) == 4);   // a word each, like a load
  CHECK(atomic_sectors(strided(8, 4), 4) == 32);  // a sector each
  CHECK(atomic_sectors(strided(0, 4), 4) == 32);  // one word for all
  CHECK(atomic_sectors(strided(0, 4, 64, 0xff), 4, 0xff) == 8);
  lanes uneven{};  // 16 lanes in one word need 16 passes; the others are in two other sectors, with 1 pass each
  for (unsigned l = 0; l < 32; ++l) uneven.at[l] = l < 16 ? 0 : 4 * (16 + l);
  CHECK(atomic_sectors(uneven, 4) == 18);
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    lanes a{};
    const unsigned words = 1 + random() % 40, bytes = random() % 2 == 0 ? 4 : 8;
    for (std::uint64_t& at : a.at) at = std::uint64_t{random() % words} * bytes;
    const std::uint32_t mask = random() | 1u;
    CHECK(atomic_sectors(a, bytes, mask) == atomic_sectors_by_definition(a, mask));
  }
}

TEST_CASE("neighbouring lanes' words fill sectors: 4, 8 and 16 bytes a lane need 4, 8 and 16") {
  // 32 lanes * 4 bytes = 128 bytes = 4 sectors of 32 bytes. Two or four times the bytes need two or four times the
  // sectors.
  CHECK(sectors(strided(1, 4), 4) == 4);
  CHECK(sectors(strided(1, 8), 8) == 8);
  CHECK(sectors(strided(1, 16), 16) == 16);
  CHECK(sectors(strided(1, 1), 1) == 1);  // 32 bytes in all
  CHECK(sectors(strided(1, 2), 2) == 2);
}

TEST_CASE("words that start 4 bytes after a sector's begin touch one sector more") {
  // Bytes 4 to 131: sectors 0 to 4.
  CHECK(sectors(strided(1, 4, 4), 4) == 5);
  CHECK(sectors(strided(1, 8, 8), 8) == 9);
  CHECK(sectors(strided(1, 16, 16), 16) == 17);
  // A shift by whole sectors costs nothing.
  CHECK(sectors(strided(1, 4, 32), 4) == 4);
}

TEST_CASE("strides of 1 to 64 words spread over min(4 * stride, 32) sectors") {
  // Lane l is at byte 4 * s * l. Up to s = 8 the last lane ends in byte 124 * s + 3, so the lanes touch 31 * s / 8 + 1
  // sectors, rounded down. None is skipped, since the step is at most a sector. If s >= 8, each lane has its own
  // sector.
  for (unsigned s = 1; s <= 64; ++s) {
    INFO("stride " << s);
    CHECK(sectors(strided(s, 4), 4) == (s >= 8 ? 32u : 31 * s / 8 + 1));
    // With 8 bytes per lane, the step reaches a sector at s = 4; with 16 bytes, at s = 2.
    CHECK(sectors(strided(s, 8), 8) == (s >= 4 ? 32u : 31 * s / 4 + 1));
    CHECK(sectors(strided(s, 16), 16) == (s >= 2 ? 32u : 16u));
  }
}

TEST_CASE("a broadcast is one sector, and no conflict") {
  CHECK(sectors(strided(0, 4, 1000), 4) == 1);
  CHECK(conflicts(strided(0, 4, 1000), 4) == 0);
  CHECK(conflicts(strided(0, 16, 1600), 16) == 0);
}

TEST_CASE("lanes that are not active cost nothing") {
  CHECK(sectors(strided(1, 4, 0, 0x0000ffff), 4, 0x0000ffff) == 2);  // 64 bytes
  CHECK(sectors(strided(1, 4, 0, 0xffff0000), 4, 0xffff0000) == 2);
  CHECK(sectors(strided(1, 4, 0, 0x00000001), 4, 0x00000001) == 1);
  CHECK(sectors(strided(1, 4, 0, 0x80000001), 4, 0x80000001) == 2);  // the first and the last of 4
  CHECK(sectors(strided(1, 4, 0, 0x55555555), 4, 0x55555555) == 4);  // every other word, in all 4
  CHECK(conflicts(strided(32, 4, 0, 0x00000003), 4, 0x00000003) == 1);
}

TEST_CASE("addresses in any order have the same sectors") {
  lanes falling = strided(1, 4);
  std::reverse(falling.at, falling.at + 32);
  CHECK(sectors(falling, 4) == 4);
  lanes far = strided(1, 4);
  for (unsigned l = 0; l < 32; ++l) far.at[l] = (l % 2 == 0 ? 0 : std::uint64_t{1} << 40) + l / 2 * 4;
  CHECK(sectors(far, 4) == 4);  // 16 words in each of two places that are far apart
}

TEST_CASE("sectors are distinguished at any distance") {
  std::mt19937_64 random(8);
  for (unsigned trial = 0; trial < 5000; ++trial) {
    const std::uint64_t window = std::uint64_t{1} << random() % 44;
    const auto mask = static_cast<std::uint32_t>(trial % 2 == 0 ? all : random() | 1u);
    std::uint64_t places[8];  // some lanes share these places
    for (std::uint64_t& place : places) place = random() % window * 4;
    lanes a;
    for (std::uint64_t& at : a.at) at = random() % 3 == 0 ? places[random() % 8] : random() % window * 4;
    INFO("trial " << trial << ", mask " << std::hex << mask);
    REQUIRE(sectors(a, 4, mask) == sectors_by_definition(a, 4, mask));
  }
}

TEST_CASE("strides of 1 to 64 words have gcd(stride, 32) - 1 bank conflicts") {
  // Lanes l and k use the same bank if (l - k) * s is a multiple of 32. So the 32 lanes use 32 / g banks with g =
  // gcd(s, 32) lanes in each, all of them in different words. These need g passes, of which g - 1 are conflicts.
  for (unsigned s = 1; s <= 64; ++s) {
    INFO("stride " << s);
    CHECK(conflicts(strided(s, 4), 4) == greatest_common_divisor(s, 32) - 1);
  }
  CHECK(conflicts(strided(2, 4), 4) == 1);
  CHECK(conflicts(strided(16, 4), 4) == 15);
  CHECK(conflicts(strided(32, 4), 4) == 31);
  CHECK(conflicts(strided(33, 4), 4) == 0);
}

TEST_CASE("8 bytes a lane: two half-warps over 16 pairs of banks") {
  // g = gcd(s, 16) of 16 lanes use the same pair of banks, so there are g - 1 conflicts in each half.
  for (unsigned s = 1; s <= 64; ++s) {
    INFO("stride " << s);
    CHECK(conflicts(strided(s, 8), 8) == 2 * (greatest_common_divisor(s, 16) - 1));
  }
  // A single half has half of the conflicts.
  CHECK(conflicts(strided(2, 8, 0, 0x0000ffff), 8, 0x0000ffff) == 1);
  CHECK(conflicts(strided(2, 8, 0, 0x00010001), 8, 0x00010001) == 0);
}

TEST_CASE("16 bytes a lane: four quarter-warps over 8 quadruples of banks") {
  for (unsigned s = 1; s <= 64; ++s) {
    INFO("stride " << s);
    CHECK(conflicts(strided(s, 16), 16) == 4 * (greatest_common_divisor(s, 8) - 1));
  }
}

TEST_CASE("lanes in the same word share it: bytes and halves of a word do not conflict") {
  CHECK(conflicts(strided(1, 1), 1) == 0);  // 8 words
  CHECK(conflicts(strided(1, 2), 2) == 0);  // 16 words
  // Bytes that are 128 apart are in 32 words of bank 0.
  CHECK(conflicts(strided(128, 1), 1) == 31);
  // Pairs of lanes access the same word, and the words are 32 apart: 16 different words in bank 0.
  lanes pairs;
  for (unsigned l = 0; l < 32; ++l) pairs.at[l] = l / 2 * 128;
  CHECK(conflicts(pairs, 4) == 15);
  // Lanes alternate between two words of bank 0.
  for (unsigned l = 0; l < 32; ++l) pairs.at[l] = l % 2 * 128;
  CHECK(conflicts(pairs, 4) == 1);
}

TEST_CASE("an offset moves banks around but makes no conflict") {
  CHECK(conflicts(strided(1, 4, 4), 4) == 0);
  CHECK(conflicts(strided(2, 4, 4), 4) == 1);
  CHECK(conflicts(strided(1, 8, 8), 8) == 0);
}

TEST_CASE("local memory: the same index in all lanes is a full row") {
  // Word w of all 32 lanes is 128 contiguous bytes, or 4 sectors. 8 and 16 bytes per lane are 2 and 4 such words.
  CHECK(local_sectors(strided(0, 4, 40), 4) == 4);
  CHECK(local_sectors(strided(0, 8, 40), 8) == 8);
  CHECK(local_sectors(strided(0, 16, 48), 16) == 16);
  CHECK(local_sectors(strided(0, 4, 40, 0xff), 4, 0xff) == 1);  // 8 lanes fill a sector
  CHECK(local_sectors(strided(0, 1, 41), 1) == 4);              // a byte of each lane's word
  CHECK(local_sectors(strided(0, 4, 0, 0x01010101), 4, 0x01010101) == 4);
  // With a different index in each lane there are 32 such words, and a sector of each is accessed.
  CHECK(local_sectors(strided(1, 4), 4) == 32);
  CHECK(local_sectors(strided(1, 16), 16) == 128);
}

TEST_CASE("any addresses and masks count as the definitions say") {
  std::mt19937 random(7);
  for (unsigned trial = 0; trial < 20000; ++trial) {
    const unsigned bytes = 1u << random() % 5;
    const std::uint32_t mask = trial % 3 == 0 ? all : random() % 2 == 0 ? random() | 1u : all >> random() % 32;
    const std::uint64_t window = std::uint64_t{1} << random() % 12;
    lanes a;
    const unsigned style = random() % 4;
    const std::uint64_t step = random() % 70;
    const std::uint64_t base = random() % 1000;
    for (unsigned l = 0; l < 32; ++l) {
      const std::uint64_t index = style == 0   ? random() % window
                                  : style == 1 ? base + l * step
                                  : style == 2 ? base + (31 - l) * step
                                               : base + l / 4 * step;
      a.at[l] = (mask >> l & 1u) != 0 ? index * bytes : random() * 0x100000001u;
    }
    INFO("trial " << trial << ", " << bytes << " bytes, mask " << std::hex << mask);
    REQUIRE(sectors(a, bytes, mask) == sectors_by_definition(a, bytes, mask));
    REQUIRE(conflicts(a, bytes, mask) == conflicts_by_definition(a, bytes, mask));
    REQUIRE(local_sectors(a, bytes, mask) == local_sectors_by_definition(a, bytes, mask));
  }
}
