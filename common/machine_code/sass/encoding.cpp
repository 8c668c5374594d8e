#include "machine_code/sass/encoding.hpp"

#include <fmt/format.h>

#include <charconv>

namespace sass {
namespace {

/// Returns `count` bits of the high word. `first` is the first bit's number in the whole instruction.
constexpr unsigned high_bits(word encoding, unsigned first, unsigned count) {
  return static_cast<unsigned>(encoding.high >> (first - 64)) & ((1u << count) - 1);
}

constexpr unsigned barriers = 6;

std::optional<unsigned> barrier(unsigned field) {
  if (field >= barriers) return std::nullopt;
  return field;
}

std::string barrier_text(std::optional<unsigned> which) {
  return which ? std::to_string(*which) : "-";
}

}  // namespace

control decode_control(word encoding) {
  return {.stall = high_bits(encoding, 105, 4),
          .yield = high_bits(encoding, 109, 1) != 0,
          .write_barrier = barrier(high_bits(encoding, 110, 3)),
          .read_barrier = barrier(high_bits(encoding, 113, 3)),
          .wait_mask = high_bits(encoding, 116, 6),
          .reuse = high_bits(encoding, 122, 4)};
}

std::string decode_guard(word encoding) {
  constexpr unsigned always = 7;
  const auto predicate = static_cast<unsigned>(encoding.low >> 12) & 7u;
  const bool negated = (encoding.low >> 15 & 1u) != 0;
  if (predicate == always) return negated ? "@!PT" : "";
  return fmt::format("@{}P{}", negated ? "!" : "", predicate);
}

std::string to_text(const control& field) {
  const std::string wait = field.wait_mask == 0 ? "--" : fmt::format("{:02x}", field.wait_mask);
  return fmt::format("{}:{}:{}:{}:{}", wait, barrier_text(field.read_barrier), barrier_text(field.write_barrier),
                     field.yield ? 'Y' : '-', field.stall);
}

layout layout_of(unsigned architecture) {
  constexpr unsigned volta = 70, hopper = 90;
  if (architecture < volta) return layout::older;
  return architecture <= hopper ? layout::known : layout::expected;
}

std::optional<unsigned> architecture_number(const std::string& name) {
  constexpr std::size_t prefix = 3;
  if (name.compare(0, prefix, "sm_") != 0) return std::nullopt;
  unsigned number = 0;
  const char* const end = name.data() + name.size();
  const auto [stopped, wrong] = std::from_chars(name.data() + prefix, end, number);
  const bool suffix = stopped == end || (stopped + 1 == end && (*stopped == 'a' || *stopped == 'f'));
  if (wrong != std::errc() || !suffix) return std::nullopt;
  return number;
}

}  // namespace sass
