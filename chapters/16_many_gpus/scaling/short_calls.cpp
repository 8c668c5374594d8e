// Races the methods to call an all-reduce of short vectors.

#include <exception>

#include "16_many_gpus/scaling/race.hpp"
#include "16_many_gpus/scaling/short_call.hpp"
#include "16_many_gpus/scaling/turns.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

struct short_times {
  double further, alone;
  bool late;
};
struct short_runner : racer<short_row, short_call, short_times> {
  manner::by how{};
};

short_times times_of(const short_runner& one, stop_watch& watch) {
  bool queued = true;
  const auto time_of = [&](unsigned calls) {
    const stop_watch::sample taken = watch.take([&] { one.way->launch_calls(calls); }, start::warm);
    queued = queued && taken.queued;
    return taken.microseconds;
  };
  constexpr unsigned few = calls_per_graph, many = 3 * calls_per_graph;
  const double longer = time_of(many);
  const double further = (longer - time_of(few)) / (many - few);
  return {further, one.way->alone_us(), !queued};
}

/// Compares each method with NCCL, if NCCL is called in the same way.
void compare_with_nccl(std::vector<short_runner>& all) {
  for (short_runner& one : all) {
    if (!one.row.further_us || one.row.way == "NCCL" || one.row.way == "empty kernels") continue;
    for (const short_runner& nccl : all) {
      if (nccl.row.way != "NCCL" || nccl.how != one.how || !nccl.row.further_us) continue;
      one.row.further_over_nccl = *nccl.row.further_us / *one.row.further_us;
      one.row.alone_over_nccl = *nccl.row.alone_us / *one.row.alone_us;
    }
  }
}

/// Returns true if the GPUs still work after a call has failed.
bool works_on(const std::exception&) {
  (void)cudaGetLastError();
  cudaSetDevice(0);
  return cudaDeviceSynchronize() == cudaSuccess;
}

short_runner prepare(const short_way& one, const problem& p) {
  short_runner next;
  next.how = one.called.how;
  next.row.way = one.name;
  next.row.called = words_of(one.called);
  next.row.gpus = p.gpus;
  next.row.bytes = p.count * sizeof(float);
  next.prepare([&] { return one.make(p, one.called); }, works_on);
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

void race_short_calls(const race_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell) {
  const std::vector<short_way> ways = ways_to_call();
  for (const std::size_t bytes : plan.bytes) {
    const problem p{.type = element_type::float32, .count = bytes / sizeof(float), .seed = plan.seed, .gpus = gpus};
    std::vector<short_runner> all;
    for (const short_way& one : ways) all.push_back(prepare(one, p));
    take_turns(all, plan.repetitions, times_of);
    for (short_runner& one : all) {
      if (!one.times.empty()) {
        one.row.further_us = one.median_of(&short_times::further);
        one.row.alone_us = one.median_of(&short_times::alone);
        for (const short_times& taken : one.times) one.row.late_rounds += taken.late ? 1 : 0;
        one.row.right = one.is_right();
      }
    }
    compare_with_nccl(all);
    for (const short_runner& one : all) tell(one.row);
  }
}

}  // namespace chapter16
