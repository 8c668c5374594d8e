#include "emulator/ptx/module.hpp"
#include "emulator/ptx/snippet.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;
using emulator::ptx::test::module_text;

namespace {

using bytes = std::vector<std::uint8_t>;

variable only_variable(const std::string& text) {
  const module m = parse_module(module_text(text));
  REQUIRE(m.variables.size() == 1);
  return m.variables[0];
}

}  // namespace

TEST_CASE("a module names its version and target") {
  const module m = parse_module("// a comment\n.version 8.12\n.target sm_90a, debug\n.address_size 64\n");
  CHECK(m.version_major == 8);
  CHECK(m.version_minor == 12);
  CHECK(m.target == "sm_90a");
}

TEST_CASE("a text without a version or for 32 bits is refused") {
  CHECK_THROWS_WITH(parse_module(""), ContainsSubstring("not a PTX module"));
  CHECK_THROWS_WITH(parse_module(".version 9.0\n.target sm_90\n.address_size 32\n"), ContainsSubstring("-m64"));
  CHECK_THROWS_WITH(parse_module("hello"), ContainsSubstring("PTX line 1"));
}

TEST_CASE("a variable has the size and alignment of its type unless the text gives others") {
  const variable plain = only_variable(".global .f64 x;");
  CHECK(plain.size_bytes() == 8);
  CHECK(plain.alignment == 8);
  CHECK_FALSE(plain.is_array);
  CHECK(plain.initial.empty());

  const variable aligned = only_variable(".visible .const .align 16 .b8 x[3][5];");
  CHECK(aligned.space == state_space::constant);
  CHECK(aligned.size_bytes() == 15);
  CHECK(aligned.element_count == 15);
  CHECK(aligned.alignment == 16);
  CHECK(aligned.is_array);

  const variable vector = only_variable(".global .v4 .f32 x[2];");
  CHECK(vector.size_bytes() == 32);
  CHECK(vector.alignment == 16);
}

TEST_CASE("dynamic shared memory is an extern array without a size") {
  const variable v = only_variable(".extern .shared .align 16 .b8 raw[];");
  CHECK(v.is_extern);
  CHECK(v.is_array);
  CHECK(v.space == state_space::shared);
  CHECK(v.element_count == 0);
}

TEST_CASE("a managed variable is marked as managed") {
  CHECK(only_variable(".visible .global .attribute(.managed) .align 4 .u32 g = 7;").is_managed);
  CHECK_FALSE(only_variable(".visible .global .align 4 .u32 g = 7;").is_managed);
}

TEST_CASE("several variables may share one declaration") {
  const module m = parse_module(module_text(".global .u32 a = 1, b[2] = {2, 3}, c;"));
  REQUIRE(m.variables.size() == 3);
  CHECK(m.variables[1].initial == bytes{2, 0, 0, 0, 3, 0, 0, 0});
  CHECK(m.variables[2].initial.empty());
}

TEST_CASE("initial values take the variable's type") {
  CHECK(only_variable(".global .u32 x = 0x12345678;").initial == bytes{0x78, 0x56, 0x34, 0x12});
  CHECK(only_variable(".global .s16 x = -2;").initial == bytes{0xfe, 0xff});
  CHECK(only_variable(".global .u64 x = 18446744073709551615;").initial == bytes(8, 0xff));
  CHECK(only_variable(".global .f32 x = 0f3F800000;").initial == bytes{0, 0, 0x80, 0x3f});
  CHECK(only_variable(".global .f32 x = 1.0;").initial == bytes{0, 0, 0x80, 0x3f});
  CHECK(only_variable(".global .f64 x = 0d3FF0000000000000;").initial == bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(only_variable(".global .f64 x = 0f3F800000;").initial == bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  CHECK(only_variable(".global .f64 x = 1;").initial == bytes{0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
}

TEST_CASE("lists of initial values fill arrays, and inner lists begin at their own row") {
  const variable open = only_variable(".global .b8 x[] = {1, 2, 3};");
  CHECK(open.element_count == 3);
  CHECK(open.initial == bytes{1, 2, 3});
  CHECK(only_variable(".global .b8 x[2][3] = {{1}, {4, 5, 6}};").initial == bytes{1, 0, 0, 4, 5, 6});
  CHECK(only_variable(".global .b8 x[2][3] = {1, 2, 3, 4};").initial == bytes{1, 2, 3, 4});
  CHECK(only_variable(".global .b8 x[4] = \"ab\\n\\101\";").initial == bytes{'a', 'b', '\n', 'A'});
  CHECK(only_variable(".global .b8 x[] = \"abc\";").element_count == 3);
  CHECK(only_variable(".global .b8 x[4] = {};").initial.empty());
}

TEST_CASE("addresses in initial values become relocations") {
  const variable v = only_variable(".global .u64 x[4] = {generic(a), b+8, generic(c)-4, 5};");
  REQUIRE(v.relocations.size() == 3);
  CHECK(v.initial.size() == 32);
  CHECK(v.initial[24] == 5);
  CHECK(v.relocations[0].symbol == "a");
  CHECK(v.relocations[0].generic);
  CHECK(v.relocations[0].size_bytes == 8);
  CHECK(v.relocations[1].symbol == "b");
  CHECK(v.relocations[1].byte_offset == 8);
  CHECK(v.relocations[1].addend == 8);
  CHECK_FALSE(v.relocations[1].generic);
  CHECK(v.relocations[2].byte_offset == 16);
  CHECK(v.relocations[2].addend == -4);
}

TEST_CASE("an address may be given byte by byte through masks, as nvcc does in packed structures") {
  const variable v =
      only_variable(".global .align 1 .u8 x[4] = {1, 0XFF(generic(a)+4), 0xFF00(a), 0xFF00000000000000(a)};");
  REQUIRE(v.relocations.size() == 3);
  CHECK(v.initial.size() == 4);
  CHECK(v.relocations[0].byte_offset == 1);
  CHECK(v.relocations[0].size_bytes == 1);
  CHECK(v.relocations[0].shift_bits == 0);
  CHECK(v.relocations[0].addend == 4);
  CHECK(v.relocations[0].generic);
  CHECK(v.relocations[1].shift_bits == 8);
  CHECK_FALSE(v.relocations[1].generic);
  CHECK(v.relocations[2].shift_bits == 56);
  CHECK_THROWS_WITH(only_variable(".global .u8 x = 0xFFFF(a);"), ContainsSubstring("mask"));
}

TEST_CASE("malformed variables are refused, with the line") {
  const auto fails = [](const std::string& text, const std::string& words) {
    INFO(text);
    try {
      (void)parse_module(module_text("\n" + text));
      FAIL_CHECK("accepted");
    } catch (const parse_error& e) {
      CHECK(e.line() == 5);
      CHECK_THAT(e.what(), ContainsSubstring(words));
    }
  };
  fails(".global .b8 x[2] = {1, 2, 3};", "too many initial values");
  fails(".global .b8 x = {1, 2};", "too many initial values");
  fails(".global .b8 x[2] = {{1}, {2}};", "too many braces");
  fails(".global .b8 x[2] = {1, };", "missing");
  fails(".global .b8 x[18446744073709551615];", "larger than any memory");
  fails(".global .b8 x[4294967296][4294967296];", "larger than any memory");
  fails(".global .b8 x[3][0];", "is 0");
  fails(".global .b8 x[999999999999] = {{1}, {2}};", "too many braces");
  fails(".global .b8 x[2][999999999999] = {{1}, {2}};", "256 MiB");
  fails(".global x;", "no type");
  fails(".u32 x;", "state space");
  fails(".global .align 3 .u32 x;", "power of two");
  fails(".global .u32 x = 99999999999999999999;", "malformed number");
  fails(".global .u8 x = a;", "address does not fit");
  fails(".reg .u32 %x;", "module scope");
  fails(".banana .u32 x;", "banana");
}

TEST_CASE("a kernel's head holds its parameters and launch bounds") {
  const module m = parse_module(module_text(R"(
.weak .entry k(
	.param .align 8 .b8 k_param_0[24],
	.param .u64 .ptr .global .align 4 k_param_1,
	.param .u64 .ptr k_param_2,
	.param .b64 k_param_3[]
)
.maxntid 256, 2
.minnctapersm 4
.maxnreg 32
.pragma "nounroll";
.explicitcluster
.reqnctapercluster 2
.maxclusterrank 4
{ ret; }
.entry bare .reqntid 32, 2, 3 { ret; }
)"));
  REQUIRE(m.functions.size() == 2);
  const function& k = m.functions[0];
  CHECK(k.name == "k");
  CHECK(k.is_entry);
  CHECK(k.has_body);
  REQUIRE(k.parameters.size() == 4);
  CHECK(k.parameters[0].size_bytes() == 24);
  CHECK(k.parameters[0].alignment == 8);
  CHECK(k.parameters[1].size_bytes() == 8);
  CHECK(k.parameters[1].alignment == 8);
  CHECK(k.parameters[1].space == state_space::param);
  CHECK(k.parameters[2].name == "k_param_2");
  CHECK(k.parameters[3].element_count == 0);
  CHECK(k.max_threads[0] == 256);
  CHECK(k.max_threads[1] == 2);
  CHECK(k.max_threads[2] == 1);
  CHECK(k.min_blocks_per_multiprocessor == 4);
  CHECK(k.max_registers == 32);
  CHECK(k.required_cluster[0] == 2);
  CHECK(k.required_cluster[2] == 1);
  CHECK(k.max_cluster_blocks == 4);
  CHECK(k.explicit_cluster);
  CHECK_FALSE(m.functions[1].explicit_cluster);
  CHECK(m.functions[1].parameters.empty());
  CHECK(m.functions[1].required_threads[2] == 3);
  CHECK(m.functions[1].max_threads[0] == 0);
}

TEST_CASE("functions have results, declarations give way to definitions, aliases stand for their function") {
  const module m = parse_module(module_text(R"(
.extern .func  (.param .b32 func_retval0) vprintf
(
	.param .b64 vprintf_param_0,
	.param .b64 vprintf_param_1
)
;
.func .noreturn stop() { trap; }
.visible .func (.param .b32 r) twice(.param .b32 a);
.visible .func (.param .b32 r) twice(.param .b32 a) { ret; }
.visible .func (.param .b32 r) again(.param .b32 a);
.alias again, twice;
)"));
  REQUIRE(m.functions.size() == 5);
  CHECK_FALSE(m.functions[0].has_body);
  CHECK_FALSE(m.functions[0].is_entry);
  CHECK(m.functions[0].results.size() == 1);
  CHECK(m.functions[0].parameters.size() == 2);
  CHECK(m.function_index.at("stop") == 1);
  CHECK(m.function_index.at("twice") == 3);
  CHECK(m.function_index.at("again") == 3);
}

TEST_CASE("a declaration after its definition does not hide it") {
  const module m = parse_module(module_text(".func f() { ret; }\n.func f();\n"));
  CHECK(m.function_index.at("f") == 0);
}

TEST_CASE("files are identified by number, wherever the text names them") {
  const module m = parse_module(module_text(R"(
.file 1 "a.cu", 123, 456
.entry k() { ret; }
	.file	2 "dir/b \"quoted\".cuh"
)"));
  CHECK(m.files.at(1) == "a.cu");
  CHECK(m.files.at(2) == "dir/b \"quoted\".cuh");
}

TEST_CASE("debug sections and pragmas are stepped over") {
  const module m = parse_module(module_text(R"(
.pragma "enable_smem_spilling";
.section .debug_str
{
$L__info_string0:
.b8 95,90,78 // }
.b8 0
}
@@DWARF .section .debug_abbrev, "", @progbits
.global .u32 behind;
)"));
  REQUIRE(m.variables.size() == 1);
  CHECK(m.variables[0].name == "behind");
}

TEST_CASE("a body ends at its own brace, even with braces in comments and strings") {
  const module m = parse_module(module_text(R"(.entry a()
{ // } not yet
  /* nor } here */ { .pragma "}{"; }
  ret;
}
.entry b() {ret;}
)"));
  REQUIRE(m.functions.size() == 2);
  const function& a = m.functions[0];
  CHECK(a.body_line == 5);
  CHECK(m.text.substr(a.body_end, 1) == "}");
  CHECK(m.text.substr(m.functions[1].body_begin, m.functions[1].body_end - m.functions[1].body_begin) == "ret;");
}

TEST_CASE("comments, strings and blocks have to end") {
  CHECK_THROWS_WITH(parse_module(module_text(".entry k() { /* open }")), ContainsSubstring("does not end"));
  CHECK_THROWS_WITH(parse_module(module_text("/* open")), ContainsSubstring("does not end"));
  CHECK_THROWS_WITH(parse_module(module_text(".file 1 \"open\n")), ContainsSubstring("does not end"));
  CHECK_THROWS_WITH(parse_module(module_text(".entry k() {\n{ }")), ContainsSubstring("begins on line 4"));
}

TEST_CASE("sizes of types are those of the PTX ISA") {
  CHECK(size_bytes(parse_scalar_type("b128")) == 16);
  CHECK(size_bytes(parse_scalar_type("s64")) == 8);
  CHECK(size_bytes(parse_scalar_type("bf16x2")) == 4);
  CHECK(size_bytes(parse_scalar_type("tf32")) == 4);
  CHECK(size_bytes(scalar_type::f64) == 8);
  CHECK(size_bytes(scalar_type::none) == 0);
  CHECK(size_bytes(scalar_type::pred) == 1);
  CHECK(parse_scalar_type("v2") == scalar_type::none);
  CHECK(parse_scalar_type("") == scalar_type::none);
}
