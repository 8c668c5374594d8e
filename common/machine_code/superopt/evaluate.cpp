#include "machine_code/superopt/evaluate.hpp"

#include <algorithm>

namespace superopt {
namespace {

inline void select(row& d, const row& take_a, const row& a, const row& b) {
  d = (a & take_a) | (b & ~take_a);
}

inline void min_max(row& d, const row& a, const row& b, std::uint32_t kind) {
  row below;
  if ((kind & 2) == 0)
    below = reinterpret_cast<row>(reinterpret_cast<const signed_row&>(a) < reinterpret_cast<const signed_row&>(b));
  else
    below = reinterpret_cast<row>(a < b);
  if ((kind & 1) != 0)
    select(d, below, b, a);
  else
    select(d, below, a, b);
}

/// Computes the function that the truth table defines; bit 4a + 2b + c of the table is the result for bits a, b and c.
inline void look_up(row& d, const row& a, const row& b, const row& c, std::uint32_t table) {
  row result{};
  for (unsigned k = 0; k < 8; ++k) {
    if ((table >> k & 1) == 0) continue;
    result |= ((k & 4) != 0 ? a : ~a) & ((k & 2) != 0 ? b : ~b) & ((k & 1) != 0 ? c : ~c);
  }
  d = result;
}

void reduce(row& result, const rows& a, std::uint32_t kind) {
  result = a[0];
  for (unsigned l = 1; l < warp_size; ++l) {
    switch (static_cast<reduction>(kind & 7)) {
      case reduction::add:
        result += a[l];
        break;
      case reduction::bit_and:
        result &= a[l];
        break;
      case reduction::bit_or:
        result |= a[l];
        break;
      case reduction::bit_xor:
        result ^= a[l];
        break;
      default: {
        const row before = result;
        min_max(result, before, a[l], kind - 1);
      }
    }
  }
}

}  // namespace

void execute(register_file& m, const instruction& i, std::uint32_t needed) {
  rows& d = m.registers[i.destination];
  const rows& a = m.registers[i.sources[0]];
  const rows& b = m.registers[i.sources[1]];
  const rows& c = m.registers[i.sources[2]];
  const unsigned k = i.immediate & (warp_size - 1);
  switch (i.op) {
    case opcode::shfl_down:
      // In ascending order, so that a shuffle of a register into itself reads the old values.
      for_lanes(needed, [&](unsigned l) { d[l] = a[l + k < warp_size ? l + k : l]; });
      break;
    case opcode::shfl_bfly: {
      if (&d == &a) {
        const rows before = a;
        for_lanes(needed, [&](unsigned l) { d[l] = before[l ^ k]; });
      } else {
        for_lanes(needed, [&](unsigned l) { d[l] = a[l ^ k]; });
      }
      break;
    }
    case opcode::shfl_idx: {
      const row value = a[k];
      for_lanes(needed, [&](unsigned l) { d[l] = value; });
      break;
    }
    case opcode::iadd:
      for_lanes(needed, [&](unsigned l) { d[l] = a[l] + b[l]; });
      break;
    case opcode::iadd3:
      for_lanes(needed, [&](unsigned l) { d[l] = a[l] + b[l] + c[l]; });
      break;
    case opcode::lop3:
      for_lanes(needed, [&](unsigned l) { look_up(d[l], a[l], b[l], c[l], i.immediate); });
      break;
    case opcode::imnmx:
      for_lanes(needed, [&](unsigned l) { min_max(d[l], a[l], b[l], i.immediate); });
      break;
    case opcode::sel:
      for_lanes(needed, [&](unsigned l) { d[l] = (i.immediate >> l & 1) != 0 ? a[l] : b[l]; });
      break;
    case opcode::mov:
      for_lanes(needed, [&](unsigned l) { d[l] = a[l]; });
      break;
    case opcode::redux: {
      row value;
      reduce(value, a, i.immediate);
      for_lanes(needed, [&](unsigned l) { d[l] = value; });
      break;
    }
  }
}

std::array<std::uint32_t, warp_size> run(const program& p, const target& t, const test_case& input, std::uint8_t reg) {
  register_file m;
  for (std::size_t k = 0; k < t.inputs.size(); ++k) {
    for (unsigned l = 0; l < warp_size; ++l) m.registers[t.inputs[k].reg][l][0] = input[k][l];
  }
  for (const instruction& i : p) execute(m, i, 0xffffffffu);
  std::array<std::uint32_t, warp_size> lanes{};
  for (unsigned l = 0; l < warp_size; ++l) lanes[l] = m.registers[reg][l][0];
  return lanes;
}

failed_share test_suite::failures(const program& p, const needed_lanes& needed) const {
  // Values of earlier candidates may still be here. They do no harm, because unwritten lanes are never read.
  static thread_local register_file m;
  std::size_t failed[2] = {0, 0};
  for (std::size_t number = 0; number < blocks_.size(); ++number) {
    const test_block& block = blocks_[number];
    for (std::size_t k = 0; k < target_.inputs.size(); ++k) {
      rows& in = m.registers[target_.inputs[k].reg];
      for_lanes(target_.inputs[k].lanes, [&](unsigned l) { in[l] = block.inputs[k][l]; });
    }
    for (unsigned k = 0; k < p.size(); ++k) {
      if (needed[k] != 0) execute(m, p[k], needed[k]);
    }
    for (std::size_t k = 0; k < target_.outputs.size(); ++k) {
      const rows& out = m.registers[target_.outputs[k].reg];
      for_lanes(target_.outputs[k].lanes, [&](unsigned l) {
        const signed_row differs = reinterpret_cast<signed_row>(out[l] != block.expected[k][l]);
        int count = 0;
        for (unsigned j = 0; j < tests_per_block; ++j) count -= differs[j];
        failed[number < lane_blocks_ ? 0 : 1] += static_cast<std::size_t>(count);
      });
    }
  }
  const double each = static_cast<double>(tests_per_block) * output_lanes_;
  return {static_cast<double>(failed[0]) / (each * static_cast<double>(lane_blocks_)),
          static_cast<double>(failed[1]) / (each * static_cast<double>(blocks_.size() - lane_blocks_))};
}

}  // namespace superopt
