#include "superopt/mutate.hpp"

#include <algorithm>

namespace superopt {
namespace {

template <typename T>
const T& one_of(const std::vector<T>& all, random_source& random) {
  return all[random.below(static_cast<std::uint32_t>(all.size()))];
}

void add_once(std::vector<std::uint32_t>& all, std::uint32_t value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

/// The registers that may be read before instruction `at`; rz, too.
class readable {
 public:
  readable(const program& p, const target& t, unsigned at) {
    std::uint32_t defined = 1u << zero_register;
    for (const place& in : t.inputs) defined |= 1u << in.reg;
    for (unsigned k = 0; k < at; ++k) defined |= 1u << p[k].destination;
    for (std::uint8_t r = 0; r <= zero_register; ++r) {
      if ((defined >> r & 1) != 0) all_[count_++] = r;
    }
  }
  [[nodiscard]] std::uint8_t any(random_source& random) const { return all_[random.below(count_)]; }

 private:
  std::array<std::uint8_t, register_count + 1> all_{};
  unsigned count_ = 0;
};

std::uint32_t any_immediate(opcode op, const vocabulary& v, random_source& random) {
  switch (facts_of(op).immediate) {
    case immediate_kind::lane:
      return random.below(warp_size);
    case immediate_kind::truth_table:
      return one_of(v.truth_tables, random);
    case immediate_kind::minmax:
      return one_of(v.kinds, random);
    case immediate_kind::lane_mask:
      return one_of(v.lane_masks, random);
    case immediate_kind::reduction:
      return one_of(v.reductions, random);
    default:
      return 0;
  }
}

instruction any_instruction(const program& p, const target& t, const vocabulary& v, unsigned at,
                            random_source& random) {
  const readable registers(p, t, at);
  instruction i;
  i.op = one_of(v.opcodes, random);
  i.destination = static_cast<std::uint8_t>(random.below(register_count));
  for (unsigned s = 0; s < i.source_count(); ++s) i.sources[s] = registers.any(random);
  i.immediate = any_immediate(i.op, v, random);
  return i;
}

void change_opcode(program& p, const target& t, const vocabulary& v, unsigned at, random_source& random) {
  instruction& i = p[at];
  const opcode before = i.op;
  i.op = one_of(v.opcodes, random);
  const unsigned had = facts_of(before).sources;
  const readable registers(p, t, at);
  for (unsigned s = 0; s < i.sources.size(); ++s) {
    if (s >= i.source_count())
      i.sources[s] = zero_register;
    else if (s >= had)
      i.sources[s] = registers.any(random);
  }
  if (facts_of(before).immediate != facts_of(i.op).immediate) i.immediate = any_immediate(i.op, v, random);
}

void change_operand(program& p, const target& t, const vocabulary& v, unsigned at, random_source& random) {
  instruction& i = p[at];
  const unsigned sources = i.source_count();
  const bool immediate = facts_of(i.op).immediate != immediate_kind::none;
  const unsigned which = random.below(1 + sources + (immediate ? 1 : 0));
  if (which == 0)
    i.destination = static_cast<std::uint8_t>(random.below(register_count));
  else if (which <= sources)
    i.sources[which - 1] = readable(p, t, at).any(random);
  else
    i.immediate = any_immediate(i.op, v, random);
}

}  // namespace

void add_opcode(vocabulary& v, opcode op) {
  if (std::find(v.opcodes.begin(), v.opcodes.end(), op) == v.opcodes.end()) v.opcodes.push_back(op);
  switch (facts_of(op).immediate) {
    case immediate_kind::truth_table:
      // AND, OR, XOR of two and of three.
      if (v.truth_tables.empty()) v.truth_tables = {0xc0, 0xfc, 0x3c, 0x80, 0xfe, 0x96};
      break;
    case immediate_kind::minmax:
      if (v.kinds.empty()) v.kinds = {0, 1, 2, 3};
      break;
    case immediate_kind::lane_mask:
      // The lower half, quarter, …, and every other lane, pair, ….
      if (v.lane_masks.empty())
        v.lane_masks = {0xffff, 0xff, 0xf, 0x3, 0x1, 0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff};
      break;
    case immediate_kind::reduction:
      if (v.reductions.empty()) v.reductions = {0, 1, 2, 3, 4, 5, 6, 7};
      break;
    default:
      break;
  }
}

vocabulary vocabulary_for(const target& t) {
  vocabulary v;
  for (const instruction& i : t.code) {
    switch (facts_of(i.op).immediate) {
      case immediate_kind::truth_table:
        add_once(v.truth_tables, i.immediate);
        // A function of two that is AND, OR or XOR has one of three that does two steps at once.
        if (i.immediate == 0xc0) add_once(v.truth_tables, 0x80);
        if (i.immediate == 0xfc) add_once(v.truth_tables, 0xfe);
        if (i.immediate == 0x3c) add_once(v.truth_tables, 0x96);
        break;
      case immediate_kind::minmax:
        add_once(v.kinds, i.immediate);
        break;
      case immediate_kind::lane_mask:
        add_once(v.lane_masks, i.immediate);
        break;
      case immediate_kind::reduction:
        add_once(v.reductions, i.immediate);
        break;
      default:
        break;
    }
  }
  for (const instruction& i : t.code) {
    add_opcode(v, i.op);
    if (i.op == opcode::iadd) add_opcode(v, opcode::iadd3);
    if (facts_of(i.op).unit != family::shfl) continue;
    for (const opcode op : {opcode::shfl_down, opcode::shfl_bfly, opcode::shfl_idx}) add_opcode(v, op);
  }
  v.length = std::clamp(2 * t.code.size(), 4u, most_instructions);
  return v;
}

bool mutate(program& p, const target& t, const vocabulary& v, random_source& random) {
  const unsigned size = p.size();
  const std::uint32_t move = random.below(5);
  if (move == 2) {
    if (size >= v.length || p.full()) return false;
    const unsigned at = random.below(size + 1);
    p.insert(at, any_instruction(p, t, v, at, random));
    return true;
  }
  if (size == 0) return false;
  const unsigned at = random.below(size);
  switch (move) {
    case 0:
      change_opcode(p, t, v, at, random);
      return true;
    case 1:
      change_operand(p, t, v, at, random);
      return true;
    case 3:
      p.erase(at);
      return true;
    default: {
      const unsigned other = random.below(size);
      std::swap(p[at], p[other]);
      return at != other;
    }
  }
}

}  // namespace superopt
