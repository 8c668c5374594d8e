// PTX ISA, "Data Movement and Conversion Instructions" (ld, st, cvta, isspacep), "State Spaces", and the atomics.

#include <algorithm>
#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

/// 16 bytes that belong to the thread: the code that sets `%w0` to their address, and the suffix of `ld` and `st` for
/// their state space.
struct place {
  const char* name;
  std::string address;
  std::string space;
};

/// Returns places in global, shared and local memory, each with its own state space and with a generic address.
const std::vector<place>& places() {
  static const std::string shared =
      ".shared .align 16 .b8 tile[2048];\nmov.u64 %w0, tile;\nmul.wide.u32 %w1, %t, 16;\nadd.u64 %w0, %w0, %w1;\n";
  static const std::string local = ".local .align 16 .b8 own[16];\nmov.u64 %w0, own;\n";
  static const std::string global = "add.u64 %w0, %out, 16;\n";
  static const std::vector<place> all = {{"global", global, ".global"},
                                         {"shared", shared, ".shared"},
                                         {"local", local, ".local"},
                                         {"generic global", global + "cvta.global.u64 %w0, %w0;\n", ""},
                                         {"generic shared", shared + "cvta.shared.u64 %w0, %w0;\n", ""},
                                         {"generic local", local + "cvta.local.u64 %w0, %w0;\n", ""}};
  return all;
}

/// Replaces every `@` in `ld@`, `st@`, `atom@` and `red@` by the state space of `where`, after code that computes the
/// address.
std::string in(const place& where, std::string text) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, where.space);
  return "{\n" + where.address + text + "\n}";
}

void check_everywhere(const std::string& text, const std::vector<row>& rows) {
  for (const place& where : places()) {
    INFO(where.name);
    check(in(where, text), rows);
  }
}

/// Checks the old and the new value of an atomic in global and shared memory, and also `red` if it exists.
void check_atomic(const std::string& operation, const std::vector<row>& rows, bool has_red = true) {
  const bool wide = operation.find("64") != std::string::npos, cas = operation.find("cas") == 0;
  const std::string l = wide ? "l" : "", type = wide ? ".b64 " : ".b32 ";
  const std::string sources = "%" + l + "b" + (cas ? ", %" + l + "c" : "") + ";\n";
  const std::string store = "st@" + type + "[%w0], %" + l + "a;\n", load = "ld@" + type + "%" + l + "d, [%w0];\n";
  std::vector<row> old = rows;
  for (row& r : old) r.expected = r.a;
  for (const place& where : places()) {
    if (std::string(where.name).find("local") != std::string::npos) continue;
    INFO(where.name);
    check(in(where, store + "atom@." + operation + " %" + l + "d, [%w0], " + sources), old);
    check(in(where, store + "atom@." + operation + " " + (wide ? "%w2" : "%r0") + ", [%w0], " + sources + load), rows);
    if (has_red) check(in(where, store + "red@." + operation + " [%w0], " + sources + load), rows);
  }
}

}  // namespace

TEST_CASE("narrow loads fill the register with the sign or with zeroes") {
  const std::uint64_t value = 0x8081828384858687;
  const std::string store = "st@.b64 [%w0], %la;\n";
  check_everywhere(store + "ld@.u8 %d, [%w0];", {{value, 0, 0, 0x87}});
  check_everywhere(store + "ld@.s8 %d, [%w0+7];", {{value, 0, 0, 0xffffff80}});
  check_everywhere(store + "ld@.s8 %hd, [%w0+6];", {{value, 0, 0, 0xff81}});
  check_everywhere(store + "ld@.s8 %ld, [%w0];", {{value, 0, 0, n(-0x79)}});
  check_everywhere(store + "ld@.u16 %d, [%w0+2];", {{value, 0, 0, 0x8485}});
  check_everywhere(store + "ld@.s16 %d, [%w0+2];", {{value, 0, 0, 0xffff8485}});
  check_everywhere(store + "ld@.s32 %ld, [%w0+4];", {{value, 0, 0, 0xffffffff80818283}});
  check_everywhere(store + "ld@.u32 %ld, [%w0+4];", {{value, 0, 0, 0x80818283}});
  check_everywhere(store + "ld@.b32 %d, [%w0+4];", {{value, 0, 0, 0x80818283}});
  check_everywhere(store + "ld@.b64 %ld, [%w0];", {{value, 0, 0, value}});
}

TEST_CASE("narrow stores do not change the neighbouring bytes") {
  const std::string store = "st@.b64 [%w0], %la;\n", load = "\nld@.b64 %ld, [%w0];";
  check_everywhere(store + "st@.u8 [%w0+3], %b;" + load,
                   {{0, 0x12345678, 0, 0x78000000}, {n(-1), 0, 0, 0xffffffff00ffffff}});
  check_everywhere(store + "st@.b16 [%w0+4], %hb;" + load, {{0, 0x5678, 0, 0x567800000000}});
  check_everywhere(store + "st@.u16 [%w0+6], %b;" + load, {{0, 0x12345678, 0, 0x5678000000000000}});
  check_everywhere(store + "st@.b32 [%w0+4], %b;" + load, {{7, 0xabcdef01, 0, 0xabcdef0100000007}});
  check_everywhere(store + "st@.b32 [%w0], 5;" + load, {{n(-1), 0, 0, 0xffffffff00000005}});
}

TEST_CASE("vector accesses move neighbours in order") {
  const std::string store = "st@.b64 [%w0], %la;\nst@.b64 [%w0+8], %lb;\n";
  const std::uint64_t low = 0x2222222211111111, high = 0x4444444433333333;
  check_everywhere(store + "ld@.v2.b32 {%r0, %d}, [%w0];", {{low, high, 0, 0x22222222}});
  check_everywhere(store + "ld@.v4.b32 {%r0, %r1, %r2, %d}, [%w0];", {{low, high, 0, 0x44444444}});
  check_everywhere(store + "ld@.v4.b32 {%r0, _, %d, _}, [%w0];", {{low, high, 0, 0x33333333}});
  check_everywhere(store + "ld@.v2.b64 {%w2, %ld}, [%w0];", {{low, high, 0, high}});
  check_everywhere(store + "ld@.v4.u16 {%h0, %h1, %h2, %hd}, [%w0];", {{0x4444333322221111, 0, 0, 0x4444}});
  check_everywhere(store + "ld@.v4.u8 {%r0, %r1, %r2, %d}, [%w0];", {{0x84332211, 0, 0, 0x84}});
  check_everywhere(store + "ld@.v4.s8 {%r0, %r1, %r2, %d}, [%w0];", {{0x84332211, 0, 0, 0xffffff84}});
  check_everywhere("st@.v2.b32 [%w0], {%a, %b};\nld@.b64 %ld, [%w0];", {{1, 2, 0, 0x200000001}});
  check_everywhere("st@.v4.b16 [%w0], {%ha, %hb, %hc, %ha};\nld@.b64 %ld, [%w0];", {{1, 2, 3, 0x0001000300020001}});
  check_everywhere("st@.v2.b64 [%w0], {%la, %lb};\nld@.b64 %ld, [%w0+8];", {{low, high, 0, high}});
  check_everywhere("st@.v4.u8 [%w0], {%a, %b, %c, %a};\nld@.b32 %d, [%w0];", {{0x101, 0x202, 0x303, 0x01030201}});
}

TEST_CASE("volatile and ordered accesses move the same bytes") {
  for (const place& where : places()) {
    if (std::string(where.name).find("local") != std::string::npos) continue;
    INFO(where.name);
    check(in(where, "st.volatile@.u32 [%w0], %a;\nld.volatile@.u32 %d, [%w0];"), {{7, 0, 0, 7}});
    check(in(where, "st.relaxed.gpu@.u64 [%w0], %la;\nld.relaxed.gpu@.u64 %ld, [%w0];"), {{n(-7), 0, 0, n(-7)}});
    check(in(where, "st.release.cta@.u32 [%w0], %a;\nfence.acq_rel.cta;\nld.acquire.cta@.u32 %d, [%w0];"),
          {{7, 0, 0, 7}});
  }
}

TEST_CASE("local memory is private to each thread, for any index") {
  const ptx_result r = run(R"(
    .local .align 4 .b8 own[128];
    mov.u64 %w0, own;
    mov.u32 %r0, 0;
    FILL:
    mul.wide.u32 %w1, %r0, 4;
    add.u64 %w1, %w0, %w1;
    mad.lo.u32 %r1, %t, 100, %r0;
    st.local.u32 [%w1], %r1;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p0, %r0, 32;
    @%p0 bra FILL;
    xor.b32 %r2, %lane, 5;
    mul.wide.u32 %w1, %r2, 4;
    add.u64 %w1, %w0, %w1;
    ld.local.u32 %r3, [%w1];
    st.global.u32 [%out], %r3;)",
                           64);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 64; ++t) CHECK(r.word(t) == 100 * t + ((t % 32) ^ 5));
}

TEST_CASE("kernel parameters are read with any width, and by a generic address") {
  check(
      "ld.param.v2.u32 {%r0, %r1}, [k_out];\nmov.b64 %w0, {%r0, %r1};\nld.param.u64 %w1, [k_out];\nsub.u64 %ld, %w0, "
      "%w1;",
      {{0, 0, 0, 0}});
  check(
      "ld.param.u32 %r0, [k_out+4];\nld.param.u64 %w1, [k_out];\nshr.u64 %w1, %w1, 32;\ncvt.u32.u64 %r1, %w1;\nsub.u32 "
      "%d, %r0, %r1;",
      {{0, 0, 0, 0}});
  check(
      "mov.b64 %w0, k_out;\ncvta.param.u64 %w0, %w0;\nld.u64 %w1, [%w0];\nld.param.u64 %w2, [k_out];\nsub.u64 %ld, "
      "%w1, %w2;",
      {{0, 0, 0, 0}});
}

TEST_CASE("device functions get their arguments and give results back") {
  ptx_launch wanted;
  wanted.declarations = R"(
.func (.param .b64 sum) add_pair(.param .b32 x, .param .align 8 .b8 pair[16])
{
.reg .b32 %r<4>; .reg .b64 %w<4>;
ld.param.u32 %r0, [x];
ld.param.u64 %w0, [pair];
ld.param.u64 %w1, [pair+8];
cvt.u64.u32 %w2, %r0;
add.u64 %w0, %w0, %w1;
add.u64 %w0, %w0, %w2;
st.param.b64 [sum], %w0;
ret;
}
)";
  wanted.body = R"({
.param .b32 p0; .param .align 8 .b8 p1[16]; .param .b64 r0;
st.param.b32 [p0], %a;
st.param.b64 [p1], %lb;
st.param.b64 [p1+8], %lc;
call.uni (r0), add_pair, (p0, p1);
ld.param.b64 %w5, [r0];
st.global.u64 [%out], %w5;
})";
  wanted.values = {{1, 20, 300}, {7, 0x100000000, 1}};
  wanted.threads = 2;
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  CHECK(r.wide(0) == 321);
  CHECK(r.wide(1) == 0x100000008);
}

TEST_CASE("module variables are initialised, and hold addresses of others") {
  ptx_launch wanted;
  wanted.declarations = R"(
.const .align 4 .b32 squares[4] = {0, 1, 4, 9};
.global .align 4 .u32 seven = 7;
.global .align 8 .u64 pointer = generic(seven);
.global .align 4 .b8 blank[64];
)";
  wanted.body = R"(
mov.u64 %w0, squares;
and.b32 %r0, %t, 3;
mul.wide.u32 %w1, %r0, 4;
add.u64 %w0, %w0, %w1;
ld.const.u32 %r1, [%w0];
st.global.u32 [%out], %r1;
ld.const.u32 %r1, [squares+8];
st.global.u32 [%out+4], %r1;
ld.global.u64 %w2, [pointer];
ld.u32 %r1, [%w2];
st.global.u32 [%out+8], %r1;
ld.global.u32 %r1, [blank+60];
st.global.u32 [%out+12], %r1;)";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  for (unsigned t = 0; t < 32; ++t) CHECK(r.word(t) == (t % 4) * (t % 4));
  CHECK(r.word(5, 1) == 4);
  CHECK(r.word(5, 2) == 7);
  CHECK(r.word(5, 3) == 0);
}

TEST_CASE("dynamic shared memory begins after the static memory") {
  ptx_launch wanted;
  wanted.declarations = ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .b8 fixed[20];\n";
  wanted.body = R"(
st.shared.u32 [fixed], %t;
mov.u64 %w0, dynamic;
mov.u64 %w1, fixed;
sub.u64 %w2, %w0, %w1;
st.global.u64 [%out], %w2;
mul.wide.u32 %w3, %t, 4;
add.u64 %w0, %w0, %w3;
st.shared.u32 [%w0], %t;
ld.shared.u32 %r0, [%w0];
st.global.u32 [%out+8], %r0;
mov.u32 %r1, %dynamic_smem_size;
st.global.u32 [%out+12], %r1;
mov.u32 %r1, %total_smem_size;
st.global.u32 [%out+16], %r1;)";
  wanted.dynamic_shared_bytes = 128;
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  CHECK(r.wide(0) == 32);  // 20 bytes, rounded up to the alignment of 16
  CHECK(r.word(9, 2) == 9);
  CHECK(r.word(0, 3) == 128);
  CHECK(r.word(0, 4) == 160);
  wanted.dynamic_shared_bytes = 124;
  CHECK_THAT(run(wanted).error, ContainsSubstring("Out of bounds of shared memory"));
}

TEST_CASE("cvta and isspacep know the windows") {
  const std::string shared = "{\n.shared .align 8 .b8 tile[64];\nmov.u64 %w0, tile;\ncvta.shared.u64 %w1, %w0;\n";
  check(shared + "isspacep.shared %p, %w1;\nisspacep.global %q, %w1;\n}", {{0, 0, 0, 1}});
  check(shared + "isspacep.local %p, %w1;\n}", {{0, 0, 0, 0}});
  check(shared + "cvta.to.shared.u64 %w2, %w1;\nsub.u64 %ld, %w2, %w0;\n}", {{0, 0, 0, 0}});
  check("isspacep.global %p, %out;\nisspacep.shared %q, %out;", {{0, 0, 0, 1}});
  check(
      "{\n.local .align 8 .b8 own[64];\nmov.u64 %w0, own;\ncvta.local.u64 %w1, %w0;\nisspacep.local %p, "
      "%w1;\nisspacep.global %q, %w1;\n}",
      {{0, 0, 0, 1}});
}

TEST_CASE("one generic access may reach several spaces") {
  const ptx_result r = run(R"(
    .shared .align 4 .b8 tile[128];
    .local .align 4 .b8 own[4];
    mul.wide.u32 %w2, %lane, 4;
    mov.u64 %w0, tile; cvta.shared.u64 %w0, %w0; add.u64 %w0, %w0, %w2;
    mov.u64 %w1, own; cvta.local.u64 %w1, %w1;
    rem.u32 %r0, %lane, 3;
    setp.eq.u32 %p0, %r0, 1;
    setp.eq.u32 %p1, %r0, 2;
    selp.b64 %w3, %w0, %out, %p0;
    selp.b64 %w3, %w1, %w3, %p1;
    add.u32 %r1, %lane, 1000;
    st.u32 [%w3], %r1;
    ld.u32 %r2, [%w3];
    st.global.u32 [%out+4], %r2;)");
  REQUIRE(r.error.empty());
  for (unsigned l = 0; l < 32; ++l) {
    CHECK(r.word(l, 1) == 1000 + l);
    CHECK(r.word(l, 0) == (l % 3 == 0 ? 1000 + l : untouched));
  }
}

TEST_CASE("accesses that must not be are faults in words") {
  CHECK_THAT(run("ld.global.u32 %r0, [%out+4096];", 32).error, ContainsSubstring("Out of bounds: thread"));
  CHECK_THAT(run("ld.global.u32 %r0, [%out+2];").error, ContainsSubstring("Misaligned"));
  CHECK_THAT(run("ld.global.v4.u32 {%r0,%r1,%r2,%r3}, [%out+8];").error, ContainsSubstring("multiple of 16"));
  CHECK_THAT(run("mov.u64 %w0, 0;\nst.global.u32 [%w0], %t;").error, ContainsSubstring("null pointer"));
  CHECK_THAT(run("{ .shared .b32 x; st.shared.u32 [x+4], %t; }").error,
             ContainsSubstring("Out of bounds of shared memory"));
  CHECK_THAT(run("{ .local .b32 x; mov.u64 %w0, x; st.local.u32 [%w0+65536], %t; }").error,
             ContainsSubstring("Out of bounds of a private array"));
  CHECK_THAT(run("{ .local .b32 x; mov.u64 %w0, x; cvta.local.u64 %w0, %w0; atom.add.u32 %r0, [%w0], 1; }").error,
             ContainsSubstring("where that cannot be done"));
  CHECK_THAT(run("mov.b64 %w0, k_out;\ncvta.param.u64 %w0, %w0;\nst.u64 [%w0], %out;").error,
             ContainsSubstring("where that cannot be done"));
  ptx_launch constant;
  constant.declarations = ".const .align 4 .u32 fixed = 1;\n";
  constant.body = "mov.u64 %w0, fixed;\nst.u32 [%w0], %t;";
  CHECK_THAT(run(constant).error, ContainsSubstring("constant memory"));
}

TEST_CASE("a fault names the thread whose access it was") {
  CHECK_THAT(run("setp.eq.u32 %p0, %t, 37;\nselp.b64 %w0, 4, %out, %p0;\nst.global.u32 [%w0], %t;", 64).error,
             ContainsSubstring("hread 37 writes"));
}

TEST_CASE("atomics give the old value and leave the new one") {
  check_atomic("add.u32", {{1, 2, 0, 3}, {0xffffffff, 1, 0, 0}});
  check_atomic("add.s32", {{1, n(-2), 0, n(-1)}});
  check_atomic("add.u64", {{0xffffffff, 1, 0, 0x100000000}});
  check_atomic("min.s32", {{n(-1), 1, 0, n(-1)}, {5, n(-7), 0, n(-7)}});
  check_atomic("min.u32", {{n(-1), 1, 0, 1}});
  check_atomic("max.s32", {{n(-1), 1, 0, 1}});
  check_atomic("max.u32", {{n(-1), 1, 0, n(-1)}});
  check_atomic("min.s64", {{n(-0x100000000), 1, 0, n(-0x100000000)}});
  check_atomic("max.u64", {{n(-0x100000000), 1, 0, n(-0x100000000)}});
  check_atomic("inc.u32", {{5, 7, 0, 6}, {7, 7, 0, 0}, {9, 7, 0, 0}, {0, 0, 0, 0}});
  check_atomic("dec.u32", {{5, 7, 0, 4}, {0, 7, 0, 7}, {9, 7, 0, 7}, {7, 7, 0, 6}});
  check_atomic("and.b32", {{0xff00, 0x0ff0, 0, 0x0f00}});
  check_atomic("or.b32", {{0xff00, 0x0ff0, 0, 0xfff0}});
  check_atomic("xor.b32", {{0xff00, 0x0ff0, 0, 0xf0f0}});
  check_atomic("or.b64", {{0x100000000, 1, 0, 0x100000001}});
  check_atomic("exch.b32", {{1, 2, 0, 2}}, false);
  check_atomic("exch.b64", {{1, n(-2), 0, n(-2)}}, false);
  check_atomic("cas.b32", {{5, 5, 9, 9}, {5, 6, 9, 5}}, false);
  check_atomic("cas.b64", {{n(-5), n(-5), 9, 9}, {5, 0x100000005, 9, 5}}, false);
  check_atomic("add.f32",
               {{bits(1.5f), bits(2.25f), 0, bits(3.75f)}, {bits(16777216.0f), bits(1.0f), 0, bits(16777216.0f)}});
  check_atomic("add.f64", {{bits(1.5), bits(0.25), 0, bits(1.75)}});
}

TEST_CASE("an atomic sum in single precision flushes subnormal numbers in global memory, not in shared memory") {
  const std::string text = "st@.b32 [%w0], %a;\nred@.add.f32 [%w0], %b;\nld@.b32 %d, [%w0];";
  const std::uint64_t largest = 0x007fffff;
  for (const place& where : places()) {
    if (std::string(where.name).find("local") != std::string::npos) continue;
    INFO(where.name);
    const bool flushes = std::string(where.name).find("global") != std::string::npos;
    check(in(where, text), {{1, 1, 0, flushes ? 0u : 2u}, {largest, 1, 0, flushes ? 0u : 0x00800000u}});
  }
}

TEST_CASE("atomics of many threads on one word lose nothing") {
  ptx_launch wanted;
  wanted.declarations =
      ".global .align 4 .u32 counter = 0;\n.global .align 4 .u32 ring = 0;\n.global .align 4 .u32 locked = 0;\n";
  wanted.threads = 96;
  wanted.blocks = 3;
  wanted.body = R"(
    atom.global.add.u32 %r0, [counter], 1;
    st.global.u32 [%out], %r0;
    atom.global.inc.u32 %r0, [ring], 6;
    st.global.u32 [%out+4], %r0;
    // adds 2 with compare-and-swap: lanes that lose try again
    ld.global.u32 %r1, [locked];
    AGAIN:
    add.u32 %r2, %r1, 2;
    atom.global.cas.b32 %r3, [locked], %r1, %r2;
    setp.ne.u32 %p0, %r3, %r1;
    mov.u32 %r1, %r3;
    @%p0 bra AGAIN;
    st.global.u32 [%out+8], %r1;)";
  const ptx_result r = run(wanted);
  REQUIRE(r.error.empty());
  std::vector<std::uint32_t> tickets = r.column(288), swapped = r.column(288, 2), around(7);
  for (const std::uint32_t x : r.column(288, 1)) ++around.at(x);
  std::sort(tickets.begin(), tickets.end());
  std::sort(swapped.begin(), swapped.end());
  for (unsigned k = 0; k < 288; ++k) {
    CHECK(tickets[k] == k);
    CHECK(swapped[k] == 2 * k);
  }
  for (unsigned k = 0; k < 7; ++k) CHECK(around[k] == (k == 0 ? 42 : 41));  // 288 = 41 * 7 + 1
}

}  // namespace emulator::simt::test
