// Long because it lists the instructions that it tests.
// Compares machine code with the interpreter. Both run random kernels, and run_ptx.cpp checks that they write, count
// and find the same. WORKBOOK_NATIVE_KERNELS=20000 tries 20000 kernels instead of a few, and WORKBOOK_NATIVE_SEED=7
// tries different ones.

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/simt/run_ptx.hpp"
#include "support/catch.hpp"

namespace emulator::simt::test {
namespace {

/// Instructions. A capital letter is replaced by a register of its kind (R 32 bits, W 64, H 16, P a predicate), `#` by
/// a number, `~` by a shift amount.
constexpr std::string_view templates[] = {
    "add.u32 R, R, R",
    "add.s32 R, R, #",
    "sub.u32 R, R, R",
    "sub.s32 R, #, R",
    "mul.lo.u32 R, R, R",
    "mul.lo.s32 R, R, #",
    "mad.lo.s32 R, R, R, R",
    "mad.lo.u32 R, R, #, R",
    "min.u32 R, R, R",
    "min.s32 R, R, #",
    "max.u32 R, R, #",
    "max.s32 R, R, R",
    "and.b32 R, R, R",
    "or.b32 R, R, #",
    "xor.b32 R, R, R",
    "not.b32 R, R",
    "neg.s32 R, R",
    "abs.s32 R, R",
    "shl.b32 R, R, ~",
    "shl.b32 R, R, R",
    "shr.u32 R, R, ~",
    "shr.u32 R, R, R",
    "shr.s32 R, R, ~",
    "shr.s32 R, R, R",
    "shr.b32 R, R, ~",
    "lop3.b32 R, R, R, R, 0x96",
    "lop3.b32 R, R, #, R, 0xe8",
    "div.u32 R, R, 16",
    "rem.u32 R, R, 64",
    "rem.u32 R, R, R",
    "div.u32 R, R, R",
    "div.s32 R, R, R",
    "rem.u32 R, R, 7",
    "selp.b32 R, R, R, P",
    "selp.b32 R, #, R, P",
    "mov.u32 R, R",
    "mov.u32 R, #",
    "mul.hi.u32 R, R, R",
    "popc.b32 R, R",
    "clz.b32 R, R",
    "brev.b32 R, R",
    "bfe.u32 R, R, 3, 7",
    "prmt.b32 R, R, R, 0x3021",
    "prmt.b32 R, R, R, 0x7406",
    "prmt.b32 R, R, R, 0x1d40",
    "shf.l.wrap.b32 R, R, R, ~",
    "slct.s32.s32 R, R, R, R",
    "set.lt.u32.u32 R, R, R",
    "add.cc.u32 R, R, R",
    "addc.u32 R, R, R",
    "add.u64 W, W, W",
    "add.s64 W, W, #",
    "sub.u64 W, W, W",
    "mul.lo.u64 W, W, W",
    "mad.lo.s64 W, W, W, W",
    "min.u64 W, W, W",
    "min.s64 W, W, W",
    "max.u64 W, W, W",
    "max.s64 W, W, W",
    "and.b64 W, W, W",
    "or.b64 W, W, W",
    "xor.b64 W, W, #",
    "not.b64 W, W",
    "neg.s64 W, W",
    "abs.s64 W, W",
    "shl.b64 W, W, ~",
    "shl.b64 W, W, R",
    "shr.u64 W, W, ~",
    "shr.u64 W, W, R",
    "shr.s64 W, W, R",
    "shr.b64 W, W, ~",
    "mul.wide.u32 W, R, R",
    "mul.wide.s32 W, R, #",
    "mad.wide.u32 W, R, R, W",
    "mad.wide.s32 W, R, R, W",
    "selp.b64 W, W, W, P",
    "div.u64 W, W, 8",
    "rem.u64 W, W, W",
    "div.s64 W, W, W",
    "mov.u64 W, W",
    "mov.b64 W, {R, R}",
    "mov.b64 {R, R}, W",
    "cvt.u64.u32 W, R",
    "cvt.s64.s32 W, R",
    "cvt.u32.u64 R, W",
    "cvt.s32.s64 R, W",
    "cvt.u32.u16 R, H",
    "cvt.s32.s16 R, H",
    "cvt.u16.u32 H, R",
    "cvt.u32.u8 R, R",
    "cvt.rn.f32.s32 R, R",
    "cvt.rn.f32.u32 R, R",
    "cvt.rzi.s32.f32 R, R",
    "cvt.f64.f32 W, R",
    "cvt.rn.f32.f64 R, W",
    "add.u16 H, H, H",
    "sub.s16 H, H, H",
    "mul.lo.u16 H, H, H",
    "min.u16 H, H, H",
    "max.s16 H, H, H",
    "and.b16 H, H, H",
    "xor.b16 H, H, H",
    "not.b16 H, H",
    "selp.b16 H, H, H, P",
    "mov.u16 H, H",
    "shl.b16 H, H, ~",
    "add.f32 R, R, R",
    "sub.f32 R, R, R",
    "mul.f32 R, R, R",
    "fma.rn.f32 R, R, R, R",
    "div.rn.f32 R, R, R",
    "sqrt.rn.f32 R, R",
    "min.f32 R, R, R",
    "max.f32 R, R, R",
    "neg.f32 R, R",
    "abs.f32 R, R",
    "add.ftz.f32 R, R, R",
    "mul.rz.f32 R, R, R",
    "rcp.rn.f32 R, R",
    "min.NaN.f32 R, R, R",
    "add.sat.f32 R, R, R",
    "fma.rn.ftz.f32 R, R, R, R",
    "add.f64 W, W, W",
    "sub.f64 W, W, W",
    "mul.f64 W, W, W",
    "div.rn.f64 W, W, W",
    "fma.rn.f64 W, W, W, W",
    "fma.rn.f64 W, W, 0d3FF8000000000000, W",
    "add.f64 W, W, 0d7FF8000000000001",
    "add.rz.f64 W, W, W",
    "sqrt.rn.f64 W, W",
    "neg.f64 W, W",
    "abs.f64 W, W",
    "min.f64 W, W, W",
    "setp.lt.u32 P, R, R",
    "setp.ge.s32 P, R, #",
    "setp.eq.u32 P, R, R",
    "setp.ne.s32 P, R, 0",
    "setp.gt.u32 P, R, #",
    "setp.le.s32 P, R, R",
    "setp.lt.u64 P, W, W",
    "setp.gt.s64 P, W, W",
    "setp.ne.u64 P, W, #",
    "setp.lt.u16 P, H, H",
    "setp.ge.s16 P, H, H",
    "setp.lt.f32 P, R, R",
    "setp.neu.f32 P, R, R",
    "setp.ltu.f32 P, R, R",
    "setp.num.f32 P, R, R",
    "setp.ge.f64 P, W, W",
    "setp.nan.f64 P, W, W",
    "setp.lt.and.u32 P, R, R, P",
    "setp.ge.or.s32 P, R, R, !P",
    "setp.eq.xor.u64 P, W, W, P",
    "setp.lt.u32 P|P, R, R",
    "and.pred P, P, P",
    "or.pred P, P, P",
    "xor.pred P, P, P",
    "not.pred P, P",
    "mov.pred P, P",
    "mov.u32 R, %laneid",
    "mov.u32 R, %tid.x",
    "mov.u32 R, %ctaid.x",
    "mov.u32 R, %ntid.x",
    "mov.u32 R, %nctaid.x",
    "mov.u32 R, %lanemask_lt",
};

/// Writes one kernel.
class writer {
 public:
  explicit writer(std::uint64_t seed) : random_(seed) {}

  ptx_launch kernel() {
    ptx_launch wanted;
    static constexpr unsigned sizes[] = {32, 64, 45, 96, 7};
    wanted.threads = sizes[pick(5)];
    wanted.blocks = 1 + pick(3);
    wanted.declarations = ".shared .align 16 .b8 tile[4096];\n";
    for (unsigned k = 0; k < 8; ++k) wanted.values.push_back({odd(), odd(), odd()});
    for (unsigned k = 0; k < wanted.threads * wanted.blocks; ++k) wanted.values.push_back({odd(), odd(), odd()});
    text_ =
        "mov.u32 %r30, tile;\nshl.b32 %r31, %t, 2;\nadd.u32 %r31, %r31, %r30;\nst.shared.u32 [%r31], %a;\n"
        "bar.sync 0;\n";
    for (unsigned k = 0; k < 16; ++k)
      line("mov.u32 %r" + std::to_string(k) + (k % 3 == 0 ? ", %a" : k % 3 == 1 ? ", %b" : ", %c"));
    for (unsigned k = 0; k < 8; ++k) line("mov.u64 %w" + std::to_string(k) + (k % 2 == 0 ? ", %la" : ", %lb"));
    for (unsigned k = 0; k < 4; ++k) line("mov.u16 %h" + std::to_string(k) + (k % 2 == 0 ? ", %ha" : ", %hb"));
    for (unsigned k = 0; k < 6; ++k)
      line("setp.lt.u32 %p" + std::to_string(k) + ", %lane, " + std::to_string(5 * k + 1));
    stretch(8 + pick(30), 0);
    line("mov.u32 %r20, 0");
    for (unsigned k = 0; k < 16; ++k) line("mad.lo.u32 %r20, %r20, 31, %r" + std::to_string(k));
    line("mov.u64 %w10, 0");
    for (unsigned k = 0; k < 8; ++k) line("mad.lo.u64 %w10, %w10, 31, %w" + std::to_string(k));
    for (unsigned k = 0; k < 4; ++k) line("cvt.u32.u16 %r21, %h" + std::to_string(k)), line("add.u32 %r20, %r20, %r21");
    for (unsigned k = 0; k < 6; ++k)
      line("selp.b32 %r21, " + std::to_string(1u << k) + ", 0, %p" + std::to_string(k)),
          line("xor.b32 %r20, %r20, %r21");
    line("st.global.u32 [%out], %r20");
    line("ld.shared.u32 %r22, [%r31]");
    line("st.global.u32 [%out+4], %r22");
    line("st.global.u64 [%out+8], %w10");
    wanted.body = text_;
    return wanted;
  }

 private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  /// Returns a number, which is often a special one.
  std::uint64_t odd() {
    static constexpr std::uint64_t some[] = {0,
                                             1,
                                             2,
                                             31,
                                             32,
                                             64,
                                             0x7fffffff,
                                             0x80000000,
                                             0xffffffff,
                                             0x7f800000,
                                             0xff800000,
                                             0x7fc00000,
                                             0x7f800001,
                                             0x00000001,
                                             0x80000001,
                                             0x007fffff,
                                             0x3f800000,
                                             0xbf800000,
                                             0x7fffffffffffffff,
                                             0x8000000000000000,
                                             0xffffffffffffffff,
                                             0x7ff0000000000000,
                                             0x7ff8000000000001,
                                             0x3ff0000000000000,
                                             16,
                                             128};
    return pick(2) == 0 ? some[pick(sizeof some / sizeof *some)] : random_();
  }
  void line(const std::string& text) { text_ += text + ";\n"; }
  std::string reg(const char* kind, unsigned count) { return std::string("%") + kind + std::to_string(pick(count)); }

  std::string instruction() {
    std::string made;
    std::string last;
    for (const char c : templates[pick(sizeof templates / sizeof *templates)]) {
      std::string word(1, c);
      if (c == 'R') word = reg("r", 16);
      if (c == 'W') word = reg("w", 8);
      if (c == 'H') word = reg("h", 4);
      if (c == 'P') word = reg("p", 6);
      // A pair of results needs two different registers.
      while ((c == 'P' || c == 'R') && word == last && (made.ends_with('|') || made.starts_with("mov.b64 {"))) {
        word = c == 'P' ? reg("p", 6) : reg("r", 16);
      }
      if (c == '#') word = std::to_string(static_cast<std::int32_t>(odd()));
      if (c == '~') word = std::to_string(pick(70));
      if (c == 'P' || c == 'R') last = word;
      made += word;
    }
    return made;
  }

  /// Adds a load or store: contiguous, uniform, or anywhere in the tile.
  void access() {
    const std::string r = reg("r", 16), w = reg("w", 8);
    switch (pick(9)) {
      case 0:
        return line("ld.shared.u32 " + r + ", [%r31]");
      case 1:
        return line("st.shared.u32 [%r31], " + r);
      case 2:
        return line("ld.shared.u32 " + r + ", [%r31+" + std::to_string(4 * pick(200)) + "]");
      case 3:
        return line("ld.shared.u32 " + r + ", [tile+" + std::to_string(4 * pick(64)) + "]");
      case 4:
        line("and.b32 %r23, " + reg("r", 16) + ", 0x3fc");
        line("add.u32 %r23, %r23, %r30");
        return line((pick(2) == 0 ? "ld.shared.u32 " + r + ", [%r23]" : "st.shared.u32 [%r23], " + r));
      case 5:
        return line("ld.global.u32 " + r + ", [%in+" + std::to_string(4 * pick(6)) + "]");
      case 6:
        line("shl.b32 %r23, %t, 3");
        line("add.u32 %r23, %r23, %r30");
        return line(pick(2) == 0 ? "ld.shared.u64 " + w + ", [%r23+1024]" : "st.shared.u64 [%r23+1024], " + w);
      case 7:
        line("shl.b32 %r23, %t, 4");
        line("and.b32 %r23, %r23, 0x7f0");
        line("add.u32 %r23, %r23, %r30");
        return line("ld.shared.v4.u32 {%r0, %r5, %r6, %r7}, [%r23]");
      default:
        line("mul.wide.u32 %w11, %t, 4");
        line("ld.param.u64 %w12, [k_in]");
        line("add.u64 %w11, %w11, %w12");
        return line(pick(3) == 0 ? "ld.global.v2.u32 {%r1, %r9}, [%w12]" : "ld.global.u32 " + r + ", [%w11]");
    }
  }

  void together() {
    const std::string r = reg("r", 16), a = reg("r", 16), amount = std::to_string(pick(33));
    static constexpr const char* modes[] = {"up", "down", "bfly", "idx"};
    const std::string mode = modes[pick(4)];
    const std::string segment = pick(3) == 0 ? "0x181f" : mode == "up" ? "0" : "31";
    line("activemask.b32 %r24");
    // Compilers move operands to registers first. If the move is predicated, the value is not known.
    const auto moved = [this](const char* to, const std::string& value) {
      if (pick(2) == 0) return value;
      line(std::string("mov.u32 ") + to + ", " + value);
      if (pick(4) == 0) line("@" + reg("p", 6) + " mov.u32 " + to + ", 1");
      return std::string(to);
    };
    if (pick(3) != 0) {
      const std::string by = pick(4) == 0 ? reg("r", 16) : moved("%r25", amount), within = moved("%r26", segment);
      if (whole_ && pick(2) == 0) {
        line("mov.u32 %r24, -1");
        if (pick(3) == 0) line(instruction());
      }
      line("shfl.sync." + mode + ".b32 " + r + "|" + reg("p", 6) + ", " + a + ", " + by + ", " + within + ", " +
           (whole_ && pick(2) == 0 ? "-1" : "%r24"));
    } else {
      line(std::string("bar.warp.sync ") + (whole_ ? "-1" : "%r24"));
    }
  }

  void stretch(unsigned length, unsigned depth) {
    for (unsigned k = 0; k < length; ++k) {
      const unsigned what = pick(depth == 0 ? 24 : 20);
      if (what < 13) {
        line(instruction());
      } else if (what < 16) {
        access();
      } else if (what == 16) {
        line((pick(2) == 0 ? "@" : "@!") + reg("p", 6) + " " + instruction());
      } else if (what < 20) {
        if (depth < 3) control(depth);
      } else if (what == 20 && full_warps_) {
        together();
      } else if (depth == 0) {
        line("bar.sync 0");
      }
    }
  }

  void control(unsigned depth) {
    const std::string label = "L" + std::to_string(labels_++);
    const std::string p = (pick(2) == 0 ? "@" : "@!") + reg("p", 6);
    const bool whole = std::exchange(whole_, false);
    switch (pick(4)) {
      case 0:
      case 1:  // if
        line(p + " bra " + label);
        stretch(1 + pick(6), depth + 1);
        text_ += label + ":\n";
        break;
      case 2:  // if, else
        line(p + " bra " + label);
        stretch(1 + pick(5), depth + 1);
        line("bra.uni " + label + "e");
        text_ += label + ":\n";
        stretch(1 + pick(5), depth + 1);
        text_ += label + "e:\n";
        break;
      default: {  // a loop, whose number of iterations may or may not be the same for all lanes
        const std::string counter = "%r" + std::to_string(25 + depth), test = "%p" + std::to_string(7 + depth % 3);
        line(pick(2) == 0 ? "mov.u32 " + counter + ", " + std::to_string(1 + pick(4))
                          : "and.b32 " + counter + ", %lane, 3");
        text_ += label + ":\n";
        stretch(1 + pick(4), depth + 1);
        line("sub.u32 " + counter + ", " + counter + ", 1");
        line("setp.gt.s32 " + test + ", " + counter + ", 0");
        line("@" + test + " bra " + label);
      }
    }
    whole_ = whole;
  }

  std::mt19937_64 random_;
  std::string text_;
  unsigned labels_ = 0;
  bool whole_ = false;  ///< True if all lanes of the warp run. Always false, because a warp may lack lanes.
  bool full_warps_ = true;
};

bool differs(const ptx_launch& kernel) {
  return run(kernel).error.find("machine code") != std::string::npos;
}

/// Removes as many lines as possible from a kernel while machine code and interpreter still differ on it.
ptx_launch reduced(ptx_launch kernel) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < kernel.body.size();) {
    const std::size_t end = kernel.body.find('\n', at);
    lines.push_back(kernel.body.substr(at, end + 1 - at));
    at = end + 1;
  }
  const auto joined = [](const std::vector<std::string>& of) {
    std::string text;
    for (const std::string& l : of) text += l;
    return text;
  };
  for (std::size_t many = lines.size() / 2; many > 0; many /= 2) {
    for (std::size_t at = 0; at + many <= lines.size();) {
      std::vector<std::string> fewer = lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at),
                  fewer.begin() + static_cast<std::ptrdiff_t>(at + many));
      kernel.body = joined(fewer);
      if (differs(kernel))
        lines = std::move(fewer);
      else
        at += many;
    }
  }
  kernel.body = joined(lines);
  return kernel;
}

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_CASE("machine code and interpreter agree on random kernels") {
  const std::uint64_t count = number("WORKBOOK_NATIVE_KERNELS", 200), first = number("WORKBOOK_NATIVE_SEED", 1) << 32;
  for (std::uint64_t k = 0; k < count; ++k) {
    const ptx_launch wanted = writer(first + k).kernel();
    const ptx_result r = run(wanted);
    INFO("kernel " << k << "\n" << r.error);
    REQUIRE(r.error.find("is not an instruction") == std::string::npos);
    // Both must report the errors of the kernel itself, such as an access outside the tile. Only differences matter
    // here.
    if (r.error.find("machine code") == std::string::npos) continue;
    const ptx_launch least = reduced(wanted);
    FAIL(least.threads << " threads, " << least.blocks << " blocks:\n" << least.body << run(least).error);
  }
}

}  // namespace emulator::simt::test
