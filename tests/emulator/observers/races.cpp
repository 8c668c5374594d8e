// Tests racecheck: each kind of race, accesses that are not races, and the messages.
// Long because each kind has a few events of its own.

#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

/// Returns the only finding, which must be of `kind`.
finding only(const std::vector<finding>& found, const std::string& kind) {
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].check()) == "racecheck");
  CHECK(name_of(found[0].kind) == kind);
  return found[0];
}

}  // namespace

TEST_CASE("reading a word that another warp wrote, without a barrier in between, is a read-after-write race") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.access(load_shared, 1, all, own_word());
  const finding f = only(l.findings(), "read-after-write race");
  CHECK(f.line == line_of(load_shared));
  CHECK(f.other_line == line_of(store_shared));
  CHECK(f.other_file == "/src/reduce.cuh");
  CHECK(f.kernel == "reduce(int const*, int*)");
  CHECK(f.count == 32);
  CHECK_THAT(f.message,
             ContainsSubstring("Thread 32 reads tile[0] in reduce.cuh:10 without waiting for thread 0, which "
                               "writes it in line 20: there is no __syncthreads() between the two (block 0 of "
                               "reduce)."));
  CHECK(f.object == "tile");
  CHECK_THAT(f.cure, ContainsSubstring("Put a __syncthreads() between"));
}

TEST_CASE("writing a word that another warp read, without a barrier in between, is a write-after-read race") {
  launch l(races_only());
  l.access(load_shared, 0, all, own_word());
  l.access(store_shared, 1, all, own_word());
  const finding f = only(l.findings(), "write-after-read race");
  CHECK(f.line == line_of(store_shared));
  CHECK(f.other_line == line_of(load_shared));
  CHECK_THAT(f.message, ContainsSubstring("Thread 32 overwrites tile[0]"));
  CHECK_THAT(f.message, ContainsSubstring("without waiting for thread 0, which reads it"));
}

TEST_CASE("writing a word that another warp wrote, without a barrier in between, is a write-after-write race") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.access(store_shared_again, 1, all, own_word());
  CHECK(only(l.findings(), "write-after-write race").count == 32);
}

TEST_CASE("reading twice is not a race") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.sync();
  l.access(load_shared, 0, all, own_word(1));
  l.access(load_shared, 1, all, own_word());
  l.access(load_shared, 1, all, word(3));
  CHECK(l.findings().empty());
}

TEST_CASE("a barrier of the block orders all accesses before it with all accesses after it") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.access(store_shared, 1, all, own_word(32));
  l.sync();
  l.access(load_shared, 0, all, own_word(32));
  l.access(load_shared, 1, all, own_word());
  l.sync();
  l.access(store_shared, 0, all, own_word(32));
  l.access(store_shared, 1, all, own_word());
  CHECK(l.findings().empty());
}

TEST_CASE("a thread does not race with itself") {
  launch l(races_only());
  for (unsigned k = 0; k < 3; ++k) {
    l.access(store_shared, 0, all, own_word());
    l.access(load_shared, 0, all, own_word());
    l.access(store_shared, 0, 0x55555555, own_word());
    l.access(load_shared_again, 0, 0x0f0f0f0f, own_word());
  }
  CHECK(l.findings().empty());
}

TEST_CASE("inside a warp __syncwarp orders, and running the same instruction does not") {
  for (const bool synchronised : {false, true}) {
    launch l(races_only());
    l.access(store_shared, 0, all, own_word());
    if (synchronised) l.syncwarp(0);
    l.access(load_shared, 0, 0xffff, own_word(16));
    const std::vector<finding> found = l.findings();
    if (synchronised) {
      CHECK(found.empty());
    } else {
      const finding f = only(found, "read-after-write race");
      CHECK(f.count == 16);
      CHECK_THAT(f.message, ContainsSubstring("there is no __syncwarp() between the two"));
    }
  }
}

TEST_CASE("__syncwarp orders nothing between warps") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.syncwarp(0);
  l.syncwarp(1);
  l.access(load_shared, 1, all, own_word());
  CHECK(l.findings().size() == 1);
}

TEST_CASE("the older, warp-synchronous form races, with volatile and without") {
  for (const bool is_volatile : {false, true}) {
    launch l(races_only());
    // tile[tid] += tile[tid + 16]; tile[tid] += tile[tid + 8];
    for (const unsigned s : {16u, 8u}) {
      l.access(load_shared, 0, all, own_word(s), 4, {}, is_volatile);
      l.access(load_shared_again, 0, all, own_word(), 4, {}, is_volatile);
      l.access(store_shared, 0, all, own_word(), 4, {}, is_volatile);
    }
    const std::vector<finding> found = l.findings();
    // The second step reads what another lane wrote in the first step, and each step writes what another lane read in
    // the same step. All these races are between the same two lines, so they are one mistake and one finding.
    REQUIRE(found.size() == 1);
    CHECK(name_of(found[0].kind) == "read-after-write race");
    CHECK(found[0].count > 24);  // lane l reads word l + 8, which lane l + 8 wrote if that is one of the 32 lanes
    CHECK((found[0].message.find("volatile makes no thread wait") != std::string::npos) == is_volatile);
  }
}

TEST_CASE("in an unrolled loop, a race between two iterations is not taken for one inside an iteration") {
  // The statement is tile[tid] += tile[tid + s]. Its line has a load and a store for each of two iterations.
  const auto on_one_line = [](launch& l) {
    for (const pc at : {load_shared, store_shared, load_shared_again, store_shared_again})
      l.facts.instructions[at].line = line_of(load_shared);
  };
  {
    launch l(races_only());
    on_one_line(l);
    l.access(store_shared, 0, all, own_word());
    l.access(load_shared_again, 1, all, own_word());  // of the next iteration, with no barrier before it
    const finding f = only(l.findings(), "read-after-write race");
    CHECK_THAT(f.message, ContainsSubstring("without waiting for thread 0, which writes it in the same line"));
    CHECK_THAT(f.cure, ContainsSubstring("Put a __syncthreads() between one iteration of the loop and the next"));
  }
  {
    launch l(races_only());
    on_one_line(l);
    l.access(load_shared, 0, all, own_word());
    l.access(store_shared_again, 1, all, own_word());
    const finding f = only(l.findings(), "write-after-read race");
    CHECK_THAT(f.message, ContainsSubstring("overwrites tile[0]"));
  }
  {
    launch l(races_only());
    on_one_line(l);
    l.access(store_shared_again, 0, all, own_word());
    l.access(load_shared_again, 1, all, own_word());  // of the same iteration, whose read should come first
    const finding f = only(l.findings(), "read-after-write race");
    CHECK_THAT(f.message, ContainsSubstring("a barrier between the steps cannot help inside one"));
  }
}

TEST_CASE("a warp reduction with __syncwarp between reading and writing is clean") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.syncwarp(0);
  for (const unsigned s : {16u, 8u, 4u, 2u, 1u}) {
    const std::uint32_t lanes = (1u << s) - 1;
    l.access(load_shared, 0, lanes, own_word(s));
    l.access(load_shared_again, 0, lanes, own_word());
    l.syncwarp(0);
    l.access(store_shared, 0, lanes, own_word());
    l.syncwarp(0);
  }
  CHECK(l.findings().empty());
}

TEST_CASE("__syncwarp of some lanes orders these and no others") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.syncwarp(0, 0x0000ffff);
  // Lanes 0 to 15 read each other's words after they have synchronised.
  l.access(load_shared, 0, 0x0000ffff, [](unsigned lane) { return 4 * ((lane + 1) % 16); });
  // Lanes 16 to 31 have not synchronised.
  l.access(load_shared_again, 0, 0xffff0000, [](unsigned lane) { return 4 * (16 + (lane + 1) % 16); });
  const finding f = only(l.findings(), "read-after-write race");
  CHECK(f.line == line_of(load_shared_again));
  CHECK(f.count == 16);
}

TEST_CASE("order passes on from lane to lane through partial masks") {
  launch l(races_only());
  l.access(store_shared, 0, 0x1, word(7));
  l.syncwarp(0, 0x3);  // lane 0 before lane 1
  l.syncwarp(0, 0x6);  // lane 1 before lane 2
  l.access(load_shared, 0, 0x4, word(7));
  l.access(load_shared_again, 0, 0x8, word(7));  // lane 3 is not ordered
  CHECK(only(l.findings(), "read-after-write race").line == line_of(load_shared_again));
}

TEST_CASE("lanes that have left the kernel are not missed by __syncwarp") {
  launch l(races_only());
  l.observer->exited(0, nowhere, 0xffff0000);
  l.access(store_shared, 0, 0x0000ffff, own_word());
  l.syncwarp(0, 0x0000ffff);
  l.access(load_shared, 0, 0x0000ffff, [](unsigned lane) { return 4 * ((lane + 1) % 16); });
  CHECK(l.findings().empty());
}

TEST_CASE("a barrier is the whole block's also when some threads have left") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.observer->exited(0, nowhere, all);
  l.sync({0u, all});
  l.access(load_shared, 1, all, own_word());
  CHECK(l.findings().empty());
}

TEST_CASE("a barrier of two warps does not order a third") {
  launch l(races_only(), 96);
  l.access(store_shared, 0, all, own_word());
  l.sync({all, all, 0u}, 1);
  l.access(load_shared, 1, all, own_word());
  l.access(load_shared_again, 2, all, own_word());
  CHECK(only(l.findings(), "read-after-write race").line == line_of(load_shared_again));
}

TEST_CASE("bar.arrive orders the accesses before it, and not those after it") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.observer->barrier_arrive(0, announce, all, all, 1);
  l.access(store_shared_again, 0, all, own_word(64));  // after the warp's arrival
  l.observer->barrier_arrive(1, block_barrier, all, all, 1);
  const std::uint32_t masks[] = {all, all};
  l.observer->barrier_opens(1, masks, true);
  l.access(load_shared, 1, all, own_word());
  l.access(load_shared, 1, all, own_word(64));
  const finding f = only(l.findings(), "read-after-write race");
  CHECK(f.other_line == line_of(store_shared_again));
  CHECK(f.count == 32);
}

TEST_CASE("a shuffle or a vote orders nothing") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.observer->instruction(shuffle, all);
  l.access(load_shared, 0, 0x7fffffff, own_word(1));
  CHECK(l.findings().size() == 1);
}

TEST_CASE("lanes that write the same word in one instruction race where their values differ") {
  launch same(races_only());
  same.access(store_shared, 0, all, word(0), 4, [](unsigned) { return 7; });
  CHECK(same.findings().empty());

  launch differ(races_only());
  differ.access(store_shared, 0, 0x3, word(0), 4, [](unsigned lane) { return lane; });
  const finding f = only(differ.findings(), "write-after-write race");
  CHECK_THAT(f.message, ContainsSubstring("Threads 0 and 1 both change tile[0] at the same time"));

  // Of each value, only the bytes that are written are compared.
  launch halves(races_only());
  halves.access(store_shared, 0, 0x3, word(0), 2, [](unsigned lane) { return 5 + lane * 0x10000; });
  CHECK(halves.findings().empty());
}

TEST_CASE("bytes of one word belong to different threads without a race") {
  launch l(races_only());
  const auto byte = [](unsigned lane) { return std::uint64_t{lane}; };
  l.access(store_shared, 0, all, byte, 1);
  l.access(load_shared, 0, all, byte, 1);
  l.access(store_shared, 0, all, byte, 1);
  CHECK(l.findings().empty());
}

TEST_CASE("bytes of one word race byte by byte, also against whole words") {
  launch l(races_only());
  l.access(
      store_shared, 0, 0x1, [](unsigned) { return 2; }, 1);  // byte 2
  l.access(
      load_shared, 1, 0x1, [](unsigned) { return 1; }, 1);  // byte 1: no race
  l.access(
      load_shared_again, 1, 0x2, [](unsigned) { return 2; }, 2);  // bytes 2 and 3
  l.access(
      store_shared_again, 1, 0x4, [](unsigned) { return 0; }, 4);  // the word
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 2);
  CHECK(name_of(found[0].kind) == "read-after-write race");
  CHECK(found[0].line == line_of(load_shared_again));
  CHECK(found[1].line == line_of(store_shared_again));

  launch whole(races_only());
  whole.access(store_shared, 0, all, own_word());
  whole.access(
      load_shared, 1, 0x1, [](unsigned) { return 3; }, 1);
  CHECK(whole.findings().size() == 1);
}

TEST_CASE("vector accesses race word by word") {
  launch l(races_only());
  l.access(
      store_shared, 0, all, [](unsigned lane) { return 16 * lane; }, 16);
  l.access(load_shared, 1, 0x1, word(6));
  const finding f = only(l.findings(), "read-after-write race");
  CHECK_THAT(f.message, ContainsSubstring("tile[6]"));
  CHECK_THAT(f.message, ContainsSubstring("waiting for thread 1, which writes it"));  // words 4 to 7
}

TEST_CASE("atomics do not race with each other, and do with ordinary accesses") {
  launch atomics(races_only());
  atomics.access(add_shared, 0, all, word(0));
  atomics.access(add_shared, 1, all, word(0));
  atomics.access(add_shared, 1, all, own_word());
  CHECK(atomics.findings().empty());

  launch reads(races_only());
  reads.access(add_shared, 0, all, word(0));
  reads.access(load_shared, 1, 0x1, word(0));
  const finding f = only(reads.findings(), "read-after-write race");
  CHECK(f.other_line == line_of(add_shared));
  CHECK_THAT(f.message, ContainsSubstring("an atomic does not order plain accesses"));

  launch writes(races_only());
  writes.access(store_shared, 0, 0x1, word(0));
  writes.access(add_shared, 1, all, word(0));
  CHECK(only(writes.findings(), "write-after-write race").count == 32);

  launch after_read(races_only());
  after_read.access(load_shared, 0, 0x1, word(0));
  after_read.access(add_shared, 1, 0x1, word(0));
  CHECK(only(after_read.findings(), "write-after-read race").count == 1);

  launch ordered(races_only());
  ordered.access(store_shared, 0, 0x1, word(0));
  ordered.sync();
  ordered.access(add_shared, 0, all, word(0));
  ordered.access(add_shared, 1, all, word(0));
  ordered.sync();
  ordered.access(load_shared, 1, all, word(0));
  CHECK(ordered.findings().empty());
}

TEST_CASE("an atomic of another thread is found after the reader's own") {
  launch l(races_only());
  l.access(add_shared, 1, 0x1, word(0));
  l.access(add_shared, 0, 0x1, word(0));
  l.access(load_shared, 0, 0x1, word(0));
  CHECK_THAT(only(l.findings(), "read-after-write race").message,
             ContainsSubstring("waiting for thread 32, which writes it"));
}

TEST_CASE("a reader of another warp is found after the writer's own read") {
  launch l(races_only(), 96);
  l.access(load_shared, 1, all, word(9));
  l.access(load_shared, 2, all, word(9));
  l.access(load_shared, 0, 0x1, word(9));
  l.access(store_shared, 0, 0x1, word(9));
  CHECK(only(l.findings(), "write-after-read race").count == 1);
}

TEST_CASE("a reader is found after more readers than are deferred, in any arrangement") {
  struct pattern {
    const char* name;
    launch::address_of address;
  };
  const auto from = [](std::uint64_t first, unsigned times, unsigned count) {
    return [=](unsigned lane) { return 4 * (first + lane * times % count); };
  };
  const std::uint64_t place = 708;  // the word whose reader has to be found
  const pattern patterns[] = {{"a row across two", from(place - 20, 1, 32)},
                              {"a row that others have read", from(place - 1, 1, 32)},
                              {"within 32 words", from(place - 3, 5, 32)},
                              {"anywhere", from(place - 17, 17, 200)},
                              {"one word", word(place)}};
  for (const pattern& sought : patterns) {
    for (const unsigned others : {0u, 1u, 511u, 512u, 513u, 2000u}) {
      INFO(sought.name << ", before " << others << " others");
      launch l(races_only());
      l.access(load_shared, 1, all, from(place - 4, 1, 32));
      l.access(load_shared_again, 0, all, sought.address);
      for (unsigned k = 0; k < others; ++k)
        l.access(load_shared_again, 0, all, k % 4 == 0 ? word(3) : launch::address_of(from(k % 3, k % 4 * 7, 600)));
      l.access(store_shared, 1, 0x10, word(place));
      CHECK(only(l.findings(), "write-after-read race").count == 1);

      launch again(races_only());
      again.access(load_shared_again, 0, all, sought.address);
      for (unsigned k = 0; k < others; ++k) again.access(load_shared_again, 0, all, from(k % 3, k % 4 * 7, 600));
      again.sync();
      again.access(store_shared, 1, 0x1, word(place));
      CHECK(again.findings().empty());
    }
  }
}

TEST_CASE("an atomic is found after more atomics than are deferred") {
  for (const unsigned others : {1u, 511u, 512u, 1500u}) {
    INFO(others << " others");
    launch l(races_only());
    l.access(add_shared, 1, all, [](unsigned lane) { return 4 * (lane * 5 % 32); });
    for (unsigned k = 0; k < others; ++k)
      l.access(add_shared, 0, all, [](unsigned lane) { return 4 * (lane * 7 % 32); });
    l.access(load_shared, 0, 0x1, word(0));
    CHECK_THAT(only(l.findings(), "read-after-write race").message,
               ContainsSubstring("waiting for thread 32, which writes it"));
  }
}

TEST_CASE("a flag with fences orders the accesses before it, and without fences it does not") {
  for (const bool fences : {true, false}) {
    launch l(races_only());
    l.access(store_shared, 0, 0x1, word(4));
    if (fences) l.fence(0, 0x1);
    l.access(exchange_shared, 0, 0x1, word(128));  // sets the flag
    l.access(load_shared_again, 1, 0x1, word(128), 4, {}, true);
    if (fences) l.fence(1, 0x1);
    l.access(load_shared, 1, 0x1, word(4));
    CHECK(l.findings().size() == (fences ? 0u : 1u));
  }
}

TEST_CASE("a release store and an acquire load order by themselves") {
  launch l(races_only());
  l.access(store_shared, 0, 0x1, word(4));
  l.access(strong_store, 0, 0x1, word(128));
  l.access(store_shared_again, 0, 0x1, word(5));  // after the release
  l.access(strong_load, 1, 0x1, word(128));
  l.access(load_shared, 1, 0x1, word(4));
  l.access(load_shared, 1, 0x1, word(5));
  CHECK(only(l.findings(), "read-after-write race").other_line == line_of(store_shared_again));
}

TEST_CASE("nothing is left of one block in the next") {
  launch l(races_only());
  for (std::uint64_t block = 0; block < 3; ++block) {
    if (block != 0) l.begin(block);
    l.access(load_shared, 0, all, own_word());
    l.access(
        store_shared, block % 2 == 0 ? 0 : 1, 0x400, [](unsigned) { return 40; }, 1);  // lane 10
    l.access(add_shared, 1, 0x1, word(50));
    l.observer->end_block(1);
  }
  const std::vector<finding> found = l.findings();
  // The race is in block 1 only: warp 1 writes byte 40, which lane 10 of warp 0 read.
  const finding f = only(found, "write-after-read race");
  CHECK(f.count == 1);
  CHECK_THAT(f.message, ContainsSubstring("block 1 of"));
}

TEST_CASE("races fold by kind and lines, with a count and the first in the lowest block") {
  launch l(races_only());
  for (const std::uint64_t block : {5u, 2u, 9u}) {
    l.begin(block);
    l.access(store_shared, 0, all, own_word());
    l.access(load_shared, 1, all, own_word());
    l.access(load_shared_again, 1, 0x1, word(3));
  }
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 2);
  CHECK(found[0].line == line_of(load_shared));
  CHECK(found[0].count == 96);
  CHECK_THAT(found[0].message, ContainsSubstring("block 2 of"));
  CHECK(found[1].count == 3);
}

TEST_CASE("a place in shared memory is named as the source names it") {
  launch l(races_only());
  l.access(store_shared, 0, 0x1, word(130));  // byte 520: the third word of `flags`
  l.access(load_shared, 1, 0x1, word(130));
  CHECK_THAT(only(l.findings(), "read-after-write race").message, ContainsSubstring("reads flags[2] in"));

  launch dynamic(races_only());
  dynamic.access(store_shared, 0, 0x1, word(500));  // after all named arrays
  dynamic.access(load_shared, 1, 0x1, word(500));
  CHECK_THAT(only(dynamic.findings(), "read-after-write race").message,
             ContainsSubstring("reads byte 2000 of shared memory in"));
}

TEST_CASE("a race of a line with itself reports what is in between") {
  launch l(races_only());
  l.access(store_shared, 0, all, own_word());
  l.access(store_shared, 1, all, own_word());
  CHECK_THAT(only(l.findings(), "write-after-write race").message, ContainsSubstring("Threads 0 and 32 both"));
}
