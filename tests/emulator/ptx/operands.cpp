#include <cmath>
#include <cstring>

#include "emulator/ptx/snippet.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;
using namespace emulator::ptx::test;
using kind = operand::kind;

namespace {

/// Parses `text` as the source operand of a move.
operand source(const std::string& text) {
  return single("mov.b64 %rd1, " + text + ";").operands.at(1);
}

double as_double(std::uint64_t bits) {
  double result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

}  // namespace

TEST_CASE("integers of every base are read as two's complement") {
  CHECK(source("42").what == kind::integer);
  CHECK(source("42").bits == 42);
  CHECK(source("42U").bits == 42);
  CHECK(source("-1").bits == ~std::uint64_t{0});
  CHECK(source("0x2a").bits == 42);
  CHECK(source("0X2AU").bits == 42);
  CHECK(source("-0x10").bits == 0 - std::uint64_t{16});
  CHECK(source("052").bits == 42);
  CHECK(source("0b101010").bits == 42);
  CHECK(source("0").bits == 0);
  CHECK(source("0xFFFFFFFFFFFFFFFF").bits == ~std::uint64_t{0});
  CHECK(source("0x3FF0000000000000").what == kind::integer);
}

TEST_CASE("floating-point literals keep their bits") {
  CHECK(source("0f3F800000").what == kind::float32);
  CHECK(source("0f3F800000").bits == 0x3f800000);
  CHECK(source("0FffC00000").bits == 0xffc00000);
  CHECK(source("0d3FF0000000000000").what == kind::float64);
  CHECK(source("0d3FF0000000000000").bits == 0x3ff0000000000000);
  CHECK(source("-0f3F800000").bits == 0xbf800000);
  CHECK(source("1.5").what == kind::float64);
  CHECK(as_double(source("1.5").bits) == 1.5);
  CHECK(as_double(source("-2.5e3").bits) == -2500);
  CHECK(as_double(source("1e-3").bits) == 1e-3);
}

TEST_CASE("malformed numbers are refused") {
  for (const char* text :
       {"0f3F8", "0f3F80000G", "08", "0b12", "0x", "12abc", "99999999999999999999", "0d3FF", "-", "--1"}) {
    INFO(text);
    CHECK_THROWS_AS(source(text), parse_error);
  }
}

TEST_CASE("WARP_SZ is the integer 32") {
  CHECK(source("WARP_SZ").what == kind::integer);
  CHECK(source("WARP_SZ").bits == 32);
}

TEST_CASE("special registers are known by their whole name") {
  for (const char* name :
       {"%tid.x", "%ntid.y", "%ctaid.z", "%laneid", "%clock64", "%lanemask_lt", "%envreg2", "%globaltimer_lo",
        "%cluster_ctarank", "%dynamic_smem_size", "%pm3", "%reserved_smem_offset_1"}) {
    INFO(name);
    CHECK(source(name).what == kind::special);
    CHECK(source(name).name == name);
  }
}

TEST_CASE("a register that was not declared is an error that names it") {
  CHECK_THROWS_WITH(source("%r99"), ContainsSubstring("'%r99' is not declared"));
  CHECK_THROWS_WITH(source("%r01"), ContainsSubstring("'%r01' is not declared"));
  CHECK_THROWS_WITH(source("%banana"), ContainsSubstring("'%banana' is not declared"));
  CHECK_THROWS_WITH(source("%tid.q"), ContainsSubstring("no element"));
}

TEST_CASE("symbols may have an offset") {
  CHECK(source("tile").what == kind::symbol);
  CHECK(source("tile").name == "tile");
  CHECK(source("tile+16").offset == 16);
  CHECK(source("tile-16").offset == -16);
}

TEST_CASE("addresses have a base and an offset") {
  const function f = kernel(
      "ld.u32 %r1, [%rd1+8];\nld.u32 %r1, [%rd1+-4];\nld.u32 %r1, [%rd1-4];\nld.u32 %r1, [tile+4];\nld.u32 %r1, "
      "[tile];\n"
      "ld.u32 %r1, [64];\nld.u32 %r1, [ %rd2 ];");
  const auto address = [&](std::size_t i) { return f.instructions.at(i).operands.at(1); };
  for (std::size_t i = 0; i < 7; ++i) CHECK(address(i).what == kind::address);
  CHECK(register_name(f, address(0).elements.at(0)) == "%rd1");
  CHECK(address(0).offset == 8);
  CHECK(address(1).offset == -4);
  CHECK(address(2).offset == -4);
  CHECK(address(3).elements.at(0).what == kind::symbol);
  CHECK(address(3).elements.at(0).name == "tile");
  CHECK(address(3).elements.at(0).offset == 0);
  CHECK(address(3).offset == 4);
  CHECK(address(4).offset == 0);
  CHECK(address(5).elements.at(0).bits == 64);
  CHECK(register_name(f, address(6).elements.at(0)) == "%rd2");
}

TEST_CASE("a tensor address has its coordinates after the base") {
  const operand o = single("cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r2}];").operands.at(0);
  REQUIRE(o.elements.size() == 2);
  CHECK(o.elements[1].what == kind::vector);
  CHECK(o.elements[1].elements.size() == 2);
}

TEST_CASE("vectors, pairs and sinks nest as the text has them") {
  const function f = kernel(
      "ld.global.v4.f32 {%f1,%f2, _ , %f3}, [%rd1];\nshfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\n"
      "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;\nmatch.all.sync.b32 %r1|_, %r2, -1;\nst.v2.b32 [%rd1], {%r1, 7};");
  const operand& vector = f.instructions[0].operands.at(0);
  CHECK(vector.what == kind::vector);
  REQUIRE(vector.elements.size() == 4);
  CHECK(vector.elements[2].what == kind::sink);
  CHECK(register_name(f, vector.elements[3]) == "%f3");

  const operand& pair = f.instructions[1].operands.at(0);
  CHECK(pair.what == kind::pair);
  CHECK(register_name(f, pair.elements.at(0)) == "%r1");
  CHECK(register_name(f, pair.elements.at(1)) == "%p1");

  CHECK(f.instructions[2].operands.at(3).negated);
  CHECK(register_name(f, f.instructions[2].operands.at(3)) == "%p3");
  CHECK(f.instructions[3].operands.at(0).elements.at(1).what == kind::sink);
  CHECK(f.instructions[4].operands.at(1).elements.at(1).bits == 7);
}

TEST_CASE("vector registers come apart into their elements") {
  const function f = kernel(".reg .v2 .f32 v<2>;\nmov.f32 %f1, v1.y;\nmov.v2.f32 v0, v1;");
  CHECK(register_name(f, f.instructions[0].operands.at(1)) == "v1.y");
  CHECK(f.registers.at(f.instructions[0].operands.at(1).index).type == scalar_type::f32);
  const operand& whole = f.instructions[1].operands.at(0);
  CHECK(whole.what == kind::vector);
  REQUIRE(whole.elements.size() == 2);
  CHECK(register_name(f, whole.elements[0]) == "v0.x");
  CHECK_THROWS_WITH(kernel(".reg .v2 .f32 v;\nmov.f32 %f1, v.z;"), ContainsSubstring("no such element"));
  CHECK_THROWS_WITH(kernel("mov.u32 %r1, %r2.x;"), ContainsSubstring("no such element"));
}

TEST_CASE("calls keep their lists in the order of the text") {
  const function f = kernel(R"({
.param .b32 param0;
.param .b32 retval0;
call.uni (retval0), 
twice, 
(
param0
);
call.uni stop, (param0);
call stop;
call (retval0), %rd1, (param0), prototype_0;
prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;
})");
  REQUIRE(f.instructions.size() == 4);
  const auto& whole = f.instructions[0].operands;
  REQUIRE(whole.size() == 3);
  CHECK(whole[0].what == kind::list);
  CHECK(whole[0].elements.at(0).name == "retval0");
  CHECK(whole[1].what == kind::symbol);
  CHECK(whole[1].name == "twice");
  CHECK(whole[2].elements.at(0).name == "param0");
  CHECK(f.instructions[1].operands.size() == 2);
  CHECK(f.instructions[2].operands.size() == 1);
  const auto& indirect = f.instructions[3].operands;
  REQUIRE(indirect.size() == 4);
  CHECK(indirect[1].what == kind::reg);
  CHECK(indirect[3].name == "prototype_0");
}

TEST_CASE("malformed operands are refused") {
  for (const char* text :
       {"add.u32 %r1, %r2", "add.u32 %r1 %r2;", "add.u32 %r1,;", "ld.u32 %r1, [%rd1;", "ld.u32 %r1, [{%r1}];",
        "mov.b64 %rd1, {%r1, %r2;", "add.u32 %r1, !5, 1;", "ld.u32 %r1, [%rd1+0f3F800000];", "ld.u32 %r1, [%rd1+%rd2];",
        "mov.u32 %r1, $;#", "mov.u32 %r1, [[[[[[[[[[[[[[%r1]]]]]]]]]]]]]];",
        "mov.u32 %r1, ((((((((((((((%r1))))))))))))));"}) {
    INFO(text);
    CHECK_THROWS_AS(kernel(text), parse_error);
  }
}
