#include "emulator/report/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "emulator/report/counts.hpp"
#include "emulator/warp_size.hpp"

namespace emulator::report {
namespace {

using observers::counter;
using std::string;

constexpr double lanes_of_warp = warp_size;
/// Bank conflicts below this fraction of the accesses, and sectors above the ideal below this fraction of it, are not
/// reported.
constexpr double worth_telling = 0.1;

/// The launch-wide numbers that the rules need.
struct whole {
  explicit whole(const launch_report& of)
      : launch(of),
        blocks(count_of(of.counters, counter::blocks)),
        warps(count_of(of.counters, counter::warps)),
        instructions(count_of(of.counters, counter::warp_instructions)),
        threads_per_block(static_cast<double>(of.block[0]) * of.block[1] * of.block[2]) {}
  const launch_report& launch;
  double blocks, warps, instructions, threads_per_block;
};

string words_or_bytes(std::int64_t stride) {
  if (stride % 4 != 0) return fmt::format("{} bytes", stride);
  return fmt::format("{} word{}", stride / 4, std::abs(stride) == 4 ? "" : "s");
}

/// Returns "a 4-way", "an 8-way" …, for at most 32 lanes.
string n_way(std::uint32_t degree) {
  const bool vowel = degree == 8 || degree == 11 || degree == 18;
  return fmt::format("{} {}-way", vowel ? "an" : "a", degree);
}

void bank_conflict(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double accesses = sum_of(l.counters, {counter::shared_loads, counter::shared_stores, counter::shared_atomics});
  const double conflicts = sum_of(l.counters, {counter::shared_bank_conflicts, counter::shared_atomic_bank_conflicts});
  const conflict_example& e = l.worst_conflict;
  if (e.degree < 2 || conflicts < worth_telling * accesses) return;
  const string stride = e.stride_bytes != 0 ? fmt::format("stride of {}: ", words_or_bytes(e.stride_bytes)) : string();
  into.push_back({kinds::bank_conflict, l.file, l.line,
                  fmt::format("{}lanes {} and {} hit bank {}, {} conflict; {} extra passes per block", stride,
                              e.lanes[0], e.lanes[1], e.bank, n_way(e.degree), format_short(conflicts / w.blocks))});
}

void coalescing(const whole&, const line_report& l, std::vector<diagnosis>& into) {
  const global_cost cost = costlier_access(l.counters);
  const request_example& e = l.worst_request;
  if (e.sectors == 0 || cost.sectors - cost.ideal < worth_telling * cost.ideal) return;
  const char* const verb = cost.stores ? "write" : "read";
  const string numbers =
      fmt::format("{} sectors per request where {} would do: ", format_short(cost.sectors / cost.requests),
                  format_short(cost.ideal / cost.requests));
  if (e.stride_bytes == e.bytes_per_lane) {
    into.push_back({kinds::misaligned, l.file, l.line,
                    numbers + fmt::format("neighbouring lanes {} neighbouring words, but a warp's first word is not "
                                          "at the start of a sector (32 bytes)",
                                          verb)});
    return;
  }
  const string where = e.stride_bytes != 0 ? fmt::format("words that are {} bytes apart", std::abs(e.stride_bytes))
                                           : string("words at irregular distances");
  into.push_back({kinds::uncoalesced, l.file, l.line, numbers + fmt::format("neighbouring lanes {} {}", verb, where)});
}

/// Inactive lanes because of a branch in this line, if they are a significant part of the kernel's cost.
void divergence(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double branches = count_of(l.counters, counter::branches);
  const double divergent = count_of(l.counters, counter::divergent_branches);
  if (branches == 0 || divergent < 0.25 * branches || l.partial_executed == 0) return;
  const double lanes = static_cast<double>(l.partial_lanes) / static_cast<double>(l.partial_executed);
  const double idle = lanes_of_warp * count_of(l.counters, counter::warp_instructions) -
                      count_of(l.counters, counter::thread_instructions);
  if (lanes > lanes_of_warp / 2 || idle < 0.1 * lanes_of_warp * w.instructions) return;
  into.push_back(
      {kinds::divergence, l.file, l.line,
       fmt::format("{} of {} branches per block diverge, and where the line does its work a warp has {:.1f} of "
                   "its 32 lanes active on average",
                   format_short(divergent / w.blocks), format_short(branches / w.blocks), lanes)});
}

void integer_division(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double divides = count_of(l.counters, counter::integer_divides);
  if (divides == 0 || divides < 0.02 * w.instructions) return;
  into.push_back({kinds::integer_division, l.file, l.line,
                  fmt::format("{} integer divisions or remainders per block; each is tens of machine instructions "
                              "unless its divisor is a constant",
                              format_short(divides / w.blocks))});
}

void barriers(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double opened = count_of(l.counters, counter::block_barriers);
  const double warps_per_block = w.warps / w.blocks;
  if (opened < 4 * w.blocks || warps_per_block <= 1) return;
  if (count_of(l.counters, counter::barriers) < 0.02 * w.instructions) return;
  into.push_back({kinds::barriers, l.file, l.line,
                  fmt::format("{} barriers per block, at each of which all {} warps wait for the slowest",
                              format_short(opened / w.blocks), format_short(warps_per_block))});
}

/// A line that only jumps. A line that also accesses memory or adds is part of the work itself.
void loop_control(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double branches = count_of(l.counters, counter::branches);
  const double instructions = count_of(l.counters, counter::warp_instructions);
  const double work = sum_of(
      l.counters, {counter::global_load_requests, counter::global_store_requests, counter::global_atomic_requests,
                   counter::global_reduction_requests, counter::shared_loads, counter::shared_stores,
                   counter::shared_atomics, counter::local_loads, counter::local_stores, counter::combines,
                   counter::barriers, counter::warp_barriers, counter::shuffles, counter::divergent_branches});
  if (work != 0 || branches < 4 * w.warps || instructions < 0.1 * w.instructions) return;
  into.push_back({kinds::loop_control, l.file, l.line,
                  fmt::format("{:.0f} % of the warp instructions count, compare and jump: {} branches per warp",
                              100 * instructions / w.instructions, format_short(branches / w.warps))});
}

void local_memory(const whole& w, const line_report& l, std::vector<diagnosis>& into) {
  const double accesses = sum_of(l.counters, {counter::local_loads, counter::local_stores});
  if (accesses == 0) return;
  into.push_back(
      {kinds::local_memory, l.file, l.line,
       fmt::format("{} accesses to local memory per warp: the compiler keeps a thread's array in memory, because "
                   "it does not know the index at compile time",
                   format_short(accesses / w.warps))});
}

void atomic_contention(const whole&, const line_report& l, std::vector<diagnosis>& into) {
  const double requests = sum_of(l.counters, {counter::global_atomic_requests, counter::global_reduction_requests});
  const double sectors = count_of(l.counters, counter::global_atomic_distinct_sectors);
  const double lanes = count_of(l.counters, counter::global_atomic_operations);
  // A sector has 8 words of 4 bytes, so with 16 lanes in it, at least two access the same word.
  if (requests == 0 || lanes < 16 * sectors) return;
  into.push_back(
      {kinds::atomic_contention, l.file, l.line,
       fmt::format("a request brings the atomics of {} lanes to {} sector{}: lanes that change the same word "
                   "take turns",
                   format_short(lanes / requests), format_short(sectors / requests), sectors == requests ? "" : "s")});
}

void of_launch(const whole& w, std::vector<diagnosis>& into) {
  const double filled = w.threads_per_block / (std::ceil(w.threads_per_block / lanes_of_warp) * lanes_of_warp);
  if (filled <= 0.75) {
    into.push_back({kinds::unfilled_warps, "", 0,
                    fmt::format("blocks of {} thread{}: {:.0f} % of the lanes of their warps never run",
                                w.threads_per_block, w.threads_per_block == 1 ? "" : "s", 100 * (1 - filled))});
  }
  const double requests = count_of(w.launch.counters, counter::global_load_requests);
  if (requests != 0 && requests <= 2.5 * w.warps && w.instructions >= 20 * requests) {
    into.push_back({kinds::little_work, "", 0,
                    fmt::format("a warp executes {} instructions for {} load request{} to global memory",
                                format_short(w.instructions / w.warps), format_short(requests / w.warps),
                                requests == w.warps ? "" : "s")});
  }
  const occupancy_report& o = w.launch.occupancy;
  if (o.known && o.warps_at_most != 0 && 2 * o.blocks * o.warps_per_block < o.warps_at_most) {
    into.push_back({kinds::low_occupancy, "", 0,
                    fmt::format("{} of the {} warps of a multiprocessor can be there at a time; the limit is: {}",
                                o.blocks * o.warps_per_block, o.warps_at_most, occupancy_limiter(o))});
  }
  if (o.multiprocessors != 0 && w.blocks < o.multiprocessors) {
    into.push_back({kinds::small_grid, "", 0,
                    fmt::format("{} block{} for {} multiprocessors: the others have nothing to do", w.blocks,
                                w.blocks == 1 ? "" : "s", o.multiprocessors)});
  }
}

}  // namespace

string format_short(double value) {
  const double size = std::fabs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value / 1e9);
  if (size >= 999500) return fmt::format("{:.3g}M", value / 1e6);
  if (size >= 99999.5) return fmt::format("{:.0f}k", value / 1e3);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.1f}", value);
  // Small fractions have one significant digit: if one block out of 8192 differs, the result isn't 0.
  return size < 0.01 ? fmt::format("{:.1g}", value) : fmt::format("{:.2f}", value);
}

string occupancy_limiter(const occupancy_report& o) {
  if (!o.known) return {};
  const std::pair<std::uint32_t, const char*> limits[] = {
      {o.by_registers, "Registers"}, {o.by_shared, "Shared Mem"}, {o.by_warps, "Warps"}, {o.by_device, "SM"}};
  std::uint32_t least = o.by_device;
  for (const auto& [blocks, name] : limits) least = std::min(least, blocks);
  string text;
  for (const auto& [blocks, name] : limits) {
    if (blocks == least) text += (text.empty() ? "" : ", ") + string(name);
  }
  return text;
}

std::vector<diagnosis> diagnose(const launch_report& launch) {
  const whole w(launch);
  std::vector<diagnosis> found;
  if (w.blocks == 0 || w.instructions == 0) return found;
  for (const line_report& l : launch.lines) {
    for (const auto rule : {bank_conflict, coalescing, divergence, integer_division, barriers, loop_control,
                            local_memory, atomic_contention}) {
      rule(w, l, found);
    }
  }
  of_launch(w, found);
  return found;
}

}  // namespace emulator::report
