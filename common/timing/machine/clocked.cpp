// Measures with the clock of one SM: shared memory by the number of lanes that use the same bank, the rate of each kind
// of instruction, and shuffles by one warp and by all warps of the SM.

#include "timing/machine/parts.hpp"

namespace workbook::machine {
namespace {

/// Enough warps to keep the shared memory of an SM busy.
constexpr unsigned many_warps = 16;

/// As `cycles_of_step`. On the emulator, also checks the number of passes beyond the first for this degree of conflict.
double cycles_of_access(bench& b, const clocked_kernel& k, unsigned degree, const char* loads_or_stores) {
  const double cycles = cycles_of_step(b, k);
  if (b.timed()) return cycles;
  const std::uint64_t passes =
      b.counted(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", loads_or_stores));
  // The kernel runs two iterations of two repetitions.
  const std::uint64_t expected = std::uint64_t{4} * k.steps * (k.threads / 32) * (degree - 1);
  b.expect(passes == expected,
           fmt::format("{} of degree {}: {} passes beyond the first, not {}", k.name, degree, passes, expected));
  return cycles;
}

}  // namespace

nlohmann::json measure_shared(bench& b) {
  b.heading("shared: lanes per bank, and cycles per access of a warp");
  b.say("  {:>6} {:>16} {:>16} {:>24} {:>24}\n", "degree", "dependent load", "store, 1 warp",
        fmt::format("loads/cycle, {} warps", many_warps), fmt::format("stores/cycle, {} warps", many_warps));
  nlohmann::json rows = nlohmann::json::array();
  for (const unsigned degree : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const double load = cycles_of_access(b, dependent_shared_loads(degree), degree, "ld");
    const double store = cycles_of_access(b, shared_stores(degree, 1), degree, "st");
    const double loads = many_warps / cycles_of_access(b, shared_loads(degree, many_warps), degree, "ld");
    const double stores = many_warps / cycles_of_access(b, shared_stores(degree, many_warps), degree, "st");
    b.say("  {:>6} {:>16.1f} {:>16.1f} {:>24.3f} {:>24.3f}\n", degree, load, store, loads, stores);
    rows.push_back({{"degree", degree},
                    {"load_cycles", load},
                    {"store_cycles", store},
                    {"loads_per_cycle", loads},
                    {"stores_per_cycle", stores},
                    {"warps", many_warps}});
  }
  return rows;
}

nlohmann::json measure_instructions(bench& b) {
  b.heading("instructions: 32 warps of a multiprocessor");
  nlohmann::json rows = nlohmann::json::array();
  for (const clocked_kernel& k : instruction_streams()) {
    const double warps = k.threads / 32.0, cycles = cycles_of_step(b, k) / warps;
    b.say("  {:<10} {:>7.3f} per cycle, {:>7.3f} cycles each\n", k.name, 1 / cycles, cycles);
    rows.push_back({{"name", k.name}, {"warps", warps}, {"per_cycle", 1 / cycles}, {"cycles", cycles}});
  }
  return rows;
}

nlohmann::json measure_shuffles(bench& b) {
  b.heading("shuffles");
  b.say("  One warp: shuffles that do not wait for each other, and what puts their results together\n");
  nlohmann::json together = nlohmann::json::array(), sums = nlohmann::json::array();
  for (const clocked_kernel& k : shuffles_together()) {
    const double cycles = cycles_of_step(b, k);
    b.say("  {:>12} {:>25.2f} cycles\n", k.name, cycles);
    together.push_back({{"shuffles", std::stoi(k.name)}, {"cycles", cycles}});
  }
  b.say("  Sums of 16 lanes by all warps of a block, cycles until all have theirs\n  {:>12} {:>12} {:>12}\n", "warps",
        "chain", "tree");
  for (unsigned warps = 1; warps <= 32; warps *= 2) {
    const double chain = cycles_of_step(b, sums_by_chains(warps)), tree = cycles_of_step(b, sums_by_trees(warps));
    b.say("  {:>12} {:>12.1f} {:>12.1f}\n", warps, chain, tree);
    sums.push_back({{"warps", warps}, {"chain_cycles", chain}, {"tree_cycles", tree}});
  }
  return {{"together", together}, {"sums", sums}};
}

}  // namespace workbook::machine
