// Tests the critical path of a block, with expected values derived by hand.

#include "emulator/observers/critical_path.hpp"

#include <vector>

#include "emulator/observers/access_cost.hpp"
#include "support/catch.hpp"

using namespace emulator;
using namespace emulator::observers;

namespace {

struct line {
  std::uint32_t classes = class_none;
  std::vector<std::uint32_t> reads, writes;
};

kernel_facts facts_of(const std::vector<line>& lines) {
  kernel_facts f;
  for (const line& l : lines) {
    f.uses_begin.push_back(static_cast<std::uint32_t>(f.register_uses.size()));
    for (const std::uint32_t r : l.reads) f.register_uses.push_back({r, false});
    for (const std::uint32_t r : l.writes) f.register_uses.push_back({r, true});
    instruction_facts i;
    i.classes = l.classes;
    f.instructions.push_back(i);
  }
  f.uses_begin.push_back(static_cast<std::uint32_t>(f.register_uses.size()));
  f.register_count = 8;
  return f;
}

/// Returns latencies that are round numbers.
path_latencies round_latencies() {
  path_latencies l;
  l.arithmetic = 10;
  l.shuffle = 30;
  l.divide = 100;
  l.shared = 40;
  l.shared_pass = 5;
  l.first_cache = 50;
  l.second_cache = 300;
  l.global = 1000;
  l.barrier = 20;
  l.barrier_per_warp = 0;
  l.issue = 1;
  l.divide_issue = 1;
  return l;
}

class block {
 public:
  explicit block(const std::vector<line>& lines, std::uint32_t warps = 1)
      : facts_(facts_of(lines)), path_(facts_, round_latencies()) {
    path_.begin_block(warps, true);
    path_.turn_of(0);
  }
  void run(std::uint32_t pc) { path_.run(pc, 1, ~0u); }
  void read(std::uint32_t pc, ptx::state_space space, std::uint64_t first, unsigned passes = 0,
            std::uint32_t mask = ~0u) {
    run(pc);
    std::uint64_t addresses[32];
    for (std::uint64_t k = 0; k < 32; ++k) addresses[k] = first + 4 * k;
    memory_event e;
    e.pc = pc;
    e.space = space;
    e.mask = mask;
    e.addresses = addresses;
    const access_shape shape = shape_of(addresses, mask, e.bytes_per_lane);
    path_.memory(e, lane_addresses(e, shape), passes);
  }
  void turn_of(std::uint32_t warp) { path_.turn_of(warp); }
  void barrier(std::uint32_t warps) { path_.barrier(std::vector<std::uint32_t>(warps, ~0u)); }
  path_report end() {
    path_.end_block();
    return path_.total();
  }

 private:
  kernel_facts facts_;
  critical_path path_;
};

}  // namespace

TEST_CASE("a chain is as long as its instructions, and independent instructions cost nothing") {
  block b({{class_none, {}, {0}}, {class_none, {0}, {1}}, {class_none, {}, {2}}, {class_none, {1, 2}, {3}}});
  for (std::uint32_t pc = 0; pc < 4; ++pc) b.run(pc);
  const path_report r = b.end();
  CHECK(r.cycles == 20);  // the fourth instruction begins when the second one's result is ready
  CHECK(r.waits == 0);
  CHECK(r.issued == 4);
  CHECK(r.blocks == 1);
}

TEST_CASE("copies and parameters take no time, but hand on when their source is ready") {
  block b({{class_none, {}, {0}}, {class_copy, {0}, {1}}, {class_copy, {1}, {2}}, {class_none, {2}, {3}}});
  for (std::uint32_t pc = 0; pc < 4; ++pc) b.run(pc);
  const path_report r = b.end();
  CHECK(r.cycles == 10);
  CHECK(r.issued == 2);
}

TEST_CASE("loads of one stretch are in flight together, but those of two iterations of a loop are not") {
  const line load = {class_load | class_global, {}, {0}}, use = {class_none, {0}, {1}},
             back = {class_branch | class_loop_branch, {1}, {}};
  block together({load, {class_load | class_global, {}, {2}}, {class_none, {0, 2}, {1}}});
  together.read(0, ptx::state_space::global, 0);
  together.read(1, ptx::state_space::global, 4096);
  together.run(2);
  CHECK(together.end().waits == 1);
  block loop({load, use, back});
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    loop.read(0, ptx::state_space::global, 4096 * turn);
    loop.run(1);
    loop.run(2);
  }
  CHECK(loop.end().waits == 3);
}

TEST_CASE("a sector that a block has read before is near") {
  block b({{class_load | class_global, {}, {0}}, {class_load | class_global, {0}, {1}}, {class_none, {1}, {2}}});
  b.read(0, ptx::state_space::global, 0);
  b.read(1, ptx::state_space::global, 0);
  b.run(2);
  const path_report r = b.end();
  CHECK(r.waits == 1);
  CHECK(r.cycles == 50);
  CHECK(r.sectors_near == 4);  // 128 bytes
  CHECK(r.sectors_again == 0);
  CHECK(r.lines == 2);
}

TEST_CASE("memory gives two sectors at a time: one thread waits for it at every other, and in between for L2") {
  const line load = {class_load | class_global, {0}, {0}};  // each load waits for the load before it
  block b({load});
  for (std::uint64_t k = 0; k < 16; ++k) b.read(0, ptx::state_space::global, 8 * k, 0, 1);
  const path_report r = b.end();
  CHECK(r.waits == 2);  // at bytes 0 and 64
  // The reads at bytes 32 and 96 wait for L2. The 12 others hit a sector that was just read, and nothing waits for the
  // last.
  CHECK(r.cycles == 2 * 300 + 11 * 50);
  CHECK(r.sectors_near == 12);
}

TEST_CASE("a sector that was read too long ago is no longer near") {
  const line load = {class_load | class_global, {}, {0}};
  const auto again_after = [&](std::uint64_t others) {
    block b({load});
    for (std::uint64_t k = 0; k <= others; ++k) b.read(0, ptx::state_space::global, 128 * k);
    b.read(0, ptx::state_space::global, 0);
    return b.end();
  };
  // A single warp has a share of 1824 bytes, which is 57 sectors, or a little more than 14 lines.
  CHECK(again_after(13).sectors_near == 4);
  CHECK(again_after(13).sectors_again == 0);
  CHECK(again_after(14).sectors_near == 0);
  CHECK(again_after(40).sectors_near == 0);
  CHECK(again_after(40).sectors_again == 4);
}

TEST_CASE("each line that a warp touches is looked up") {
  block b({{class_load | class_global, {}, {0}}});
  b.read(0, ptx::state_space::global, 64);  // half of one line and half of the next one
  CHECK(b.end().lines == 2);
}

TEST_CASE("conflicts make a read of shared memory longer") {
  const std::vector<line> lines = {{class_load | class_shared, {}, {0}}, {class_none, {0}, {1}}};
  block plain(lines), conflicts(lines);
  plain.read(0, ptx::state_space::shared, 0);
  plain.run(1);
  conflicts.read(0, ptx::state_space::shared, 0, 3);
  conflicts.run(1);
  CHECK(plain.end().cycles == 40);
  CHECK(conflicts.end().cycles == 55);
}

TEST_CASE("a barrier waits for the last warp, and a scheduler issues one instruction at a time") {
  block b({{class_none, {}, {0}}, {class_none, {0}, {0}}, {class_barrier, {}, {}}, {class_none, {}, {1}}}, 2);
  b.run(0);
  b.run(2);
  b.turn_of(1);
  b.run(0);
  for (int k = 0; k < 5; ++k) b.run(1);
  b.run(2);
  b.barrier(2);
  b.turn_of(0);
  b.run(3);
  CHECK(b.end().cycles == 71);  // warp 1's last addition starts at 50, the barrier takes 20, one instruction follows
  // Warps 0, 4, 8 … share a scheduler. Each warp has 100 independent instructions.
  block busy({{class_none, {}, {0}}}, 8);
  for (std::uint32_t warp = 0; warp < 8; ++warp) {
    busy.turn_of(warp);
    for (int k = 0; k < 100; ++k) busy.run(0);
  }
  CHECK(busy.end().cycles == 200);
}
