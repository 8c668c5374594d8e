// Which arithmetic is a step of a reduction: it works on a value that came from shared memory or from another lane.

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "emulator/simt/decoder.hpp"

namespace emulator::simt {

namespace {

struct definitions {
  std::uint32_t all = 0;
  std::uint32_t foreign = 0;  ///< Of these, the ones that bring a value from elsewhere.
  [[nodiscard]] bool is_foreign() const { return all != 0 && foreign == all; }
};

bool combines(std::string_view opcode) {
  static constexpr std::array<std::string_view, 9> names = {"add", "min", "max", "mul", "fma",
                                                            "mad", "and", "or",  "xor"};
  return std::find(names.begin(), names.end(), opcode) != names.end();
}

bool copies(std::string_view opcode) {
  return opcode == "mov" || opcode == "cvt";
}

}  // namespace

void mark_combines(program& p, const std::vector<std::string>& opcodes) {
  std::unordered_map<slot, definitions> values;
  const auto define = [&](slot s, bool foreign) {
    if (s == no_slot) return;
    definitions& d = values[s];
    ++d.all;
    d.foreign += foreign ? 1 : 0;
  };
  const auto foreign = [&](slot s) {
    const auto found = values.find(s);
    return found != values.end() && found->second.is_foreign();
  };
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    const bool loads_shared = o.kind == op_kind::load && o.space == ptx::state_space::shared;
    const bool from_lane = o.kind == op_kind::collective && opcodes[pc] == "shfl";
    bool brings = loads_shared || from_lane;
    if (opcodes[pc] == "mov" && o.a == no_slot && o.target != no_pc && o.imm > 0) {  // packs several registers
      brings = true;
      for (int k = 0; k < o.imm; ++k)
        brings = brings && foreign(p.vector_registers[o.target + static_cast<unsigned>(k)]);
    } else if (copies(opcodes[pc])) {
      brings = o.a != no_slot && foreign(o.a);
    }
    define(o.dst, brings);
    const bool vector_load = o.kind == op_kind::load && o.element_count > 1;
    const bool unpacks = opcodes[pc] == "mov" && o.dst == no_slot && o.target != no_pc;
    const int parts = vector_load ? o.element_count : unpacks ? o.imm : 0;
    for (int k = 0; k < parts; ++k)
      define(p.vector_registers[o.target + static_cast<unsigned>(k)], vector_load ? loads_shared : foreign(o.a));
  }
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    if (o.kind != op_kind::arithmetic || !combines(opcodes[pc])) continue;
    if (foreign(o.a) || foreign(o.b) || foreign(o.c)) p.facts.instructions[pc].classes |= observers::class_combine;
  }
}

}  // namespace emulator::simt
