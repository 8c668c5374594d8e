#pragma once
/// \file
/// The flow graph of a program, and the registers that are live, which are found by data-flow analysis over its basic
/// blocks. Used by register allocation and by the machine-code generator. The latter runs after registers have been
/// assigned to shared places.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/simt/decoder.hpp"

namespace emulator::simt {

/// Basic blocks of a program. The last one is empty; threads end there.
struct flow_graph {
  std::vector<std::uint32_t> begin;     ///< First pc of each block; of the last one, the number of operations.
  std::vector<std::uint32_t> block_of;  ///< Indexed by pc.
  std::vector<std::vector<std::uint32_t>> successors;
  std::uint32_t exit = 0;  ///< The last block's number.
};

/// Returns the flow graph of `p`, whose branch targets must have been set.
[[nodiscard]] flow_graph flow_of(const program& p);

/// A set of registers, by number.
class register_set {
 public:
  explicit register_set(std::size_t registers = 0) : words((registers + 63) / 64) {}
  [[nodiscard]] bool has(std::size_t s) const { return (words[s / 64] >> (s % 64) & 1u) != 0; }
  void add(std::size_t s) { words[s / 64] |= std::uint64_t{1} << (s % 64); }
  void remove(std::size_t s) { words[s / 64] &= ~(std::uint64_t{1} << (s % 64)); }
  std::vector<std::uint64_t> words;
};

/// The registers that a basic block reads and writes, and those that are live before and after it.
struct block_liveness {
  explicit block_liveness(std::size_t registers)
      : reads(registers), writes(registers), live_in(registers), live_out(registers) {}
  register_set reads;   ///< Before they are written.
  register_set writes;  ///< Only by operations without a guard, which write all lanes.
  register_set live_in, live_out;
};

/// Returns the liveness of each block of `g`, the flow graph of `p`. \param number_of  returns a slot's number, below
/// `registers`, or nullopt if it isn't a register
template <typename F>
[[nodiscard]] std::vector<block_liveness> find_liveness(program& p, const flow_graph& g, std::size_t registers,
                                                        F number_of) {
  std::vector<block_liveness> blocks(g.exit + 1, block_liveness(registers));
  for (std::uint32_t b = 0; b < g.exit; ++b) {
    for (std::uint32_t pc = g.begin[b]; pc < g.begin[b + 1]; ++pc) {
      const bool partial = p.code[pc].guard != no_slot;  // a guarded write leaves the old value in some lanes
      for (const bool written : {false, true}) {
        for_each_slot(p, p.code[pc], [&](const slot& s, bool is_written) {
          const std::optional<std::size_t> number = number_of(s);
          if (is_written != written || !number) return;
          if (written && !partial)
            blocks[b].writes.add(*number);
          else if (!blocks[b].writes.has(*number))
            blocks[b].reads.add(*number);
        });
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = g.exit; k-- > 0;) {
      block_liveness& b = blocks[k];
      for (std::size_t word = 0; word < b.reads.words.size(); ++word) {
        std::uint64_t out = 0;
        for (const std::uint32_t s : g.successors[k]) out |= blocks[s].live_in.words[word];
        const std::uint64_t in = b.reads.words[word] | (out & ~b.writes.words[word]);
        changed |= in != b.live_in.words[word];
        b.live_out.words[word] = out;
        b.live_in.words[word] = in;
      }
    }
  }
  return blocks;
}

/// Steps backwards over an operation: changes `live` from what is live after it to what is live before it.
template <typename F>
void step_back(program& p, op& o, register_set& live, F number_of) {
  for (const bool written : {true, false}) {
    for_each_slot(p, o, [&](const slot& s, bool is_written) {
      const std::optional<std::size_t> number = number_of(s);
      if (is_written != written || !number) return;
      if (!written)
        live.add(*number);
      else if (o.guard == no_slot)
        live.remove(*number);
    });
  }
}

}  // namespace emulator::simt
