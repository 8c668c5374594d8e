// Packed 16-bit integers (`max.s16x2`) and video instructions, scalar and on the parts of a register (PTX ISA, "Video
// Instructions"). nvcc emits some of them for its `__v…` functions, and they are used in inline assembly.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {
namespace {

using ptx::instruction;
using ptx::operand;

/// The operation on the parts of `a` and `b`.
enum class what : std::uint8_t {
  add,
  sub,
  average,
  distance,
  min,
  max,
  shift_left,
  shift_right,
  mad,
  eq,
  ne,
  lt,
  le,
  gt,
  ge
};
/// The combination of the result with `c`: none, an addition, or a merge into a part of it.
enum class then : std::uint8_t { nothing, add, merge };

/// `op::reconvergence`: the operation and the switches; `op::imm`: the parts.
struct settings {
  what operation : 4 = what::add;
  then second : 2 = then::nothing;
  bool signed_result : 1 = false, signed_a : 1 = false, signed_b : 1 = false, saturate : 1 = false;
  bool wraps : 1 = false;     ///< Shifts: the amount is taken modulo 32.
  bool adds_one : 1 = false;  ///< mad: adds one more.
  std::uint8_t unused : 4 = 0;

  [[nodiscard]] std::uint32_t packed() const { return std::bit_cast<std::uint16_t>(*this); }
  [[nodiscard]] static settings unpacked(std::uint32_t x) {
    return std::bit_cast<settings>(static_cast<std::uint16_t>(x));
  }
};

/// Returns part `k` of a word that consists of parts of `bits`.
std::int64_t part_of(std::uint64_t word, unsigned k, unsigned bits, bool is_signed) {
  const std::uint64_t cut = word >> (k * bits) & ((std::uint64_t{1} << bits) - 1);
  const bool negative = is_signed && (cut >> (bits - 1) & 1u) != 0;
  return static_cast<std::int64_t>(negative ? cut | ~std::uint64_t{0} << bits : cut);
}

std::int64_t clamped(std::int64_t x, unsigned bits, bool is_signed) {
  const std::int64_t above = std::int64_t{1} << (is_signed ? bits - 1 : bits);
  return std::clamp(x, is_signed ? -above : std::int64_t{0}, above - 1);
}

/// Returns the result of the operation for two parts, which have been extended according to their types.
std::int64_t combined(const settings& s, std::int64_t a, std::int64_t b) {
  const std::int64_t sum = a + b;
  const auto amount = static_cast<unsigned>(s.wraps ? b & 31 : std::clamp<std::int64_t>(b & 0xffffffff, 0, 32));
  switch (s.operation) {
    case what::add:
      return sum;
    case what::sub:
      return a - b;
    case what::average:
      return (sum >= 0 ? sum + 1 : sum) >> 1;
    case what::distance:
      return a < b ? b - a : a - b;
    case what::min:
      return std::min(a, b);
    case what::max:
      return std::max(a, b);
    case what::shift_left:
      if (amount == 32 && a > 0x7fffffff)
        return 0x7fffffff'00000000;  // a larger value doesn't fit, and all of it is
                                     // beyond 32 bits
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << amount);
    case what::shift_right:
      return a >> amount;
    case what::eq:
      return a == b;
    case what::ne:
      return a != b;
    case what::lt:
      return a < b;
    case what::le:
      return a <= b;
    case what::gt:
      return a > b;
    case what::ge:
      return a >= b;
    case what::mad:
      break;
  }
  return 0;
}

/// Calls `f(a, b, c)` with each active lane's words.
template <typename F>
void each_word(warp& w, const op& o, F f) {
  const std::uint32_t* a = w.lanes<std::uint32_t>(o.a);
  const std::uint32_t* b = w.lanes<std::uint32_t>(o.b);
  const std::uint32_t* c = o.c == no_slot ? a : w.lanes<std::uint32_t>(o.c);
  std::uint32_t* d = w.lanes<std::uint32_t>(o.dst);
  for (const unsigned l : lanes_in(w.mask)) d[l] = f(a[l], b[l], c[l]);
}

/// `op::imm`: for each part, four bits that select from `a`, and after these for each part four bits that select from
/// `b`. The upper half of `op::reconvergence` holds the parts of the result that are written.
template <unsigned Parts>
void on_parts(warp& w, const op& o) {
  constexpr unsigned bits = 32 / Parts;
  settings s = settings::unpacked(o.reconvergence);
  const std::uint32_t written = o.reconvergence >> 16;
  const auto choice = static_cast<std::uint32_t>(o.imm);
  each_word(w, o, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = s.second == then::add ? c : 0;
    for (unsigned k = 0; k < Parts; ++k) {
      const bool is_written = (written >> k & 1u) != 0;
      std::int64_t t = combined(s, part_of(both, choice >> 4 * k & 7u, bits, s.signed_a),
                                part_of(both, choice >> (16 + 4 * k) & 7u, bits, s.signed_b));
      if (s.saturate) t = clamped(t, bits, s.signed_result);
      if (s.second == then::add) {
        if (is_written) result += static_cast<std::uint32_t>(t);
        continue;
      }
      if (!is_written) t = part_of(c, k, bits, false);
      result |= (static_cast<std::uint32_t>(t) & static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1))
                << bits * k;
    }
    return result;
  });
}

/// A part of a word: `bits` bits, starting at bit `at`.
struct selection {
  unsigned at = 0, bits = 32;
  [[nodiscard]] std::int64_t of(std::uint32_t word, bool is_signed) const {
    return part_of(word >> at, 0, bits, is_signed);
  }
};

/// `op::imm`: eight bits each for the selection from `a`, from `b` and of the result: its offset in bytes, then its
/// size in bytes.
void on_one(warp& w, const op& o) {
  const settings s = settings::unpacked(o.reconvergence);
  const auto choice = static_cast<std::uint32_t>(o.imm);
  const auto selected = [choice](unsigned k) {
    return selection{(choice >> 8 * k & 15u) * 8, (choice >> (8 * k + 4) & 15u) * 8};
  };
  const selection from_a = selected(0), from_b = selected(1), to = selected(2);
  each_word(w, o, [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    const std::int64_t x = from_a.of(a, s.signed_a), y = from_b.of(b, s.signed_b);
    const std::int64_t third = s.signed_result ? std::int64_t{static_cast<std::int32_t>(c)} : std::int64_t{c};
    const std::int64_t t = s.operation == what::mad ? x * y + third + (s.adds_one ? 1 : 0) : combined(s, x, y);
    switch (s.second) {
      case then::add:
        return static_cast<std::uint32_t>(t) + c;
      case then::merge: {
        const std::uint32_t kept = to.bits == 32 ? 0 : ~(((1u << to.bits) - 1) << to.at);
        return (c & kept) | (static_cast<std::uint32_t>(t) << to.at & ~kept);
      }
      default:
        return static_cast<std::uint32_t>(t);
    }
  });
}

template <typename T, what Operation, bool Relu>
void packed_halves(warp& w, const op& o) {
  each_word(w, o, [](std::uint32_t a, std::uint32_t b, std::uint32_t) {
    std::uint32_t result = 0;
    for (unsigned k = 0; k < 2; ++k) {
      const std::int32_t x = static_cast<T>(a >> 16 * k), y = static_cast<T>(b >> 16 * k);
      std::int32_t t = Operation == what::add ? x + y : Operation == what::min ? std::min(x, y) : std::max(x, y);
      if (Relu) t = std::max(t, 0);
      result |= (static_cast<std::uint32_t>(t) & 0xffffu) << 16 * k;
    }
    return result;
  });
}

template <what Operation>
void at_least_zero(warp& w, const op& o) {
  each_word(w, o, [](std::uint32_t a, std::uint32_t b, std::uint32_t) {
    const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    return static_cast<std::uint32_t>(std::max(0, Operation == what::min ? std::min(x, y) : std::max(x, y)));
  });
}

template <what Operation>
video_form packed_form(bool is_signed, bool relu) {
  if (!is_signed) return {packed_halves<std::uint16_t, Operation, false>};
  return {relu ? packed_halves<std::int16_t, Operation, true> : packed_halves<std::int16_t, Operation, false>};
}

/// Finds `add`, `min` and `max` on two 16-bit integers, and on 32-bit integers with `.relu`.
video_form find_packed(const instruction& i) {
  if (i.modifiers.empty()) return {};
  const bool relu = i.has("relu");
  const bool halves = i.has("s16x2") || i.has("u16x2"), is_signed = i.has("s16x2");
  const std::size_t words = i.modifiers.size();
  if (halves && words == (relu ? 2u : 1u) && (is_signed || !relu)) {
    if (i.opcode == "add" && !relu) return packed_form<what::add>(is_signed, false);
    if (i.opcode == "min") return packed_form<what::min>(is_signed, relu);
    if (i.opcode == "max") return packed_form<what::max>(is_signed, relu);
  }
  if (relu && i.has("s32") && words == 2) {
    if (i.opcode == "min") return {at_least_zero<what::min>};
    if (i.opcode == "max") return {at_least_zero<what::max>};
  }
  return {};
}

constexpr named<what> operations[] = {
    {"vadd", what::add}, {"vsub", what::sub}, {"vavrg", what::average},   {"vabsdiff", what::distance},
    {"vmin", what::min}, {"vmax", what::max}, {"vshl", what::shift_left}, {"vshr", what::shift_right},
    {"vmad", what::mad}, {"vset", what::eq}};
constexpr named<what> comparisons[] = {{"eq", what::eq}, {"ne", what::ne}, {"lt", what::lt},
                                       {"le", what::le}, {"gt", what::gt}, {"ge", what::ge}};

[[noreturn]] void refuse_selector(const std::string& selector) {
  throw unsupported("the selector ." + selector + " is not one of this instruction's");
}

/// Reads the digits after `letter`; the last one is that of part 0. \return  four bits per part
std::uint32_t read_choice(const std::string& selector, char letter, unsigned parts, unsigned first) {
  std::uint32_t choice = 0;
  if (selector.empty()) {
    for (unsigned k = 0; k < parts; ++k) choice |= (first + k) << 4 * k;
    return choice;
  }
  if (selector[0] != letter || selector.size() != parts + 1) refuse_selector(selector);
  for (unsigned k = 0; k < parts; ++k) {
    const auto digit = static_cast<unsigned>(selector[parts - k] - '0');
    if (digit >= 2 * parts) refuse_selector(selector);
    choice |= digit << 4 * k;
  }
  return choice;
}

std::uint32_t read_mask(const std::string& selector, char letter, unsigned parts) {
  if (selector.empty()) return (1u << parts) - 1;
  std::uint32_t mask = 0;
  if (selector[0] != letter) refuse_selector(selector);
  for (const char c : selector.substr(1)) {
    const auto digit = static_cast<unsigned>(c - '0');
    if (digit >= parts) refuse_selector(selector);
    mask |= 1u << digit;
  }
  return mask;
}

/// Returns eight bits: offset and size in bytes.
std::uint32_t read_part(const std::string& selector) {
  if (selector.empty()) return 4u << 4;
  const auto digit = static_cast<unsigned>(selector.size() == 2 ? selector[1] - '0' : 9);
  if (selector[0] == 'b' && digit < 4) return digit | 1u << 4;
  if (selector[0] == 'h' && digit < 2) return digit * 2 | 2u << 4;
  refuse_selector(selector);
}

/// Reads the modifiers one by one; the types are in the order result, `a`, `b`.
void read_modifiers(const instruction& i, settings& s) {
  unsigned types = s.operation == what::eq ? 1 : 0;  // the result of a comparison has no type
  bool compared = false;
  for (const std::string& m : i.modifiers) {
    const auto* comparison = std::ranges::find(comparisons, m, &named<what>::name);
    if (m == "s32" || m == "u32") {
      const bool is_signed = m == "s32";
      (types == 0 ? s.signed_result : types == 1 ? s.signed_a : s.signed_b) = is_signed;
      ++types;
    } else if (m == "sat") {
      s.saturate = true;
    } else if (m == "add") {
      s.second = then::add;
    } else if (s.operation == what::eq && comparison != std::end(comparisons) && !compared) {
      s.operation = comparison->value;
      compared = true;
      if (types != 3) throw unsupported("a comparison before the types");
    } else if (m == "wrap" || m == "clamp") {
      s.wraps = m == "wrap";
    } else if (s.operation == what::mad && m == "po") {
      s.adds_one = true;
    } else {
      throw unsupported("the modifier ." + m);
    }
  }
  if (types != 3) throw unsupported("this number of types");
  if (i.opcode.starts_with("vset")) {
    if (!compared) throw unsupported("a comparison without a name");
    s.saturate = false;
  }
}

/// 1024 scalar forms were compared with an H100. With these modifiers, the results for many types differed from those
/// that the PTX manual describes. The others, and all forms with two and four parts, agreed.
void refuse_what_gpus_do_otherwise(const instruction& i) {
  for (const char* word : {"sat", "shr7", "shr15", "min", "max"})
    if (i.has(word))
      throw unsupported(std::string(".") + word +
                        " of a video instruction on one part: GPUs give something else than the manual says");
  if (operand_of(i, 0).name.starts_with('h'))
    throw unsupported("a half as the result of a video instruction: GPUs give something else than the manual says");
}

}  // namespace

video_form find_video(const instruction& i) {
  if (const video_form packed = find_packed(i)) return packed;
  std::string_view name = i.opcode;
  unsigned parts = 1;
  if (name.size() > 1 && (name.back() == '2' || name.back() == '4')) {
    parts = name.back() == '2' ? 2 : 4;
    name.remove_suffix(1);
  }
  const auto* found = std::ranges::find(operations, name, &named<what>::name);
  if (found == std::end(operations)) return {};
  const bool scalar_only =
      found->value == what::mad || found->value == what::shift_left || found->value == what::shift_right;
  if ((parts > 1 && scalar_only) || (parts == 1 && found->value == what::average)) return {};
  settings s;
  s.operation = found->value;
  if (parts == 1) refuse_what_gpus_do_otherwise(i);
  read_modifiers(i, s);
  const operand& d = operand_of(i, 0);
  video_form form;
  if (parts == 1) {
    if (!d.name.empty()) s.second = then::merge;
    const bool has_third = i.operands.size() == 4;
    if (has_third != (s.second != then::nothing || s.operation == what::mad))
      throw unsupported("this number of operands");
    if (s.operation == what::mad && s.second != then::nothing) throw unsupported("a part of the result");
    form.run = on_one;
    form.sources = has_third ? 3 : 2;
    form.imm = static_cast<std::int32_t>(read_part(operand_of(i, 1).name) | read_part(operand_of(i, 2).name) << 8 |
                                         read_part(d.name) << 16);
    form.more = s.packed();
    return form;
  }
  if (i.operands.size() != 4) throw unsupported("this number of operands");
  const char letter = parts == 2 ? 'h' : 'b';
  form.run = parts == 2 ? on_parts<2> : on_parts<4>;
  form.sources = 3;
  form.imm = static_cast<std::int32_t>(read_choice(operand_of(i, 1).name, letter, parts, 0) |
                                       read_choice(operand_of(i, 2).name, letter, parts, parts) << 16);
  form.more = s.packed() | read_mask(d.name, letter, parts) << 16;
  return form;
}

}  // namespace emulator::simt
