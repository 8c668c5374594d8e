// How many instructions of a kind a multiprocessor executes.

#include "tools/machine/parts.hpp"

namespace workbook::machine {

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

}  // namespace workbook::machine
