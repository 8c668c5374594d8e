// An ablation removes its part of a kernel and nothing else. The emulator counts what the edited kernels still do.

#include <cstdint>
#include <string>

#include "chapters/rungs.hpp"
#include "emulator/rewritten.hpp"
#include "reductions/buffer.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/ablation.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

/// Returns the counters of the first launch of a chapter's kernel after `left` has been applied to it.
emulator::counter_map counters_of(const specimen& kernel, const problem& p, ablation left) {
  const emulator::rewritten_kernels rewritten([left](const std::string& ptx, int) { return ablated(ptx, left); });
  const auto e = kernel.prepare(p);
  const watched_run watched(true, p.count);
  e->launch();
  INFO(kernel.name << ", " << name_of(left));
  REQUIRE(rewritten.failure().empty());
  const auto reports = emulator::take_reports();
  REQUIRE_FALSE(reports.empty());
  CHECK(reports.front().completed);
  return reports.front().counters;
}

std::uint64_t sum_of(const emulator::counter_map& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

constexpr const char* loads = "smsp__sass_inst_executed_op_global_ld.sum";
constexpr const char* load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* shared_loads = "smsp__sass_inst_executed_op_shared_ld.sum";
constexpr const char* conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr const char* barriers = "workbook__barriers.sum";
constexpr const char* instructions = "workbook__inst_executed.sum";

}  // namespace

TEST_CASE("an ablation removes what its name says, in every kernel of the ladder", "[ablation]") {
  const problem p{element_type::int32, 70001, 128, 1};
  for (const specimen& kernel : rows_of(ladder_solutions())) {
    DYNAMIC_SECTION(kernel.name) {
      const auto whole = counters_of(kernel, p, ablation::whole);
      const auto empty = counters_of(kernel, p, ablation::empty);
      CHECK(sum_of(empty, load_sectors) == 0);
      CHECK(sum_of(empty, shared_loads) == 0);
      CHECK(sum_of(empty, instructions) < sum_of(whole, instructions) / 4);

      const auto only_loads = counters_of(kernel, p, ablation::loads);
      // Chapter 12's last block also reads the partial sums, but only after the exchange.
      CHECK(sum_of(only_loads, load_sectors) == (p.count * sizeof(int) + 31) / 32);
      CHECK(sum_of(only_loads, shared_loads) == 0);
      CHECK(sum_of(only_loads, barriers) == 0);
      CHECK(sum_of(only_loads, instructions) < sum_of(whole, instructions));

      const auto no_loads = counters_of(kernel, p, ablation::no_loads);
      CHECK(sum_of(no_loads, load_sectors) == 0);
      CHECK(sum_of(no_loads, shared_loads) == sum_of(whole, shared_loads));
      CHECK(sum_of(no_loads, barriers) == sum_of(whole, barriers));

      const auto no_barriers = counters_of(kernel, p, ablation::no_barriers);
      CHECK(sum_of(no_barriers, barriers) == 0);
      CHECK(sum_of(no_barriers, load_sectors) == sum_of(whole, load_sectors));
      CHECK(sum_of(no_barriers, shared_loads) == sum_of(whole, shared_loads));

      const auto no_conflicts = counters_of(kernel, p, ablation::no_conflicts);
      CHECK(sum_of(no_conflicts, conflicts) == 0);
      CHECK(sum_of(no_conflicts, barriers) == sum_of(whole, barriers));
      CHECK(sum_of(no_conflicts, shared_loads) == sum_of(whole, shared_loads));

      const auto instructions_only = counters_of(kernel, p, ablation::instructions);
      CHECK(sum_of(instructions_only, load_sectors) == 0);
      CHECK(sum_of(instructions_only, barriers) == 0);
      CHECK(sum_of(instructions_only, conflicts) == 0);
    }
  }
}

TEST_CASE("ablations know every element type", "[ablation]") {
  for (const element_type type : all_element_types) {
    for (const specimen& kernel : rows_of(ladder_solutions())) {
      for (const ablation left : all_ablations) {
        INFO(name_of(type));
        CHECK_NOTHROW(counters_of(kernel, {type, 1000, 64, 1}, left));
      }
    }
  }
}

namespace {

/// Returns a module as a student may write it, with a static array and volatile accesses.
std::string module_with(const std::string& body, const std::string& shared) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(\n.param .u64 k_param_0\n)\n{\n" + shared +
         ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\nld.param.u64 %rd1, [k_param_0];\n" + body + "ret;\n}\n";
}

}  // namespace

TEST_CASE("arrays of a fixed size and volatile accesses are known, too", "[ablation]") {
  const std::string own = ablated(
      module_with("ld.volatile.shared.u32 %r1, [%r2];\nst.shared::cta.u32 [%r3+4], %r1;\nst.shared.u32 [last], %r1;\n",
                  ".shared .align 4 .b8 few[16];\n.shared .align 4 .b8 tile[512];\n"),
      ablation::no_conflicts);
  CHECK(own.find("ld.volatile.shared.u32 %r1, [%ablated_own];") != std::string::npos);
  CHECK(own.find("st.volatile.shared::cta.u32 [%ablated_own], %r1;") != std::string::npos);
  // A variable with its own name isn't an array: all lanes that access it mean the same word.
  CHECK(own.find("st.shared.u32 [last], %r1;") != std::string::npos);
  CHECK(own.find("mov.u32 %ablated_end, 512;") != std::string::npos);
  CHECK(own.find("mov.u32 %ablated_r, tile;") != std::string::npos);
  // A volatile read of shared memory counts as an exchange, too.
  const std::string loads = ablated(module_with("ld.volatile.shared.u32 %r1, [%r2];\n", ""), ablation::loads);
  CHECK(loads.find("@%ablated_p ret;\nld.volatile.shared") != std::string::npos);
}

TEST_CASE("a kernel that the ablation does not understand is refused", "[ablation]") {
  const std::string anywhere = module_with("ld.u32 %r1, [%rd1];\nbar.sync 0;\n", "");
  for (const ablation left : {ablation::no_loads, ablation::loads, ablation::no_conflicts, ablation::instructions})
    CHECK_THROWS_WITH(ablated(anywhere, left), ContainsSubstring("does not know which memory `ld.u32` is of"));
  CHECK_NOTHROW(ablated(anywhere, ablation::no_barriers));
  const std::string counting = module_with("bar.red.popc.u32 %r1, 0, %p1;\n", "");
  CHECK_THROWS_WITH(ablated(counting, ablation::no_barriers), ContainsSubstring("does more than wait"));
  CHECK_NOTHROW(ablated(counting, ablation::no_loads));
}

TEST_CASE("when rewriting ends, kernels are unchanged again", "[ablation]") {
  const problem p{element_type::int32, 1000, 128, 1};
  laboratory lab(p);
  const reduction kernel = ladder_solutions().front();
  REQUIRE(lab.launch(kernel));
  {
    const emulator::rewritten_kernels rewritten(
        [](const std::string& ptx, int) { return ablated(ptx, ablation::empty); });
    CHECK_FALSE(lab.launch(kernel));
    CHECK_THROWS_AS(emulator::rewritten_kernels({}), std::logic_error);
  }
  CHECK(lab.launch(kernel));
}

TEST_CASE("text that cannot be compiled is reported, and nothing is launched", "[ablation]") {
  emulator::rewritten_kernels rewritten(
      [](const std::string&, int variant) { return variant == 0 ? std::string("this is no PTX") : std::string(); });
  laboratory lab({element_type::int32, 1000, 128, 1});
  CHECK_THROWS_AS(lab.launch(ladder_solutions().front()), device_error);
  CHECK_FALSE(rewritten.failure().empty());
  rewritten.use(1);
  CHECK_THROWS_AS(lab.launch(ladder_solutions().front()), device_error);
  CHECK_FALSE(rewritten.failure().empty());
}
