#include "machine_code/superopt/liveness.hpp"

namespace superopt {

std::uint32_t lanes_read(const instruction& i, unsigned source, std::uint32_t needed) {
  const unsigned k = i.immediate & (warp_size - 1);
  switch (i.op) {
    case opcode::shfl_down: {
      // A lane keeps its own value if the lane that it reads would be beyond the warp.
      const std::uint32_t inside = 0xffffffffu >> k;
      return (needed & inside) << k | (needed & ~inside);
    }
    case opcode::shfl_bfly: {
      std::uint32_t read = 0;
      for (std::uint32_t rest = needed; rest != 0; rest &= rest - 1)
        read |= 1u << (static_cast<unsigned>(__builtin_ctz(rest)) ^ k);
      return read;
    }
    case opcode::shfl_idx:
      return needed != 0 ? 1u << k : 0;
    case opcode::sel:
      return source == 0 ? needed & i.immediate : needed & ~i.immediate;
    case opcode::redux:
      return needed != 0 ? 0xffffffffu : 0;
    default:
      return needed;
  }
}

liveness find_needed(const program& p, const target& t) {
  liveness found;
  std::array<std::uint32_t, register_count + 1> live{};
  for (const place& out : t.outputs) live[out.reg] |= out.lanes;
  for (unsigned k = p.size(); k-- > 0;) {
    const instruction& i = p[k];
    const std::uint32_t needed = live[i.destination];
    found.needed[k] = needed;
    if (needed == 0) continue;
    live[i.destination] = 0;
    for (unsigned s = 0; s < i.source_count(); ++s) live[i.sources[s]] |= lanes_read(i, s, needed);
  }
  live[zero_register] = 0;
  for (const place& in : t.inputs) live[in.reg] &= ~in.lanes;
  for (unsigned r = 0; r < register_count; ++r) {
    if (live[r] == 0) continue;
    found.undefined = {static_cast<std::uint8_t>(r), live[r]};
    break;
  }
  return found;
}

program without_dead_code(const program& p, const target& t) {
  const liveness found = find_needed(p, t);
  program kept;
  for (unsigned k = 0; k < p.size(); ++k) {
    if (found.needed[k] != 0) kept.push_back(p[k]);
  }
  return kept;
}

}  // namespace superopt
