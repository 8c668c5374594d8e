// Compares the emulator's counters with those that Nsight Compute read on a GPU, for the probes and for the ladder's
// references. Prints docs/agreement.md. With --device gpu it only launches the probes, so that ncu can count them.

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "chapters/ladder.hpp"
#include "emulator/emulator.hpp"
#include "host/command_line.hpp"
#include "kernels/hardware_comparison/probes.hpp"
#include "reductions/buffer.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/laboratory.hpp"

namespace {

using counters = std::map<std::string, std::uint64_t>;

/// The counters of one launch on the hardware and on the emulator.
struct pair {
  std::string name;
  counters hardware, ours;
  std::string differs = "";  ///< Why the counts differ from the hardware's, if the reason is known.
  bool waits = false;        ///< A block polls until others are ready, so its counts depend on time.
};

const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";

/// Counters that depend on time if a block waits for others. Such a block polls until the others are ready, and lanes
/// that see this at different times store at different times.
const std::set<std::string> by_time = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};

/// The agreement on one counter.
struct row {
  std::size_t launches = 0, equal = 0;
  double largest = 0;   ///< The largest difference of one launch, in events.
  double relative = 0;  ///< That difference relative to the larger count or, for conflicts, to the accesses.
  std::string where = "";
  std::set<std::string> breaches{};
};

std::uint64_t at(const counters& c, const std::string& name) {
  const auto found = c.find(name);
  return found == c.end() ? 0 : found->second;
}

void compare(const pair& p, std::map<std::string, row>& rows) {
  for (const auto& [name, theirs] : p.hardware) {
    const std::uint64_t ours = at(p.ours, name);
    if (theirs == 0 && ours == 0) continue;
    if (p.waits && by_time.contains(name)) {
      if (theirs < ours) rows[name].breaches.insert(p.name);
      continue;
    }
    if (!p.differs.empty()) continue;
    row& r = rows[name];
    ++r.launches;
    const double difference = std::fabs(static_cast<double>(theirs) - static_cast<double>(ours));
    double base = static_cast<double>(std::max(theirs, ours));
    if (name == conflicts) {
      base = static_cast<double>(at(p.ours, "smsp__sass_inst_executed_op_shared_ld.sum") +
                                 at(p.ours, "smsp__sass_inst_executed_op_shared_st.sum"));
      // The hardware's counter also includes arbitration between warps.
      if (difference > 0.05 * (base + static_cast<double>(ours))) r.breaches.insert(p.name);
    } else if (difference != 0) {
      r.breaches.insert(p.name);
    }
    if (difference == 0) ++r.equal;
    if (difference > r.largest) {
      r.largest = difference;
      r.relative = difference / base;
      r.where = p.name;
    }
  }
}

nlohmann::json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return nlohmann::json::parse(file);
}

/// Pairs recorded launches with `ours`, in order. \throws std::runtime_error if these aren't the recorded launches
std::vector<pair> pairs(const nlohmann::json& recorded, const std::vector<emulator::launch_report>& ours,
                        const std::vector<probes::probe>& made) {
  if (recorded.size() != ours.size())
    throw std::runtime_error(
        fmt::format("{} launches are recorded, {} were made: record them anew "
                    "(common/timing/ladder/record.sh)",
                    recorded.size(), ours.size()));
  std::vector<pair> all;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const std::string kernel = recorded[k].at("kernel");
    if (ours[k].kernel.find(kernel) == std::string::npos)
      throw std::runtime_error(fmt::format("launch {} is {} in the record, and {} here", k, kernel, ours[k].kernel));
    pair p{kernel, {}, {}};
    if (!made.empty()) {
      p.name = made[k].name;
      p.differs = made[k].differs;
    }
    p.waits = kernel == "reduce_one_launch" && ours[k].grid[0] > 1;
    for (const auto& [name, value] : recorded[k].at("metrics").items()) p.hardware[name] = value;
    for (const auto& [name, value] : ours[k].counters) p.ours[std::string(name)] = value;
    all.push_back(std::move(p));
  }
  return all;
}

std::vector<pair> of_probes(const std::string& folder) {
  (void)emulator::take_reports();
  const std::vector<probes::probe> made = probes::all();
  for (const probes::probe& p : made) {
    p.launch();
    workbook::check(cudaGetLastError());
  }
  return pairs(read(folder + "/ncu_probes_h200.json").at("launches"), emulator::take_reports(), made);
}

std::vector<pair> of_references(const std::string& folder) {
  using namespace workbook;
  const nlohmann::json recorded = read(folder + "/ncu_h200.json");
  const auto& input = recorded.at("provenance").at("input");
  laboratory lab({element_type::int32, input.at("count"), input.at("block_size"), 1});
  std::vector<emulator::launch_report> ours;
  for (const reduction& rung : recorded_references()) {
    const outcome o = lab.run(rung, effort{});
    if (!o.verified) throw std::runtime_error(o.name + " is wrong: " + o.failure);
    ours.insert(ours.end(), o.launches.begin(), o.launches.end());
  }
  return pairs(recorded.at("launches"), ours, {});
}

/// Prints the known differences, counter by counter. Returns true if each really differs.
bool print_differences(const std::vector<pair>& all) {
  bool good = true;
  fmt::print("\nWhere they differ, and why:\n");
  for (const pair& p : all) {
    if (p.differs.empty()) continue;
    std::string what;
    for (const auto& [name, theirs] : p.hardware) {
      const std::uint64_t ours = at(p.ours, name);
      if (theirs != ours)
        what += fmt::format("{}`{}` is {} on the GPU, {} here", what.empty() ? "" : "; ", name, theirs, ours);
    }
    if (what.empty()) fmt::print(stderr, "{}: is said to differ, and does not\n", p.name);
    good = good && !what.empty();
    fmt::print("\n- {}: {}. {}{}.\n", p.name, what, static_cast<char>(std::toupper(p.differs[0])), p.differs.substr(1));
  }
  fmt::print(
      "\n- `reduce_one_launch`: on the GPU, its last block reads the mailboxes until all values have arrived, so the "
      "number of loads depends on time. The emulator runs that block last, so it reads each mailbox once. The GPU "
      "must have counted no fewer loads and stores.\n");
  return good;
}

/// Prints the table. Returns true if everything agrees.
bool print(const std::string& title, const std::vector<pair>& all) {
  std::map<std::string, row> rows;
  for (const pair& p : all) compare(p, rows);
  bool good = true;
  fmt::print("\n## {}\n\n{} launches.\n\n", title, all.size());
  fmt::print(
      "| counter | launches that have it | equal | largest difference | where |\n| --- | --- | --- | --- | --- |\n");
  for (const auto& [name, r] : rows) {
    const std::string difference = r.largest == 0 ? "0" : fmt::format("{:.0f} ({:.1f} %)", r.largest, 100 * r.relative);
    fmt::print("| `{}` | {} | {} | {} | {} |\n", name, r.launches, r.equal, difference, r.where);
    good = good && r.breaches.empty();
  }
  for (const auto& [name, r] : rows) {
    for (const std::string& where : r.breaches) {
      const auto p = std::find_if(all.begin(), all.end(), [&](const pair& x) { return x.name == where; });
      fmt::print(stderr, "{}: {}: {} on the GPU, {} here\n", where, name, at(p->hardware, name), at(p->ours, name));
    }
  }
  return good;
}

int run(emulator::device_kind device, const std::string& folder) {
  if (device == emulator::device_kind::gpu) {
    emulator::select_device(emulator::device_kind::gpu);
    for (const probes::probe& p : probes::all()) p.launch();
    workbook::check(cudaDeviceSynchronize());
    return 0;
  }
  emulator::options wanted = emulator::current_options();
  wanted.counters = true;
  wanted.memcheck = wanted.initcheck = wanted.racecheck = wanted.synccheck = false;
  emulator::set_options(wanted);
  const nlohmann::json source = read(folder + "/ncu_probes_h200.json").at("provenance");
  fmt::print(
      "# The emulator's counters next to the hardware's\n\n"
      "Nsight Compute read these counters on an {} (driver {}, CUDA {}, {}, commit {}; `tests/data/ncu*.json`), for "
      "the chapters' references and for the probes of `tests/kernels/hardware_comparison`. A probe is a kernel with "
      "one kind of access "
      "in one pattern, made to separate the counters. Here they are compared with the emulator's counters for the "
      "same launches. Each counter must be equal in each launch, except for the differences that are explained at "
      "the end. Bank conflicts may differ by 5 % of accesses and passes. `build/bin/agreement` compares the counters "
      "and prints this page, and a test runs it.\n",
      source.at("gpu").get<std::string>(), source.at("driver").get<std::string>(),
      source.at("toolkit").get<std::string>(), source.at("date").get<std::string>().substr(0, 10),
      source.at("commit").get<std::string>());
  const std::vector<pair> probed = of_probes(folder);
  const nlohmann::json input = read(folder + "/ncu_h200.json").at("provenance").at("input");
  const bool same_references = print(
      fmt::format("References of the chapters, 2^22 ints in blocks of {} threads", input.at("block_size").get<int>()),
      of_references(folder));
  const bool same_probes = print("Probes", probed);
  const bool known = print_differences(probed);
  return same_probes && same_references && known ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  emulator::device_kind device = emulator::device_kind::emulator;
  std::string folder = WORKBOOK_TEST_DATA;
  host::parser app{"Compares the emulator's counters with those read on a GPU", "agreement"};
  app.add_option("--device", device, "gpu: only launch the probes, for ncu").transform(workbook::a_device());
  app.add_option("--data", folder, "Folder of the recorded counters").check(host::an_existing_folder());
  return host::run_program(app, argc, argv, 3, [&] { return run(device, folder); });
}
