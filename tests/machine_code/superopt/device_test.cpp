// Compares the semantics of the instructions with the device's: every lane of every register, on the emulator or a GPU.

#include "support/device.hpp"
#include "machine_code/superopt/kernels.hpp"
#include "machine_code/superopt/mutate.hpp"
#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

TEST_CASE("programs of every opcode give the same registers in all 32 lanes as the device's intrinsics") {
  select_tested_device();
  target t;
  for (std::uint8_t r = 0; r < register_count; ++r) t.inputs.push_back({r});
  t.outputs = {{0}};
  vocabulary v;
  for (unsigned k = 0; k < opcode_count; ++k) add_opcode(v, static_cast<opcode>(k));
  std::vector<std::uint32_t>& tables = v.immediates_of(opcode::lop3);
  tables.clear();
  for (std::uint32_t table = 0; table < 256; ++table) tables.push_back(table);
  v.length = 40;
  random_source random(5);
  std::array<unsigned, opcode_count> seen{};
  program p;
  for (int round = 0; round < 40; ++round) {
    for (int moves = 0; moves < 60; ++moves) (void)mutate(p, t, v, random);
    const test_case input = random_test(t, random);
    std::vector<device_instruction> code;
    for (const instruction& i : p) {
      ++seen[static_cast<std::size_t>(i.op)];
      code.push_back(
          {static_cast<std::uint32_t>(i.op), i.destination, {i.sources[0], i.sources[1], i.sources[2]}, i.immediate});
    }
    std::vector<warp_lanes> registers(register_count + 1, warp_lanes{});
    std::copy(input.begin(), input.end(), registers.begin());
    const std::vector<warp_lanes> got = interpret_on_device(code, registers);
    INFO(to_text(p));
    for (std::uint8_t r = 0; r < register_count; ++r) CHECK(run(p, t, input, r) == got[r]);
  }
  for (const unsigned count : seen) CHECK(count > 10);
}

TEST_CASE("a printed program is CUDA C++ that compiles and leaves the same in all lanes") {
  select_tested_device();
  const target tree = load_target("sum16_tree"), every = load_target(EVERY_OPCODE);
  random_source random(6);
  for (int round = 0; round < 10; ++round) {
    const test_case one = random_test(tree, random), two = random_test(every, random);
    CHECK(run_printed_tree(one[0]) == run(tree.code, tree, one, tree.outputs[0].reg));
    CHECK(run_printed_every_opcode(two[0], two[1]) == run(every.code, every, two, 4));
  }
}
