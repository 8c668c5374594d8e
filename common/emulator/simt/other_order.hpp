#pragma once
/// \file
/// One order in which a launch may run: what the programming model leaves open, decided in another way than usual.
/// Blocks and warps that start first, the side of a branch that goes first, which of several lanes wins, and who is
/// held back behind an access while others go on. How orders are made, tried and told. A launch that has no such
/// order pays nothing for it.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/emulator.hpp"
#include "emulator/memory/saved_pages.hpp"
#include "emulator/simt/block.hpp"

namespace emulator::explain {
class naming;
}

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

/// Who wrote to a word last.
struct last_writer {
  std::uint32_t pc = no_pc;
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t bytes = 0;
};

/// An order, and what was seen of the launch that ran in it. For one host thread.
class other_order {
 public:
  /// \param saved   learns what the launch is about to change; must live as long as this
  /// \param window  so many blocks may start in any order among themselves: as many as there is room for
  /// \param shows   what the launch prints is the program's output
  other_order(memory::saved_pages& saved, order_choices choices, std::uint64_t window, bool shows)
      : choices_(std::move(choices)), saved_(saved), window_(window), shows_(shows) {}

  /// Says whether anything is to be done in another way than usual.
  [[nodiscard]] bool reorders() const { return !choices_.empty(); }

  /// The number of the block that starts as the k-th.
  [[nodiscard]] std::uint64_t block_at(std::uint64_t k, std::uint64_t count) const;
  /// The number of the warp whose turn is the k-th in each round.
  [[nodiscard]] std::uint32_t warp_at(std::uint32_t k, std::uint32_t count) const;
  [[nodiscard]] bool jumpers_first() const { return choices_.jumpers_first; }
  [[nodiscard]] bool lanes_fall() const { return choices_.lanes_fall; }
  /// Says whether some lanes of a warp are held back without the others.
  [[nodiscard]] bool parts_lanes() const;
  /// Which of the lanes `mask`, which have carried out the access at `pc`, wait now. \param of_grid  for other blocks
  [[nodiscard]] std::uint32_t held_at(const block& b, const warp& w, std::uint32_t pc, std::uint32_t mask,
                                      bool& of_grid);

  /// A store or an atomic is about to change global memory.
  void before_write(const block& b, const warp& w, std::uint32_t pc, const std::uint64_t* addresses, std::uint32_t mask,
                    std::uint32_t bytes, memory::allocation* in);
  /// A memory access was carried out.
  void accessed(std::uint32_t pc) { accesses_.insert(pc); }
  /// A lane has learned `value` in a way by which threads may talk to each other: an atomic, an ordered access.
  void learned(const block& b, const warp& w, std::uint32_t pc, unsigned lane, std::uint64_t value);
  /// A lane has read the clock, which is another one in every order.
  void read_clock() { clock_ = true; }
  [[nodiscard]] bool has_read_clock() const { return clock_; }
  /// What a lane prints. \return whether the program shall see it
  bool printed(const std::string& text);
  /// From now on, who writes to that word is noted.
  void watch(std::uintptr_t address) { watched_ = address; }

  [[nodiscard]] const std::set<std::uint32_t>& accesses() const { return accesses_; }
  [[nodiscard]] const last_writer& writer() const { return writer_; }
  /// What the threads have learned, in whatever order they did: a number that is the same where all learned the same.
  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] const std::multiset<std::string>& texts() const { return texts_; }

 private:
  const order_choices choices_;
  memory::saved_pages& saved_;
  const std::uint64_t window_;
  const bool shows_;
  std::set<std::uint32_t> accesses_;
  std::unordered_map<std::uint64_t, std::uint32_t> times_;         ///< By hold and warp.
  std::unordered_map<std::uint64_t, std::uint64_t> last_learned_;  ///< By thread and instruction.
  std::uint64_t told_ = 0;
  bool clock_ = false;
  std::multiset<std::string> texts_;
  std::uintptr_t watched_ = 0;
  last_writer writer_;
};

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
void try_orders(const orders_plan& plan, memory::address_space& space, memory::saved_pages& saved,
                const other_order& usual, const std::function<order_outcome(other_order&)>& run,
                const explain::naming& names, launch_report& report);

}  // namespace emulator::simt
