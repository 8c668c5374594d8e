// Tests the parser with the disassembler's text, complete and damaged.

#include "machine_code/sass/checks.hpp"
#include "machine_code/sass/listing.hpp"
#include "machine_code/sass/parse.hpp"
#include "machine_code/sass/text.hpp"
#include "support/catch.hpp"

using sass_test::function_text;
using sass_test::line;

namespace {

const std::vector<line> loop = {{"//## File \"/src/a.cuh\", line 7"},
                                {"MOV R1, c[0x0][0x28]", 4},
                                {".L_x_0:"},
                                {"//## File \"/inc/vector.cuh\", line 40 inlined at \"/src/a.cuh\", line 9"},
                                {"//## File \"/src/a.cuh\", line 9"},
                                {"@!P0 LDG.E.128 R4, desc[UR6][R2.64]", 4, 2},
                                {"IADD3 R0, R4, R5, R0", 5, 7, 7, 4},
                                {"@P1 BRA `(.L_x_0)", 5},
                                {"EXIT", 5}};

/// Returns `text` with its first `what` replaced by `instead`.
std::string with(std::string text, const std::string& what, const std::string& instead) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), instead);
}

std::string complaint_about(const std::string& text) {
  try {
    static_cast<void>(sass::parse(text));
  } catch (const sass::error& damaged) {
    return damaged.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("an instruction is address, control, guard, opcode, operands and source line") {
  const std::vector<sass::function> all = sass::parse(function_text("_Z1kIiEvPT_", loop));
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "_Z1kIiEvPT_");
  CHECK(all[0].architecture == "sm_90");
  REQUIRE(all[0].code.size() == 5);
  const sass::instruction& load = all[0].code[1];
  CHECK(load.address == 0x10);
  CHECK(sass::to_text(load.scheduling) == "--:-:2:Y:4");
  CHECK(load.guard == "@!P0");
  CHECK(load.opcode == "LDG.E.128");
  CHECK(load.operands == "R4, desc[UR6][R2.64]");
  CHECK(load.what == sass::kind::global_load);
  CHECK(load.width_bits() == 128);
  // This is the kernel's own line, and not the line of the header from which code was inlined.
  CHECK(load.source.file == "/src/a.cuh");
  CHECK(load.source.line == 9);
  CHECK(all[0].code[0].source.line == 7);
}

TEST_CASE("labels become addresses") {
  const sass::function f = sass_test::make_function(loop);
  CHECK(f.code[3].target == 0x10u);
  CHECK(f.code[3].operands == "0x0010");
}

TEST_CASE("several functions are separate, and so are their labels") {
  const auto all = sass::parse(function_text("a", loop) + function_text("b", loop));
  REQUIRE(all.size() == 2);
  CHECK(all[1].name == "b");
  CHECK(all[1].code[3].target == 0x10u);
}

TEST_CASE("the number of registers is read from its place in the file") {
  const std::string text = with(function_text("a", loop), "\na:", "\n\t.sectioninfo\t@\"SHI_REGISTERS=33\"\na:");
  CHECK(sass::parse(text)[0].registers == 33);
}

TEST_CASE("damaged text is an error that names the line") {
  const std::string text = function_text("a", loop);
  CHECK(complaint_about(text) == "no complaint");
  CHECK_THAT(complaint_about(""), ContainsSubstring("no function"));
  CHECK_THAT(complaint_about("an essay\nof two lines\n"), ContainsSubstring("no function"));

  const std::string no_second = with(text, "                              /* 0x000", "\n/* 0x000");
  CHECK_THAT(complaint_about(no_second), ContainsSubstring("lacks its second word"));
  CHECK_THAT(complaint_about(no_second), ContainsSubstring("line 7 of the disassembly"));
  CHECK_THAT(complaint_about(text.substr(0, text.rfind("/* 0x"))), ContainsSubstring("lacks its second word"));
  CHECK_THAT(complaint_about(with(text, "/*0010*/", "/*0020*/")),
             ContainsSubstring("address 0x0020 instead of 0x0010"));
  CHECK_THAT(complaint_about(with(text, "/*0010*/", "/*00zz*/")), ContainsSubstring("not an address: 00zz"));
  CHECK_THAT(complaint_about(with(text, "/*0010*/", "/*0010")), ContainsSubstring("not an address"));
  CHECK_THAT(complaint_about(with(text, "`(.L_x_0)", "`(.L_x_9)")), ContainsSubstring(".L_x_9, which is nowhere"));
  CHECK_THAT(complaint_about(with(text, "/* 0x0000000000007000 */", "")), ContainsSubstring("-hex"));
  CHECK_THAT(complaint_about(with(text, "/* 0x0000000000007000 */", "/* 0xmud */")),
             ContainsSubstring("isn't a number"));
  CHECK_THAT(complaint_about(with(text, "MOV R1, c[0x0][0x28] ;", "")), ContainsSubstring("without an instruction"));
  CHECK_THAT(complaint_about(with(text, "\t.section\t", "\t.nosection\t")),
             ContainsSubstring("outside of any function"));
}

TEST_CASE("text cut anywhere is an error or less code, never a crash") {
  const std::string text = function_text("a", loop);
  std::size_t whole = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    try {
      whole += sass::parse(std::string_view(text).substr(0, size)).size();
    } catch (const sass::error& damaged) {
      REQUIRE(std::string(damaged.what()).size() > 10);
    }
  }
  CHECK(whole > 0);
  CHECK(whole < text.size());
}

TEST_CASE("text with any one character replaced is an error or other code, never a crash") {
  const std::string text = function_text("_Z1kPi", loop);
  std::size_t read = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char instead : {' ', '\n', ',', '[', 'R', '9', '.', '@'}) {
      std::string other = text;
      other[at] = instead;
      try {
        for (const sass::function& f : sass::parse(other)) {
          read += sass::check(f).size() + sass::listing(f, {}).size();
        }
      } catch (const sass::error& damaged) {
        REQUIRE(std::string(damaged.what()).size() > 10);
      }
    }
  }
  CHECK(read > text.size());
}

TEST_CASE("a file's name is read unchanged, although the disassembler escapes non-ASCII characters") {
  std::vector<line> lines = loop;
  lines.front().words = R"(//## File "/W\303\266rter/a.cuh", line 7)";
  const auto functions = sass::parse(function_text("k", lines));
  CHECK(functions.at(0).code.at(0).source.file == "/W\xc3\xb6rter/a.cuh");
}
