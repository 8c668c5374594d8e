// Tests how changes between two functions are found.

#include <nlohmann/json.hpp>

#include "machine_code/sass/difference.hpp"
#include "machine_code/sass/json.hpp"
#include "machine_code/sass/listing.hpp"
#include "machine_code/sass/text.hpp"
#include "support/catch.hpp"

using sass_test::make_function;

namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

const sass::function narrow =
    make_function({{"LDG.E R4, desc[UR4][R2.64]", 4, 2}, {"IADD3 R0, R4, R0, RZ", 5, 7, 7, 4}, {"EXIT"}});
const sass::function wide =
    make_function({{"LDG.E.128 R8, desc[UR6][R6.64]", 4, 1}, {"IADD3 R1, R8, R1, RZ", 5, 7, 7, 2}, {"EXIT"}});

}  // namespace

TEST_CASE("different registers and scheduling are not a difference, a different opcode is") {
  const auto steps = sass::align(narrow, wide);
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].what == sass::change::gone);
  CHECK(steps[0].from->opcode == "LDG.E");
  CHECK(steps[1].what == sass::change::came);
  CHECK(steps[1].to->opcode == "LDG.E.128");
  CHECK(steps[2].what == sass::change::none);
  CHECK(steps[3].what == sass::change::none);
}

TEST_CASE("a difference lists removed and added instructions") {
  const std::string text = joined(sass::difference(narrow, wide, 120));
  CHECK_THAT(text, ContainsSubstring("1 instructions gone, 1 came, 2 stayed"));
  CHECK_THAT(text, ContainsSubstring("- 0x0000  --:-:2:Y:4         LDG.E R4, desc[UR4][R2.64]\n"));
  CHECK_THAT(text, ContainsSubstring("+ 0x0000  --:-:1:Y:4         LDG.E.128 R8, desc[UR6][R6.64]  wide\n"));
  const nlohmann::json data = sass::to_json(narrow, wide);
  CHECK(data["gone"] == 1);
  CHECK(data["came"] == 1);
  CHECK(data["stayed"] == 2);
}

TEST_CASE("a function does not differ from itself") {
  CHECK_THAT(joined(sass::difference(wide, wide, 120)), ContainsSubstring("0 instructions gone, 0 came, 3 stayed"));
}

TEST_CASE("a listing folds the prologue, marks important instructions, and ends with counts by loop") {
  const sass::function f = make_function({{"LDC R1, c[0x0][0x28]"},
                                          {"MOV R0, RZ"},
                                          {".L_x_0:"},
                                          {"LDG.E.128 R4, desc[UR4][R2.64]", 4, 2},
                                          {"@P0 BRA `(.L_x_0)", 5, 7, 7, 4},
                                          {"BAR.SYNC 0x0"},
                                          {"STL [R1], R4"},
                                          {"SHFL.DOWN PT, R4, R3, 0x10, 0x1f", 2, 0},
                                          {"EXIT"}});
  sass::listing_style style;
  const std::string text = joined(sass::listing(f, style));
  CHECK_THAT(text, ContainsSubstring("2 instructions that only prepare, up to 0x0010"));
  CHECK_THAT(text, !ContainsSubstring("MOV R0, RZ"));
  CHECK_THAT(text, ContainsSubstring("LDG.E.128 R4, desc[UR4][R2.64]   1 wide"));
  for (const char* mark : {"bar\n", "local\n", "shfl\n"}) CHECK_THAT(text, ContainsSubstring(mark));
  CHECK_THAT(text, ContainsSubstring("loop 1: 0x0020-0x0030"));

  style.fold_prologue = false;
  CHECK_THAT(joined(sass::listing(f, style)), ContainsSubstring("MOV R0, RZ"));
  style.loop = 1;
  CHECK_THAT(joined(sass::listing(f, style)), !ContainsSubstring("BAR.SYNC"));
  style.loop = 2;
  CHECK_THROWS_WITH(sass::listing(f, style), ContainsSubstring("there is no loop 2"));
}

TEST_CASE("a listing has no colour unless requested") {
  sass::listing_style style;
  CHECK(joined(sass::listing(wide, style)).find('\033') == std::string::npos);
  style.color = true;
  CHECK(joined(sass::listing(wide, style)).find('\033') != std::string::npos);
}

TEST_CASE("only architectures with an undocumented layout have a warning") {
  CHECK(sass::warning_for("sm_75").empty());
  CHECK(sass::warning_for("sm_90a").empty());
  CHECK_THAT(sass::warning_for("sm_120"), ContainsSubstring("sm_120"));
}
