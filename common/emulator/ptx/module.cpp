#include "emulator/ptx/module.hpp"

#include <algorithm>
#include <array>

namespace emulator::ptx {
namespace {

struct type_facts {
  std::string_view name;
  unsigned size_bytes;
};

/// In the order of `scalar_type`.
constexpr std::array<type_facts, 22> types = {{
    {"", 0},      {"pred", 1}, {"b8", 1},     {"b16", 2},  {"b32", 4}, {"b64", 8}, {"b128", 16}, {"u8", 1},
    {"u16", 2},   {"u32", 4},  {"u64", 8},    {"s8", 1},   {"s16", 2}, {"s32", 4}, {"s64", 8},   {"f16", 2},
    {"f16x2", 4}, {"bf16", 2}, {"bf16x2", 4}, {"tf32", 4}, {"f32", 4}, {"f64", 8},
}};

}  // namespace

unsigned size_bytes(scalar_type type) {
  return types[static_cast<std::size_t>(type)].size_bytes;
}

scalar_type parse_scalar_type(std::string_view name) {
  const auto* found = std::ranges::find(types, name, &type_facts::name);
  return found != types.end() ? static_cast<scalar_type>(found - types.begin()) : scalar_type::none;
}

bool instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string instruction::mnemonic() const {
  std::string result = opcode;
  for (const std::string& modifier : modifiers) result += '.' + modifier;
  return result;
}

std::uint64_t variable::size_bytes() const {
  return element_count * ptx::size_bytes(type);
}

std::vector<std::uint64_t> parameter_offsets(const std::vector<variable>& parameters, std::uint64_t& end_bytes) {
  std::vector<std::uint64_t> offsets;
  end_bytes = 0;
  for (const variable& one : parameters) {
    const std::uint64_t alignment = std::max<std::uint64_t>(one.alignment, 1);
    offsets.push_back((end_bytes + alignment - 1) / alignment * alignment);
    end_bytes = offsets.back() + one.size_bytes();
  }
  return offsets;
}

parse_error::parse_error(std::uint32_t line, const std::string& message)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + message), line_(line) {}

}  // namespace emulator::ptx
