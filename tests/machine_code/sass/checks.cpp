// Tests sass::check(), which reports violations of the properties that every function must have.

#include "machine_code/sass/checks.hpp"
#include "machine_code/sass/text.hpp"
#include "support/catch.hpp"

using sass_test::line;
using sass_test::make_function;

namespace {

/// Returns the violations in a function of these lines, one per line.
std::string wrong(const std::vector<line>& lines) {
  std::string text;
  for (const std::string& sentence : sass::check(make_function(lines))) text += sentence + "\n";
  return text;
}

}  // namespace

TEST_CASE("a load with its barrier and a use that waits for it are right") {
  CHECK(wrong({{"LDG.E R4, desc[UR4][R2.64]", 1, 2}, {"IADD3 R0, R4, R0, RZ", 5, 7, 7, 4}, {"EXIT"}}).empty());
}

TEST_CASE("a wait for a barrier that nothing raises is seen") {
  CHECK_THAT(wrong({{"LDG.E R4, desc[UR4][R2.64]", 1, 2}, {"MOV R0, RZ", 5, 7, 7, 8}, {"EXIT"}}),
             ContainsSubstring("0x0010 MOV R0, RZ: waits for barriers 0x08 that nothing raises"));
}

TEST_CASE("a barrier that is raised on one of two ways is enough") {
  CHECK(wrong({{"@P0 BRA `(.L_x_0)"},
               {"LDG.E R4, desc[UR4][R2.64]", 1, 2},
               {".L_x_0:"},
               {"IADD3 R0, R4, R0, RZ", 5, 7, 7, 4},
               {"EXIT"}})
            .empty());
}

TEST_CASE("a barrier that is raised after the wait counts only in a loop") {
  const line waits = {"IADD3 R0, R4, R0, RZ", 5, 7, 7, 4}, raises = {"LDG.E R4, desc[UR4][R2.64]", 1, 2};
  CHECK(wrong({{".L_x_0:"}, waits, raises, {"@P0 BRA `(.L_x_0)"}, {"EXIT"}}).empty());
  CHECK_THAT(wrong({waits, raises, {"EXIT"}}), ContainsSubstring("nothing raises"));
}

TEST_CASE("a load without a barrier is seen") {
  CHECK_THAT(wrong({{"LDG.E R4, desc[UR4][R2.64]"}, {"EXIT"}}), ContainsSubstring("sets no barrier"));
  CHECK_THAT(wrong({{"SHFL.DOWN PT, R4, R3, 0x10, 0x1f"}, {"EXIT"}}), ContainsSubstring("sets no barrier"));
}

TEST_CASE("a load may be covered by the barrier of the next load of its kind") {
  const line first = {"LDS R4, [R2]"}, last = {"LDS R5, [R3]", 2, 0}, use = {"IADD3 R0, R4, R5, RZ", 5, 7, 7, 1};
  CHECK(wrong({first, last, use, {"EXIT"}}).empty());
  CHECK_THAT(wrong({first, {"LDG.E R5, desc[UR4][R2.64]", 2, 0}, use, {"EXIT"}}), ContainsSubstring("without waiting"));
}

TEST_CASE("a use that does not wait is seen, of any word of a wide load") {
  CHECK_THAT(wrong({{"LDG.E.128 R4, desc[UR4][R2.64]", 1, 2}, {"IADD3 R0, R7, R0, RZ"}, {"EXIT"}}),
             ContainsSubstring("uses R7 without waiting for LDG.E.128 at 0x0000"));
  CHECK_THAT(wrong({{"LDG.E R4, desc[UR4][R2.64]", 1, 2}, {"STS [R9], R4", 1, 7, 7, 1}, {"EXIT"}}),
             ContainsSubstring("uses R4"));
}

TEST_CASE("a store and an atomic without a result need no barrier") {
  CHECK(wrong({{"STG.E desc[UR4][R2.64], R7"}, {"REDG.E.ADD.STRONG.GPU desc[UR6][R2.64], R7"}, {"EXIT"}}).empty());
}

TEST_CASE("a guard that the encoding does not have is seen") {
  sass::function f = make_function({{"@!P0 MOV R0, RZ"}, {"EXIT"}});
  CHECK(sass::check(f).empty());
  f.code[0].encoding.low ^= 0x8000;
  REQUIRE(sass::check(f).size() == 1);
  CHECK_THAT(sass::check(f)[0], ContainsSubstring("its encoding says '@P0' and the disassembler '@!P0'"));
}

TEST_CASE("operands are separated, whatever they contain") {
  const auto operands = [](const std::string& words) { return sass::operands_of(make_function({{words}}).code[0]); };
  CHECK(operands("LDG.E R4, desc[UR4][R2.64+0x10]") == std::vector<std::string>{"R4", "desc[UR4][R2.64+0x10]"});
  CHECK(operands("EXIT").empty());
  CHECK(operands("MOV R0, ") == std::vector<std::string>{"R0", ""});
  CHECK(operands("MOV , ,R1") == std::vector<std::string>{"", "", "R1"});
  CHECK(sass::registers_of("desc[UR4][R2.64+0x10]", 1) == std::vector<unsigned>{2, 3});
  CHECK(sass::registers_of("R8", 4) == std::vector<unsigned>{8, 9, 10, 11});
  CHECK(sass::registers_of("RZ", 1).empty());
  CHECK(sass::registers_of("R99999999999999999999", 1).empty());
}
