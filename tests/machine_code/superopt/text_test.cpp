// Tests the text of targets: what is printed can be read back, and errors are reported with their line.

#include "support/catch.hpp"
#include "support/warp_targets.hpp"

using namespace superopt;

TEST_CASE("every target of the project's own is read, and its listing reads back as the same program") {
  REQUIRE(known_targets().size() >= 8);
  for (const std::string& name : known_targets()) {
    INFO(name);
    const target t = load_target(name);
    CHECK(parse_program(to_text(t.code)) == t.code);
  }
}

TEST_CASE("an instruction of every opcode reads back as it was printed") {
  for (const char* line :
       {"SHFL.DOWN r4, r3, 31", "SHFL.BFLY r0, r15, 0", "SHFL.IDX r1, rz, 7", "IADD r1, r2, rz", "IADD3 r1, r2, r3, rz",
        "LOP3 r1, r2, r3, r4, 0xe8", "IMNMX.MIN r1, r2, r3", "IMNMX.U32.MAX r1, r2, r3", "SEL r1, r2, r3, 0x0000ffff",
        "MOV r1, r2", "REDUX.SUM r1, r2", "REDUX.MAX.S32 r1, r2"}) {
    CHECK(to_text(parse_instruction(line)) == line);
  }
  // This is the machine code's name for the zero register.
  CHECK(to_text(parse_instruction("iadd3 R2, R255, r4, r3")) == "IADD3 r2, rz, r4, r3");
}

TEST_CASE("an invalid target is refused with its line and what would be valid") {
  struct expectation {
    const char* text;
    const char* words;
  };
  for (const auto& [text, words] :
       {expectation{"input r3\noutput r4\nFADD r4, r3, r3\n", "t:3: unknown opcode 'FADD'; there are SHFL.DOWN"},
        {"input r3\noutput r4\nIADD r4, r3\n", "t:3: IADD has 3 operands"},
        {"input r3\noutput r4\nMOV r16, r3\n", "'16' is not a register's number"},
        {"input r3\noutput r4\nMOV rz, r3\n", "rz cannot be written"},
        {"input r3\noutput r4\nSHFL.DOWN r4, r3, 32\n", "from 0 to 31"},
        {"input r3\noutput r4\nSHFL.DOWN r4, r3, -1\n", "'-1' is not a lane"},
        {"input r3\noutput r4\nLOP3 r4, r3, r3, r3, 256\n", "truth table"},
        {"input r3 lanes 5-\noutput r4\nMOV r4, r3\n", "t:1: '' is not a lane"},
        {"input r3 lanes 7-3\noutput r4\nMOV r4, r3\n", "no lanes"},
        {"input r3\nMOV r4, r3\n", "no output"},
        {"input r3\noutput r4\n", "no instruction"},
        {"input r3\noutput r4\nIADD r4, r3, r5\n",
         "`IADD r4, r3, r5` reads lanes 0-31 of r5, which nothing defines"}}) {
    INFO(text);
    CHECK_THAT(message_of([&] { (void)parse_target(text, "t"); }), ContainsSubstring(words));
  }
  std::string long_text = "input r3\noutput r4\n";
  for (unsigned k = 0; k <= max_instructions; ++k) long_text += "MOV r4, r3\n";
  CHECK_THAT(message_of([&] { (void)parse_target(long_text, "t"); }), ContainsSubstring("more than 48 instructions"));
  CHECK_THAT(message_of([] { (void)load_target("no_such_target"); }), ContainsSubstring("sum16"));
}

TEST_CASE("a target that reads lanes which its inputs do not define is refused, and names lanes and instruction") {
  // Lane 0 needs lane 16, but only 16 lanes are defined.
  const std::string text = "input r3 lanes 0-15\noutput r4 lanes 0\nSHFL.DOWN r5, r3, 16\nIADD r4, r3, r5\n";
  const std::string said = message_of([&] { (void)parse_target(text, "t"); });
  CHECK_THAT(said, ContainsSubstring("`SHFL.DOWN r5, r3, 16` reads lanes 16 of r3"));
  // Lane 15 reads lane 23, but lane 15 is not needed.
  CHECK(message_of([] { (void)load_target("sum16"); }).empty());
}
