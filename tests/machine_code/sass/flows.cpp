// Tests how loops and prologues are found.

#include "machine_code/sass/counts.hpp"
#include "machine_code/sass/flow.hpp"
#include "machine_code/sass/text.hpp"
#include "support/catch.hpp"

using sass_test::make_function;

TEST_CASE("a branch backward makes a loop of what it repeats") {
  const sass::function f = make_function({{"MOV R0, RZ"},
                                          {".L_x_0:"},
                                          {"LDG.E R4, desc[UR4][R2.64]", 1, 0},
                                          {"IADD3 R0, R4, R0, RZ", 1, 7, 7, 1},
                                          {"@P0 BRA `(.L_x_0)"},
                                          {"EXIT"}});
  const auto loops = sass::find_loops(f);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].head == 1);
  CHECK(loops[0].last() == 3);
  CHECK(loops[0].size() == 3);
  CHECK(sass::innermost_loops(f, loops) == std::vector<std::size_t>{0, 1, 1, 1, 0});
  const sass::counts inside = sass::count(f, loops[0]);
  CHECK(inside.instructions == 3);
  CHECK(inside[sass::kind::global_load] == 1);
  CHECK(inside[sass::kind::branch] == 1);
  CHECK(sass::count(f).backward_branches == 1);
}

TEST_CASE("a loop in a loop is counted in both, and knows its depth") {
  const sass::function f = make_function({{".L_x_0:"},
                                          {"MOV R0, RZ"},
                                          {".L_x_1:"},
                                          {"IADD3 R0, R0, 0x1, RZ"},
                                          {"@P0 BRA `(.L_x_1)"},
                                          {"@P1 BRA `(.L_x_0)"},
                                          {"EXIT"}});
  const auto loops = sass::find_loops(f);
  REQUIRE(loops.size() == 2);
  CHECK(loops[0].size() == 4);
  CHECK(loops[0].depth == 1);
  CHECK(loops[1].size() == 2);
  CHECK(loops[1].depth == 2);
  CHECK(sass::innermost_loops(f, loops) == std::vector<std::size_t>{1, 2, 2, 1, 0});
}

TEST_CASE("code that was moved after the end and jumps back is not a loop") {
  const sass::function f = make_function(
      {{"@P0 BRA `(.L_x_1)"}, {".L_x_0:"}, {"MOV R0, RZ"}, {"EXIT"}, {".L_x_1:"}, {"MOV R1, RZ"}, {"BRA `(.L_x_0)"}});
  CHECK(sass::find_loops(f).empty());
  CHECK(sass::count(f).backward_branches == 0);
}

TEST_CASE("the padding after the end is not a loop and is not counted") {
  const sass::function f = make_function({{"EXIT"}, {".L_x_0:"}, {"BRA `(.L_x_0)"}, {"NOP"}, {"NOP"}});
  CHECK(f.size() == 1);
  CHECK(sass::find_loops(f).empty());
  CHECK(sass::count(f).instructions == 1);
}

TEST_CASE("the prologue ends before the first access to memory, barrier, branch or loop") {
  CHECK(sass::prologue_size(make_function({{"LDC R1, c[0x0][0x28]"},
                                           {"S2R R0, SR_TID.X", 1, 0},
                                           {"IMAD R2, R0, R0, R0", 1, 7, 7, 1},
                                           {"LDG.E R4, desc[UR4][R2.64]", 1, 0},
                                           {"EXIT"}})) == 3);
  CHECK(sass::prologue_size(make_function({{"MOV R0, RZ"}, {"BAR.SYNC 0x0"}, {"EXIT"}})) == 1);
  CHECK(sass::prologue_size(make_function(
            {{"MOV R0, RZ"}, {".L_x_0:"}, {"IADD3 R0, R0, R0, R0"}, {"@P0 BRA `(.L_x_0)"}, {"EXIT"}})) == 1);
}
