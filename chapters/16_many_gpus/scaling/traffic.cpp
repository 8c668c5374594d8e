// Counts the traffic of every method of chapter 16 with the counters of the GPUs' ports.

#include <algorithm>
#include <exception>

#include <cuda_runtime_api.h>

#include "16_many_gpus/experiments.hpp"
#include "16_many_gpus/scaling/port_counters.hpp"
#include "16_many_gpus/scaling/race.hpp"
#include "16_many_gpus/scaling/turns.hpp"
#include "reductions/buffer.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

struct no_times {};

/// Returns a number of calls. The GPUs' counters are in KiB, so there must be so many calls that a KiB doesn't matter.
unsigned calls_to_count(std::size_t bytes) {
  if (!on_gpu()) return 1;
  constexpr std::size_t enough_bytes = std::size_t{1} << 31;
  return static_cast<unsigned>(std::clamp<std::size_t>(enough_bytes / bytes, 16, 2048));
}

}  // namespace

std::string count_traffic(const race_plan& plan, unsigned gpus, const std::function<void(const traffic_row&)>& tell) {
  const std::unique_ptr<port_counters> counters = counters_of_ports(gpus);
  for (const std::size_t bytes : plan.bytes) {
    const problem p{.type = element_type::float32, .count = bytes / sizeof(float), .seed = plan.seed, .gpus = gpus};
    for (const specimen& one : all_ways()) {
      racer<traffic_row, experiment, no_times> next;
      next.row.way = one.name;
      next.row.gpus = gpus;
      next.row.bytes = bytes;
      if (const std::optional<std::string> why = one.why_not(p))
        next.row.why_not = *why;
      else
        next.prepare([&] { return one.prepare(p); }, race_goes_on);
      if (next.row.right) {
        next.row.calls = calls_to_count(bytes);
        const std::vector<port_bytes> before = counters->read();
        dynamic_cast<all_reduce_experiment<float>&>(*next.way).launch_calls(next.row.calls);
        check(cudaDeviceSynchronize());  // GPU 0's default stream waits for all others
        const std::vector<port_bytes> after = counters->read();
        for (unsigned g = 0; g < gpus; ++g) {
          const auto each = [&](std::uint64_t port_bytes::*way) {
            return static_cast<double>(after[g].*way - before[g].*way) / next.row.calls;
          };
          next.row.sent.push_back(each(&port_bytes::sent));
          next.row.received.push_back(each(&port_bytes::received));
        }
        (void)take_findings();
      }
      tell(next.row);
    }
  }
  return counters->name();
}

}  // namespace chapter16
