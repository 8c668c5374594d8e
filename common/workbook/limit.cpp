#include "workbook/limit.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "reductions/buffer.hpp"

namespace workbook {
namespace {

/// Texts about one cause.
struct cause_text {
  std::string_view name;
  std::string_view left;    ///< Description of the experiment that keeps only this cause; empty if there is none.
  std::string_view remedy;  ///< Advice to the kernel's author.
};

/// In the order of `cause`.
constexpr cause_text texts[] = {
    {"launches", "launching the passes, empty",
     "At this size the launches are the time: fewer passes help (chapter 12), faster kernels do not."},
    {"block starts", "starting the blocks",
     "A GPU can start only a limited number of blocks per microsecond. Use fewer blocks with more work each (chapters "
     "4 and 7), or larger blocks."},
    {"memory bandwidth", "the input at this GPU's best rate",
     "The memory delivers no faster: only reading fewer bytes would help."},
    {"latency", "half as many blocks at a time, halved",
     "Each block waits for a chain of dependent steps, and no more blocks fit on the SM. Use fewer dependent "
     "steps, or more loads in flight in each (chapters 5 to 8)."},
    {"instructions", "instructions: no loads, barriers, conflicts",
     "Executing the instructions takes time even without loads, barriers and conflicts. Use a tree with fewer "
     "instructions (chapters 2 to 6)."},
    {"loads", "all up to the first barrier or shuffle",
     "The kernel mostly waits for loads. Keep more bytes in flight, by more loads per thread or wider ones "
     "(chapters 7 and 8)."},
    {"barriers", "", "Warps wait for each other at barriers. Use fewer barriers (chapters 5 and 9)."},
    {"bank conflicts", "",
     "Shared memory serves conflicting words one after the other: neighbouring words for neighbouring lanes help "
     "(chapter 3)."},
};
static_assert(std::size(texts) == static_cast<std::size_t>(cause::conflicts) + 1);

const cause_text& text_of(cause what) {
  return texts[static_cast<std::size_t>(what)];
}

/// Returns what an experiment keeps, in words for a reader who doesn't know the table.
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

std::string_view name_of(cause what) {
  return text_of(what).name;
}

std::vector<experiment_share> shares_of(const ablation_study& d, const ceilings& limits) {
  std::vector<experiment_share> all;
  const auto found = d.microseconds.find(ablation::whole);
  if (found == d.microseconds.end() || found->second <= 0) return all;
  const double whole = found->second;
  const double launches_us = limits.launch_us + static_cast<double>(d.passes - 1) * limits.further_launch_us;
  all.push_back({{cause::launches}, launches_us / whole});
  if (limits.read_gb_per_s > 0)
    all.push_back({{cause::memory_bandwidth}, d.bytes / limits.read_gb_per_s / 1e3 / whole});
  const auto add = [&](std::vector<cause> causes, ablation kept) {
    const auto us = d.microseconds.find(kept);
    if (us != d.microseconds.end()) all.push_back({std::move(causes), us->second / whole});
  };
  add({cause::block_starts}, ablation::empty);
  // If latency took all of the time, half as many resident blocks would double it.
  if (const auto half = d.microseconds.find(ablation::half_resident); half != d.microseconds.end())
    all.push_back({{cause::latency}, half->second / 2 / whole});
  add({cause::loads}, ablation::loads);
  // Accesses are moved to other words only if there are conflicts, because that also removes instructions.
  add({cause::instructions}, d.conflicts ? ablation::instructions : ablation::conflicts_only);
  add({cause::instructions, cause::loads}, d.conflicts ? ablation::loads_only : ablation::no_barriers);
  add({cause::instructions, cause::barriers}, d.conflicts ? ablation::barriers_only : ablation::no_loads);
  if (!d.conflicts) return all;
  add({cause::instructions, cause::conflicts}, ablation::conflicts_only);
  add({cause::loads, cause::barriers}, ablation::no_conflicts);
  add({cause::barriers, cause::conflicts}, ablation::no_loads);
  add({cause::loads, cause::conflicts}, ablation::no_barriers);
  return all;
}

experiment_share limit_of(const ablation_study& d, const ceilings& limits) {
  // Single causes come first. Among them, the first are those that set a lower bound for every kernel with this grid.
  const auto rank = [](const experiment_share& e) {
    const cause first = e.causes.front();
    if (e.causes.size() == 1)
      return first == cause::instructions || first == cause::loads || first == cause::latency ? 1 : 0;
    return first == cause::instructions ? 2 : 3;
  };
  const std::vector<experiment_share> all = shares_of(d, limits);
  const experiment_share* best = nullptr;
  for (const experiment_share& e : all) {
    if (e.share < limiting_share) continue;
    if (best == nullptr || rank(e) < rank(*best) || (rank(e) == rank(*best) && e.share > best->share)) best = &e;
  }
  return best == nullptr ? experiment_share{} : *best;
}

std::string words_for(const experiment_share& limit) {
  if (limit.causes.empty()) return "not known";
  std::string text;
  for (const cause c : limit.causes) text += (text.empty() ? "" : " and ") + std::string(name_of(c));
  return text;
}

outcome count_on_emulator(const specimen& kernel, problem given) {
  const emulator::device_kind before = emulator::selected_device();
  emulator::select_device(emulator::device_kind::emulator);
  // This is enough to fill every warp of some blocks.
  given.count = std::min<std::size_t>(given.count, std::size_t{1} << 14);
  outcome counted = examine(kernel, given, effort{});
  if (kernel.release) kernel.release();
  emulator::select_device(before);
  return counted;
}

bool has_conflicts(const outcome& counted) {
  return std::any_of(counted.launches.begin(), counted.launches.end(), [](const emulator::launch_report& l) {
    return emulator::count_in(l.counters, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") != 0;
  });
}

ablation_timer::ablation_timer()
    : rewritten_([](const std::string& ptx, int variant) { return ablated(ptx, static_cast<ablation>(variant)); }) {
  if (emulator::selected_device() == emulator::device_kind::gpu) watch_.emplace();
}

ablation_study ablation_timer::take(const specimen& kernel, const problem& given, int repetitions) {
  ablation_study d;
  d.name = kernel.name;
  d.given = given;
  const std::unique_ptr<experiment> e = kernel.prepare(given);
  const watched_run plain(false, given.count * kernel.work_per_count);
  d.bytes = e->bytes();
  std::map<ablation, std::vector<double>> times;
  constexpr int warm_ups = 2;
  const int rounds = watch_ ? warm_ups + repetitions : 1;
  for (int round = 0; round < rounds; ++round) {
    for (const ablation what : all_ablations) {
      if (d.missing.contains(what)) continue;
      // The watch launches its own kernels, which must not be edited.
      const auto run = [&] {
        rewritten_.use(static_cast<int>(what));
        rewritten_.halve_resident_blocks(what == ablation::half_resident);
        e->launch();
        if (!rewritten_.failure().empty()) d.missing[what] = rewritten_.failure();
        rewritten_.halve_resident_blocks(false);
        rewritten_.use(static_cast<int>(ablation::whole));
      };
      if (!watch_) {
        run();
        continue;
      }
      const stop_watch::sample taken = watch_->take(run, start::cold);
      if (round < warm_ups) continue;
      times[what].push_back(taken.microseconds);
      d.queued = d.queued && taken.queued;
    }
  }
  d.passes = e->passes();
  for (const auto& [what, of_it] : times) d.microseconds[what] = median(of_it);
  return d;
}

std::string limit_text(const ablation_study& d, const ceilings& limits) {
  const double whole = d.microseconds.at(ablation::whole);
  std::string text =
      fmt::format("{}, {} {}s, blocks of {} threads, {} pass{}; {}.\n\n", d.name, d.given.count, name_of(d.given.type),
                  d.given.block_size, d.passes, d.passes == 1 ? "" : "es", words_for(start::cold));
  text += fmt::format("{:<46} {:>10} {:>8}\n", "what is left of the kernel", "us", "share");
  text += fmt::format("{:<46} {:>10.1f} {:>7.0f}%\n", "everything", whole, 100.0);
  for (const experiment_share& e : shares_of(d, limits))
    text += fmt::format("{:<46} {:>10.1f} {:>7.0f}%\n", left_by(e), e.share * whole, 100 * e.share);
  if (!d.queued)
    text += "(The host was too slow to queue every run, so some times include the start of an idle GPU.)\n";
  for (const auto& [what, why] : d.missing)
    text += fmt::format("(Without the experiment `{}`: {}.)\n", name_of(what), why);
  const experiment_share l = limit_of(d, limits);
  if (l.causes.empty()) {
    return text + fmt::format("\nWhat limits it is not known: no two of these together take {:.0f}% of its time.\n",
                              100 * limiting_share);
  }
  text += fmt::format("\nWhat limits it: {}. That alone takes {:.0f}% of its time.\n", words_for(l), 100 * l.share);
  for (const cause c : l.causes) text += fmt::format("{}\n", text_of(c).remedy);
  return text;
}

nlohmann::json as_json(const ablation_study& d, const ceilings& limits) {
  nlohmann::json row = {{"kernel", d.name},   {"block_size", d.given.block_size}, {"count", d.given.count},
                        {"passes", d.passes}, {"conflicts", d.conflicts},         {"queued", d.queued},
                        {"bytes", d.bytes}};
  for (const auto& [what, us] : d.microseconds) row["us"][std::string(name_of(what))] = us;
  for (const auto& [what, why] : d.missing) row["missing"][std::string(name_of(what))] = why;
  const experiment_share l = limit_of(d, limits);
  row["limit"] = {{"causes", nlohmann::json::array()}, {"share", l.share}};
  for (const cause c : l.causes) row["limit"]["causes"].push_back(name_of(c));
  return row;
}

}  // namespace workbook
