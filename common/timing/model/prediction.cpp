#include "timing/model/prediction.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

namespace model {
namespace {

constexpr double sector_bytes = 32;

void sort_terms(prediction& p) {
  std::stable_sort(p.terms.begin(), p.terms.end(), [](const term& a, const term& b) { return a.us > b.us; });
}

/// Returns why the time of such a launch is unknown, or an empty string.
std::string why_unknown(const counts& c) {
  if (c.blocks < 1) return "no block was launched";
  if (c.blocks_per_multiprocessor < 1) return "without the machine code it is not known how many blocks fit on an SM";
  if (c.cooperative > 0)
    return "how long the blocks of a cooperative launch wait for each other is not part of the model";
  if (c.global_atomics > c.blocks)
    return "how long atomics wait for each other in global memory is not part of the model";
  if (c.local_sectors > 0) return "private arrays in local memory live in caches, which the model does not know";
  if (c.sectors_again > 0.3 * c.sectors) return "much is read again from the caches, which the model does not know";
  return {};
}

}  // namespace

std::vector<std::string> prediction::limits() const {
  if (terms.empty()) return {};
  if (launch_us > us / 2) return {"launches"};
  std::vector<std::string> names = {terms[0].name};
  if (terms.size() > 1 && terms[1].us >= nearly * terms[0].us) names.push_back(terms[1].name);
  return names;
}

std::string prediction::limit() const {
  return fmt::format("{}", fmt::join(limits(), ", "));
}

prediction predict(const machine& m, const counts& c, bool first, const constants& k) {
  prediction p;
  p.unknown = why_unknown(c);
  if (!p.unknown.empty()) return p;
  const double us_per_cycle = 1e-3 / m.clock_ghz;
  const double wait = (first ? m.memory_ns : m.l2_ns) * 1e-3;
  const double turnover = m.block_turnover_ns * 1e-3;
  const double life = turnover + c.path_cycles * us_per_cycle + c.path_waits * wait;
  const double waves = c.blocks / (m.multiprocessors * c.blocks_per_multiprocessor);
  const double busy = std::min(c.blocks, m.multiprocessors);  // SMs that have a block
  // The terms. Each is later increased by a wait that occurs once: for memory, or for the life of a block.
  const double starts = c.blocks * m.start_ns(static_cast<unsigned>(c.threads_per_block)) * 1e-3;
  const double latency = life * (waves > 1 ? waves + k.last_wave : 1);
  const double memory = std::max(0.0, c.sectors - c.sectors_near) * sector_bytes / m.memory_gb_per_s * 1e-3;
  const double instructions =
      (c.instructions / k.instructions_per_cycle + c.divisions * m.division_cycles) / busy * us_per_cycle;
  const double l1_cache = c.lines / busy * us_per_cycle;
  const double shared = c.shared_passes / busy * us_per_cycle;
  p.terms = {{"block starts", starts},       {"latency", latency},   {"memory", memory},
             {"instructions", instructions}, {"L1 cache", l1_cache}, {"shared memory", shared}};
  // The units of an SM work in parallel, and blocks start while others run. But memory, latency and work overlap only
  // in part.
  const double work = std::max({instructions, l1_cache, shared}) + wait;
  const double run = std::hypot(work, latency, memory + wait + turnover);
  // The extra time of the slowest block. If that is the last block, it waits for the others' results in L2.
  const double longest = (c.longest_cycles - c.path_cycles) * us_per_cycle + (c.longest_waits - c.path_waits) * wait;
  const double last = (c.last_cycles - c.path_cycles) * us_per_cycle + (c.last_waits - c.path_waits) * m.l2_ns * 1e-3;
  // The first launch that reads memory also waits for address translation.
  const bool cold = first && c.path_waits > 0.5;
  p.launch_us = (first ? m.first_launch_us : m.further_launch_us) + (cold ? k.cold_us : 0);
  p.us = std::max(starts + life, run) + std::max({0.0, longest, last}) + p.launch_us;
  sort_terms(p);
  return p;
}

prediction predict(const machine& m, const std::vector<counts>& launches, const constants& k) {
  prediction all;
  if (launches.empty()) all.unknown = "nothing was launched";
  for (std::size_t n = 0; n < launches.size(); ++n) {
    const prediction one = predict(m, launches[n], n == 0, k);
    if (!one.unknown.empty()) {
      all = {};
      all.unknown = one.unknown;
      return all;
    }
    all.us += one.us;
    all.launch_us += one.launch_us;
    for (const term& t : one.terms) {
      const auto same =
          std::find_if(all.terms.begin(), all.terms.end(), [&](const term& x) { return x.name == t.name; });
      if (same == all.terms.end())
        all.terms.push_back(t);
      else
        same->us += t.us;
    }
  }
  sort_terms(all);
  return all;
}

}  // namespace model
