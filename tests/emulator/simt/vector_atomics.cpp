// PTX ISA, "Parallel Synchronization and Communication Instructions": atom and red on vectors, in global memory only.

#include <cstdint>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

/// Sets `%w0` to the address of 16 bytes that belong to the thread.
std::string in_global(const std::string& text) {
  return "add.u64 %w0, %out, 16;\n" + text;
}

}  // namespace

TEST_CASE("atomics on vectors change each element, and give the old ones") {
  const std::string store = "st.global.b64 [%w0], %la;\n", load = "ld.global.b64 %ld, [%w0];\n";
  const std::uint64_t floats = bits(1.0f) | bits(2.0f) << 32;
  const row sum{floats, bits(0.5f), bits(-4.0f), bits(1.5f) | bits(-2.0f) << 32};
  check(in_global(store + "red.global.add.v2.f32 [%w0], {%b, %c};\n" + load), {sum});
  check(in_global(store + "red.relaxed.gpu.global.add.v2.f32 [%w0], {%b, %c};\n" + load), {sum});
  check(in_global(store + "cvta.global.u64 %w1, %w0;\nred.add.v2.f32 [%w1], {%b, %c};\n" + load), {sum});
  check(in_global(store + "atom.global.add.v2.f32 {%r0, %r1}, [%w0], {%b, %c};\nmov.b64 %ld, {%r0, %r1};\n"),
        {{floats, bits(0.5f), bits(-4.0f), floats}});
  check(in_global(store + "atom.global.add.v2.f32 {%r0, %r1}, [%w0], {%b, %c};\n" + load), {sum});
  check(in_global("st.global.v4.b32 [%w0], {%b, %b, %b, %b};\nred.global.add.v4.f32 [%w0], {%a, %b, %c, %a};\n"
                  "ld.global.b64 %ld, [%w0+8];\n"),
        {{bits(8.0f), bits(1.0f), bits(3.0f), bits(4.0f) | bits(9.0f) << 32}});
  // Halves: 0x3c00 is 1, 0x4000 is 2, 0x4200 is 3.
  check(in_global(store + "red.global.add.noftz.v2.f16x2 [%w0], {%b, %c};\n" + load),
        {{0x3c0040003c003c00, 0x3c003c00, 0x40003c00, 0x4200420040004000}});
  check(in_global("st.global.b64 [%w0], 0;\nred.global.add.noftz.v4.f16 [%w0], {%ha, %hb, %hc, %ha};\n" + load),
        {{0x3c00, 0x4000, 0x4200, 0x3c00420040003c00}});
}

TEST_CASE("a vector that does not fit its atomic is refused, and so is one in shared memory") {
  for (const char* text :
       {"red.global.add.v2.f32 [%out], {%r0, %r1, %r2};", "red.global.add.v4.f32 [%out], {%r0, %r1};",
        "red.global.add.v2.f32 [%out], %r0;", "red.global.add.v2.u32 [%out], {%r0, %r1};",
        "red.global.min.v2.f32 [%out], {%r0, %r1};", "red.shared.add.v2.f32 [%r0], {%r0, %r1};",
        "atom.global.add.v2.f32 %r0, [%out], {%r0, %r1};", "red.global.add.v8.f32 [%out], {%r0, %r1, %r2};"}) {
    INFO(text);
    CHECK_THAT(run(text).error, ContainsSubstring("vector"));
  }
  // The vector as a whole has to be aligned.
  CHECK_THAT(run("red.global.add.v2.f32 [%out+4], {%r0, %r1};").error, ContainsSubstring("Misaligned"));
}

}  // namespace emulator::simt::test
