// Tests how modules of several files become one.

#include <string>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;

namespace {

constexpr const char* head = ".version 9.0\n.target sm_90\n.address_size 64\n";

module linked(const std::vector<std::string>& texts) {
  std::vector<module> units;
  for (const std::string& text : texts) units.push_back(parse_module(head + text));
  return link(std::move(units));
}

function& body_of(module& whole, const std::string& name) {
  function& f = whole.functions.at(whole.function_index.at(name));
  parse_body(whole, f);
  return f;
}

const variable* find(const module& whole, const std::string& name) {
  for (const variable& v : whole.variables)
    if (v.name == name) return &v;
  return nullptr;
}

/// Returns the symbol that the first `mov` of a function reads.
std::string moved(const function& f) {
  for (const instruction& i : f.instructions)
    if (i.opcode == "mov") return i.operands.at(1).name;
  return {};
}

}  // namespace

TEST_CASE("an extern declaration in one file refers to the definition in another") {
  module whole =
      linked({".extern .global .align 4 .u32 count;\n.extern .func (.param .b32 r) f ();\n"
              ".visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, count; ret; }\n",
              ".visible .global .align 4 .u32 count = 5;\n"
              ".visible .func (.param .b32 r) f () { .reg .b32 %r<2>; mov.u32 %r1, 7; ret; }\n"});
  REQUIRE(whole.variables.size() == 1);
  CHECK_FALSE(whole.variables[0].is_extern);
  CHECK(whole.variables[0].initial == std::vector<std::uint8_t>{5, 0, 0, 0});
  CHECK(body_of(whole, "f").has_body);
  CHECK(body_of(whole, "f").instructions.size() == 2);
  CHECK(moved(body_of(whole, "k")) == "count");
}

TEST_CASE("a function without a definition stays a declaration") {
  const module whole = linked({".extern .global .align 4 .u32 count;\n", ".visible .entry k() { ret; }\n"});
  REQUIRE(find(whole, "count") != nullptr);
  CHECK(find(whole, "count")->is_extern);
}

TEST_CASE("names that are local to two files do not collide") {
  const std::string text =
      ".global .align 1 .b8 $str[2] = {65, 0};\n.global .align 8 .u64 at[1] = {$str};\n"
      ".func helper() { .reg .b64 %rd<2>; mov.u64 %rd1, $str; ret; }\n";
  module whole = linked({text + ".visible .entry one() { call helper, (); ret; }\n",
                         text + ".visible .entry two() { call helper, (); ret; }\n"});
  REQUIRE(whole.variables.size() == 4);
  const std::string first = body_of(whole, "one").instructions.at(0).operands.at(0).name;
  const std::string second = body_of(whole, "two").instructions.at(0).operands.at(0).name;
  CHECK(first != second);
  const std::string of_first = moved(body_of(whole, first)), of_second = moved(body_of(whole, second));
  CHECK(of_first != of_second);
  CHECK(find(whole, of_first) != nullptr);
  CHECK(find(whole, of_second) != nullptr);
  // An address in an initialiser refers to the file's own symbol, too.
  CHECK(whole.variables[1].relocations.at(0).symbol == of_first);
  CHECK(whole.variables[3].relocations.at(0).symbol == of_second);
}

TEST_CASE("a local name gives way to one that all files share, whichever comes first") {
  const std::string local =
      ".global .align 4 .u32 x = 1;\n.visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, x; ret; }\n";
  const std::string shared = ".visible .global .align 4 .u32 x = 2;\n";
  for (const auto& texts : {std::vector{local, shared}, std::vector{shared, local}}) {
    module whole = linked(texts);
    REQUIRE(find(whole, "x") != nullptr);
    CHECK(find(whole, "x")->initial.at(0) == 2);
    REQUIRE(find(whole, moved(body_of(whole, "k"))) != nullptr);
    CHECK(find(whole, moved(body_of(whole, "k")))->initial.at(0) == 1);
  }
}

TEST_CASE("duplicate template instances are merged, and dynamic shared memory is one array") {
  const std::string text =
      ".extern .shared .align 4 .b8 dynamic[];\n.weak .global .align 4 .u32 w = 3;\n"
      ".weak .func t() { .reg .b64 %rd<2>; mov.u64 %rd1, w; ret; }\n";
  module whole = linked({text, text});
  CHECK(whole.variables.size() == 2);
  CHECK(moved(body_of(whole, "t")) == "w");
}

TEST_CASE("lines name the files of their own file") {
  const std::string text = ".visible .entry $() {\n.loc 1 7 3\nret;\n}\n.file 1 \"@.cu\"\n";
  const auto named = [&](const char* name) {
    std::string one = text;
    one.replace(one.find('$'), 1, name);
    return one.replace(one.find('@'), 1, name);
  };
  module whole = linked({named("a"), named("b")});
  for (const char* name : {"a", "b"}) {
    function& f = body_of(whole, name);
    CHECK(whole.files.at(f.locations.at(0).file) == std::string(name) + ".cu");
    CHECK(f.locations.at(0).line == 7);
  }
}
