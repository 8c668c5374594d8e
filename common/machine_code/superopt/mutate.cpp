#include "machine_code/superopt/mutate.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace superopt {
namespace {

template <typename T>
const T& one_of(const std::vector<T>& all, random_source& random) {
  return all[random.below(static_cast<std::uint32_t>(all.size()))];
}

void add_once(std::vector<std::uint32_t>& all, std::uint32_t value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

/// The registers that instruction `at` may read: those that are defined before it, and rz.
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
  const std::vector<std::uint32_t>& all = v.immediates_of(op);
  return all.empty() ? 0 : one_of(all, random);
}

/// Returns useful immediates of a kind, for a target that has no immediates of this kind.
std::vector<std::uint32_t> usual_immediates(immediate_kind kind) {
  // AND, OR and XOR of two operands, and of three.
  if (kind == immediate_kind::truth_table) return {0xc0, 0xfc, 0x3c, 0x80, 0xfe, 0x96};
  // The lower half, quarter, …, and every other lane, pair, ….
  if (kind == immediate_kind::lane_mask)
    return {0xffff, 0xff, 0xf, 0x3, 0x1, 0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff};
  if (kind == immediate_kind::none) return {};
  std::vector<std::uint32_t> all(values_of(kind));
  std::iota(all.begin(), all.end(), 0u);
  return all;
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
  if (v.immediates_of(op).empty()) v.immediates_of(op) = usual_immediates(facts_of(op).immediate);
}

vocabulary vocabulary_for(const target& t) {
  vocabulary v;
  for (const instruction& i : t.code) {
    const immediate_kind kind = facts_of(i.op).immediate;
    if (kind == immediate_kind::none || kind == immediate_kind::lane) continue;
    std::vector<std::uint32_t>& own = v.immediates_of(i.op);
    add_once(own, i.immediate);
    if (kind != immediate_kind::truth_table) continue;
    // For an AND, OR or XOR of two operands, also adds the same function of three, which does two steps at once.
    for (const auto& [two, three] : {std::pair{0xc0u, 0x80u}, {0xfcu, 0xfeu}, {0x3cu, 0x96u}}) {
      if (i.immediate == two) add_once(own, three);
    }
  }
  for (const instruction& i : t.code) {
    add_opcode(v, i.op);
    if (i.op == opcode::iadd) add_opcode(v, opcode::iadd3);
    if (facts_of(i.op).unit != family::shfl) continue;
    for (const opcode op : {opcode::shfl_down, opcode::shfl_bfly, opcode::shfl_idx}) add_opcode(v, op);
  }
  v.length = std::clamp(2 * t.code.size(), 4u, max_instructions);
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
