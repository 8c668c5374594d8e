#include "machine_code/superopt/instruction.hpp"

#include <cctype>

namespace superopt {

std::string_view name_of(family unit) {
  const std::string_view name = std::ranges::find(all_opcode_facts, unit, &opcode_facts::unit)->name;
  return name.substr(0, name.find('.'));
}

std::optional<opcode> opcode_named(std::string_view name) {
  for (unsigned k = 0; k < opcode_count; ++k) {
    const std::string_view known = facts_of(static_cast<opcode>(k)).name;
    const auto same = [](unsigned char a, unsigned char b) { return std::toupper(a) == std::toupper(b); };
    if (std::equal(known.begin(), known.end(), name.begin(), name.end(), same)) return static_cast<opcode>(k);
  }
  return {};
}

std::uint64_t values_of(immediate_kind kind) {
  constexpr std::array<std::uint64_t, immediate_kind_count> values = {1, warp_size, 256, 4, 1ull << 32, 8};
  return values[static_cast<std::size_t>(kind)];
}

bool commutes(opcode op) {
  return op == opcode::iadd || op == opcode::iadd3 || op == opcode::imnmx;
}

}  // namespace superopt
