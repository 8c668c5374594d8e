// Tests synccheck, which finds barriers that parts of a warp reach at different times.

#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

options sync_only() {
  options o;
  o.counters = o.racecheck = o.initcheck = false;
  return o;
}

}  // namespace

TEST_CASE("a barrier that a warp comes to in parts is divergent") {
  launch l(sync_only());
  l.observer->barrier_arrive(0, block_barrier, all, all, 0);
  l.observer->barrier_arrive(1, block_barrier, 0x0000ffff, all, 0);
  l.observer->barrier_arrive(1, block_barrier, 0xffff0000, all, 0);
  const std::uint32_t both[] = {all, all};
  l.observer->barrier_opens(0, both, true);
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].check()) == "synccheck");
  CHECK(name_of(found[0].kind) == "divergent barrier");
  CHECK(found[0].line == line_of(block_barrier));
  CHECK(found[0].count == 2);
  CHECK_THAT(found[0].message,
             ContainsSubstring("Not all threads come to the __syncthreads() in reduce.cuh:110: of warp 1, lanes "
                               "0-15 do, lanes 16-31 do not"));
}

TEST_CASE("threads that have left the kernel are not missed at a barrier") {
  launch l(sync_only());
  l.observer->exited(1, nowhere, 0xffff0000);
  l.observer->barrier_arrive(0, block_barrier, all, all, 0);
  l.observer->barrier_arrive(1, block_barrier, 0x0000ffff, 0x0000ffff, 0);
  CHECK(l.findings().empty());
}

TEST_CASE("threads that return after the others of their warp have arrived are not missed either") {
  launch l(sync_only());
  l.observer->barrier_arrive(1, block_barrier, 0x0000ffff, all, 0);
  l.observer->exited(1, nowhere, 0xffff0000);
  l.observer->barrier_arrive(0, block_barrier, all, all, 0);
  const std::uint32_t masks[] = {all, 0x0000ffff};
  l.observer->barrier_opens(0, masks, true);
  l.observer->end_block(0);
  CHECK(l.findings().empty());

  // Lane 31 neither arrives nor returns.
  launch one_left(sync_only());
  one_left.observer->barrier_arrive(1, block_barrier, 0x0000ffff, all, 0);
  one_left.observer->exited(1, nowhere, 0x7fff0000);
  one_left.observer->end_block(0);
  const std::vector<finding> found = one_left.findings();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].message, ContainsSubstring("of warp 1, lanes 0-15 do, lane 31 do not"));
}

TEST_CASE("threads that run past the others at a barrier, and then return, are missed") {
  launch l(sync_only());
  l.observer->barrier_arrive(1, block_barrier, 0x0000ffff, all, 0);
  l.observer->runs_ahead(1, 0xff000000);
  l.observer->exited(1, nowhere, 0xffff0000);
  l.observer->end_block(0);
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].message, ContainsSubstring("of warp 1, lanes 0-15 do, lanes 24-31 do not"));
}

TEST_CASE("threads that return after the barrier has opened were missed at it") {
  launch l(sync_only());
  l.observer->barrier_arrive(1, block_barrier, 0x0000ffff, all, 1);
  const std::uint32_t masks[] = {0, 0x0000ffff};
  l.observer->barrier_opens(0, masks, true);  // a different one
  l.observer->barrier_opens(1, masks, false);
  l.observer->exited(1, nowhere, 0xffff0000);
  l.observer->end_block(0);
  CHECK(l.findings().size() == 1);
}

TEST_CASE(
    "warps that meet at __syncthreads() of different lines are a finding, at barriers with a number they are none") {
  launch l(sync_only());
  l.observer->barrier_arrive(0, block_barrier, all, all, 0);
  l.observer->barrier_arrive(1, nowhere, all, all, 0);
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].kind) == "different barriers");
  CHECK_THAT(found[0].message, ContainsSubstring("thread 32 at the __syncthreads() in"));

  launch numbered(sync_only());
  numbered.observer->barrier_arrive(0, block_barrier, all, all, 1);
  numbered.observer->barrier_arrive(1, nowhere, all, all, 1);
  CHECK(numbered.findings().empty());

  const std::uint32_t both[] = {all, all};
  launch in_turn(sync_only());
  in_turn.observer->barrier_arrive(0, block_barrier, all, all, 0);
  in_turn.observer->barrier_arrive(1, block_barrier, all, all, 0);
  in_turn.observer->barrier_opens(0, both, true);
  in_turn.observer->barrier_arrive(0, nowhere, all, all, 0);
  CHECK(in_turn.findings().empty());
}

TEST_CASE("a member mask of lanes that have left the kernel is a finding") {
  launch l(sync_only());
  l.observer->waited_in_vain(0, shuffle, 0xf, 0xfffffff0u);
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].kind) == "bad member mask");
  CHECK_THAT(found[0].message, ContainsSubstring("lanes 0-3 are there, lanes 4-31 never come"));
}

TEST_CASE("with synccheck off nothing is reported") {
  options o = sync_only();
  o.synccheck = false;
  launch l(o);
  l.observer->barrier_arrive(0, block_barrier, 1, all, 0);
  CHECK(l.findings().empty());
}

TEST_CASE("a shuffle from lanes that take no part is a note with its line and count, and no finding") {
  options o;
  o.counters = o.initcheck = o.racecheck = false;
  launch l(o);
  l.observer->shuffle_from_nowhere(1, shuffle, 0x00000f00u);
  l.observer->shuffle_from_nowhere(1, shuffle, 0x00000f00u);
  const launch_report r = l.report();
  CHECK(r.findings.empty());
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].line == line_of(shuffle));
  CHECK(r.notes[0].count == 2);
  CHECK_THAT(r.notes[0].message, ContainsSubstring("lanes 8-11 of warp 1 ask for the value of such a lane"));

  o.synccheck = false;
  launch quiet(o);
  quiet.observer->shuffle_from_nowhere(0, shuffle, 1);
  CHECK(quiet.report().notes.empty());
}
