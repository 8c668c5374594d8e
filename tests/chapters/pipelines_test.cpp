// Chapter 13: every version of a pipeline is right and clean, and costs what the lesson states.

#include <algorithm>
#include <cmath>

#include "13_fused_pipelines/julia_pixel.hpp"
#include "13_fused_pipelines/pipelines.hpp"
#include "13_fused_pipelines/scores.cuh"
#include "13_fused_pipelines/softmax_trial.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"
#include "workbook/goal.hpp"

using namespace workbook;
using chapter13::bytes_per_element;

namespace {

constexpr element_type all_types[] = {element_type::int32, element_type::uint32, element_type::int64,
                                      element_type::float32, element_type::float64};
constexpr std::size_t n = std::size_t{1} << 16;

void demand_clean(const outcome& o, const problem& p) {
  INFO(o.group << ": " << o.name << ", " << name_of(p.type) << ", " << p.count << " elements, blocks of "
               << p.block_size << ": error " << o.error << " of " << o.bound << " " << o.failure);
  for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(o.verified);
}

outcome row(const std::string& name, const std::string& group_part, const problem& p) {
  for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
    if (kernel.name == name && kernel.group.find(group_part) != std::string::npos && kernel.as != role::yours)
      return examine(kernel, p, effort{});
  }
  FAIL("no row " << name);
  return {};
}

outcome distance_row(const std::string& name, const problem& p = {element_type::float32, n, 128, 1}) {
  return row(name, "(x - y)", p);
}

outcome softmax_row(const std::string& name, const problem& p = {element_type::float32, n, 128, 1}) {
  return row(name, "softmax", p);
}

outcome iota_row(const std::string& name, std::size_t count = n) {
  return row(name, "0, 1,", {element_type::int32, count, 128, 1});
}

}  // namespace

TEST_CASE("every way is right and clean for every type and for odd sizes") {
  for (const element_type type : all_types) {
    for (const std::size_t count : {0, 1, 2, 3, 33, 997, 8191, 8193, 30011}) {
      // A library's own kernels are slow to check, so they run with only one size and two types.
      const bool library_too = count == 997 && (type == element_type::int32 || type == element_type::float64);
      const problem p{type, count, 128, 3};
      for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
        if (kernel.as != role::library || library_too) demand_clean(examine(kernel, p, effort{}), p);
      }
    }
  }
}

TEST_CASE("blocks of any whole number of warps will do, and others are refused in words") {
  for (const unsigned block_size : {32u, 96u, 1024u}) {
    const problem p{element_type::float32, 5003, block_size, 4};
    for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
      if (kernel.as != role::library) demand_clean(examine(kernel, p, effort{}), p);
    }
  }
  for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
    const outcome o = examine(kernel, {element_type::float32, 100, 50, 4}, effort{});
    REQUIRE(o.rejected);
    CHECK_THAT(*o.rejected, ContainsSubstring("multiple of 32"));
  }
}

TEST_CASE("a softmax moves a score and a probability for each element, and in three passes twice as much") {
  // Rows have 1024 floats, and 8 warps share a row. A sector has 32 bytes.
  const double row_value = 8 * 32.0 / 1024;  // loaded by all warps of a block
  const double row_result = 32.0 / 1024;     // stored by one thread
  // There are three reads and one write. The maximum is stored once and loaded in two passes, and the sum is stored and
  // loaded once.
  const outcome three = softmax_row("three passes"), one = softmax_row("softmax");
  CHECK(bytes_per_element(three) == Approx(4 * 4 + 3 * row_value + 2 * row_result));
  CHECK(three.launches.size() == 3);
  CHECK(bytes_per_element(softmax_row("one launch, 3 readings")) == 4 * 4);
  CHECK(bytes_per_element(softmax_row("one launch, 2 readings")) == 3 * 4);
  CHECK(bytes_per_element(one) == 2 * 4);
  CHECK(one.launches.size() == 1);
  CHECK(one.allocations == 0.0);
  // The block reduces twice, each time with one barrier during the reduction and one after it.
  CHECK(over_all(one, "workbook__barriers.sum") == 4 * over_all(one, "workbook__blocks.sum"));
  CHECK(over_all(one, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == n / 32);
  // A score has 8 bytes, a probability 4.
  CHECK(bytes_per_element(softmax_row("softmax", {element_type::int64, n, 128, 1})) == 8 + 4);
}

TEST_CASE("scores come in rows of every length, and never in more rows than a grid has blocks") {
  using chapter13::shape_of_scores;
  CHECK(shape_of_scores(0).rows == 0);
  CHECK(shape_of_scores(1).columns == 1);
  CHECK(shape_of_scores(n).rows == n / 1024);
  CHECK(shape_of_scores(n).columns == 1024);
  unsigned shortest = chapter13::max_columns, longest = 0;
  for (std::size_t count = 1; count < 20'000; count += 7) {
    const chapter13::matrix_shape s = shape_of_scores(count);
    CHECK(std::size_t{s.rows} * s.columns <= count);
    CHECK(s.rows >= 1);
    CHECK(s.columns >= 1);
    CHECK(s.columns <= chapter13::max_columns);
    shortest = std::min(shortest, s.columns);
    longest = std::max(longest, s.columns);
  }
  CHECK(shortest < 10);
  CHECK(longest > 4000);
  CHECK(shape_of_scores((std::size_t{1} << 31) - 1).rows <= (1u << 31) / 64);
}

TEST_CASE("the probabilities of each row add up to 1 except for rounding, for scores of any size") {
  for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
    if (kernel.group.find("softmax") == std::string::npos || kernel.as == role::yours) continue;
    const problem p{element_type::float32, 4096, 128, 1};
    const auto made = kernel.prepare(p);
    auto& trial = dynamic_cast<chapter13::softmax_trial&>(*made);
    const std::vector<double> out = trial.own_outputs();
    const std::size_t columns = trial.shape().columns;
    REQUIRE(out.size() == p.count);
    for (std::size_t r = 0; r < trial.shape().rows; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        CHECK(out[r * columns + c] >= 0);
        CHECK(out[r * columns + c] <= 1);
        sum += out[r * columns + c];
      }
      // Each probability is off by its share of the bound: 1024 additions, 16 other roundings, two distances below 16.
      CHECK(sum == Approx(1).margin((1024 + 16 + 33) * std::pow(2.0, -24)));
    }
  }
}

TEST_CASE(
    "the distance in one pipeline moves a third of what three passes move, in one launch, and allocates nothing") {
  const outcome three = distance_row("three passes, malloc"), two = distance_row("two passes, pool");
  const outcome one = distance_row("distance"), zipped = distance_row("zip_transform | reduce");
  // The bytes are those of the floats x and y, and of the differences and squares, which are written and read again.
  // The results of a few blocks are within the margin.
  const double slack = 0.05;
  CHECK(bytes_per_element(three) == Approx(24).margin(slack));
  CHECK(bytes_per_element(two) == Approx(16).margin(slack));
  CHECK(bytes_per_element(one) == Approx(8).margin(slack));
  CHECK(bytes_per_element(zipped) == bytes_per_element(one));
  CHECK(three.launches.size() == 3);
  CHECK(two.launches.size() == 2);
  CHECK(one.launches.size() == 1);
  CHECK(zipped.launches.size() == 1);
  // A lane loads 16 bytes from each array. Each lane of the last block reads one word of the other blocks' results.
  const auto blocks = static_cast<std::size_t>(over_all(one, "workbook__blocks.sum"));
  CHECK(over_all(one, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 2 * n / 128 + (blocks + 31) / 32);
}

TEST_CASE("allocations by a call: two for three passes with cudaMalloc or cudaMallocAsync, none with a warm pool") {
  CHECK(distance_row("three passes, malloc").allocations == 2.0);
  CHECK(distance_row("three passes, async").allocations == 2.0);
  CHECK(distance_row("three passes, pool").allocations == 0.0);
  CHECK(distance_row("two passes, pool").allocations == 0.0);
  CHECK(distance_row("distance").allocations == 0.0);
  CHECK(distance_row("thrust::inner_product").allocations == 1.0);
}

TEST_CASE("a pipeline costs about the instructions of a kernel written by hand") {
  const char* instructions = "workbook__inst_executed.sum";
  CHECK(over_all(distance_row("zip_transform | reduce"), instructions) <=
        1.5 * over_all(distance_row("by hand"), instructions));
  // There are enough numbers for several iterations of every thread. The counts are of PTX instructions. In machine
  // code, an iteration has 58 instructions for 32 numbers, and 15 for 8.
  constexpr std::size_t many = std::size_t{1} << 24;
  CHECK(over_all(iota_row("iota | reduce", many), instructions) <=
        1.25 * over_all(iota_row("by hand", many), instructions));
}

TEST_CASE("each step of the latency story has the barriers that the lesson names") {
  const auto barriers_a_block = [](const std::string& name) {
    const outcome o = iota_row(name);
    REQUIRE(o.launches.size() == 2);
    const auto& counters = o.launches.front().counters;
    CHECK(counters.at("workbook__blocks.sum") == n / 8192);
    return static_cast<double>(counters.at("workbook__barriers.sum")) / static_cast<double>(n / 8192);
  };
  // A tree over 1024 elements has 10 steps, each after a barrier. This kernel has another barrier after the last step.
  CHECK(barriers_a_block("tree") == 11);
  CHECK(barriers_a_block("early exit") == 10);
  // The block handles strides 512, 256, 128, 64 and 32, and then one warp is left.
  CHECK(barriers_a_block("unrolled, shuffles") == 5);
  // Strides 256, 64, 16.
  CHECK(barriers_a_block("four a step") == 3);
  CHECK(barriers_a_block("concurrent shuffles") == 3);
  CHECK(barriers_a_block("single warp") == 1);
}

TEST_CASE("several values per step cost more shuffles, in the latency story") {
  const auto a_block = [](const std::string& name, const char* counter) {
    const outcome o = iota_row(name);
    REQUIRE(o.launches.size() == 2);
    return static_cast<double>(o.launches.front().counters.at(counter)) / static_cast<double>(n / 8192);
  };
  const char* shuffles = "workbook__shuffles.sum";
  const char* shared_loads = "smsp__sass_inst_executed_op_shared_ld.sum";
  // The offsets are 16, 8, 4, 2, 1; then 8, 4, 2, 1 from 16 sums; two steps of three; and 7 and 3 from 32 sums.
  CHECK(a_block("unrolled, shuffles", shuffles) == 5);
  CHECK(a_block("four a step", shuffles) == 4);
  CHECK(a_block("concurrent shuffles", shuffles) == 6);
  CHECK(a_block("single warp", shuffles) == 10);
  // A load of each active warp for each sum that is added: 16 + 8 + 4 + 2 + 1 warps for the strides 512 to 32; 3 for
  // each of the 8 + 2 + 1 warps of the strides 256, 64 and 16; and 32 for a single warp, which loads its own, too.
  CHECK(a_block("unrolled, shuffles", shared_loads) == 31);
  CHECK(a_block("four a step", shared_loads) == 33);
  CHECK(a_block("single warp", shared_loads) == 32);
}

TEST_CASE("an iota moves nothing but a sum a block") {
  for (const char* name : {"iota | reduce", "by hand"}) {
    const outcome o = iota_row(name);
    const double blocks = over_all(o, "workbook__blocks.sum");
    // Each block's result is one sector when it is stored and one when it is read, and the sum is one sector.
    CHECK(bytes_per_element(o) * n <= 32 * (2 * blocks + 1));
  }
}

TEST_CASE("bags are of every length, empty ones too, and cover all elements") {
  const std::vector<unsigned> offsets = chapter13::bag_offsets(100000, 1);
  CHECK(offsets.front() == 0);
  CHECK(offsets.back() == 100000);
  CHECK(std::is_sorted(offsets.begin(), offsets.end()));
  unsigned empty = 0, short_ones = 0, longest = 0;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const unsigned length = offsets[b + 1] - offsets[b];
    empty += length == 0;
    short_ones += length >= 1 && length <= 10;
    longest = std::max(longest, length);
  }
  CHECK(empty > 0);
  CHECK(longest > 500);
  CHECK(longest <= chapter13::longest_bag);
  CHECK(short_ones > 0.85 * static_cast<double>(offsets.size()));
  CHECK(chapter13::bag_offsets(0, 1) == std::vector<unsigned>{0});
}

TEST_CASE("balanced bags keep lanes busy, and a warp per bag moves fewer sectors than a thread per bag") {
  const problem p{element_type::float32, n, 128, 1};
  const auto lanes = [](const outcome& o) {
    return over_all(o, "workbook__thread_inst_executed.sum") / over_all(o, "workbook__inst_executed.sum");
  };
  const outcome threads = row("a thread a bag", "bags", p), warps = row("a warp a bag", "bags", p);
  const outcome balanced = row("balanced", "bags", p);
  CHECK(lanes(threads) < 8);
  CHECK(lanes(warps) > 20);
  CHECK(lanes(balanced) > lanes(warps));
  CHECK(bytes_per_element(warps) < 0.5 * bytes_per_element(threads));
}

TEST_CASE("the largest square of pixels is found for every count") {
  CHECK(chapter13::width_of_square(0) == 0);
  CHECK(chapter13::width_of_square(1) == 1);
  CHECK(chapter13::width_of_square(99) == 9);
  CHECK(chapter13::width_of_square(100) == 10);
  CHECK(chapter13::width_of_square(std::size_t{1} << 30) == 32768);
}
