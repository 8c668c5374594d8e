// Tests the counters of kernels and of lines. Expected values are derived by hand from the events.

#include <numeric>
#include <thread>

#include "emulator/observers/counters.hpp"
#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

std::uint64_t value(const counter_map& counters, counter which) {
  const auto found = counters.find(std::string(facts_of(which).name));
  return found == counters.end() ? 0 : found->second;
}

const line_report* line(const launch_report& r, std::uint32_t number) {
  for (const line_report& l : r.lines) {
    if (l.line == number) return &l;
  }
  return nullptr;
}

options counters_only() {
  options o;
  o.memcheck = o.initcheck = o.racecheck = o.synccheck = false;
  return o;
}

}  // namespace

TEST_CASE("the table of counters has a name, a unit and words for each") {
  std::vector<std::string_view> names;
  for (const counter_facts& f : counter_table()) {
    CHECK_FALSE(f.name.empty());
    CHECK_FALSE(f.short_name.empty());
    CHECK_FALSE(f.unit.empty());
    CHECK(f.what.back() == '.');
    CHECK_FALSE(f.formula.empty());
    names.push_back(f.name);
    names.push_back(f.short_name);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(names.size() == 2 * counter_count);
}

TEST_CASE("instructions and lanes are counted by line and in total") {
  launch l(counters_only());
  l.observer->instruction(plain_arithmetic, all);
  l.observer->instruction(plain_arithmetic, 0x0000ffff);
  l.observer->instruction(plain_arithmetic, 0);  // a predicate made all lanes inactive
  l.observer->instruction(nowhere, 1);
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::warp_instructions) == 4);
  CHECK(value(r.counters, counter::thread_instructions) == 32 + 16 + 1);
  CHECK(value(r.counters, counter::blocks) == 1);
  CHECK(value(r.counters, counter::warps) == 2);
  REQUIRE(line(r, line_of(plain_arithmetic)) != nullptr);
  CHECK(value(line(r, line_of(plain_arithmetic))->counters, counter::warp_instructions) == 3);
  CHECK(value(line(r, line_of(plain_arithmetic))->counters, counter::thread_instructions) == 48);
  REQUIRE(line(r, 0) != nullptr);  // instructions without a line
  CHECK(line(r, 0)->file.empty());
  CHECK(r.lines.size() == 2);
  CHECK(r.lines[1].file == "/src/reduce.cuh");
}

TEST_CASE("every counter is in the total, those of a line only where they are not zero") {
  launch l(counters_only());
  l.observer->instruction(plain_arithmetic, all);
  const launch_report r = l.report();
  CHECK(r.counters.size() == counter_count);
  REQUIRE(r.lines.size() == 1);
  CHECK(r.lines[0].counters.size() == 2);
}

TEST_CASE("instruction classes count warp instructions with an active lane") {
  launch l(counters_only());
  const std::pair<std::uint32_t, counter> rows[] = {
      {block_barrier, counter::barriers}, {lane_barrier, counter::warp_barriers}, {jump, counter::branches},
      {shuffle, counter::shuffles},       {combine, counter::combines},           {fence_block, counter::fences}};
  for (const auto& [at, which] : rows) {
    l.observer->instruction(at, all);
    l.observer->instruction(at, 1);
    l.observer->instruction(at, 0);
  }
  const launch_report r = l.report();
  for (const auto& [at, which] : rows) {
    INFO(facts_of(which).name);
    CHECK(value(r.counters, which) == 2);
    CHECK(value(line(r, line_of(at))->counters, which) == 2);
  }
}

TEST_CASE("a branch diverges where some of its lanes jump and others do not") {
  launch l(counters_only());
  for (const std::uint32_t taken : {0u, all, 1u, 0xffff0000u}) {
    l.observer->instruction(jump, all);
    l.observer->branch(0, jump, all, taken);
  }
  l.observer->instruction(jump, 0xff);
  l.observer->branch(0, jump, 0xff, 0xff);
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::branches) == 5);
  CHECK(value(r.counters, counter::divergent_branches) == 2);
}

TEST_CASE("a block barrier opens once, however many warps wait at it") {
  launch l(counters_only(), 128);
  for (unsigned k = 0; k < 3; ++k) {
    for (std::uint32_t w = 0; w < 4; ++w) l.observer->instruction(block_barrier, all);
    l.sync();
  }
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::barriers) == 12);
  CHECK(value(r.counters, counter::block_barriers) == 3);
  CHECK(value(line(r, line_of(block_barrier))->counters, counter::block_barriers) == 3);
}

TEST_CASE("global memory: requests and sectors by kind of instruction") {
  launch l(counters_only());
  const auto row = [](unsigned lane) { return 0x10000u + 4 * lane; };
  const auto apart = [](unsigned lane) { return 0x10000u + 128 * lane; };
  l.access(load_global, 0, all, row);          // 4 sectors
  l.access(load_global, 1, 0xff, row);         // 1
  l.access(store_global, 0, all, apart);       // 32
  l.access(red_global, 0, all, word(0x4000));  // 1
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::global_load_requests) == 2);
  CHECK(value(r.counters, counter::global_load_sectors) == 5);
  CHECK(value(r.counters, counter::global_store_requests) == 1);
  CHECK(value(r.counters, counter::global_store_sectors) == 32);
  CHECK(value(r.counters, counter::global_reduction_requests) == 1);
  CHECK(value(r.counters, counter::global_reduction_sectors) == 32);  // 32 lanes access one word, one after another
  CHECK(value(r.counters, counter::global_atomic_distinct_sectors) == 1);
  CHECK(value(r.counters, counter::global_atomic_requests) == 0);
  CHECK(value(line(r, line_of(load_global))->counters, counter::global_load_sectors) == 5);
}

TEST_CASE("shared memory: loads, stores and atomics have their own conflicts, and the sum leaves atomics out") {
  launch l(counters_only());
  const auto two_way = [](unsigned lane) { return 8 * lane; };
  l.access(load_shared, 0, all, two_way);
  l.access(load_shared, 0, all, own_word());
  l.access(store_shared, 0, all, two_way);
  l.access(add_shared, 0, all, two_way);
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::shared_loads) == 2);
  CHECK(value(r.counters, counter::shared_stores) == 1);
  CHECK(value(r.counters, counter::shared_atomics) == 1);
  CHECK(value(r.counters, counter::shared_load_bank_conflicts) == 1);
  CHECK(value(r.counters, counter::shared_store_bank_conflicts) == 1);
  CHECK(value(r.counters, counter::shared_bank_conflicts) == 2);
  CHECK(value(r.counters, counter::shared_atomic_bank_conflicts) == 1);
}

TEST_CASE("local memory: the same element in all lanes is 4 sectors, one of its own in each is 32") {
  launch l(counters_only());
  l.access(store_local, 0, all, word(5));
  l.access(load_local, 0, all, own_word());
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::local_stores) == 1);
  CHECK(value(r.counters, counter::local_store_sectors) == 4);
  CHECK(value(r.counters, counter::local_loads) == 1);
  CHECK(value(r.counters, counter::local_load_sectors) == 32);
}

TEST_CASE("Harris' second kernel has 45 bank conflicts a block of 128 threads") {
  // for (s = 1; s < 128; s *= 2) { index = 2 * s * tid; if (index < 128) tile[index] += tile[index + s]; }
  // Step s has 64 / s working threads, whose words are 2s apart:
  //   s =  1: 64 threads, two full warps, stride  2: 32 lanes in 16 banks, 2-way: 1 conflict in each of 2 warps
  //   s =  2: 32 threads, stride  4: 32 lanes in 8 banks, 4-way:                 3
  //   s =  4: 16 threads, stride  8: 16 lanes in 4 banks, 4-way:                 3
  //   s =  8:  8 threads, stride 16:  8 lanes in 2 banks, 4-way:                 3
  //   s = 16:  4 threads, stride 32:  4 lanes in 1 bank, 4-way:                  3
  //   s = 32:  2 threads, stride 64:  2 lanes in 1 bank, 2-way:                  1
  //   s = 64:  1 thread:                                                         0
  // Each of the two loads and the store of a step has 2 + 3 + 3 + 3 + 3 + 1 = 15 conflicts, 45 in total.
  launch l(counters_only(), 128);
  for (unsigned s = 1; s < 128; s *= 2) {
    const unsigned working = 64 / s;
    for (std::uint32_t w = 0; w * 32 < working; ++w) {
      const unsigned lanes = std::min(32u, working - w * 32);
      const std::uint32_t mask = lanes == 32 ? all : (1u << lanes) - 1;
      const auto index = [=](unsigned lane) { return 4 * (2 * s * std::uint64_t{w * 32 + lane}); };
      l.access(load_shared, w, mask, [=](unsigned lane) { return index(lane) + 4 * s; });
      l.access(load_shared, w, mask, index);
      l.access(store_shared, w, mask, index);
    }
    l.sync();
  }
  const launch_report r = l.report();
  CHECK(value(r.counters, counter::shared_bank_conflicts) == 45);
  CHECK(value(r.counters, counter::shared_load_bank_conflicts) == 30);
  // Two warps work in the first step, one in each of the six other steps.
  CHECK(value(r.counters, counter::shared_stores) == 8);
}

TEST_CASE("lines of the same file under several numbers are one line") {
  kernel_facts facts = make_facts();
  facts.files.push_back(facts.files[0]);
  facts.instructions[plain_arithmetic].file = 1;
  facts.instructions[combine].line = facts.instructions[plain_arithmetic].line;
  launch_observation observation(facts, counters_only(), memory_of_tests());
  {
    block_observer observer(observation);
    observer.instruction(plain_arithmetic, all);
    observer.instruction(combine, all);
  }
  launch_report r;
  fill(r, observation, naming(observation.facts(), {}, memory_of_tests()));
  REQUIRE(r.lines.size() == 1);
  CHECK(value(r.lines[0].counters, counter::warp_instructions) == 2);
}

TEST_CASE("without counters nothing is counted, and checks still run") {
  options o;
  o.counters = false;
  launch l(o);
  l.observer->instruction(load_shared, all);
  l.access(load_shared, 0, all, own_word());
  const launch_report r = l.report();
  CHECK(r.counters.empty());
  CHECK(r.lines.empty());
  CHECK(r.findings.size() == 1);
}

TEST_CASE("the outcome does not depend on which host thread watched which block") {
  // Blocks 0 to 7 each read an uninitialised word and race, at an address that depends on the block.
  const auto run = [](unsigned host_threads) {
    const kernel_facts facts = make_facts();
    launch_observation observation(facts, options{}, memory_of_tests());
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < host_threads; ++t) {
      threads.emplace_back([&observation, t, host_threads] {
        block_observer observer(observation);
        // Starts with the highest block, because the outcome must not depend on the order.
        for (unsigned block = 8; block-- > 0;) {
          if (block % host_threads != t) continue;
          block_identity id;
          id.linear = id.index[0] = block;
          id.thread_count = id.dimensions[0] = 64;
          id.warp_count = 2;
          id.shared_bytes = 4096;
          observer.begin_block(id);
          std::uint64_t addresses[32];
          std::uint64_t values[32] = {};
          for (unsigned l = 0; l < 32; ++l) addresses[l] = 4 * (block * 32 + l);
          memory_event e;
          e.space = state_space::shared;
          e.mask = all;
          e.addresses = addresses;
          e.pc = load_shared;
          observer.access(0, e);
          e.pc = store_shared;
          e.access = access_kind::store;
          e.values = values;
          observer.access(1, e);
          observer.instruction(store_shared, all);
          observer.end_block(7 * (block % 5) + 3);
        }
      });
    }
    for (std::thread& t : threads) t.join();
    launch_report r;
    fill(r, observation, naming(observation.facts(), {}, memory_of_tests()));
    return r;
  };
  const launch_report one = run(1);
  REQUIRE(one.findings.size() == 2);
  CHECK(one.busiest_block == 7 * 4 + 3);
  CHECK(one.findings[0].count == 8 * 32);
  CHECK_THAT(one.findings[0].message, ContainsSubstring("block 0 of"));
  for (const unsigned host_threads : {2u, 3u, 8u}) {
    const launch_report other = run(host_threads);
    CHECK(other.counters == one.counters);
    CHECK(other.busiest_block == one.busiest_block);
    REQUIRE(other.findings.size() == one.findings.size());
    for (std::size_t k = 0; k < one.findings.size(); ++k) {
      CHECK(other.findings[k].message == one.findings[k].message);
      CHECK(other.findings[k].count == one.findings[k].count);
    }
  }
}
