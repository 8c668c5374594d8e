#include "workbook/words.hpp"

#include <cmath>

#include <fmt/format.h>

#include "workbook/mistakes.hpp"

namespace workbook {
std::string role_name(role r) {
  static constexpr const char* names[] = {"previous", "reference", "yours", "library", "wrong", "compared"};
  return names[static_cast<std::size_t>(r)];
}

std::string shortly(double x) {
  if (std::isnan(x)) return "-";
  if (x == std::floor(x) && std::fabs(x) < 1e15) return fmt::format("{:.0f}", x);
  if (std::fabs(x) < 0.005) return fmt::format("{:.1e}", x);
  return std::fabs(x) < 100 ? fmt::format("{:.2f}", x) : fmt::format("{:.1f}", x);
}

std::string verdict(const outcome& o) {
  if (o.rejected) return "cannot";
  if (!o.failure.empty()) return "failed";
  if (!o.verified) return o.attempted ? "WRONG" : "not yet";
  return o.findings().empty() ? "yes" : "unsafe";
}

std::string block_text(const problem& p) {
  if (p.block_shape[0] == 0) return fmt::format("{}", p.block_size);
  std::string text = fmt::format("{} x {}", p.block_shape[0], p.block_shape[1]);
  return p.block_shape[2] > 1 ? fmt::format("{} x {}", text, p.block_shape[2]) : text;
}

std::string in_such_blocks_only(unsigned block_size, unsigned right_size) {
  return fmt::format("In blocks of {} threads, though not of {}: ", block_size, right_size);
}

std::string words_for(const outcome& o) {
  std::string text;
  if (o.rejected) text += fmt::format("\n{}: {}.\n", o.name, *o.rejected);
  const std::vector<mistake> all = mistakes_of(o);
  if (!all.empty() && o.as != role::yours) text += fmt::format("\n{} ({}):\n", o.name, role_name(o.as));
  if (!all.empty() && o.as == role::yours) text += '\n';
  for (const mistake& m : all) text += paragraph(m);
  return text;
}

}  // namespace workbook
