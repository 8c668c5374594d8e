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
      rewritten_.use(static_cast<int>(what));
      double us = 0;
      if (watch_) {
        us = watch_->take([&] { e->launch(); }, start::cold).microseconds;
      } else {
        e->launch();
        check(cudaDeviceSynchronize());
      }
      if (!rewritten_.failure().empty()) d.missing[what] = rewritten_.failure();
      if (round >= 0) times[what].push_back(us);
      if (what == ablation::whole) d.passes = e->passes();
    }
  }
  for (auto& [what, of_it] : times) d.microseconds[what] = median(of_it);
  return d;
}

}  // namespace workbook
