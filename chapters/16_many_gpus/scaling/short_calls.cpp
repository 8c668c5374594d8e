#include "16_many_gpus/scaling/short_calls.hpp"

#include <exception>

#include "16_many_gpus/scaling/short_call.hpp"
#include "16_many_gpus/scaling/turns.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

struct runner {
  short_row row;
  manner::by how{};
  std::unique_ptr<short_call> way;
  std::vector<double> further, alone;

  [[nodiscard]] bool is_right() {
    row.why_not = faults_of_a_run(*way);
    return (way->error() == 0 || !way->adds()) && row.why_not.empty();
  }
  [[nodiscard]] bool takes_times() const { return way != nullptr && row.right; }
  void take_times(stop_watch& watch) {
    bool queued = true;
    const auto time_of = [&](unsigned calls) {
      const stop_watch::sample taken = watch.take([&] { way->launch_calls(calls); }, start::warm);
      queued = queued && taken.queued;
      return taken.microseconds;
    };
    constexpr unsigned few = calls_per_graph, many = 3 * calls_per_graph;
    const double longer = time_of(many);
    further.push_back((longer - time_of(few)) / (many - few));
    alone.push_back(way->alone_us());
    row.late_rounds += queued ? 0 : 1;
  }
  void forget_times() {
    further.clear();
    alone.clear();
    row.late_rounds = 0;
  }
};

/// Compares each way with NCCL where that is called alike.
void compare_with_nccl(std::vector<runner>& all) {
  for (runner& one : all) {
    if (!one.row.further_us || one.row.way == "NCCL" || one.row.way == "empty kernels") continue;
    for (const runner& nccl : all) {
      if (nccl.row.way != "NCCL" || nccl.how != one.how || !nccl.row.further_us) continue;
      one.row.further_over_nccl = *nccl.row.further_us / *one.row.further_us;
      one.row.alone_over_nccl = *nccl.row.alone_us / *one.row.alone_us;
    }
  }
}

/// Says whether the GPUs still work after an error of a call.
bool goes_on() {
  (void)cudaGetLastError();
  cudaSetDevice(0);
  return cudaDeviceSynchronize() == cudaSuccess;
}

runner prepare(const short_way& one, const problem& p) {
  runner next;
  next.row.way = one.name;
  next.how = one.called.how;
  next.row.called = words_of(one.called);
  next.row.gpus = p.gpus;
  next.row.bytes = p.count * sizeof(float);
  try {
    next.way = one.make(p, one.called);
    next.row.took_part = true;
    next.row.right = next.is_right();
  } catch (const std::exception& e) {  // in CUDA's or NCCL's words, or a GPU that cannot reach another
    next.way = nullptr;
    next.row.took_part = false;
    next.row.why_not = e.what();
    if (!goes_on()) throw;
  }
  return next;
}

}  // namespace

std::string_view words_for_further() {
  return "a further call: the 32nd part of what 48 calls take longer than 16, between events on GPU 0, all of them "
         "queued before the first may begin";
}

std::string_view words_for_alone() {
  return "alone: one call on idle GPUs by the host's clock, from its beginning until the host knows that the streams "
         "of all GPUs have ended; of graphs, one that holds a single call";
}

void race_short_calls(const short_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell) {
  const std::vector<short_way> ways = ways_to_call();
  for (const std::size_t bytes : plan.bytes) {
    const problem p{.type = element_type::float32, .count = bytes / sizeof(float), .seed = plan.seed, .gpus = gpus};
    std::vector<runner> all;
    for (const short_way& one : ways) all.push_back(prepare(one, p));
    take_turns(all, plan.repetitions);
    for (runner& one : all) {
      if (!one.further.empty()) {
        one.row.further_us = median(one.further);
        one.row.alone_us = median(one.alone);
        one.row.right = one.is_right();
      }
    }
    compare_with_nccl(all);
    for (const runner& one : all) tell(one.row);
  }
}

}  // namespace chapter16
