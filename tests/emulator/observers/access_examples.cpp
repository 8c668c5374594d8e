// Tests the description of one costly access: which lanes share a bank, how far the lanes are apart, and how few
// sectors would be enough.

#include <functional>
#include <random>
#include <vector>

#include "emulator/observers/access_cost.hpp"
#include "support/catch.hpp"

using namespace emulator;
using namespace emulator::observers;

namespace {

using lanes32 = std::vector<std::uint64_t>;
constexpr std::uint32_t all = 0xffffffffu;

lanes32 by_lane(const std::function<std::uint64_t(unsigned)>& address) {
  lanes32 addresses;
  for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(address(lane));
  return addresses;
}

lanes32 strided(std::uint64_t bytes, std::uint64_t first = 0) {
  return by_lane([&](unsigned lane) { return first + lane * bytes; });
}

}  // namespace

TEST_CASE("a stride of two words lets lanes 0 and 16 meet in bank 0") {
  const conflict_example e = explain_conflict(strided(8).data(), all, 4);
  CHECK(e.degree == 2);
  CHECK(e.bank == 0);
  CHECK(e.lanes[0] == 0);
  CHECK(e.lanes[1] == 16);
  CHECK(e.stride_bytes == 8);
  CHECK(e.bytes_per_lane == 4);
}

TEST_CASE("a stride of 16 words is a 16-way conflict, one of 32 words a 32-way one") {
  // Even lanes use bank 0 and odd lanes bank 16, with sixteen words in each.
  const conflict_example sixteen = explain_conflict(strided(64).data(), all, 4);
  CHECK(sixteen.degree == 16);
  CHECK(sixteen.lanes[1] == 2);
  const conflict_example all_in_one = explain_conflict(strided(128, 12).data(), all, 4);
  CHECK(all_in_one.degree == 32);
  CHECK(all_in_one.bank == 3);
  CHECK(all_in_one.lanes[1] == 1);
}

TEST_CASE("lanes that share a word, or access neighbouring words, have no conflict") {
  CHECK(explain_conflict(strided(0, 64).data(), all, 4).degree == 0);
  CHECK(explain_conflict(strided(4, 8).data(), all, 4).degree == 0);
  CHECK(explain_conflict(strided(1).data(), all, 1).degree == 0);
  CHECK(explain_conflict(strided(8).data(), all, 8).degree == 0);    // half a warp at a time
  CHECK(explain_conflict(strided(16).data(), all, 16).degree == 0);  // a quarter at a time
}

TEST_CASE("with eight bytes a lane the halves of a warp are served apart") {
  // 16 lanes, 16 bytes apart: lanes 0 and 8 are 128 bytes apart, the width of all banks.
  const conflict_example e = explain_conflict(strided(16).data(), all, 8);
  CHECK(e.degree == 2);
  CHECK(e.lanes[0] == 0);
  CHECK(e.lanes[1] == 8);
  CHECK(e.bank == 0);
}

TEST_CASE("inactive lanes conflict with no lane, and the stride is the distance between active lanes") {
  const std::uint32_t mask = 1u << 4 | 1u << 9 | 1u << 14;
  const conflict_example e = explain_conflict(strided(128).data(), mask, 4);
  CHECK(e.degree == 3);
  CHECK(e.lanes[0] == 4);
  CHECK(e.lanes[1] == 9);
  CHECK(e.stride_bytes == 5 * 128);
  CHECK(explain_conflict(strided(128).data(), 1u << 7, 4).degree == 0);
}

TEST_CASE("irregular distances have no stride") {
  const conflict_example e = explain_conflict(by_lane([](unsigned l) { return l * l * 128; }).data(), all, 4);
  CHECK(e.degree == 32);
  CHECK(e.stride_bytes == 0);
}

TEST_CASE("the description of a conflict agrees with the counts for any addresses") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    const unsigned bytes = 1u << (trial % 5);
    const lanes32 offsets =
        by_lane([&](unsigned) { return random() % (trial % 7 == 0 ? 65536 : 600) / bytes * bytes; });
    const std::uint32_t mask = trial % 3 == 0 ? all : static_cast<std::uint32_t>(random()) | 1u << (trial % 32);
    const unsigned conflicts = count_bank_conflicts({offsets.data(), mask, bytes});
    const conflict_example e = explain_conflict(offsets.data(), mask, bytes);
    REQUIRE((e.degree != 0) == (conflicts != 0));
    if (conflicts == 0) continue;
    REQUIRE(e.degree >= 2);
    REQUIRE(e.degree <= conflicts + 1);
    if (bytes <= 4) REQUIRE(e.degree == conflicts + 1);
    REQUIRE((mask >> e.lanes[0] & 1) == 1);
    REQUIRE((mask >> e.lanes[1] & 1) == 1);
    for (const std::uint32_t lane : e.lanes)
      REQUIRE(offsets[lane] / std::max(bytes, 4u) * std::max(bytes, 4u) / 4 % 32 == e.bank);
  }
}

TEST_CASE("the ideal is the number of sectors that the active lanes' bytes fill, and at most the actual number") {
  CHECK(ideal_sectors(all, 4, 32) == 4);
  CHECK(ideal_sectors(all, 16, 32) == 16);
  CHECK(ideal_sectors(0xff, 4, 8) == 1);
  CHECK(ideal_sectors(0x1ff, 4, 9) == 2);
  CHECK(ideal_sectors(all, 4, 1) == 1);  // all lanes read the same word
}

TEST_CASE("words that are 32 bytes apart take 32 sectors where 4 would do") {
  const request_example e = explain_request(strided(32, 4096).data(), all, 4);
  CHECK(e.sectors == 32);
  CHECK(e.ideal == 4);
  CHECK(e.lanes == 32);
  CHECK(e.stride_bytes == 32);
}

TEST_CASE("neighbouring words that begin inside a sector take one more") {
  const request_example e = explain_request(strided(4, 4100).data(), all, 4);
  CHECK(e.sectors == 5);
  CHECK(e.ideal == 4);
  CHECK(e.stride_bytes == 4);
  CHECK(explain_request(strided(4, 4096).data(), all, 4).sectors == 0);
  CHECK(explain_request(strided(0, 4096).data(), all, 4).sectors == 0);
}
