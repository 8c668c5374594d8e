// Tests the kinds of instructions and the names of functions.

#include "machine_code/sass/instruction.hpp"
#include "machine_code/sass/text.hpp"
#include "support/catch.hpp"

using sass::kind;
using sass::kind_of;

TEST_CASE("an instruction's kind follows from its opcode") {
  CHECK(kind_of("LDG.E.128.SYS") == kind::global_load);
  CHECK(kind_of("STG.E") == kind::global_store);
  CHECK(kind_of("LDS.U") == kind::shared_load);
  CHECK(kind_of("STL.128") == kind::local_store);
  CHECK(kind_of("LDL") == kind::local_load);
  CHECK(kind_of("SHFL.DOWN") == kind::shuffle);
  CHECK(kind_of("REDUX.SUM.S32") == kind::warp_reduction);
  CHECK(kind_of("REDG.E.ADD.STRONG.GPU") == kind::atomic);
  CHECK(kind_of("ATOMG.E.INC.STRONG.GPU") == kind::atomic);
  CHECK(kind_of("BAR.SYNC.DEFER_BLOCKING") == kind::block_barrier);
  CHECK(kind_of("BRA.DIV") == kind::branch);
  CHECK(kind_of("IMAD.WIDE.U32") == kind::integer);
  CHECK(kind_of("MUFU.RCP") == kind::conversion);
  CHECK(kind_of("UBLKCP.S.G") == kind::bulk_copy);
  CHECK(kind_of("NEVERHEARD.OF") == kind::other);
}

TEST_CASE("the uniform datapath's instructions are of the kind of their like") {
  CHECK(kind_of("UIADD3.X") == kind::integer);
  CHECK(kind_of("ULDC.64") == kind::constant_load);
  CHECK(kind_of("UMOV") == kind::move);
}

TEST_CASE("a move that the multiplier does is a move") {
  CHECK(kind_of("IMAD.MOV.U32") == kind::move);
  CHECK(kind_of("IMAD.IADD") == kind::integer);
}

TEST_CASE("a load's width is that of its modifier, and 4 bytes without one") {
  const auto width = [](const std::string& words) { return sass_test::make_function({{words}}).code[0].width_bits(); };
  CHECK(width("LDG.E R0, desc[UR4][R2.64]") == 32);
  CHECK(width("LDG.E.64 R0, desc[UR4][R2.64]") == 64);
  CHECK(width("LDG.E.128 R0, desc[UR4][R2.64]") == 128);
  CHECK(width("LDG.E.U8 R0, desc[UR4][R2.64]") == 8);
  CHECK(width("IADD3 R0, R1, R2, R3") == 0);
}

TEST_CASE("kernels are shown by their C++ names, without result and parameters") {
  CHECK(sass::shown_name("_ZN8chapter68solution15reduce_unrolledILj128EiEEvPKT0_PS2_m") ==
        "chapter6::solution::reduce_unrolled<128u, int>");
  CHECK(sass::shown_name("_Z1kPi") == "k");
  CHECK(sass::shown_name("extern_c_kernel") == "extern_c_kernel");
  CHECK(sass::shown_name("f") == "f");
}
