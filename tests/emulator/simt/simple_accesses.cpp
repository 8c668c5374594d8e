// Makes loads and stores at random addresses with random masks. `run` compares what the shortcut through memory and the
// general path write, count and find.

#include <random>
#include <string>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

constexpr int shared_bytes = 1536, global_bytes = 2048;

template <typename... T>
const char* one_of(std::mt19937& random, T... texts) {
  const char* const all[] = {texts...};
  return all[random() % sizeof...(texts)];
}

/// The operands of an access: the type after `ld` or `st`, the registers, and the bytes per lane.
struct width {
  const char* type;
  const char* registers;
  int bytes;
};

/// Returns one load or store. A loaded value ends up in `%r20`.
std::string access(std::mt19937& random) {
  static constexpr width widths[] = {{".b32", "%r1", 4},
                                     {".b32", "%r1", 4},
                                     {".u32", "%r1", 4},
                                     {".f32", "%r1", 4},
                                     {".b64", "%w1", 8},
                                     {".v2.b32", "{%r1, %r2}", 8},
                                     {".v4.b32", "{%r1, %r2, %r3, %r4}", 16},
                                     {".v2.b64", "{%w1, %w2}", 16},
                                     {".u8", "%r1", 1},
                                     {".u16", "%r1", 2},
                                     {".s32", "%w1", 4}};
  const width& w = widths[random() % std::size(widths)];
  const bool load = random() % 5 < 3, in_shared = random() % 3 != 0, generic = random() % 4 == 0;
  const int limit = in_shared ? shared_bytes : global_bytes;
  static constexpr int strides[] = {0, 4, 8, 12, 32, 64, 132, -4, 2};
  // Most accesses are contiguous; few are misaligned or out of bounds.
  const int stride = random() % 4 != 0 ? w.bytes : strides[random() % std::size(strides)];
  int offset = static_cast<int>(random() % 8) * (random() % 3 == 0 ? w.bytes : 32 * w.bytes) + (stride < 0 ? 512 : 0);
  const int furthest = offset + (stride > 0 ? 95 * stride : 0) + w.bytes;
  if (furthest > limit && random() % 16 != 0) offset = 0;
  if (95 * stride + w.bytes > limit && random() % 16 != 0) return "";
  if ((stride % w.bytes != 0 || offset % w.bytes != 0) && random() % 24 != 0) return "";
  std::string text = "{\n.reg .pred %on;\nmov.b32 %r5, %t;\n";
  if (random() % 5 == 0) text += "mov.b32 %r5, %lane;\n";  // the same places in all warps
  switch (random() % 8) {                                  // as in tiles that are narrower than a warp
    case 0:
      text += "and.b32 %r5, %r5, 15;\n";
      break;
    case 1:
      text += "shr.u32 %r5, %r5, 4;\n";
      break;
    case 2:
      text += "xor.b32 %r5, %r5, 5;\n";
      break;
    default:
      break;
  }
  text += "mad.lo.s32 %r6, %r5, " + std::to_string(stride) + ", " + std::to_string(offset) + ";\n";
  text += "xor.b32 %r1, %r20, %t;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 2;\nadd.u32 %r4, %r1, 3;\n";
  text += "mov.b64 %w1, {%r1, %r2};\nmov.b64 %w2, {%r3, %r4};\n";
  std::string guard, behind;
  const unsigned how = random() % 6;
  if (how > 2) {
    text += "and.b32 %r7, %lane, " + std::to_string(how == 3 ? 1u << random() % 5 : random() % 32) + ";\n";
    if (how == 5)
      text += "setp.lt.u32 %on, %lane, " + std::to_string(1 + random() % 31) + ";\n";
    else
      text += std::string("setp.") + one_of(random, "eq", "ne") + ".u32 %on, %r7, 0;\n";
    guard = "@%on ";
  }
  if (!guard.empty() && random() % 2 == 0) {
    text += "@!%on bra over;\n";
    guard.clear();
    behind = "over:\n";
  }
  const std::string area = in_shared ? "tile" : "area", space = generic ? "" : in_shared ? ".shared" : ".global";
  std::string address = "[%r6]";
  if (!in_shared || generic || random() % 4 == 0) {
    text += "cvt.s64.s32 %w4, %r6;\nmov.u64 %w5, " + area + ";\nadd.u64 %w5, %w5, %w4;\n";
    if (generic) text += std::string("cvta.") + (in_shared ? "shared" : "global") + ".u64 %w5, %w5;\n";
    address = "[%w5]";
  }
  const std::string strength = random() % 30 == 0 ? ".volatile" : "";
  text += guard + (load ? "ld" : "st") + strength + space + w.type + " ";
  text += load ? std::string(w.registers) + ", " + address + ";\n" : address + ", " + w.registers + ";\n";
  text += behind;
  if (load) {
    text += "xor.b32 %r20, %r20, %r1;\nmov.b64 {%r8, %r9}, %w1;\nxor.b32 %r20, %r20, %r9;\nxor.b32 %r20, %r20, %r2;\n";
    text += "xor.b32 %r20, %r20, %r3;\nxor.b32 %r20, %r20, %r4;\nmov.b64 {%r8, %r9}, %w2;\nxor.b32 %r20, %r20, %r8;\n";
  }
  return text + "}\n";
}

}  // namespace

TEST_CASE("loads and stores do, cost and find the same in the short way and in the long one") {
  std::mt19937 random(2024);
  for (unsigned program = 0; program < 400; ++program) {
    ptx_launch wanted;
    wanted.declarations = ".file 1 \"k.cu\"\n.global .align 16 .b8 area[" + std::to_string(global_bytes) + "];\n";
    wanted.body = ".shared .align 16 .b8 tile[" + std::to_string(shared_bytes) + "];\nmov.b32 %r20, %t;\n";
    wanted.threads = program % 4 == 0 ? 80 : 96;
    wanted.blocks = 1 + program % 3;
    const unsigned barriers_of_ten = program % 5;
    for (unsigned k = 0; k < 24; ++k) {
      if (random() % 10 < barriers_of_ten)
        wanted.body += one_of(random, "bar.sync 0;\n", "bar.sync 0;\n", "bar.warp.sync 0xffffffff;\n");
      wanted.body += ".loc 1 " + std::to_string(k + 1) + " 1\n" + access(random);
    }
    wanted.body += "st.global.b32 [%out], %r20;\n";
    if (wanted.threads == 80) {  // the upper half of the last warp doesn't exist
      for (std::size_t at; (at = wanted.body.find("bar.warp.sync")) != std::string::npos;)
        wanted.body.replace(at, std::string("bar.warp.sync 0xffffffff;\n").size(), "bar.sync 0;\n");
    }
    const ptx_result result = run(wanted);
    INFO("program " << program << "\n" << wanted.body << result.error);
    REQUIRE(result.error.find("(what the kernel did") == std::string::npos);
    REQUIRE(result.error.find("(a shortcut") == std::string::npos);
  }
}

TEST_CASE("lanes among 32 words are out of bounds if the last one is") {
  for (int end = shared_bytes - 8; end <= shared_bytes + 8; end += 4) {
    ptx_launch wanted;
    wanted.body = ".shared .align 16 .b8 tile[" + std::to_string(shared_bytes) +
                  "];\nshr.u32 %r5, %lane, 1;\nmad.lo.s32 %r6, %r5, 4, " + std::to_string(end - 64) +
                  ";\nld.shared.b32 %r1, [%r6];\n";
    const ptx_result result = run(wanted);
    INFO(end << result.error);
    CHECK((result.error.find("Out of bounds") == 0) == (end > shared_bytes));
    CHECK(result.error.find("(a shortcut") == std::string::npos);
  }
}

}  // namespace emulator::simt::test
