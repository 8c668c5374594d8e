#include "16_many_gpus/scaling/race.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>

#include "16_many_gpus/all_reduce.hpp"
#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/rows_of_some_machines.hpp"
#include "16_many_gpus/scaling/turns.hpp"
#include "reductions/buffer.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

struct times {
  double further, queued, host;
};
using runner = racer<race_row, experiment, times>;

/// Returns the times of one call and of several calls on the GPUs, and of one call on the host.
times times_of(const runner& one, stop_watch& watch) {
  const auto run = [&] { one.way->launch(); };
  auto& calls = dynamic_cast<all_reduce_experiment<float>&>(*one.way);
  constexpr std::size_t short_bytes = 1 << 20;
  const unsigned few = one.row.bytes <= short_bytes ? 8 : 1, many = one.row.bytes <= short_bytes ? 24 : 3;
  const auto time_of = [&](unsigned n) { return watch.take([&] { calls.launch_calls(n); }, start::warm).microseconds; };
  const double further = (time_of(many) - time_of(few)) / (many - few);
  const double queued = watch.take(run, start::warm).microseconds;
  const auto begun = std::chrono::steady_clock::now();
  run();
  check(cudaDeviceSynchronize());  // GPU 0's default stream waits for all others
  const std::chrono::duration<double, std::micro> host = std::chrono::steady_clock::now() - begun;
  return {further, queued, host.count()};
}

std::vector<runner> prepare(const std::vector<specimen>& ways, const problem& p, std::size_t bytes,
                            const model::links& links) {
  std::vector<runner> all;
  for (const specimen& one : ways) {
    runner next;
    next.row.way = one.name;
    next.row.gpus = p.gpus;
    next.row.bytes = bytes;
    next.row.predicted_us = predicted_all_reduce_us(links, one.name, p.gpus, bytes);
    if (const std::optional<std::string> why = one.why_not(p))
      next.row.why_not = *why;
    else
      next.prepare([&] { return one.prepare(p); }, race_goes_on);
    all.push_back(std::move(next));
  }
  return all;
}

}  // namespace

std::vector<specimen> all_ways() {
  std::vector<specimen> ways = table_of_all_reduce().kernels;
  std::erase_if(ways, [](const specimen& one) { return one.as == role::yours; });
  specimen& ring = ways.back();
  ring.name = "ring of kernels";
  specimen of_elements = ring;
  of_elements.name = "the same, a thread per element";
  all_reduce_kernel kernel = solution_kernel();
  kernel.of_neighbours = true;
  of_elements.prepare = prepared_as<steps_of_kernel>(kernel, grid_size::of_elements);
  ways.push_back(std::move(of_elements));
  return ways;
}

bool race_goes_on(const std::exception& thrown) {
  return dynamic_cast<const device_error*>(&thrown) == nullptr;
}

std::optional<double> predicted_all_reduce_us(const model::links& links, const std::string& way, unsigned gpus,
                                              std::size_t bytes) {
  using model::all_reduce_way;
  static const std::map<std::string, all_reduce_way> known = {{"meet at GPU 0", all_reduce_way::meet},
                                                              {"ring of copies", all_reduce_way::ring_of_copies},
                                                              {"tree of peers", all_reduce_way::tree},
                                                              {"tree, to GPU 0 alone", all_reduce_way::tree_to_one},
                                                              {"ring of kernels", all_reduce_way::ring_of_kernels}};
  if (gpus < 2) return {};
  if (way == "exchange")
    return model::all_reduce_us(links, bytes <= max_mailed_bytes ? all_reduce_way::mailboxes : all_reduce_way::shares,
                                gpus, static_cast<double>(bytes));
  const auto found = known.find(way);
  if (found == known.end()) return {};
  return model::all_reduce_us(links, found->second, gpus, static_cast<double>(bytes));
}

void race_all_reduce(const race_plan& plan, const model::links& links, unsigned gpus,
                     const std::function<void(const race_row&)>& tell) {
  const std::vector<specimen> ways = all_ways();
  for (const std::size_t bytes : plan.bytes) {
    const problem p{.type = element_type::float32, .count = bytes / sizeof(float), .seed = plan.seed, .gpus = gpus};
    std::vector<runner> all = prepare(ways, p, bytes, links);
    take_turns(all, plan.repetitions, times_of);
    for (runner& one : all) {
      if (!one.times.empty()) {
        one.row.further_us = one.median_of(&times::further);
        one.row.queued_us = one.median_of(&times::queued);
        one.row.host_us = one.median_of(&times::host);
        one.row.right = one.is_right();
      }
      tell(one.row);
    }
  }
}

}  // namespace chapter16
