#include "workbook/limit.hpp"

#include <algorithm>

#include "device/buffer.hpp"

namespace workbook {
namespace {

constexpr int warm_ups = 2;

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::string_view name_of(cause what) {
  switch (what) {
    case cause::launches:
      return "launches";
    case cause::block_starts:
      return "block starts";
    case cause::memory_bandwidth:
      return "memory bandwidth";
    case cause::instructions:
      return "instructions";
    case cause::loads:
      return "loads";
    case cause::barriers:
      return "barriers";
    case cause::conflicts:
      return "bank conflicts";
  }
  return "";
}

std::vector<experiment_share> shares_of(const dissection& d, const ceilings& most) {
  std::vector<experiment_share> all;
  const auto found = d.microseconds.find(ablation::whole);
  if (found == d.microseconds.end() || found->second <= 0) return all;
  const double whole = found->second;
  all.push_back({{cause::launches}, static_cast<double>(d.passes) * most.launch_us / whole});
  if (most.read_gb_per_s > 0) all.push_back({{cause::memory_bandwidth}, d.bytes / most.read_gb_per_s / 1e3 / whole});
  const auto add = [&](std::vector<cause> causes, ablation kept) {
    const auto us = d.microseconds.find(kept);
    if (us != d.microseconds.end()) all.push_back({std::move(causes), us->second / whole});
  };
  add({cause::block_starts}, ablation::empty);
  add({cause::instructions}, ablation::instructions);
  add({cause::loads}, ablation::loads);
  add({cause::instructions, cause::loads}, ablation::loads_only);
  add({cause::instructions, cause::barriers}, ablation::barriers_only);
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
    if (e.causes.size() == 1) return first == cause::instructions || first == cause::loads ? 1 : 0;
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

dissector::dissector()
    : rewritten_([](const std::string& ptx, int variant) { return ablated(ptx, static_cast<ablation>(variant)); }) {
  if (emulator::selected_device() == emulator::device_kind::gpu) watch_.emplace();
}

dissection dissector::take(const specimen& kernel, const problem& given, int repetitions) {
  dissection d;
  d.name = kernel.name;
  d.given = given;
  const std::unique_ptr<experiment> e = kernel.prepare(given);
  const watched_run plain(false, given.count);
  d.bytes = e->bytes();
  std::map<ablation, std::vector<double>> times;
  for (int round = watch_ ? -warm_ups : -1; round < (watch_ ? repetitions : 0); ++round) {
    for (const ablation what : all_ablations) {
      if (d.missing.contains(what)) continue;
      // The watch has kernels of its own, which have to stay whole.
      const auto run = [&] {
        rewritten_.use(static_cast<int>(what));
        e->launch();
        if (!rewritten_.failure().empty()) d.missing[what] = rewritten_.failure();
        rewritten_.use(static_cast<int>(ablation::whole));
      };
      const double us = watch_ ? watch_->take(run, start::cold).microseconds : 0;
      if (!watch_) run();
      if (round >= 0) times[what].push_back(us);
      if (what == ablation::whole) d.passes = e->passes();
    }
  }
  for (auto& [what, of_it] : times) d.microseconds[what] = median(of_it);
  return d;
}

}  // namespace workbook
