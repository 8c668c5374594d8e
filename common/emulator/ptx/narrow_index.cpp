// Indices that are computed in 32 bits although they may not fit.

#include <algorithm>
#include <string_view>

#include "emulator/ptx/module.hpp"

namespace emulator::ptx {
namespace {

/// The contents of a register, as far as the analysis needs them. If a register has several values, the highest one
/// wins.
enum class content : std::uint8_t {
  other,
  row_number,    ///< Derived from %ctaid.y or %ctaid.z, in 32 bits.
  block_number,  ///< %ctaid.x, in 32 bits.
  narrow,        ///< A product with `block_number`, or a sum with such a product, in 32 bits.
  widened,       ///< Such a product after it was widened.
  rows,          ///< A row index in 64 bits, or a sum with one: the product only counts the elements of one row.
};

/// A product with a smaller factor isn't the index of a thread's own element.
constexpr std::uint64_t least_factor = 32;

class analysis {
 public:
  explicit analysis(const function& kernel) : kernel_(kernel), of_(kernel.registers.size(), content::other) {}

  std::vector<std::uint32_t> run() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const instruction& i : kernel_.instructions) changed |= follow(i);
    }
    std::vector<std::uint32_t> lines;
    for (const instruction& i : kernel_.instructions)
      if ((i.opcode == "ld" || i.opcode == "st") && i.has("global") && has_widened_address(i))
        lines.push_back(i.ptx_line);
    return lines;
  }

 private:
  [[nodiscard]] content of(const operand& o) const {
    if (o.what == operand::kind::reg) return of_[o.index];
    if (o.what != operand::kind::special) return content::other;
    if (o.name == "%ctaid.x") return content::block_number;
    return o.name == "%ctaid.y" || o.name == "%ctaid.z" ? content::row_number : content::other;
  }
  [[nodiscard]] bool has_widened_address(const instruction& i) const {
    return std::any_of(i.operands.begin(), i.operands.end(), [&](const operand& o) {
      return o.what == operand::kind::address && !o.elements.empty() && of(o.elements[0]) == content::widened;
    });
  }
  /// Returns true if a product with this factor can be an element index: the factor is a register, or a constant that
  /// may be a number of threads.
  [[nodiscard]] static bool is_large_factor(const operand& o, bool shift) {
    if (o.what != operand::kind::integer) return true;
    return (shift ? std::uint64_t{1} << (o.bits & 63) : o.bits) >= least_factor;
  }
  [[nodiscard]] static bool has_32_bits(const instruction& i) { return i.has("s32") || i.has("u32") || i.has("b32"); }

  [[nodiscard]] static content in_64_bits(content c) {
    if (c == content::narrow) return content::widened;
    return c == content::row_number ? content::rows : c;
  }

  [[nodiscard]] content result_of(const instruction& i) const {
    content most = content::other;
    for (std::size_t k = 1; k < i.operands.size(); ++k) most = std::max(most, of(i.operands[k]));
    if (most == content::other) return most;
    const std::string_view name = i.opcode;
    const bool product = name == "mul" || name == "mad", shift = name == "shl";
    if (name == "mov") return most;
    if (name == "cvt") return i.has("u64") || i.has("s64") ? in_64_bits(most) : most;
    if (product && i.has("wide")) {
      const content factor = in_64_bits(std::max(of(i.operands[1]), of(i.operands[2])));
      return factor >= content::widened ? factor : content::other;
    }
    if ((product || shift) && has_32_bits(i)) {
      const bool first = of(i.operands[1]) == content::block_number;
      const bool second = !shift && of(i.operands[2]) == content::block_number;
      if ((first && is_large_factor(i.operands[2], shift)) || (second && is_large_factor(i.operands[1], shift)))
        return content::narrow;
      return most == content::narrow || most == content::row_number ? most : content::other;
    }
    if (name == "add" || name == "sub" || name == "or" || name == "selp")
      return most == content::block_number ? content::other : most;
    // Addresses are scaled in 64 bits.
    return (product || shift) && most >= content::widened ? most : content::other;
  }
  bool follow(const instruction& i) {
    if (i.operands.size() < 2 || i.operands[0].what != operand::kind::reg) return false;
    if (i.opcode == "ld" || i.opcode == "setp" || i.opcode == "atom") return false;
    content& to = of_[i.operands[0].index];
    const content is = result_of(i);
    if (is <= to) return false;
    to = is;
    return true;
  }

  const function& kernel_;
  std::vector<content> of_;
};

}  // namespace

std::vector<std::uint32_t> narrow_indices(const function& kernel) {
  return analysis(kernel).run();
}

}  // namespace emulator::ptx
