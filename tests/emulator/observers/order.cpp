// Tests the "happens before" relation alone.

#include "emulator/observers/thread_order.hpp"

#include "support/catch.hpp"

using namespace emulator::observers;

namespace {

constexpr std::uint32_t all = 0xffffffffu;

thread_order started(std::uint32_t threads) {
  block_identity block;
  block.thread_count = threads;
  block.warp_count = (threads + 31) / 32;
  thread_order order;
  order.begin_block(block);
  return order;
}

std::uint32_t stamp(const thread_order& order, std::uint32_t thread) {
  return order.stamps(thread / 32)[thread % 32];
}

}  // namespace

TEST_CASE("at first only a thread's own accesses are ordered") {
  const thread_order order = started(64);
  CHECK(order.ordered(3, stamp(order, 3), 3));
  CHECK_FALSE(order.ordered(3, stamp(order, 3), 4));
  CHECK_FALSE(order.ordered(3, stamp(order, 3), 40));
}

TEST_CASE("a new block orders everything before it") {
  thread_order order = started(64);
  const std::uint32_t before = stamp(order, 3);
  block_identity block;
  block.thread_count = 64;
  block.warp_count = 2;
  order.begin_block(block);
  CHECK(order.ordered(3, before, 40));
}

TEST_CASE("a block whose last warp is not full has barriers of all its threads") {
  thread_order order = started(40);
  const std::uint32_t before = stamp(order, 3);
  const std::uint32_t masks[] = {all, 0xff};
  order.block_barrier(0, masks, true);
  CHECK(order.ordered(3, before, 39));
  CHECK(order.same_stamps(0));
  const std::uint32_t later = stamp(order, 33);
  order.warp_barrier(1, 0xff);
  CHECK(order.ordered(33, later, 34));
  CHECK(order.warp_floor(1) > later);
}

TEST_CASE("a barrier of some warps orders these, and the next one of all ends the bookkeeping") {
  thread_order order = started(128);
  const std::uint32_t of_0 = stamp(order, 0);
  const std::uint32_t of_70 = stamp(order, 70);
  const std::uint32_t first[] = {all, all, 0, 0};
  order.block_barrier(1, first, false);
  CHECK(order.ordered(0, of_0, 40));
  CHECK_FALSE(order.ordered(0, of_0, 70));
  CHECK_FALSE(order.ordered(70, of_70, 0));
  CHECK_FALSE(order.ordered(0, stamp(order, 0), 40));  // an access after the barrier
  const std::uint32_t second[] = {0, all, all, 0};
  order.block_barrier(2, second, false);
  CHECK(order.ordered(0, of_0, 70));  // through warp 1
  CHECK(order.ordered(70, of_70, 40));
  CHECK_FALSE(order.ordered(70, of_70, 0));
  const std::uint32_t third[] = {all, all, all, all};
  order.block_barrier(0, third, true);
  CHECK(order.ordered(70, of_70, 0));
  CHECK(order.block_floor() > of_70);
}

TEST_CASE("only a barrier of all threads also waits for those that leave") {
  for (const bool waits_for_all : {true, false}) {
    thread_order order = started(96);
    const std::uint32_t before = stamp(order, 70), of_3 = stamp(order, 3);
    order.exited(2, all);
    const std::uint32_t others[] = {all, all, 0};
    order.block_barrier(1, others, waits_for_all);
    CHECK(order.ordered(70, before, 5) == waits_for_all);
    CHECK(order.ordered(3, of_3, 40));
    block_identity next;
    next.thread_count = 96;
    next.warp_count = 3;
    order.begin_block(next);
    const std::uint32_t in_next = stamp(order, 70);
    const std::uint32_t everyone[] = {all, all, all};
    order.block_barrier(1, everyone, false);
    CHECK(order.ordered(70, in_next, 5));
  }
}

TEST_CASE("__syncwarp does not order the accesses of lanes that have left") {
  thread_order order = started(64);
  const std::uint32_t of_3 = stamp(order, 3), of_20 = stamp(order, 20);
  order.exited(0, 0xffff);
  order.warp_barrier(0, 0xffff0000);
  CHECK(order.ordered(20, of_20, 21));
  CHECK_FALSE(order.ordered(3, of_3, 20));
  const std::uint32_t rest[] = {0xffff0000, all};
  order.block_barrier(0, rest, true);
  CHECK(order.ordered(3, of_3, 20));
}

TEST_CASE("__syncwarp inside the bookkeeping of partial barriers passes on what one lane knows") {
  thread_order order = started(64);
  const std::uint32_t of_0 = stamp(order, 0);
  const std::uint32_t lanes[] = {0x1, 0x1};  // lane 0 of each warp, as barrier.sync allows
  order.block_barrier(1, lanes, false);
  CHECK(order.ordered(0, of_0, 32));
  CHECK_FALSE(order.ordered(0, of_0, 33));
  order.warp_barrier(1, 0x3);
  CHECK(order.ordered(0, of_0, 33));
  CHECK_FALSE(order.ordered(0, of_0, 34));
}

TEST_CASE("a partial __syncwarp in one warp leaves the others as they were") {
  thread_order order = started(64);
  order.warp_barrier(1, all);
  const std::uint32_t of_32 = stamp(order, 32);
  order.warp_barrier(0, 0xf);
  CHECK_FALSE(order.same_stamps(0));
  CHECK(order.same_stamps(1));
  order.warp_barrier(1, all);
  CHECK(order.ordered(32, of_32, 63));
  CHECK_FALSE(order.ordered(32, of_32, 0));
}

TEST_CASE("a flag passes on only the writes before the last fence") {
  thread_order order = started(64);
  const std::uint32_t before = stamp(order, 0);
  order.fence(0, 0x1);
  const std::uint32_t after = stamp(order, 0);
  order.pass_on(0, 17, false);
  order.receive(40, 17, false);
  CHECK_FALSE(order.ordered(0, before, 40));  // not ordered until the receiver executes a fence, too
  order.fence(1, 0x100);
  CHECK(order.ordered(0, before, 40));
  CHECK_FALSE(order.ordered(0, after, 40));
  CHECK_FALSE(order.ordered(0, before, 41));
  order.receive(41, 18, true);  // another flag
  CHECK_FALSE(order.ordered(0, before, 41));
}
