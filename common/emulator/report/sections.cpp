// The sections of a profile, with the names that Nsight Compute uses.

#include <fmt/format.h>

#include <optional>

#include "emulator/report/counts.hpp"
#include "emulator/report/profile.hpp"

namespace emulator::report {
namespace {

using observers::counter;
using std::string;

/// Formats a whole number with a comma every three digits.
string grouped(double value) {
  string digits = fmt::format("{:.0f}", value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

string row(const char* name, const string& value, const char* unit) {
  string text = fmt::format("  {:<44} {:>16} {}", name, value, unit);
  while (text.back() == ' ') text.pop_back();
  return text + "\n";
}

string shape(const std::uint32_t (&of)[3]) {
  if (of[1] == 1 && of[2] == 1) return grouped(of[0]);
  return fmt::format("{} x {} x {}", of[0], of[1], of[2]);
}

string launch_statistics(const launch_report& l) {
  string text = "Launch Statistics\n";
  const double blocks = static_cast<double>(l.grid[0]) * l.grid[1] * l.grid[2];
  const double threads = static_cast<double>(l.block[0]) * l.block[1] * l.block[2];
  text += row("Grid Size", shape(l.grid), "block");
  text += row("Block Size", shape(l.block), "thread");
  text += row("Threads", grouped(blocks * threads), "thread");
  if (l.registers_per_thread != 0) text += row("Registers Per Thread", grouped(l.registers_per_thread), "register");
  text += row("Static Shared Memory Per Block", grouped(static_cast<double>(l.static_shared_bytes)), "byte");
  text += row("Dynamic Shared Memory Per Block", grouped(static_cast<double>(l.dynamic_shared_bytes)), "byte");
  const occupancy_report& o = l.occupancy;
  if (o.known) {
    text += row("Driver Shared Memory Per Block", grouped(static_cast<double>(o.reserved_shared_bytes)), "byte");
    text += row("# SMs", grouped(o.multiprocessors), "SM");
    if (o.blocks != 0) text += row("Waves Per SM", fmt::format("{:.2f}", blocks / o.blocks / o.multiprocessors), "");
  }
  return text;
}

string occupancy(const launch_report& l) {
  const occupancy_report& o = l.occupancy;
  string text = "\nOccupancy\n";
  if (!o.known) return text + "  Unknown: there is no machine code to read the kernel's registers from.\n";
  const auto limit = [](std::uint32_t blocks) { return blocks == 0xffffffffu ? string("none") : grouped(blocks); };
  text += row("Block Limit SM", limit(o.by_device), "block");
  text += row("Block Limit Registers", limit(o.by_registers), "block");
  text += row("Block Limit Shared Mem", limit(o.by_shared), "block");
  text += row("Block Limit Warps", limit(o.by_warps), "block");
  const std::uint32_t warps = o.blocks * o.warps_per_block;
  text += row("Theoretical Active Warps per SM", grouped(warps), "warp");
  text += row("Theoretical Occupancy", fmt::format("{:.2f}", 100.0 * warps / o.warps_at_most), "%");
  return text + row("Limited by", occupancy_limiter(o), "");
}

/// Returns the table of memory, without rows for accesses that did not occur.
string memory(const counter_map& c) {
  using enum counter;
  struct kind {
    const char* name;
    counter requests;
    std::optional<counter> sectors, ideal, conflicts;
  };
  static constexpr kind kinds[] = {
      {"Global Load", global_load_requests, global_load_sectors, global_load_ideal_sectors, {}},
      {"Global Store", global_store_requests, global_store_sectors, global_store_ideal_sectors, {}},
      {"Global Atomic ALU", global_atomic_requests, global_atomic_sectors, {}, {}},
      {"Global Reduction", global_reduction_requests, global_reduction_sectors, {}, {}},
      {"Local Load", local_loads, local_load_sectors, {}, {}},
      {"Local Store", local_stores, local_store_sectors, {}, {}},
      {"Shared Load", shared_loads, {}, {}, shared_load_bank_conflicts},
      {"Shared Store", shared_stores, {}, {}, shared_store_bank_conflicts},
      {"Shared Atomic", shared_atomics, {}, {}, shared_atomic_bank_conflicts},
  };
  string rows;
  for (const kind& k : kinds) {
    const double asked = count_of(c, k.requests);
    if (asked == 0) continue;
    rows += fmt::format("  {:<20} {:>13}", k.name, grouped(asked));
    if (k.sectors)
      rows += fmt::format(" {:>13} {:>12.2f}", grouped(count_of(c, *k.sectors)), count_of(c, *k.sectors) / asked);
    if (k.ideal) rows += fmt::format(" {:>7.2f}", count_of(c, *k.ideal) / asked);
    if (k.conflicts) rows += fmt::format(" {:>13} {:>12} {:>7} {:>8}", "", "", "", grouped(count_of(c, *k.conflicts)));
    rows += "\n";
  }
  if (rows.empty()) return {};
  return fmt::format(
             "\nMemory Workload Analysis\n  {:<20} {:>13} {:>13} {:>12} {:>7} {:>8}\n  {:<20} {:>13} {:>13} {:>12} "
             "{:>7} {:>8}\n",
             "", "", "", "Sectors/", "", "Bank", "", "Requests", "Sectors", "Request", "ideal", "Confl.") +
         rows;
}

string warps_and_branches(const counter_map& c) {
  const double executed = count_of(c, counter::warp_instructions);
  if (executed == 0) return {};
  string text = "\nWarp State Statistics (of PTX instructions)\n";
  text += row("Avg. Not Predicated Off Threads Per Warp",
              fmt::format("{:.2f}", count_of(c, counter::thread_instructions) / executed), "thread");
  text += "\nInstruction Statistics (of PTX instructions)\n";
  text += row("Executed Instructions", grouped(executed), "inst");
  const std::pair<const char*, counter> waits[] = {{"Barriers", counter::block_barriers},
                                                   {"Warp Barriers", counter::warp_barriers},
                                                   {"Memory Fences", counter::fences},
                                                   {"Warp Shuffles", counter::shuffles},
                                                   {"Integer Divisions", counter::integer_divides}};
  for (const auto& [name, which] : waits) {
    const char* const unit = which == counter::block_barriers ? "barrier" : "inst";
    if (const double count = count_of(c, which); count != 0) text += row(name, grouped(count), unit);
  }
  const double branches = count_of(c, counter::branches);
  if (branches == 0) return text;
  const double divergent = count_of(c, counter::divergent_branches);
  text += "\nSource Counters (of PTX instructions)\n";
  text += row("Branch Instructions", grouped(branches), "inst");
  text += row("Divergent Branches", grouped(divergent), "inst");
  return text + row("Branch Efficiency", fmt::format("{:.2f}", 100 * (branches - divergent) / branches), "%");
}

}  // namespace

string sections_text(const launch_report& launch) {
  return launch_statistics(launch) + occupancy(launch) + memory(launch.counters) + warps_and_branches(launch.counters);
}

}  // namespace emulator::report
