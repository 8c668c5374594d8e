#pragma once
/// \file
/// One order in which a launch may run. The programming model leaves many choices open: which blocks and warps start
/// first, which side of a branch runs first, which of several lanes wins, and which lanes wait after an access while
/// others continue. An order makes these choices differently from the usual one. This header also declares the
/// functions that make, try and describe orders. A launch without such an order has no overhead for it.

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

/// Lanes that wait after an access until all other lanes of their block have run as far as they can.
struct held_back {
  std::uint32_t pc = no_pc;
  std::uint32_t lanes = all_lanes;
  std::uint32_t every = 1, rest = 0;  ///< Only the warps of the grid whose number modulo `every` is `rest`.
  bool each_time = false;             ///< False: only the first time that a warp executes the access.
  bool of_grid = false;               ///< They wait for other blocks, too.
};

/// The choices that an order makes differently from the usual one. If there are none, it is the usual order.
struct order_choices {
  std::vector<std::uint64_t> blocks_first;  ///< These start first, in this order.
  bool blocks_fall = false;                 ///< The others start from the last to the first.
  std::vector<std::uint32_t> warps_first;   ///< The same for the warps of every block.
  bool warps_fall = false;
  bool jumpers_first = false;  ///< After a divergent branch, the lanes that jump run first.
  bool lanes_fall = false;     ///< Atomics and stores to the same word are executed from the last lane to the first.
  std::vector<held_back> holds;

  [[nodiscard]] bool empty() const {
    return blocks_first.empty() && !blocks_fall && warps_first.empty() && !warps_fall && !jumpers_first &&
           !lanes_fall && holds.empty();
  }
};

/// The input from which the orders of a launch are made.
struct orders_plan {
  unsigned count = 0;
  std::uint64_t seed = 1;
  std::uint64_t blocks = 1;
  std::uint32_t warps = 1;                             ///< Per block.
  std::uint64_t room = 1;                              ///< Blocks that the device has room for.
  std::uint64_t max_instructions = ~std::uint64_t{0};  ///< Warp instructions in all orders together; the last order
                                                       ///< may exceed it.
  bool lanes_part = true;                              ///< Lanes of a warp may be held back without the others.
};

/// Returns the k-th order, from 1. Each of the first four reverses one choice; the others combine several.
/// \param accesses  pcs of the launch's accesses to memory that other threads see, too
[[nodiscard]] order_choices choices_of(unsigned k, const orders_plan& plan, const std::vector<std::uint32_t>& accesses);

/// Returns orders that are closer to the usual one than `c`: in each, a choice is dropped or weakened.
[[nodiscard]] std::vector<order_choices> simpler(const order_choices& c);

/// Describes what an order does differently from the usual one, for example "block 3 runs before the others".
[[nodiscard]] std::string words_of(const order_choices& choices, const observers::kernel_facts& facts);

/// The last store to a word.
struct last_writer {
  std::uint32_t pc = no_pc;
  std::uint64_t block = 0;
  std::uint32_t thread = 0;
  std::uint32_t bytes = 0;
};

/// An order, and what was observed while a launch ran in it. Used by one host thread only.
class other_order {
 public:
  /// \param saved   records what the launch is about to change; must live as long as this object
  /// \param window  number of consecutive blocks that may start in any order among themselves, because there is room
  /// for all of them
  /// \param shows   true if the kernel's output is printed
  other_order(memory::saved_pages& saved, order_choices choices, std::uint64_t window, bool shows)
      : choices_(std::move(choices)), saved_(saved), window_(window), shows_(shows) {}

  /// Returns true if anything is done differently from the usual order.
  [[nodiscard]] bool reorders() const { return !choices_.empty(); }

  /// Returns the number of the block that starts as the k-th.
  [[nodiscard]] std::uint64_t block_at(std::uint64_t k, std::uint64_t count) const;
  /// Returns the number of the warp that has the k-th turn in each round.
  [[nodiscard]] std::uint32_t warp_at(std::uint32_t k, std::uint32_t count) const;
  [[nodiscard]] bool jumpers_first() const { return choices_.jumpers_first; }
  [[nodiscard]] bool lanes_fall() const { return choices_.lanes_fall; }
  /// Returns true if some lanes of a warp are held back without the others.
  [[nodiscard]] bool parts_lanes() const;
  /// Returns the lanes of `mask` that wait now, after all of `mask` have executed the access at `pc`.
  /// \param of_grid  set to true if they wait for other blocks, too
  [[nodiscard]] std::uint32_t held_at(const block& b, const warp& w, std::uint32_t pc, std::uint32_t mask,
                                      bool& of_grid);

  /// Called before a store or an atomic changes global memory.
  void before_write(const block& b, const warp& w, std::uint32_t pc, const std::uint64_t* addresses, std::uint32_t mask,
                    std::uint32_t bytes, memory::allocation* in);
  /// Called after a memory access.
  void accessed(std::uint32_t pc) { accesses_.insert(pc); }
  /// Called when a lane has read `value` by an atomic or an ordered access, which threads can use to communicate.
  void learned(const block& b, const warp& w, std::uint32_t pc, unsigned lane, std::uint64_t value);
  /// Called when a lane has read the clock, whose value differs in every order.
  void read_clock() { clock_ = true; }
  [[nodiscard]] bool has_read_clock() const { return clock_; }
  /// Records what a lane prints. \return true if it is to be printed
  bool printed(const std::string& text);
  /// From now on, records the last writer of that word.
  void watch(std::uintptr_t address) { watched_ = address; }

  [[nodiscard]] const std::set<std::uint32_t>& accesses() const { return accesses_; }
  [[nodiscard]] const last_writer& writer() const { return writer_; }
  /// Returns a hash of what the threads have learned. It depends on what each thread learned, but not on the order in
  /// which different threads learned it.
  [[nodiscard]] std::uint64_t told() const { return told_; }
  [[nodiscard]] const std::multiset<std::string>& texts() const { return texts_; }

 private:
  const order_choices choices_;
  memory::saved_pages& saved_;
  const std::uint64_t window_;
  const bool shows_;
  std::set<std::uint32_t> accesses_;
  std::unordered_map<std::uint64_t, std::uint32_t> times_;         ///< Indexed by hold and warp.
  std::unordered_map<std::uint64_t, std::uint64_t> last_learned_;  ///< Indexed by thread and instruction.
  std::uint64_t told_ = 0;
  bool clock_ = false;
  std::multiset<std::string> texts_;
  std::uintptr_t watched_ = 0;
  last_writer writer_;
};

/// The result of a launch in one order.
struct order_outcome {
  bool ended = true;           ///< False if it took much longer than in the usual order and was stopped.
  std::uint64_t executed = 0;  ///< Warp instructions.
  std::vector<finding> findings;
};

/// Runs a launch in `plan.count` other orders, each from the memory that there was before the launch. Adds to `report`
/// the findings that don't occur in the usual order, and reports if the result depends on the order. Each is reported
/// with the fewest choices that reproduce it. The launch has already run in the usual order, and memory holds that
/// result afterwards.
/// \param usual  the object that has observed the run in the usual order
/// \param run    runs the launch once in an order
void try_orders(const orders_plan& plan, memory::address_space& space, memory::saved_pages& saved,
                const other_order& usual, const std::function<order_outcome(other_order&)>& run,
                const explain::naming& names, launch_report& report);

}  // namespace emulator::simt
