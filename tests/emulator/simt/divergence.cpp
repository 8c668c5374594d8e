// PTX ISA, "Divergence of Threads in Control Constructs", "Control Flow Instructions" and "bar.warp.sync".
// Long because each case is a whole kernel.
//
// activemask shows which lanes run together. At a reconvergence point, all lanes that diverged are active again,
// because the emulator reconverges at the immediate post-dominator of the branch. The masks are derived by hand.

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr std::uint32_t all = 0xffffffff;

}  // namespace

TEST_CASE("if and else run separately and reconverge afterwards") {
  const ptx_result r = run(R"(
    activemask.b32 %r0;
    setp.lt.u32 %p0, %lane, 10;
    @%p0 bra THEN;
    activemask.b32 %r1;
    mov.u32 %r2, 2;
    bra.uni JOIN;
    THEN:
    activemask.b32 %r1;
    mov.u32 %r2, 1;
    JOIN:
    activemask.b32 %r3;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == all);
    CHECK(r.word(l, 1) == (l < 10 ? 0x3ffu : ~0x3ffu));
    CHECK(r.word(l, 2) == (l < 10 ? 1 : 2));
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("lanes also reconverge after an if without else") {
  const ptx_result r = run(R"(
    mov.u32 %r1, 0;
    setp.ne.u32 %p0, %lane, 7;
    @%p0 bra JOIN;
    activemask.b32 %r1;
    JOIN:
    activemask.b32 %r2;
    st.global.v2.b32 [%out], {%r1, %r2};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l == 7 ? 0x80u : 0u));
    CHECK(r.word(l, 1) == all);
  }
}

TEST_CASE("a branch that all lanes take, or none, does not part them") {
  const ptx_result r = run(R"(
    setp.lt.u32 %p0, %lane, 32;
    @%p0 bra TAKEN;
    mov.u32 %r1, 99;
    TAKEN:
    activemask.b32 %r0;
    @!%p0 bra NEVER;
    activemask.b32 %r1;
    NEVER:
    st.global.v2.b32 [%out], {%r0, %r1};)");
  REQUIRE(r.error.empty());
  CHECK(r.word(9, 0) == all);
  CHECK(r.word(9, 1) == all);
}

TEST_CASE("nested branches meet level by level") {
  // the warp diverges into lanes 0-15 and 16-31, and then the first half diverges into even and odd lanes
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    @%p0 bra HIGH;
    and.b32 %r5, %lane, 1;
    setp.eq.u32 %p1, %r5, 1;
    @%p1 bra ODD;
    activemask.b32 %r0;
    bra.uni INNER;
    ODD:
    activemask.b32 %r0;
    INNER:
    activemask.b32 %r1;
    bra.uni OUTER;
    HIGH:
    activemask.b32 %r0;
    mov.u32 %r1, 0;
    OUTER:
    activemask.b32 %r2;
    st.global.b32 [%out], %r0;
    st.global.v2.b32 [%out+8], {%r1, %r2};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l >= 16 ? 0xffff0000u : l % 2 == 0 ? 0x5555u : 0xaaaau));
    CHECK(r.word(l, 2) == (l >= 16 ? 0u : 0xffffu));
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("a loop runs for its remaining lanes, and all lanes reconverge after it") {
  // lane l runs l + 1 iterations: in iteration k the lanes k … 31 are active
  const ptx_result r = run(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    LOOP:
    activemask.b32 %r2;
    popc.b32 %r3, %r2;
    add.u32 %r1, %r1, %r3;
    add.u32 %r0, %r0, 1;
    setp.le.u32 %p0, %r0, %lane;
    @%p0 bra LOOP;
    activemask.b32 %r4;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r4};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    std::uint32_t together = 0;
    for (unsigned k = 0; k <= l; ++k) together += 32 - k;
    CHECK(r.word(l, 0) == l + 1);
    CHECK(r.word(l, 1) == together);
    CHECK(r.word(l, 2) == all << l);
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("lanes that break or continue reconverge after the loop") {
  // for (k = 0; k < 8; ++k) { if (k == lane) continue; if (k == lane - 8) break; work(); }
  const ptx_result r = run(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    mov.u32 %r2, 0;
    sub.u32 %r7, %lane, 8;
    LOOP:
    setp.eq.u32 %p0, %r0, %lane;
    @%p0 bra CONTINUE;
    setp.eq.u32 %p1, %r0, %r7;
    @%p1 bra BEHIND;
    activemask.b32 %r3;
    add.u32 %r1, %r1, 1;
    CONTINUE:
    activemask.b32 %r4;
    popc.b32 %r4, %r4;
    add.u32 %r2, %r2, %r4;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p2, %r0, 8;
    @%p2 bra LOOP;
    BEHIND:
    activemask.b32 %r5;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r5};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    // The path of lanes that break leads past the loop's end, so a lane that continues meets the others only after the
    // loop. In iteration k, lane k takes its own path and lane k + 8 leaves. So 30 - 2 k of the 32 lanes reach the end
    // together.
    const bool continues = l < 8, breaks = l >= 8 && l < 16;
    const unsigned rounds = breaks ? l - 8 : 8;
    const unsigned together = continues ? l : rounds;
    unsigned met = continues ? 8 - l : 0;  // iterations alone
    for (unsigned k = 0; k < together; ++k) met += 30 - 2 * k;
    CAPTURE(l);
    CHECK(r.word(l, 0) == rounds);
    CHECK(r.word(l, 1) == (continues ? 7 : rounds));
    CHECK(r.word(l, 2) == met);
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("nested loops meet at the end of each") {
  // outer loop: lane % 4 + 1 iterations; inner loop: one more than the outer iteration
  const ptx_result r = run(R"(
    and.b32 %r9, %lane, 3;
    mov.u32 %r0, 0;
    mov.u32 %r2, 0;
    OUTER:
    mov.u32 %r1, 0;
    INNER:
    add.u32 %r2, %r2, 1;
    add.u32 %r1, %r1, 1;
    setp.le.u32 %p0, %r1, %r0;
    @%p0 bra INNER;
    activemask.b32 %r3;
    add.u32 %r0, %r0, 1;
    setp.le.u32 %p1, %r0, %r9;
    @%p1 bra OUTER;
    activemask.b32 %r4;
    st.global.b32 [%out], %r2;
    st.global.v2.b32 [%out+8], {%r3, %r4};)");
  REQUIRE(r.error.empty());
  const std::uint32_t rest[] = {0xffffffff, 0xeeeeeeee, 0xcccccccc, 0x88888888};  // lanes with lane % 4 >= k
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned rounds = l % 4 + 1;
    CHECK(r.word(l, 0) == rounds * (rounds + 1) / 2);
    CHECK(r.word(l, 2) == rest[l % 4]);  // lanes with at least as many iterations
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("lanes that return early are not waited for") {
  const ptx_result r = run(R"(
    and.b32 %r0, %lane, 3;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra LEAVE;
    setp.eq.u32 %p1, %r0, 1;
    @%p1 exit;
    activemask.b32 %r1;
    st.global.b32 [%out], %r1;
    ret;
    LEAVE:
    activemask.b32 %r1;
    st.global.b32 [%out+4], %r1;
    ret;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l % 4 >= 2 ? 0xccccccccu : untouched));
    CHECK(r.word(l, 1) == (l % 4 == 0 ? 0x11111111u : untouched));
  }
}

TEST_CASE("lanes that return inside a branch leave the others to meet without them") {
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    @%p0 bra JOIN;
    setp.lt.u32 %p1, %lane, 4;
    @%p1 ret;
    mov.u32 %r0, 1;
    JOIN:
    activemask.b32 %r1;
    st.global.b32 [%out], %r1;
    bar.sync 0;
    activemask.b32 %r2;
    st.global.b32 [%out+4], %r2;)",
                           64);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 64; ++t) {
    CHECK(r.word(t, 0) == (t % 32 < 4 ? untouched : 0xfffffff0u));
    CHECK(r.word(t, 1) == (t % 32 < 4 ? untouched : 0xfffffff0u));
  }
}

TEST_CASE("threads that return before a barrier, as compilers write it, have left when the others come to it") {
  // if (t >= 40) return; … with one ret at the kernel's end
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %t, 40;
    @%p0 bra END;
    setp.lt.u32 %p1, %t, 3;
    @%p1 bra REST;
    mov.u32 %r0, 1;
    REST:
    bar.sync 0;
    activemask.b32 %r1;
    st.global.b32 [%out], %r1;
    END:
    ret;)",
                           64);
  REQUIRE(r.error.empty());
  CHECK(r.findings.empty());
  for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == (t < 32 ? all : t < 40 ? 0xffu : untouched));
}

TEST_CASE("a barrier of a number of threads does not wait for those that have left: what they wrote is a race") {
  // Warp 0 writes and exits. Warps 1 and 2 meet at the barrier and read.
  const auto run_with = [](const std::string& barrier) {
    ptx_launch wanted;
    wanted.declarations = ".shared .align 4 .b8 tile[128];\n";
    wanted.threads = 96;
    wanted.body = R"(
      mov.u32 %r0, tile;
      shl.b32 %r1, %lane, 2;
      add.u32 %r0, %r0, %r1;
      setp.ge.u32 %p0, %t, 32;
      @%p0 bra OTHERS;
      st.shared.u32 [%r0], %t;
      bra.uni END;
      OTHERS:
      )" + barrier +
                  R"(;
      ld.shared.u32 %r2, [%r0];
      st.global.u32 [%out], %r2;
      END:
      ret;)";
    return run(wanted);
  };
  for (const char* const of_all : {"bar.sync 0", "bar.sync 1"}) {
    INFO(of_all);
    const ptx_result r = run_with(of_all);
    REQUIRE(r.error.empty());
    CHECK(r.findings.empty());
  }
  const ptx_result r = run_with("bar.sync 1, 64");
  REQUIRE(r.error.empty());
  REQUIRE(r.findings.size() == 1);
  CHECK(r.seen.find("racecheck") != std::string::npos);
}

TEST_CASE("a warp barrier does not wait for lanes that have left: what they wrote is a race") {
  // Half of the warp writes and exits. The other half meets at the barrier and reads. Tests each half, and both orders.
  for (const bool lower_leaves : {false, true}) {
    for (const bool writers_jump : {false, true}) {
      INFO("the lower half leaves: " << lower_leaves << ", writers jump: " << writers_jump);
      ptx_launch wanted;
      wanted.declarations = ".shared .align 4 .b8 tile[128];\n";
      const std::string write = "st.shared.u32 [%r0], %t;\nret;\n";
      const std::string read = "bar.warp.sync " + std::string(lower_leaves ? "0xffff0000" : "0x0000ffff") +
                               ";\nld.shared.u32 %r2, [%r3];\nst.global.u32 [%out], %r2;\nret;\n";
      wanted.body =
          "mov.u32 %r4, tile;\nshl.b32 %r1, %lane, 2;\nadd.u32 %r0, %r4, %r1;\nxor.b32 %r1, %r1, 64;\n"
          "add.u32 %r3, %r4, %r1;\nsetp." +
          std::string(lower_leaves ? "lt" : "ge") + ".u32 %p0, %lane, 16;\n" +
          (writers_jump ? "@%p0 bra JUMP;\n" + read + "JUMP:\n" + write
                        : "@!%p0 bra JUMP;\n" + write + "JUMP:\n" + read);
      const ptx_result r = run(wanted);
      REQUIRE(r.error.empty());
      CHECK(r.seen.find("racecheck") != std::string::npos);
    }
  }
}

TEST_CASE(
    "a trap that no lane comes to keeps nobody from meeting: in the middle, at the end, under a guard, in a loop") {
  // Only thread 0 runs the middle part, in which it passes the trap. Then all threads have to meet at the barrier.
  const std::string begin = "mov.u32 %r1, 1;\nsetp.ne.u32 %p0, %t, 0;\nsetp.eq.u32 %p1, %t, 99;\n@%p0 bra MEET;\n";
  const std::string end = "MEET:\nbar.sync 0;\nactivemask.b32 %r2;\nst.global.v2.b32 [%out], {%r1, %r2};";
  const std::string middles[] = {
      "@!%p1 bra PAST;\ntrap;\nPAST:\nadd.u32 %r1, %r1, 1;\n" + end,
      "@!%p1 bra PAST;\nst.global.u32 [%out], %r1;\nbrkpt;\nPAST:\nadd.u32 %r1, %r1, 1;\n" + end,
      "@%p1 bra LAST;\nadd.u32 %r1, %r1, 1;\n" + end + "\nret;\nLAST:\ntrap;",
      "@%p1 trap;\nadd.u32 %r1, %r1, 1;\n" + end,
      "TOP:\nadd.u32 %r1, %r1, 1;\nsetp.eq.u32 %p1, %r1, 50;\n@!%p1 bra PAST;\ntrap;\nPAST:\n"
      "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra TOP;\n" +
          end};
  for (const std::string& middle : middles) {
    INFO(middle);
    const ptx_result r = run(begin + middle, 64);
    REQUIRE(r.error.empty());
    CHECK(r.findings.empty());
    for (unsigned t = 0; t < 64; ++t) {
      CHECK(r.word(t, 0) == (t == 0 ? 2u : 1u));
      CHECK(r.word(t, 1) == all);
    }
  }
}

// Lanes of half of a warp return, either before or after the others arrive at the barrier, since the order of the two
// paths depends on the branch.
TEST_CASE("lanes that return are not missed at any barrier of the block") {
  const std::string end =
      "\nst.global.b32 [%out], %r0;\nbra.uni GONE;\nLEAVES:\nadd.u32 %r0, %r0, 1;\nst.global.b32 [%out], %r0;\n"
      "GONE:\nret;";
  const std::string barriers[] = {
      "bar.sync 0;",
      "barrier.sync 0;",
      "setp.eq.u32 %p1, %lane, %lane;\nbar.red.and.pred %p2, 0, %p1;",
      "setp.eq.u32 %p1, %lane, %lane;\nbar.red.or.pred %p2, 0, %p1;",
      "setp.eq.u32 %p1, %lane, %lane;\nbar.red.popc.u32 %r1, 0, %p1;",
  };
  for (const std::string& barrier : barriers) {
    for (const std::string branch : {"@%p0 bra LEAVES;\n", "@!%p0 bra STAYS;\nbra.uni LEAVES;\nSTAYS:\n"}) {
      INFO(branch + barrier);
      const ptx_result r = run("setp.ge.u32 %p0, %lane, 16;\nmov.u32 %r0, 7;\n" + branch + barrier + end, 64);
      REQUIRE(r.error.empty());
      CHECK(r.findings.empty());
      for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == (t % 32 < 16 ? 7 : 8));
    }
  }
}

TEST_CASE("lanes that skip a barrier and run on are missed, also if they return later") {
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    @%p0 bra PAST;
    bar.sync 0;
    PAST:
    mov.u32 %r0, 7;
    st.global.b32 [%out], %r0;)",
                           64);
  REQUIRE(r.error.empty());
  CHECK(r.findings == std::vector<std::string>{"divergent barrier"});
}

TEST_CASE("lanes that skip a barrier with a number of threads are missed") {
  // 32 threads complete it: the lanes below 16 of both warps.
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    @%p0 bra PAST;
    bar.sync 1, 32;
    PAST:
    mov.u32 %r0, 7;
    st.global.b32 [%out], %r0;)",
                           64);
  REQUIRE(r.error.empty());
  CHECK(r.findings == std::vector<std::string>{"divergent barrier"});
}

TEST_CASE("a member mask is wrong if it names lanes that return while the others wait") {
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    @%p0 bra LEAVES;
    bar.warp.sync 0xffffffff;
    bra.uni GONE;
    LEAVES:
    mov.u32 %r0, 7;
    st.global.b32 [%out], %r0;
    GONE:
    ret;)");
  REQUIRE(r.error.empty());
  CHECK(r.findings == std::vector<std::string>{"bad member mask"});
}

TEST_CASE("brx.idx sends each lane its own way, and all reconverge afterwards") {
  const ptx_result r = run(R"(
    rem.u32 %r0, %lane, 3;
    TABLE: .branchtargets CASE0, CASE1, CASE0, CASE2;
    setp.eq.u32 %p0, %r0, 2;
    selp.u32 %r0, 3, %r0, %p0;
    brx.idx %r0, TABLE;
    CASE0:
    mov.u32 %r1, 100;
    activemask.b32 %r2;
    bra.uni JOIN;
    CASE1:
    mov.u32 %r1, 101;
    activemask.b32 %r2;
    bra.uni JOIN;
    CASE2:
    mov.u32 %r1, 102;
    activemask.b32 %r2;
    JOIN:
    activemask.b32 %r3;
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    std::uint32_t same = 0;
    for (unsigned k = l % 3; k < 32; k += 3) same |= 1u << k;
    CHECK(r.word(l, 1) == 100 + l % 3);
    CHECK(r.word(l, 2) == same);
    CHECK(r.word(l, 3) == all);
  }
}

TEST_CASE("brx.idx in a loop, where all lanes agree and where some return") {
  // a state machine: 0 → 1 → 2 → exit; lanes below 8 return in state 1
  const ptx_result r = run(R"(
    mov.u32 %r0, 0;
    mov.u32 %r1, 0;
    STEPS: .branchtargets FIRST, SECOND, THIRD;
    AGAIN:
    brx.idx %r0, STEPS;
    FIRST:
    add.u32 %r1, %r1, 1;
    bra.uni NEXT;
    SECOND:
    add.u32 %r1, %r1, 10;
    setp.lt.u32 %p0, %lane, 8;
    @%p0 bra GONE;
    bra.uni NEXT;
    THIRD:
    add.u32 %r1, %r1, 100;
    bra.uni BEHIND;
    NEXT:
    add.u32 %r0, %r0, 1;
    bra.uni AGAIN;
    GONE:
    st.global.b32 [%out], %r1;
    ret;
    BEHIND:
    activemask.b32 %r2;
    st.global.v2.b32 [%out], {%r1, %r2};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l < 8 ? 11 : 111));
    CHECK(r.word(l, 1) == (l < 8 ? untouched : 0xffffff00u));
  }
}

TEST_CASE("jumps without structure still compute the right thing and meet where all ways do") {
  // Two entries into one block and a jump across: A → {B, C}, B → {C, D}, C → D.
  const ptx_result r = run(R"(
    and.b32 %r0, %lane, 3;
    mov.u32 %r1, 0;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 bra C;
    add.u32 %r1, %r1, 1;
    setp.eq.u32 %p1, %r0, 1;
    @%p1 bra C;
    add.u32 %r1, %r1, 10;
    bra.uni D;
    C:
    add.u32 %r1, %r1, 100;
    D:
    activemask.b32 %r2;
    st.global.v2.b32 [%out], {%r1, %r2};)");
  REQUIRE(r.error.empty());
  const std::uint32_t expected[] = {100, 101, 11, 11};
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == expected[l % 4]);
    CHECK(r.word(l, 1) == all);
  }
}

TEST_CASE("a loop with two entries and two exits computes the right thing") {
  // Odd lanes jump into the middle of the loop. Multiples of 4 leave by a second exit. Every path counts what it
  // passes.
  const ptx_result r = run(R"(
    and.b32 %r0, %lane, 1;
    and.b32 %r1, %lane, 3;
    mov.u32 %r2, 0;
    mov.u32 %r3, 0;
    setp.eq.u32 %p0, %r0, 1;
    @%p0 bra MIDDLE;
    TOP:
    add.u32 %r2, %r2, 1;
    MIDDLE:
    add.u32 %r2, %r2, 100;
    add.u32 %r3, %r3, 1;
    setp.ge.u32 %p1, %r3, 3;
    setp.eq.and.u32 %p1, %r1, 0, %p1;
    @%p1 bra BACK;
    setp.lt.u32 %p2, %r3, 5;
    @%p2 bra TOP;
    add.u32 %r2, %r2, 10000;
    bra.uni JOIN;
    BACK:
    add.u32 %r2, %r2, 20000;
    JOIN:
    activemask.b32 %r4;
    st.global.v2.b32 [%out], {%r2, %r4};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    // Iterations through MIDDLE: 3 for lanes that leave by the second exit, and 5 for the others. Iterations through
    // TOP: the same, but one fewer for odd lanes.
    const std::uint32_t expected = l % 4 == 0 ? 20303u : l % 2 == 0 ? 10505u : 10504u;
    CHECK(r.word(l, 0) == expected);
    CHECK(r.word(l, 1) == all);
  }
}

TEST_CASE("a guard masks single instructions without parting the lanes") {
  const ptx_result r = run(R"(
    setp.lt.u32 %p0, %lane, 3;
    mov.u32 %r0, 5;
    @%p0 mov.u32 %r0, 6;
    @!%p0 add.u32 %r0, %r0, 10;
    @%p0 st.global.b32 [%out+4], %r0;
    @%p0 activemask.b32 %r2;
    activemask.b32 %r1;
    st.global.b32 [%out], %r0;
    st.global.b32 [%out+8], %r1;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l < 3 ? 6 : 15));
    CHECK(r.word(l, 1) == (l < 3 ? 6 : untouched));
    CHECK(r.word(l, 2) == all);
  }
}

TEST_CASE("a call inside a branch is made by those lanes only") {
  ptx_launch wanted;
  wanted.declarations = R"(
.func (.param .b32 y) early(.param .b32 x)
{
.reg .b32 %r<3>; .reg .pred %p<2>;
ld.param.u32 %r0, [x];
setp.lt.u32 %p0, %r0, 10;
@%p0 bra SMALL;
activemask.b32 %r1;
st.param.b32 [y], %r1;
ret;
SMALL:
st.param.b32 [y], 1;
ret;
}
)";
  wanted.body = R"(
    mov.u32 %r1, 0;
    setp.ge.u32 %p0, %lane, 24;
    @%p0 bra JOIN;
    {
    .param .b32 p0; .param .b32 r0;
    st.param.b32 [p0], %lane;
    call.uni (r0), early, (p0);
    ld.param.b32 %r1, [r0];
    }
    activemask.b32 %r2;
    JOIN:
    activemask.b32 %r3;
    st.global.b32 [%out], %r1;
    st.global.b32 [%out+4], %r3;)";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == (l < 10 ? 1u : l < 24 ? 0x00fffc00u : 0u));
    CHECK(r.word(l, 1) == all);
  }
}

}  // namespace emulator::simt::test
