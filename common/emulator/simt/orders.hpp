#pragma once
/// \file
/// The same launch in other orders: what they have in common with the usual one, and what not.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/memory/saved_pages.hpp"
#include "emulator/observers/words.hpp"
#include "emulator/simt/other_order.hpp"

namespace emulator::simt {

/// What a launch did in one order.
struct order_outcome {
  bool ended = true;           ///< False where it took much longer than in the usual order, and was given up.
  std::uint64_t executed = 0;  ///< Warp instructions.
  std::vector<finding> findings;
};

/// Runs a launch in `plan.count` other orders, each from what there was before it. What is found there and was not
/// found in the usual order is added to `report`, and so is a result that depends on the order; both with the fewest
/// choices that bring it about. The launch has been run in the usual order, and its result is what it leaves.
/// \param usual  has seen that run
/// \param run    runs the launch once in an order
void try_orders(const orders_plan& plan, memory::saved_pages& saved, const other_order& usual,
                const std::function<order_outcome(other_order&)>& run, const observers::naming& names,
                launch_report& report);

}  // namespace emulator::simt
