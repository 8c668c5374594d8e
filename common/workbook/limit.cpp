#include "workbook/limit.hpp"

#include <algorithm>
#include <iterator>

#include "device/buffer.hpp"

namespace workbook {
namespace {

constexpr int warm_ups = 2;

}  // namespace

std::string_view name_of(cause what) {
  // In the order of `cause`.
  static constexpr std::string_view names[] = {"launches",     "block starts", "memory bandwidth", "latency",
                                               "instructions", "loads",        "barriers",         "bank conflicts"};
  static_assert(std::size(names) == static_cast<std::size_t>(cause::conflicts) + 1);
  return names[static_cast<std::size_t>(what)];
}

std::vector<experiment_share> shares_of(const dissection& d, const ceilings& most) {
  std::vector<experiment_share> all;
  const auto found = d.microseconds.find(ablation::whole);
  if (found == d.microseconds.end() || found->second <= 0) return all;
  const double whole = found->second;
  const double launches_us = most.launch_us + static_cast<double>(d.passes - 1) * most.further_launch_us;
  all.push_back({{cause::launches}, launches_us / whole});
  if (most.read_gb_per_s > 0) all.push_back({{cause::memory_bandwidth}, d.bytes / most.read_gb_per_s / 1e3 / whole});
  const auto add = [&](std::vector<cause> causes, ablation kept) {
    const auto us = d.microseconds.find(kept);
    if (us != d.microseconds.end()) all.push_back({std::move(causes), us->second / whole});
  };
  add({cause::block_starts}, ablation::empty);
  // Were everything latency, half as many blocks at a time would take twice as long.
  if (const auto half = d.microseconds.find(ablation::half_resident); half != d.microseconds.end())
    all.push_back({{cause::latency}, half->second / 2 / whole});
  add({cause::loads}, ablation::loads);
  // To move accesses to other words takes instructions away, too: only where there are conflicts.
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

limit limit_of(const dissection& d, const ceilings& most) {
  // Those that one thing explains come first, and of them those that no kernel of this grid could go below.
  const auto rank = [](const experiment_share& e) {
    const cause first = e.causes.front();
    if (e.causes.size() == 1)
      return first == cause::instructions || first == cause::loads || first == cause::latency ? 1 : 0;
    return first == cause::instructions ? 2 : 3;
  };
  const std::vector<experiment_share> all = shares_of(d, most);
  const experiment_share* best = nullptr;
  for (const experiment_share& e : all) {
    if (e.share < limit::enough) continue;
    if (best == nullptr || rank(e) < rank(*best) || (rank(e) == rank(*best) && e.share > best->share)) best = &e;
  }
  return best == nullptr ? limit{} : limit{best->causes, best->share};
}

std::string words_for(const limit& l) {
  if (l.causes.empty()) return "not known";
  std::string text;
  for (const cause c : l.causes) text += (text.empty() ? "" : " and ") + std::string(name_of(c));
  return text;
}

outcome count_on_emulator(const specimen& kernel, problem given) {
  const emulator::device_kind before = emulator::selected_device();
  emulator::select_device(emulator::device_kind::emulator);
  // Enough for every warp of some blocks.
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

dissector::dissector()
    : rewritten_([](const std::string& ptx, int variant) { return ablated(ptx, static_cast<ablation>(variant)); }) {
  if (emulator::selected_device() == emulator::device_kind::gpu) watch_.emplace();
}

dissection dissector::take(const specimen& kernel, const problem& given, int repetitions) {
  dissection d;
  d.name = kernel.name;
  d.given = given;
  const std::unique_ptr<experiment> e = kernel.prepare(given);
  const watched_run plain(false, given.count * kernel.work_per_count);
  d.bytes = e->bytes();
  std::map<ablation, std::vector<double>> times;
  const int rounds = watch_ ? warm_ups + repetitions : 1;
  for (int round = 0; round < rounds; ++round) {
    for (const ablation what : all_ablations) {
      if (d.missing.contains(what)) continue;
      // The watch has kernels of its own, which have to stay whole.
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

}  // namespace workbook
