#include "timing/model/counts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "emulator/report/counts.hpp"

namespace model {
namespace {

using member = double counts::*;

struct named_member {
  const char* name;
  member which;
  bool of_launch;  ///< True if it grows with the number of blocks.
};

constexpr std::array members = {named_member{"blocks", &counts::blocks, true},
                                named_member{"threads_per_block", &counts::threads_per_block, false},
                                named_member{"blocks_per_multiprocessor", &counts::blocks_per_multiprocessor, false},
                                named_member{"path_cycles", &counts::path_cycles, false},
                                named_member{"path_waits", &counts::path_waits, false},
                                named_member{"longest_cycles", &counts::longest_cycles, false},
                                named_member{"longest_waits", &counts::longest_waits, false},
                                named_member{"last_cycles", &counts::last_cycles, false},
                                named_member{"last_waits", &counts::last_waits, false},
                                named_member{"instructions", &counts::instructions, true},
                                named_member{"divisions", &counts::divisions, true},
                                named_member{"shared_passes", &counts::shared_passes, true},
                                named_member{"sectors", &counts::sectors, true},
                                named_member{"local_sectors", &counts::local_sectors, true},
                                named_member{"global_atomics", &counts::global_atomics, true},
                                named_member{"cooperative", &counts::cooperative, false},
                                named_member{"lines", &counts::lines, true},
                                named_member{"sectors_near", &counts::sectors_near, true},
                                named_member{"sectors_again", &counts::sectors_again, true}};

}  // namespace

counts counts_of(const emulator::launch_report& report) {
  using enum emulator::observers::counter;
  const auto sum = [&](std::initializer_list<emulator::observers::counter> which) {
    return emulator::report::sum_of(report.counters, which);
  };
  const auto size = [](const std::uint32_t(&d)[3]) { return static_cast<double>(d[0]) * d[1] * d[2]; };
  counts c;
  c.blocks = size(report.grid);
  c.cooperative = report.cooperative ? 1 : 0;
  c.threads_per_block = size(report.block);
  c.blocks_per_multiprocessor = report.occupancy.known ? report.occupancy.blocks : 0;
  // A slow block may be one in a thousand, and take a thousand times as long as the others, but would be an eighth of
  // the followed blocks. So the slowest block is left out of the average, and counts for all blocks are scaled by their
  // instructions.
  const emulator::path_report& path = report.path;
  const double examples = path.blocks > 1 ? static_cast<double>(path.blocks - 1) : 1;
  c.path_cycles = (path.cycles - (path.blocks > 1 ? path.longest_cycles : 0)) / examples;
  c.path_waits = (path.waits - (path.blocks > 1 ? path.longest_waits : 0)) / examples;
  c.longest_cycles = path.longest_cycles;
  c.longest_waits = path.longest_waits;
  c.last_cycles = path.last_cycles;
  c.last_waits = path.last_waits;
  const double of_followed = sum({warp_instructions}) / static_cast<double>(std::max<std::uint64_t>(1, path.executed));
  const auto of_all = [&](std::uint64_t number) { return static_cast<double>(number) * of_followed; };
  // The instructions of all blocks, because others may do far more than the followed ones. The share of copies, as
  // found in the followed blocks, is left out.
  c.instructions = of_all(path.issued);
  c.divisions = sum({integer_divides});
  c.shared_passes = sum({shared_loads, shared_stores, shared_bank_conflicts});
  c.sectors = sum({global_load_sectors, global_store_sectors});
  c.local_sectors = sum({local_load_sectors, local_store_sectors});
  c.global_atomics = sum({global_atomic_operations});
  c.lines = of_all(path.lines);
  c.sectors_near = of_all(path.sectors_near);
  c.sectors_again = of_all(path.sectors_again);
  return c;
}

counts extrapolated(const counts& small, double small_n, const counts& large, double large_n, double n) {
  counts c = large;
  const double share = (n - large_n) / (large_n - small_n);
  for (const named_member& m : members) c.*m.which += share * (large.*m.which - small.*m.which);
  return c;
}

counts with_blocks(counts c, double blocks) {
  const double share = blocks / c.blocks;
  for (const named_member& m : members)
    if (m.of_launch) c.*m.which *= share;
  return c;
}

std::vector<std::string> names_of_counts() {
  std::vector<std::string> names;
  for (const named_member& m : members) names.emplace_back(m.name);
  return names;
}

void to_json(nlohmann::json& j, const counts& c) {
  j = nlohmann::json::array();
  for (const named_member& m : members) j.push_back(c.*m.which);
}

void from_json(const nlohmann::json& j, counts& c) {
  if (j.size() != members.size()) throw std::runtime_error("the number of a launch's counts is wrong");
  for (std::size_t k = 0; k < members.size(); ++k) j[k].get_to(c.*members[k].which);
}

}  // namespace model
