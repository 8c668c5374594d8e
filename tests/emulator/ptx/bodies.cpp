#include <algorithm>

#include "emulator/ptx/snippet.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;
using namespace emulator::ptx::test;
using kind = operand::kind;

TEST_CASE("an instruction is split at the dots") {
  const instruction i = single("ld.shared::cta.v2.u32 {%r1, %r2}, [%rd1];");
  CHECK(i.opcode == "ld");
  CHECK(i.modifiers == std::vector<std::string>{"shared::cta", "v2", "u32"});
  CHECK(i.has("v2"));
  CHECK_FALSE(i.has("v4"));
  CHECK(i.mnemonic() == "ld.shared::cta.v2.u32");
  CHECK(i.operands.size() == 2);
  CHECK_FALSE(i.guard);
  CHECK(single("mma.sync.m16n8k16 %r1;").modifiers.back() == "m16n8k16");
  CHECK(single("tcgen05.ld.16x256b %r1;").modifiers.back() == "16x256b");
  CHECK(single("ret;").operands.empty());
}

TEST_CASE("instructions know their line of the PTX text") {
  // The body begins in line 5, and its registers are declared in line 6.
  const function f = kernel("add.u32 %r1, %r2, %r3;\n\n/* two\nlines */ ret; // and\n\t@%p1 ret;");
  CHECK(f.instructions[0].ptx_line == 7);
  CHECK(f.instructions[1].ptx_line == 10);
  CHECK(f.instructions[2].ptx_line == 11);
}

TEST_CASE("guards name their predicate") {
  const function f = kernel("@%p1 ret;\n@!%p2 ret;");
  CHECK(f.registers.at(f.instructions[0].guard.value()).name == "%p1");
  CHECK_FALSE(f.instructions[0].guard_negated);
  CHECK(f.registers.at(f.instructions[1].guard.value()).name == "%p2");
  CHECK(f.instructions[1].guard_negated);
  CHECK_THROWS_WITH(kernel("@%r1 ret;"), ContainsSubstring("'%r1' after '@' is not a declared predicate"));
}

TEST_CASE("a range declares its registers by number") {
  const function f = kernel(".reg .b16 %rs<3>, single; mov.b16 single, %rs2;");
  const auto named = [&](const std::string& name) {
    return std::count_if(f.registers.begin(), f.registers.end(), [&](const auto& r) { return r.name == name; });
  };
  CHECK(named("%rs0") == 1);
  CHECK(named("%rs2") == 1);
  CHECK(named("%rs3") == 0);
  CHECK(f.registers.at(f.instructions[0].operands[0].index).name == "single");
  CHECK(f.registers.at(f.instructions[0].operands[1].index).type == scalar_type::b16);
}

TEST_CASE("an inner block has registers of its own under the same name") {
  const function f = kernel(R"(
.reg .pred p;
{ .reg .pred p; .reg .b32 %r<4>; setp.eq.u32 p, %r1, 0; { .reg .pred p; @p ret; } @p ret; }
{ .reg .pred p; @p ret; }
@p ret; mov.u32 %r2, %r1;)");
  REQUIRE(f.instructions.size() == 6);
  const std::uint32_t middle = f.instructions[0].operands[0].index;
  const std::uint32_t inner = f.instructions[1].guard.value();
  const std::uint32_t second = f.instructions[3].guard.value();
  const std::uint32_t outer = f.instructions[4].guard.value();
  CHECK(f.instructions[2].guard.value() == middle);
  std::vector<std::uint32_t> all{middle, inner, second, outer};
  std::sort(all.begin(), all.end());
  CHECK(std::unique(all.begin(), all.end()) == all.end());
  for (const std::uint32_t index : all) CHECK(f.registers.at(index).name == "p");
  // The %r1 of the inner block is a different register than that of the outer block.
  CHECK(f.instructions[0].operands[1].index != f.instructions[5].operands[1].index);
  CHECK(f.registers.at(f.instructions[5].operands[1].index).name == "%r1");
}

TEST_CASE("the innermost declaration wins, be it a name or a range") {
  const function f =
      kernel(".reg .b32 x<4>;\n{ .reg .b64 x1; mov.b64 x1, x2; { .reg .b16 x<2>; mov.b16 x1, x2; } }\nmov.b32 x1, x1;");
  const auto type = [&](std::size_t i, std::size_t k) {
    return f.registers.at(f.instructions[i].operands[k].index).type;
  };
  CHECK(type(0, 0) == scalar_type::b64);
  CHECK(type(0, 1) == scalar_type::b32);
  CHECK(type(1, 0) == scalar_type::b16);
  CHECK(type(1, 1) == scalar_type::b32);
  CHECK(type(2, 0) == scalar_type::b32);
}

TEST_CASE("variables that blocks declare again get names of their own") {
  const function f = kernel(R"(
.local .align 16 .b8 depot[208];
.shared .align 4 .b8 tile[512];
{ .param .b32 param0; st.param.b32 [param0+0], %r1; }
{ .param .b64 param0; st.param.b64 [param0+4], %rd1; call f, (param0); }
mov.u64 %rd1, param0;)");
  REQUIRE(f.variables.size() == 4);
  CHECK(f.variables[0].space == state_space::local);
  CHECK(f.variables[0].size_bytes() == 208);
  CHECK(f.variables[1].space == state_space::shared);
  CHECK(f.variables[2].name == "param0");
  CHECK(f.variables[3].name == "param0@2");
  CHECK(f.variables[3].type == scalar_type::b64);
  CHECK(f.instructions[0].operands[0].elements.at(0).name == "param0");
  CHECK(f.instructions[1].operands[0].elements.at(0).name == "param0@2");
  CHECK(f.instructions[1].operands[0].offset == 4);
  CHECK(f.instructions[2].operands[1].elements.at(0).name == "param0@2");
  CHECK(f.instructions[3].operands[1].name == "param0");
}

TEST_CASE("branches know their label, forwards and backwards") {
  const function f = kernel("bra.uni $end;\nloop:\n@%p1 bra loop;\n$end:\nret;\nlast:");
  REQUIRE(f.labels.size() == 3);
  const operand& forward = f.instructions[0].operands.at(0);
  CHECK(forward.what == kind::label);
  CHECK(f.labels.at(forward.index) == "$end");
  CHECK(f.label_targets.at(forward.index) == 2);
  const operand& backward = f.instructions[1].operands.at(0);
  CHECK(f.label_targets.at(backward.index) == 1);
  CHECK(f.label_targets.at(2) == f.instructions.size());
}

TEST_CASE("blocks have labels of their own under the same name") {
  const function f = kernel("{ wait: @%p1 bra wait; }\n{ ret; wait: @%p1 bra wait; bra out; }\nout: ret;");
  const auto target = [&](std::size_t i) { return f.label_targets.at(f.instructions[i].operands.at(0).index); };
  CHECK(target(0) == 0);
  CHECK(target(2) == 2);
  CHECK(target(3) == 4);
  CHECK(f.labels[0] == "wait");
  CHECK(f.labels[1] == "wait@2");
  CHECK_THROWS_WITH(kernel("{ inner: ret; }\nbra inner;"), ContainsSubstring("'inner' is not defined"));
}

TEST_CASE("a branch table lists its labels") {
  const function f = kernel("$a: ret;\nts: .branchtargets $b, $a,\n $b;\nbrx.idx %r1, ts;\n$b: ret;");
  REQUIRE(f.branch_tables.size() == 1);
  const auto& table = f.branch_tables[f.instructions[1].operands.at(1).index];
  REQUIRE(table.size() == 3);
  CHECK(f.labels.at(table[0]) == "$b");
  CHECK(f.labels.at(table[1]) == "$a");
  CHECK(f.labels.size() == 2);
  CHECK_THROWS_WITH(kernel("brx.idx %r1, ts;"), ContainsSubstring("'ts' is not defined"));
  CHECK_THROWS_WITH(kernel("ts: .branchtargets nowhere;\nret;"), ContainsSubstring("'nowhere' is not defined"));
}

TEST_CASE("instructions have the source line that precedes them") {
  const function f = kernel("ret;\n.loc 1 8 3\nret;\nret;\n.loc 1 0 3\nret;\n.loc\t1 8 3\nret;");
  const auto line = [&](std::size_t i) { return f.locations.at(static_cast<std::size_t>(f.instructions[i].location)); };
  CHECK(f.instructions[0].location == -1);
  CHECK(line(1).file == 1);
  CHECK(line(1).line == 8);
  CHECK(line(1).column == 3);
  CHECK(line(1).inlined_at == -1);
  CHECK(line(2).line == 8);
  CHECK(line(3).line == 0);
  CHECK(f.instructions[4].location == f.instructions[1].location);
}

TEST_CASE("inlined lines link to the call site that the text named last") {
  const function f = kernel(R"(
.loc 1 8 3
.loc 2 20 5, function_name $L__info_string0, inlined_at 1 8 3
ret;
.loc 3 7 1, function_name $L__info_string1+4, inlined_at 2 20 5
ret;
.loc 1 9 3
.loc 2 20 5, function_name $L__info_string0, inlined_at 1 9 3
.loc 3 7 1, function_name $L__info_string1, inlined_at 2 20 5
ret;
.loc 4 1 1, function_name x, inlined_at 5 6 7
ret;)");
  const auto at = [&](std::int32_t i) { return f.locations.at(static_cast<std::size_t>(i)); };
  const auto chain = [&](std::size_t i) {
    std::vector<std::uint32_t> lines;
    for (std::int32_t l = f.instructions[i].location; l >= 0; l = at(l).inlined_at) lines.push_back(at(l).line);
    return lines;
  };
  CHECK(chain(0) == std::vector<std::uint32_t>{20, 8});
  CHECK(chain(1) == std::vector<std::uint32_t>{7, 20, 8});
  CHECK(chain(2) == std::vector<std::uint32_t>{7, 20, 9});
  CHECK(chain(3) == std::vector<std::uint32_t>{1, 6});
}

TEST_CASE("a chain of inlined lines never runs in circles") {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += ".loc 1 5 3, function_name f, inlined_at 1 5 3\n";
  const function f = kernel(text + "ret;");
  std::size_t length = 0;
  for (std::int32_t l = f.instructions[0].location; l >= 0;
       l = f.locations.at(static_cast<std::size_t>(l)).inlined_at) {
    REQUIRE(++length <= 256);
  }
}

TEST_CASE("pragmas and lone semicolons are not instructions") {
  const function f = kernel(".pragma \"nounroll\";\n;;ret;;\n.pragma \"a\", \"b\";");
  CHECK(f.instructions.size() == 1);
}

TEST_CASE("parameters of a function may be registers") {
  const module m =
      parse_module(module_text(".func (.reg .b32 %out) f(.reg .b32 %in, .param .b32 p)\n{ mov.b32 %out, %in; ret; }"));
  function f = m.functions[0];
  parse_body(m, f);
  REQUIRE(f.registers.size() == 2);
  CHECK(register_name(f, f.instructions[0].operands[0]) == "%out");
  CHECK(register_name(f, f.instructions[0].operands[1]) == "%in");
}

TEST_CASE("a body is read once, and a declaration has none") {
  const module m = parse_module(module_text(".func f();\n.func g() { ret; }"));
  function f = m.functions[0], g = m.functions[1];
  parse_body(m, f);
  CHECK(f.parsed);
  CHECK(f.instructions.empty());
  parse_body(m, g);
  parse_body(m, g);
  CHECK(g.instructions.size() == 1);
}

TEST_CASE("a body that cannot be read leaves the function as it was") {
  const module m = parse_module(kernel_text("ret;\nadd.u32 %r1, %r2;"));
  function f = m.functions[0];
  CHECK_THROWS_AS(parse_body(m, f), parse_error);
  CHECK_FALSE(f.parsed);
  CHECK(f.instructions.empty());
}

TEST_CASE("malformed bodies are refused with words and a line") {
  const auto fails = [](const std::string& body, const std::string& words) {
    INFO(body);
    try {
      (void)kernel("\n" + body);
      FAIL_CHECK("accepted");
    } catch (const parse_error& e) {
      CHECK(e.line() == 8);
      CHECK_THAT(e.what(), ContainsSubstring(words));
    }
  };
  fails("bra nowhere;", "'nowhere' is not defined");
  fails("bra 5;", "names no target");
  fails("x: x: ret;", "twice");
  fails(".reg .pred p, p;", "twice");
  fails(".reg .b32 %r<2>;", "twice");
  fails(".param .b32 a; .param .b32 a;", "twice");
  fails(".reg .b32 %big<99999999>;", "2^20");
  fails(".reg %q;", "no type");
  fails(".b32 q;", "no state space");
  fails(".banana q;", "banana");
  fails("# 1;", "found '#'");
  fails("\x01", "byte of value 1");
  fails(".loc 1 2;", "expected a number");
  fails(".loc 1 99999999999 3", "out of range");
}
