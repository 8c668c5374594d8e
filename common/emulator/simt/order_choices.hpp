#pragma once
/// \file
/// What an order of a launch does in another way than the usual one, how orders are made, and how they are told.

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/simt/block.hpp"

namespace emulator::simt {

/// Lanes that wait behind an access, until all others of their block have come as far as they can.
struct held_back {
  std::uint32_t pc = no_pc;
  std::uint32_t lanes = all_lanes;
  std::uint32_t every = 1, rest = 0;  ///< Of the grid's warps, those whose number leaves `rest` when divided by it.
  bool each_time = false;             ///< Else only the first time that a warp comes there.
  bool of_grid = false;               ///< They wait for other blocks, too.
};

/// What an order does in another way than usual. Without any of it, it is the usual order.
struct order_choices {
  std::vector<std::uint64_t> blocks_first;  ///< These start first, in this order.
  bool blocks_fall = false;                 ///< The others start from the last to the first.
  std::vector<std::uint32_t> warps_first;   ///< Likewise, in every block.
  bool warps_fall = false;
  bool jumpers_first = false;  ///< Where a branch parts lanes, those that jump go first.
  bool lanes_fall = false;     ///< Atomics and stores to one word are carried out from the last lane to the first.
  std::vector<held_back> holds;

  [[nodiscard]] bool empty() const {
    return blocks_first.empty() && !blocks_fall && warps_first.empty() && !warps_fall && !jumpers_first &&
           !lanes_fall && holds.empty();
  }
};

/// What the orders of a launch are made from.
struct orders_plan {
  unsigned count = 0;
  std::uint64_t seed = 1;
  std::uint64_t blocks = 1;
  std::uint32_t warps = 1;                              ///< Per block.
  std::uint64_t room = 1;                               ///< Blocks that the device has room for.
  std::uint64_t most_instructions = ~std::uint64_t{0};  ///< Of warps, in all orders together; one may be beyond it.
  bool lanes_part = true;                               ///< Lanes of a warp may be held back without the others.
};

/// Returns the k-th order, from 1. The first ones turn round one thing each, the others mix.
/// \param accesses  where the launch reaches memory that other threads see, too
[[nodiscard]] order_choices choices_of(unsigned k, const orders_plan& plan, const std::vector<std::uint32_t>& accesses);

/// Returns all ways to make an order a little more like the usual one.
[[nodiscard]] std::vector<order_choices> simpler(const order_choices& c);

/// Says in words what an order does in another way than usual: "block 3 runs before the others".
[[nodiscard]] std::string words_of(const order_choices& choices, const observers::kernel_facts& facts);

}  // namespace emulator::simt
