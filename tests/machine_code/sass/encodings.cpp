// Tests the decoding of the control field with instructions of this workbook's own kernels, which were decoded by hand.
//
// Each pair of words is what nvdisasm 13.2 prints for code of nvcc 13.0.88. The field's 21 bits begin at bit 105 of the
// instruction, which is bit 41 of the high word. So each derivation shifts the high word right by 41. Counted from the
// right, the result has 4 bits for the stall, 1 for yield, 3 for the write barrier, 3 for the read barrier, 6 for the
// wait mask and 4 for reuse.

#include "machine_code/sass/encoding.hpp"
#include "support/catch.hpp"

using sass::control;
using sass::decode_control;

TEST_CASE("a wide load raises a barrier for its result") {
  // sm_75, chapter 11: LDG.E.128.SYS R8, [R36]
  // 0x000ea800001eed00 >> 41 = 0x754 = 0000 000000 111 010 1 0100
  //   reuse 0, wait 0, read 111 = none, write 010 = 2, yield 1, stall 0100 = 4
  const control field = decode_control({0x0000000024087381, 0x000ea800001eed00});
  CHECK(field.stall == 4);
  CHECK(field.yield);
  CHECK(field.write_barrier == 2u);
  CHECK_FALSE(field.read_barrier);
  CHECK(field.wait_mask == 0);
  CHECK(field.reuse == 0);
  CHECK(sass::to_text(field) == "--:-:2:Y:4");
}

TEST_CASE("a reduction of a warp raises a barrier for its result") {
  // sm_80, chapter 9: REDUX.SUM.S32 UR4, R0
  // 0x000e24000000c200 >> 41 = 0x712 = 0000 000000 111 000 1 0010
  //   read 111 = none, write 000 = 0, yield 1, stall 0010 = 2
  CHECK(sass::to_text(decode_control({0x00000000000473c4, 0x000e24000000c200})) == "--:-:0:Y:2");
}

TEST_CASE("a store waits for its data, and signals when it has read its operands") {
  // sm_90, chapter 2: STS [R5], R0
  // 0x0041e20000000800 >> 41 = 0x20f1 = 0000 000100 000 111 1 0001
  //   wait 000100 = barrier 2, read 000 = 0, write 111 = none, yield 1, stall 0001 = 1
  const control field = decode_control({0x0000000005007388, 0x0041e20000000800});
  CHECK(field.wait_mask == 0b000100);
  CHECK(field.read_barrier == 0u);
  CHECK_FALSE(field.write_barrier);
  CHECK(sass::to_text(field) == "04:0:-:Y:1");
}

TEST_CASE("an operand that the next instruction also reads is kept in the reuse cache") {
  // sm_90, chapter 11: LEA R34, P0, R12.reuse, R8, 0x2
  // 0x048fe200078010ff >> 41 = 0x247f1 = 0001 001000 111 111 1 0001
  //   reuse 0001 = the first operand, wait 001000 = barrier 3, no barriers, yield 1, stall 1
  const control field = decode_control({0x000000080c227211, 0x048fe200078010ff});
  CHECK(field.reuse == 0b0001);
  CHECK(sass::to_text(field) == "08:-:-:Y:1");
}

TEST_CASE("the stall alone reveals a predicate's reader four cycles after its writer") {
  // sm_75, chapter 9: ISETP.LT.U32.AND.EX P0, PT, RZ, c[0x0][0x174], PT, P0
  // 0x000fc80003f01100 >> 41 = 0x7e4 = 0000 000000 111 111 0 0100
  //   no barriers, yield 0, stall 0100 = 4
  CHECK(sass::to_text(decode_control({0x00005d00ff007a0c, 0x000fc80003f01100})) == "--:-:-:-:4");
}

TEST_CASE("every bit of the field is read, and no bit next to it") {
  // 1111 111111 101 100 1 1111 = 0x1ffd9f: all reuse flags, waits for all barriers, read 5, write 4, yield, stall 15.
  constexpr std::uint64_t high = std::uint64_t{0x1ffd9f} << 41;
  const control field = decode_control({0, high});
  CHECK(field.reuse == 0b1111);
  CHECK(sass::to_text(field) == "3f:5:4:Y:15");
  CHECK(sass::to_text(decode_control({~std::uint64_t{0}, ~(std::uint64_t{0x1fffff} << 41)})) == "--:0:0:-:0");
}

TEST_CASE("the guard predicate is in the low word") {
  // Bits 12 to 15 are the fourth hexadecimal digit from the right: 7 means always, and 8 or more means that the guard
  // is negated.
  CHECK(sass::decode_guard({0x0000000806008981, 0}) == "@!P0");  // sm_90: @!P0 LDG.E R0, desc[UR8][R6.64]
  CHECK(sass::decode_guard({0x000027b000000947, 0}) == "@P0");   // sm_75: @P0 BRA
  CHECK(sass::decode_guard({0x00000000003c9947, 0}) == "@!P1");  // sm_90: @!P1 BRA
  CHECK(sass::decode_guard({0x0000000005007388, 0}).empty());    // sm_90: STS [R5], R0
  CHECK(sass::decode_guard({0xf000, 0}) == "@!PT");
}

TEST_CASE("the layout is known from Volta to Hopper, refused before, expected after") {
  CHECK(sass::layout_of(61) == sass::layout::older);
  CHECK(sass::layout_of(70) == sass::layout::known);
  CHECK(sass::layout_of(90) == sass::layout::known);
  CHECK(sass::layout_of(100) == sass::layout::expected);
  CHECK(sass::layout_of(121) == sass::layout::expected);
}

TEST_CASE("architectures are read with their suffixes, and nothing else is") {
  CHECK(sass::architecture_number("sm_90") == 90u);
  CHECK(sass::architecture_number("sm_90a") == 90u);
  CHECK(sass::architecture_number("sm_100f") == 100u);
  CHECK_FALSE(sass::architecture_number("sm_"));
  CHECK_FALSE(sass::architecture_number("sm_9x"));
  CHECK_FALSE(sass::architecture_number("sm_90aa"));
  CHECK_FALSE(sass::architecture_number("compute_90"));
}
