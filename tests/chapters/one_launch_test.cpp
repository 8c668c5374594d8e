// Chapter 12: tests the cost of each method with one launch, that all are right and clean, and which repeat their bits.

#include <algorithm>
#include <cmath>

#include "12_one_launch/compared_tables.hpp"
#include "chapters/rungs.hpp"
#include "emulator/emulator.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

constexpr std::size_t n = std::size_t{1} << 18;

double atomics(const outcome& o) {
  return total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") +
         total(o, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum");
}

reduction named(const std::string& name) {
  for (const reduction& r : chapter12::compared_rungs()) {
    if (r.name == name) return r;
  }
  FAIL("chapter 12 has no row " << name);
  return {};
}

}  // namespace

TEST_CASE("every way to one launch is right and clean, for every type and for one block and many") {
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    for (const std::size_t count : {0, 1, 33, 1000, 40009}) {
      for (const unsigned block_size : {32u, 96u, 128u, 1024u}) {
        problem p{type, count, block_size, 3};
        p.offset = count % 4;
        laboratory lab(p);
        for (const reduction& rung : chapter12::compared_rungs()) {
          const outcome o = lab.run(rung, effort{});
          INFO(o.name << ", " << name_of(type) << ", n = " << count << ", blocks of " << block_size << ": error "
                      << o.error << ", bound " << o.bound << " " << o.failure);
          CHECK(o.verified);
          for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
          CHECK(o.launches.size() == 1);
        }
      }
    }
  }
}

TEST_CASE("a thread, a warp or a block adds: 4 atomic requests a block of 128 threads, 4, and 1") {
  laboratory lab({element_type::int32, n, 128, 1});
  const auto a_block = [&](const std::string& name) {
    const outcome o = lab.run(named(name), effort{});
    return atomics(o) / total(o, "workbook__blocks.sum");
  };
  // If 32 lanes add to one word, they make one request. The hardware adds their values one by one, or as one sum.
  CHECK(a_block("atomic a thread") == 4);
  CHECK(a_block("atomic a warp") == 4);
  CHECK(a_block("atomic a block") == 1);
  // A barrier of the grid has one arrival per block.
  CHECK(a_block("reduce_grid_sync") == 1);
}

TEST_CASE("chapter 12 has one launch and one atomic operation a block where chapter 9 has two launches") {
  laboratory lab({element_type::int32, n, 128, 1});
  const outcome nine = lab.run(chapter9_solution(), effort{}), twelve = lab.run(chapter12_solution(), effort{});
  CHECK(nine.launches.size() == 2);
  CHECK(twelve.launches.size() == 1);
  const double blocks = total(twelve, "workbook__blocks.sum");
  CHECK(blocks == n / (2 * 128 * 4));
  CHECK(atomics(twelve) == blocks);
  // The input is loaded once, and so are the results of the 256 blocks: each of 128 threads loads two of them.
  CHECK(total(twelve, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == n / 128 + blocks / 32);
}

TEST_CASE("chapter 12 is right and clean for every number of whole warps, from any start") {
  for (unsigned block_size = 32; block_size <= 1024; block_size += 96) {
    for (const element_type type : {element_type::int32, element_type::float64}) {
      problem p{type, 30011 + block_size, block_size, 8};
      p.offset = block_size / 32 % 4;
      laboratory lab(p);
      for (int call = 0; call < 2; ++call) {  // the ticket is back at 0 for the second call
        const outcome o = lab.run(chapter12_solution(), effort{});
        INFO(block_size << " threads, " << name_of(type));
        CHECK(o.passed());
      }
    }
  }
}

TEST_CASE("the bound of chapter 12's reference follows from its grid, and holds for every floating-point type") {
  for (const element_type type : {element_type::float32, element_type::float64}) {
    for (const std::size_t count : {1, 1000, 40009, 1000003}) {
      for (const unsigned block_size : {32u, 128u, 1024u}) {
        laboratory lab({type, count, block_size, 4});
        reduction rung = chapter12_solution();
        const double loose = lab.run(rung, effort{.observe = false}).bound;
        rung.depth = chapter12::depth_of_last_block;
        const outcome o = lab.run(rung, effort{.observe = false});
        INFO(name_of(type) << ", n = " << count << ", blocks of " << block_size << ": " << o.error);
        CHECK(o.verified);
        if (count > 1000000) CHECK(o.bound < loose / 4);
      }
    }
  }
}

TEST_CASE("sums in a fixed order have the same bits with any number of host threads") {
  const emulator::options before = emulator::current_options();
  laboratory lab({element_type::float32, 300007, 128, 5});
  for (const reduction& rung :
       {chapter12_solution(), named("reduce_grid_sync"), named("reduce_one_launch"), named("compensated")}) {
    std::string first;
    for (const unsigned threads : {1u, 2u, 3u, 2u}) {
      emulator::options o = before;
      o.host_threads = threads;
      emulator::set_options(o);
      const outcome result = lab.run(rung, effort{.observe = false});
      INFO(result.failure);
      const std::string& bits = result.result_text;
      if (first.empty()) first = bits;
      INFO(rung.name << " with " << threads << " host threads");
      CHECK(bits == first);
    }
  }
  emulator::set_options(before);
}

TEST_CASE("a compensated sum is off by at most one rounding of the result, and a plain one by more") {
  laboratory lab({element_type::float32, std::size_t{1} << 20, 128, 6});
  const outcome plain = lab.run(named("reduce_one_launch"), effort{.observe = false});
  const outcome careful = lab.run(named("compensated"), effort{.observe = false});
  const double result = std::stod(careful.result_text);
  // Half the distance between the floats around the result, and a little more for the comparison's double rounding.
  const double half_a_step =
      0.5001 * (std::nextafter(static_cast<float>(std::fabs(result)), 1e30f) - std::fabs(result));
  CHECK(careful.error <= half_a_step);
  CHECK(plain.error > half_a_step);
  CHECK(careful.bound < plain.bound / 5);
}
