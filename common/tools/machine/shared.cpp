// Shared memory by the number of lanes that meet in a bank.

#include "tools/machine/parts.hpp"

namespace workbook::machine {
namespace {

/// What a multiprocessor's shared memory is kept busy with.
constexpr unsigned many_warps = 16;

/// As `cycles_of_step`. On the emulator, the passes beyond the first are those of an access of that degree.
double cycles_of_access(bench& b, const clocked_kernel& k, unsigned degree, const char* loads_or_stores) {
  const double cycles = cycles_of_step(b, k);
  if (b.timed()) return cycles;
  const std::uint64_t passes =
      b.counted(fmt::format("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum", loads_or_stores));
  // Two rounds of two repetitions.
  const std::uint64_t expected = std::uint64_t{4} * k.steps * (k.threads / 32) * (degree - 1);
  b.expect(passes == expected,
           fmt::format("{} of degree {}: {} passes beyond the first, not {}", k.name, degree, passes, expected));
  return cycles;
}

}  // namespace

nlohmann::json measure_shared(bench& b) {
  b.heading("shared: lanes that meet in each bank, and cycles per access of a warp");
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

}  // namespace workbook::machine
