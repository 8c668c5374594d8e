// How often a warp, and a whole multiprocessor, can shuffle.

#include "tools/machine/parts.hpp"

namespace workbook::machine {

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
