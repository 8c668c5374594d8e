// Chapter 10: every place for a private array is right and clean, and costs what the lesson derives.

#include <cmath>

#include "10_private_arrays/gather.hpp"
#include "support/catch.hpp"
#include "workbook/chapter.hpp"

using namespace workbook;

namespace {

constexpr const char* local_loads = "smsp__sass_inst_executed_op_local_ld.sum";
constexpr const char* local_stores = "smsp__sass_inst_executed_op_local_st.sum";
constexpr const char* local_sectors = "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum";
constexpr const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr double reads = chapter10::reads_on_emulator;

problem of_shape(element_type type, std::size_t count, std::array<unsigned, 3> shape) {
  problem p{type, count, shape[0] * shape[1] * shape[2], 3};
  p.block_shape = shape;
  return p;
}

outcome row(const std::string& name, const problem& p, role as = role::compared) {
  for (const specimen& kernel : chapter10::table_of_arrays().kernels) {
    if (kernel.name == name && (as == role::compared || kernel.as == as)) return examine(kernel, p, effort{});
  }
  FAIL("no row " << name);
  return {};
}

outcome shared(const problem& p) {
  return row("shared, worst", p, role::reference);
}

void demand_clean(const outcome& o, const problem& p) {
  INFO(o.name << ", " << name_of(p.type) << ", " << p.count << " arrays, blocks of " << p.block_shape[0] << " x "
              << p.block_shape[1] << " x " << p.block_shape[2] << ": error " << o.error << " " << o.failure);
  for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(o.verified);
}

}  // namespace

TEST_CASE("every way is right and clean for every type, size and shape of the block") {
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    for (const auto& shape : {std::array<unsigned, 3>{64, 1, 1}, {8, 4, 1}, {4, 4, 6}}) {
      for (const std::size_t n : {0, 1, 31, 33, 200}) {
        const problem p = of_shape(type, n, shape);
        for (const specimen& kernel : chapter10::table_of_arrays().kernels)
          demand_clean(examine(kernel, p, effort{}), p);
      }
    }
  }
}

TEST_CASE("in shared memory there is no local traffic and no conflict for blocks of 1, 2 and 3 dimensions") {
  // This also holds if the block isn't a multiple of 32 threads, because the rows are as wide as whole warps.
  for (const auto& shape :
       {std::array<unsigned, 3>{128, 1, 1}, {50, 1, 1}, {16, 8, 1}, {10, 5, 1}, {4, 4, 4}, {3, 5, 7}}) {
    for (const element_type type : {element_type::int32, element_type::float64}) {
      const problem p = of_shape(type, 1000, shape);
      const outcome o = shared(p);
      demand_clean(o, p);
      CHECK(total(o, local_loads) + total(o, local_stores) == 0);
      CHECK(total(o, conflicts) == 0);
      REQUIRE(o.compiled);
      CHECK(o.compiled->local_bytes == 0);
    }
  }
}

TEST_CASE("an index that only the run knows costs a load and a store of local memory each time it is used") {
  const problem p{element_type::float32, 4096, 128, 1};
  for (const char* name : {"dynamic, uniform", "dynamic, random", "dynamic, worst"}) {
    const outcome o = row(name, p, std::string(name) == "dynamic, worst" ? role::previous : role::compared);
    INFO(name);
    CHECK(per_warp(o, local_loads) == reads);
    // The array is filled with 32 floats, four per store.
    CHECK(per_warp(o, local_stores) == reads + 32.0 / 4);
    CHECK(o.compiled->local_bytes == 32 * sizeof(float));
  }
  // With 8 bytes per element, a store writes two.
  const outcome wide = row("dynamic, uniform", {element_type::float64, 4096, 128, 1});
  CHECK(per_warp(wide, local_stores) == reads + 32.0 / 2);
}

TEST_CASE("a load of local memory costs 4 sectors if all lanes use the same index, and 32 if all differ") {
  const problem p{element_type::float32, 1 << 15, 128, 1};
  const auto per_load = [](const outcome& o) { return total(o, local_sectors) / total(o, local_loads); };
  CHECK(per_load(row("dynamic, uniform", p)) == 4);
  CHECK(per_load(row("dynamic, worst", p, role::previous)) == 32);
  // At random, a sector holds one element of 8 lanes, and these choose 32 (1 - (31/32)^8) different elements on
  // average.
  const double expected = 4 * 32 * (1 - std::pow(31.0 / 32, 8));
  CHECK(std::abs(per_load(row("dynamic, random", p)) - expected) < 0.1);
}

TEST_CASE("constant indices and select chains leave no array in memory") {
  const problem p{element_type::float32, 2048, 128, 1};
  for (const char* name : {"static index", "unrolled loop", "select chain", "shuffle, one a warp"}) {
    const outcome o = row(name, p);
    INFO(name);
    CHECK(total(o, local_loads) + total(o, local_stores) == 0);
    CHECK(o.compiled->local_bytes == 0);
  }
  // There is one shuffle per read, and no other instruction crosses lanes.
  CHECK(per_warp(row("shuffle, one a warp", p), "workbook__shuffles.sum") == reads);
}

TEST_CASE("a block whose arrays do not fit into shared memory is refused in words") {
  const auto why = [](const problem& p) {
    for (const specimen& kernel : chapter10::table_of_arrays().kernels) {
      if (kernel.as == role::reference) return kernel.why_not(p);
    }
    return std::optional<std::string>();
  };
  // 1024 threads of 32 doubles need 256 KiB, but an H200 has 227 KiB per block.
  const auto refused = why({element_type::float64, 1, 1024, 1});
  REQUIRE(refused);
  CHECK_THAT(*refused, ContainsSubstring("smaller --block-size"));
  CHECK_FALSE(why({element_type::float32, 1, 1024, 1}));
  demand_clean(shared({element_type::float32, 3000, 1024, 1}), {element_type::float32, 3000, 1024, 1});
}

TEST_CASE("a kernel that leaves outputs unwritten, or writes them wrong, is not verified") {
  // The kernel is not made for random data: each thread reads from another thread's array. The table's own check must
  // fail.
  const specimen wrong =
      chapter10::make_row("wrong", role::wrong, chapter10::gathers_from_warp(), chapter10::order::random);
  const outcome o = examine(wrong, {element_type::int32, 500, 128, 1}, effort{});
  CHECK_FALSE(o.verified);
  CHECK(o.error > 0);
}
