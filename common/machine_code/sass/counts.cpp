#include "machine_code/sass/counts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sass {
namespace {

template <class Wanted>
counts count_where(const function& of, Wanted wanted) {
  counts result;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (!wanted(i)) continue;
    const instruction& one = of.code[i];
    ++result.instructions;
    ++result.of_kind[static_cast<std::size_t>(one.what)];
    if (one.what == kind::global_load && one.is_wide()) ++result.wide_loads;
    if (!one.guard.empty() && one.what != kind::branch) ++result.guarded;
  }
  return result;
}

struct column {
  std::string head;
  std::vector<unsigned> figures;

  [[nodiscard]] std::size_t width() const { return std::max<std::size_t>(head.size(), 4) + 1; }
};

/// The columns in order of importance. The last ones are left out first.
constexpr std::array shown_kinds = {kind::global_load, kind::global_store,   kind::shared_load,   kind::shared_store,
                                    kind::local_load,  kind::local_store,    kind::atomic,        kind::bulk_copy,
                                    kind::shuffle,     kind::warp_reduction, kind::block_barrier, kind::branch,
                                    kind::vote,        kind::floating_point, kind::integer,       kind::matrix,
                                    kind::fence,       kind::convergence,    kind::move,          kind::constant_load,
                                    kind::conversion};

std::vector<column> columns_for(const std::vector<counted>& rows) {
  std::vector<column> columns;
  const auto add = [&](std::string_view head, auto&& figure) {
    column next{std::string(head), {}};
    for (const counted& row : rows) next.figures.push_back(figure(row.figures));
    const auto is_some = [](unsigned f) { return f != 0; };
    if (std::any_of(next.figures.begin(), next.figures.end(), is_some)) columns.push_back(next);
  };
  add("regs", [](const counts& c) { return c.registers; });
  add("all", [](const counts& c) { return c.instructions; });
  add("loops", [](const counts& c) { return c.backward_branches; });
  add("@P", [](const counts& c) { return c.guarded; });
  add("wide", [](const counts& c) { return c.wide_loads; });
  for (const kind which : shown_kinds) add(facts_of(which).short_name, [which](const counts& c) { return c[which]; });
  return columns;
}

/// Returns the number of branches in a loop that jump to its head.
unsigned branches_back(const function& of, const loop& in) {
  unsigned branches = 0;
  for (std::size_t i = 0; i < in.contains.size(); ++i) {
    if (in.contains[i] && of.code[i].target == of.code[in.head].address) ++branches;
  }
  return branches;
}

}  // namespace

counts count(const function& of) {
  counts result = count_where(of, [](std::size_t) { return true; });
  result.registers = of.registers;
  for (const loop& one : find_loops(of)) result.backward_branches += branches_back(of, one);
  return result;
}

counts count(const function& of, const loop& in) {
  counts result = count_where(of, [&](std::size_t i) { return in.contains[i]; });
  result.backward_branches = branches_back(of, in);
  return result;
}

std::vector<std::string> table(const std::string& first, const std::vector<counted>& rows, std::size_t width) {
  std::size_t used = first.size();
  for (const counted& row : rows) used = std::max(used, row.name.size());
  std::vector<std::string> lines = {fmt::format("{:<{}}", first, used)};
  for (const counted& row : rows) lines.push_back(fmt::format("{:<{}}", row.name, used));
  for (const column& one : columns_for(rows)) {
    used += one.width();
    if (used > width) break;
    lines[0] += fmt::format("{:>{}}", one.head, one.width());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      lines[k + 1] += fmt::format("{:>{}}", one.figures[k] == 0 ? "-" : std::to_string(one.figures[k]), one.width());
    }
  }
  return lines;
}

}  // namespace sass
