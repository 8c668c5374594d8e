#include "16_many_gpus/scaling/race.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <memory>

#include "16_many_gpus/all_reduce.hpp"
#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/rows_of_some_machines.hpp"
#include "16_many_gpus/scaling/turns.hpp"
#include "device/buffer.hpp"
#include "workbook/study.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

/// A way that takes part, and its times so far.
struct runner {
  race_row row;
  std::unique_ptr<experiment> way;
  std::vector<double> further, queued, host;

  [[nodiscard]] bool is_right() {
    row.why_not = faults_of_a_run(*way);
    return way->error() == 0 && row.why_not.empty();
  }
  [[nodiscard]] bool takes_times() const { return way != nullptr && row.right; }
  /// One call and several as the GPUs see them, and one as the host does.
  void take_times(stop_watch& watch) {
    const auto run = [&] { way->launch(); };
    auto& calls = dynamic_cast<all_reduce_experiment<float>&>(*way);
    constexpr std::size_t short_bytes = 1 << 20;
    const unsigned few = row.bytes <= short_bytes ? 8 : 1, many = row.bytes <= short_bytes ? 24 : 3;
    const auto time_of = [&](unsigned n) {
      return watch.take([&] { calls.launch_calls(n); }, start::warm).microseconds;
    };
    further.push_back((time_of(many) - time_of(few)) / (many - few));
    queued.push_back(watch.take(run, start::warm).microseconds);
    const auto begun = std::chrono::steady_clock::now();
    run();
    check(cudaDeviceSynchronize());  // GPU 0's default stream waits for all
    host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count());
  }
  void forget_times() {
    further.clear();
    queued.clear();
    host.clear();
  }
};

/// The rows of the chapter's table but the student's, and the ring of kernels with a thread for each element.
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

std::vector<runner> prepare(const std::vector<specimen>& ways, const problem& p, std::size_t bytes,
                            const model::links& links) {
  std::vector<runner> all;
  for (const specimen& one : ways) {
    runner next;
    next.row.way = one.name;
    next.row.gpus = p.gpus;
    next.row.bytes = bytes;
    next.row.predicted_us = predicted_all_reduce_us(links, next.row.way, p.gpus, bytes);
    if (const std::optional<std::string> why = one.why_not(p)) {
      next.row.why_not = *why;
    } else {
      try {
        next.way = one.prepare(p);
        next.row.took_part = true;
        next.row.right = next.is_right();
      } catch (const device_error&) {
        throw;
      } catch (const std::exception& e) {  // in NCCL's words, or a GPU that cannot reach another
        next.way = nullptr;
        next.row.took_part = false;
        next.row.why_not = e.what();
      }
    }
    all.push_back(std::move(next));
  }
  return all;
}

}  // namespace

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
    return model::all_reduce_us(links, bytes <= most_mailed_bytes ? all_reduce_way::mailboxes : all_reduce_way::shares,
                                gpus, static_cast<double>(bytes));
  const auto found = known.find(way);
  if (found == known.end()) return {};
  return model::all_reduce_us(links, found->second, gpus, static_cast<double>(bytes));
}

void race_all_reduce(const race_plan& plan, unsigned gpus, const std::function<void(const race_row&)>& tell) {
  const std::vector<specimen> ways = all_ways();
  for (const std::size_t bytes : plan.bytes) {
    const problem p{.type = element_type::float32, .count = bytes / sizeof(float), .seed = plan.seed, .gpus = gpus};
    std::vector<runner> all = prepare(ways, p, bytes, plan.links);
    take_turns(all, plan.repetitions);
    for (runner& one : all) {
      if (!one.queued.empty()) {
        one.row.further_us = median(one.further);
        one.row.queued_us = median(one.queued);
        one.row.host_us = median(one.host);
        one.row.right = one.is_right();
      }
      tell(one.row);
    }
  }
}

}  // namespace chapter16
