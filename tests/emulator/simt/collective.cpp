// PTX ISA, "Data Movement" (shfl) and "Parallel Synchronization and Communication Instructions" (vote, match, redux,
// activemask, elect).

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

/// The lane from which a lane reads, and whether it is in range, as defined in PTX ISA, "shfl.sync", semantics.
struct source {
  int lane;
  bool in_range;
};
source shuffle_source(const std::string& mode, int lane, int b, int c) {
  const int amount = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  int from = 0;
  bool good = false;
  if (mode == "up") {
    from = lane - amount;
    good = from >= most;
  } else {
    from = mode == "down" ? lane + amount : mode == "bfly" ? lane ^ amount : least | (amount & ~segment);
    good = from <= most;
  }
  return {good ? from : lane, good};
}

ptx_result shuffle(const std::string& mode, int b, int c) {
  return run("add.u32 %r0, %lane, 100;\nshfl.sync." + mode + ".b32 %r1|%p0, %r0, " + std::to_string(b) + ", " +
             std::to_string(c) +
             ", 0xffffffff;\nselp.b32 %r2, 1, 0, %p0;\nst.global.u32 [%out], %r1;\nst.global.u32 [%out+4], %r2;");
}

std::uint32_t lanes_where(unsigned count, bool (*f)(unsigned)) {
  std::uint32_t mask = 0;
  for (unsigned l = 0; l < count; ++l) mask |= (f(l) ? 1u : 0u) << l;
  return mask;
}

}  // namespace

TEST_CASE("shfl moves values as the ISA's semantics say, in all modes, amounts and segments") {
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (const int segment : {0, 16, 24, 28, 30, 31}) {  // segments of 32, 16, 8, 4, 2, 1 lanes
      for (const int clamp : {0, 7, 31}) {
        for (const int amount : {0, 1, 3, 8, 16, 31}) {
          const int c = segment << 8 | clamp;
          const ptx_result r = shuffle(mode, amount, c);
          CAPTURE(mode, segment, clamp, amount);
          REQUIRE(r.error.empty());
          for (int lane = 0; lane < 32; ++lane) {
            const source s = shuffle_source(mode, lane, amount, c);
            CAPTURE(lane);
            REQUIRE(r.word(static_cast<unsigned>(lane)) == static_cast<std::uint32_t>(100 + s.lane));
            REQUIRE(r.word(static_cast<unsigned>(lane), 1) == (s.in_range ? 1u : 0u));
          }
        }
      }
    }
  }
}

TEST_CASE("shfl in PTX does the same as __shfl_sync and its relatives") {
  // down by 4 in a whole warp: the last four lanes keep their own values
  ptx_result r = shuffle("down", 4, 0x1f);
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 100 + (l < 28 ? l + 4 : l));
  CHECK((r.word(27, 1) == 1 && r.word(28, 1) == 0));
  // down by 4 in segments of 8 lanes (c = (32 - 8) << 8 | 31): lanes 4 to 7 of each segment keep their own values
  r = shuffle("down", 4, 0x181f);
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 100 + (l % 8 < 4 ? l + 4 : l));
  // up by 1 (c = 0)
  r = shuffle("up", 1, 0);
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 100 + (l == 0 ? 0 : l - 1));
  // broadcast of lane 2 in each segment of 8
  r = shuffle("idx", 2, 0x181f);
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 100 + l / 8 * 8 + 2);
  // an amount of 33 is the same as 1
  r = shuffle("bfly", 33, 0x1f);
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 100 + (l ^ 1));
}

TEST_CASE("shfl from a lane that takes no part yields rubbish, not the lane's value, and only there") {
  const ptx_result r = run(R"(
    setp.ge.u32 %p0, %lane, 16;
    mov.u32 %r0, %lane;
    @%p0 bra done;
    shfl.sync.down.b32 %r1, %r0, 8, 0x1f, 0x0000ffff;
    st.global.u32 [%out], %r1;
done:)");
  REQUIRE(r.error.empty());
  CHECK(r.findings.empty());
  for (unsigned lane = 0; lane < 16; ++lane) {
    CAPTURE(lane);
    if (lane < 8)
      CHECK(r.word(lane) == lane + 8);
    else
      CHECK(r.word(lane) == 0x7fffdeadu);
  }
}

TEST_CASE("shfl takes a lane's own amount, and may overwrite its source") {
  const ptx_result r = run(R"(
    mul.lo.u32 %r0, %lane, 3;
    sub.u32 %r1, 31, %lane;
    shfl.sync.idx.b32 %r0, %r0, %r1, 0x1f, -1;
    st.global.u32 [%out], %r0;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) CHECK(r.word(l) == 3 * (31 - l));
}

TEST_CASE("shfl takes operands that were moved to registers, always or for some lanes") {
  const ptx_result r = run(R"(
    mov.u32 %r1, 2;
    mov.u32 %r2, 0;
    mov.u32 %r3, -1;
    shfl.sync.up.b32 %r4|%p0, %lane, %r1, %r2, %r3;
    setp.lt.u32 %p1, %lane, 16;
    @%p1 mov.u32 %r1, 3;
    shfl.sync.up.b32 %r5|%p0, %lane, %r1, %r2, %r3;
    add.u32 %r1, %r1, 1;
    shfl.sync.up.b32 %r6|%p0, %lane, %r1, %r2, %r3;
    st.global.u32 [%out], %r4;
    st.global.u32 [%out+4], %r5;
    st.global.u32 [%out+8], %r6;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned amount = l < 16 ? 3 : 2;
    CHECK(r.word(l, 0) == (l < 2 ? l : l - 2));
    CHECK(r.word(l, 1) == (l < amount ? l : l - amount));
    CHECK(r.word(l, 2) == (l < amount + 1 ? l : l - amount - 1));
  }
}

TEST_CASE("vote joins the lanes' predicates") {
  struct expected {
    std::string condition;
    unsigned all, any, uniform;
    std::uint32_t ballot;
  };
  for (const expected& e : {expected{"setp.lt.u32 %p0, %lane, 32;", 1, 1, 1, 0xffffffff},
                            {"setp.lt.u32 %p0, %lane, 5;", 0, 1, 0, 0x1f},
                            {"setp.gt.u32 %p0, %lane, 32;", 0, 0, 1, 0},
                            {"setp.eq.u32 %p0, %lane, 31;", 0, 1, 0, 0x80000000}}) {
    std::string text = e.condition + "\n";
    for (const char* mode : {"all", "any", "uni"})
      text += std::string("vote.sync.") + mode + ".pred %p" +
              (mode[1] == 'l'   ? "1"
               : mode[0] == 'a' ? "2"
                                : "3") +
              ", %p0, -1;\n";
    text += R"(vote.sync.ballot.b32 %r3, %p0, -1;
      vote.sync.ballot.b32 %r4, !%p0, -1;
      selp.b32 %r0, 1, 0, %p1; selp.b32 %r1, 1, 0, %p2; selp.b32 %r2, 1, 0, %p3;
      st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};
      st.global.b32 [%out+16], %r4;)";
    const ptx_result r = run(text);
    CAPTURE(e.condition);
    REQUIRE(r.error.empty());
    for (const unsigned l : {0u, 13u, 31u}) {
      CHECK(r.word(l, 0) == e.all);
      CHECK(r.word(l, 1) == e.any);
      CHECK(r.word(l, 2) == e.uniform);
      CHECK(r.word(l, 3) == e.ballot);
      CHECK(r.word(l, 4) == ~e.ballot);
    }
  }
}

TEST_CASE("the halves of a warp vote, match, reduce and shuffle apart") {
  const ptx_result r = run(R"(
    setp.lt.u32 %p0, %lane, 16;
    @%p0 bra LOW;
    vote.sync.ballot.b32 %r0, %p0, 0xffff0000;
    redux.sync.add.u32 %r1, %lane, 0xffff0000;
    match.any.sync.b32 %r2, 7, 0xffff0000;
    shfl.sync.bfly.b32 %r3, %lane, 1, 0x1f, 0xffff0000;
    activemask.b32 %r4;
    bra.uni JOIN;
    LOW:
    vote.sync.ballot.b32 %r0, %p0, 0xffff;
    redux.sync.add.u32 %r1, %lane, 0xffff;
    match.any.sync.b32 %r2, 7, 0xffff;
    shfl.sync.bfly.b32 %r3, %lane, 1, 0x1f, 0xffff;
    activemask.b32 %r4;
    JOIN:
    st.global.v4.b32 [%out], {%r0, %r1, %r2, %r3};
    activemask.b32 %r5;
    st.global.v2.b32 [%out+16], {%r4, %r5};)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    const bool low = l < 16;
    CHECK(r.word(l, 0) == (low ? 0xffffu : 0u));
    CHECK(r.word(l, 1) == (low ? 120u : 376u));  // 0 + … + 15, 16 + … + 31
    CHECK(r.word(l, 2) == (low ? 0x0000ffffu : 0xffff0000u));
    CHECK(r.word(l, 3) == (l ^ 1));
    CHECK(r.word(l, 4) == (low ? 0x0000ffffu : 0xffff0000u));
    CHECK(r.word(l, 5) == 0xffffffff);
  }
}

TEST_CASE("one collective serves groups with different member masks") {
  // even lanes have a mask of the even lanes, and odd lanes one of the odd lanes, in the same instruction
  const ptx_result r = run(R"(
    and.b32 %r0, %lane, 1;
    setp.eq.u32 %p0, %r0, 0;
    selp.b32 %r1, 0x55555555, 0xaaaaaaaa, %p0;
    redux.sync.add.u32 %r2, %lane, %r1;
    st.global.u32 [%out], %r2;
    redux.sync.max.u32 %r3, %lane, %r1;
    st.global.u32 [%out+4], %r3;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l) == (l % 2 == 0 ? 240u : 256u));  // 0 + 2 + … + 30, 1 + 3 + … + 31
    CHECK(r.word(l, 1) == (l % 2 == 0 ? 30u : 31u));
  }
}

TEST_CASE("match finds the lanes with the same value") {
  const ptx_result r = run(R"(
    rem.u32 %r0, %lane, 3;
    match.any.sync.b32 %r1, %r0, -1;
    cvt.u64.u32 %w0, %r0;
    shl.b64 %w0, %w0, 40;
    match.any.sync.b64 %r2, %w0, -1;
    match.all.sync.b32 %r3|%p0, %r0, -1;
    selp.b32 %r4, 1, 0, %p0;
    match.all.sync.b64 %r5|%p1, 77, -1;
    selp.b32 %r6, 1, 0, %p1;
    st.global.v4.b32 [%out], {%r1, %r2, %r3, %r4};
    st.global.v2.b32 [%out+16], {%r5, %r6};)");
  REQUIRE(r.error.empty());
  const std::uint32_t same[] = {lanes_where(32, [](unsigned l) { return l % 3 == 0; }),
                                lanes_where(32, [](unsigned l) { return l % 3 == 1; }),
                                lanes_where(32, [](unsigned l) { return l % 3 == 2; })};
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 0) == same[l % 3]);
    CHECK(r.word(l, 1) == same[l % 3]);
    CHECK(r.word(l, 2) == 0);
    CHECK(r.word(l, 3) == 0);
    CHECK(r.word(l, 4) == 0xffffffff);
    CHECK(r.word(l, 5) == 1);
  }
}

TEST_CASE("redux reduces integers over the member mask") {
  const auto reduce = [](const std::string& operation, const std::string& value) {
    const ptx_result r = run(value + "\nredux.sync." + operation + " %r1, %r0, -1;\nst.global.u32 [%out], %r1;");
    REQUIRE(r.error.empty());
    for (unsigned l = 1; l < 32; ++l) CHECK(r.word(l) == r.word(0));
    return r.word(0);
  };
  const std::string centred = "sub.u32 %r0, %lane, 10;";  // -10 … 21
  CHECK(reduce("add.s32", centred) == 176);               // 496 - 320
  CHECK(reduce("add.u32", "mov.u32 %r0, 0x10000000;") == 0);
  CHECK(reduce("min.s32", centred) == static_cast<std::uint32_t>(-10));
  CHECK(reduce("max.s32", centred) == 21);
  CHECK(reduce("min.u32", centred) == 0);
  CHECK(reduce("max.u32", centred) == 0xffffffff);
  CHECK(reduce("and.b32", "or.b32 %r0, %lane, 0x70;") == 0x70);
  CHECK(reduce("or.b32", "or.b32 %r0, %lane, 0x40;") == 0x5f);
  CHECK(reduce("xor.b32", "add.u32 %r0, %lane, 1;") == 0x20);  // 1 ^ 2 ^ … ^ 31 is 0
}

TEST_CASE("elect chooses one lane, always the same") {
  const ptx_result r = run(R"(
    setp.lt.u32 %p0, %lane, 5;
    @%p0 bra OUT;
    elect.sync %r0|%p1, 0xffffffe0;
    selp.b32 %r1, 1, 0, %p1;
    st.global.v2.b32 [%out], {%r0, %r1};
    elect.sync _|%p2, 0xffffffe0;
    selp.b32 %r1, 1, 0, %p2;
    st.global.b32 [%out+8], %r1;
    OUT:)");
  REQUIRE(r.error.empty());
  unsigned leaders = 0;
  for (unsigned l = 5; l < 32; ++l) {
    CHECK(r.word(l, 0) == r.word(5, 0));
    CHECK(r.word(l, 1) == (l == r.word(5, 0) ? 1 : 0));
    CHECK(r.word(l, 2) == r.word(l, 1));
    leaders += r.word(l, 1);
  }
  CHECK(leaders == 1);
}

TEST_CASE("lanes that have left are not waited for, and a partial warp is complete") {
  const ptx_result left = run(R"(
    setp.ge.u32 %p0, %lane, 20;
    @%p0 ret;
    vote.sync.ballot.b32 %r0, %p, -1;
    activemask.b32 %r1;
    st.global.v2.b32 [%out], {%r0, %r1};)");
  REQUIRE(left.error.empty());
  CHECK(left.word(3, 0) == 0xfffff);
  CHECK(left.word(3, 1) == 0xfffff);
  const ptx_result partial =
      run("vote.sync.ballot.b32 %r0, %p, -1;\nredux.sync.add.u32 %r1, %lane, -1;\nst.global.v2.b32 [%out], {%r0, %r1};",
          39);
  REQUIRE(partial.error.empty());
  CHECK(partial.word(0, 0) == 0xffffffff);
  CHECK(partial.word(32, 0) == 0x7f);
  CHECK(partial.word(38, 1) == 21);  // 0 + … + 6
}

TEST_CASE("a lane that its own member mask leaves out is an error") {
  CHECK_THAT(run("shfl.sync.idx.b32 %r0, %lane, 0, 0x1f, 0x0000ffff;").error,
             ContainsSubstring("lanes 16-31 take part in shfl.sync.idx.b32"));
  CHECK_THAT(run("vote.sync.any.pred %p0, %p, 0xfffffffe;").error,
             ContainsSubstring("lane 0 takes part in vote.sync.any.pred"));
}

TEST_CASE("lanes that wait for one that never comes are a deadlock in words") {
  const std::string text = run(R"(
    setp.lt.u32 %p0, %lane, 16;
    @%p0 bra LOW;
    bar.sync 0;
    ret;
    LOW:
    vote.sync.any.pred %p1, %p, -1;)")
                               .error;
  CHECK_THAT(text, ContainsSubstring("lanes 0-15 wait in vote.sync.any.pred"));
  CHECK_THAT(text, ContainsSubstring("lanes 16-31 wait at block barrier 0"));
}

}  // namespace emulator::simt::test
