#include "workbook/limit_text.hpp"

#include <cstddef>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace workbook {
namespace {

/// What is said about a cause.
struct cause_text {
  std::string_view left;    ///< What the experiment keeps that keeps it alone; empty where there is none.
  std::string_view remedy;  ///< What a kernel's author can do about it.
};

/// In the order of `cause`.
constexpr cause_text texts[] = {
    {"launching the passes, empty",
     "At this size the launches are the time: fewer passes help (chapter 12), faster kernels do not."},
    {"starting the blocks",
     "A GPU starts so many blocks per microsecond and no more: fewer help, each with more work (chapters 4 "
     "and 7), or larger ones."},
    {"the input at this GPU's best rate", "The memory delivers no faster: only reading fewer bytes would help."},
    {"half as many blocks at a time, halved",
     "Each block waits for one thing after the other, and no more blocks fit beside it: fewer steps, one after "
     "the other, help, or more loads at once in each (chapters 5 to 8)."},
    {"instructions: no loads, barriers, conflicts",
     "The multiprocessors execute instructions all the time: a tree with fewer of them helps (chapters 2 to 6)."},
    {"all up to the first barrier or shuffle",
     "The time goes into waiting for loads: more bytes in flight help, by more loads per thread or wider ones "
     "(chapters 7 and 8)."},
    {"", "Warps wait for each other at barriers: fewer barriers help (chapters 5 and 9)."},
    {"",
     "Shared memory serves conflicting words one after the other: neighbouring words for neighbouring lanes help "
     "(chapter 3)."},
};
static_assert(std::size(texts) == static_cast<std::size_t>(cause::conflicts) + 1);

const cause_text& text_of(cause what) {
  return texts[static_cast<std::size_t>(what)];
}

/// What an experiment keeps, for a reader who sees the table for the first time.
std::string left_by(const experiment_share& e) {
  if (e.causes.size() == 1 && !text_of(e.causes.front()).left.empty())
    return std::string(text_of(e.causes.front()).left);
  std::string text = "instructions";
  for (const cause c : e.causes) {
    if (c != cause::instructions) text += fmt::format(", {}", name_of(c));
  }
  return text;
}

}  // namespace

std::string limit_text(const dissection& d, const ceilings& most) {
  const double whole = d.microseconds.at(ablation::whole);
  std::string text =
      fmt::format("{}, {} {}s, blocks of {} threads, {} pass{}; {}.\n\n", d.name, d.given.count, name_of(d.given.type),
                  d.given.block_size, d.passes, d.passes == 1 ? "" : "es", words_for(start::cold));
  text += fmt::format("{:<46} {:>10} {:>8}\n", "what is left of the kernel", "us", "share");
  text += fmt::format("{:<46} {:>10.1f} {:>7.0f}%\n", "everything", whole, 100.0);
  for (const experiment_share& e : shares_of(d, most))
    text += fmt::format("{:<46} {:>10.1f} {:>7.0f}%\n", left_by(e), e.share * whole, 100 * e.share);
  if (!d.queued) text += "(The host was too slow to queue every run: some times hold an idle GPU's start.)\n";
  for (const auto& [what, why] : d.missing)
    text += fmt::format("(Without the experiment `{}`: {}.)\n", name_of(what), why);
  const limit l = limit_of(d, most);
  if (l.causes.empty()) {
    return text + fmt::format("\nWhat limits it is not known: no two of these together take {:.0f}% of its time.\n",
                              100 * limit::enough);
  }
  text += fmt::format("\nWhat limits it: {}. That alone takes {:.0f}% of its time.\n", words_for(l), 100 * l.share);
  for (const cause c : l.causes) text += fmt::format("{}\n", text_of(c).remedy);
  return text;
}

nlohmann::json as_json(const dissection& d, const ceilings& most) {
  nlohmann::json row = {{"kernel", d.name},   {"block_size", d.given.block_size}, {"count", d.given.count},
                        {"passes", d.passes}, {"conflicts", d.conflicts},         {"queued", d.queued},
                        {"bytes", d.bytes}};
  for (const auto& [what, us] : d.microseconds) row["us"][std::string(name_of(what))] = us;
  for (const auto& [what, why] : d.missing) row["missing"][std::string(name_of(what))] = why;
  const limit l = limit_of(d, most);
  row["limit"] = {{"causes", nlohmann::json::array()}, {"share", l.share}};
  for (const cause c : l.causes) row["limit"]["causes"].push_back(name_of(c));
  return row;
}

}  // namespace workbook
