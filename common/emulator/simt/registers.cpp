// Register allocation: PTX has as many virtual registers as values, but a warp's register file should stay in the
// host's cache. Liveness analysis (liveness.hpp) is followed by a linear scan over the live ranges. What is known about
// values is marked before they share registers.

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/simt/liveness.hpp"

namespace emulator::simt {
namespace {

/// Largest size of a warp's register file; no compiler comes near 2^17 values that are live at the same time.
constexpr std::uint32_t max_live_bytes = 1u << 24;

/// The operations during which a register is live, from the first to the last.
struct range {
  std::uint32_t first = no_pc;
  std::uint32_t last = 0;
  void include(std::uint32_t pc) {
    first = std::min(first, pc);
    last = std::max(last, pc);
  }
};

/// Calls `f(register, written)` for the registers of an operation, excluding constants; first for those that it reads.
template <typename F>
void visit(program& p, op& o, F f) {
  for (const bool written : {false, true}) {
    for_each_slot(p, o, [&](slot s, bool is_written) {
      if (is_written == written && (s & constant_bit) == 0) f(s, written);
    });
  }
}

/// A register that is read before it is written on some path through the kernel.
struct early_read {
  slot of = no_slot;
  std::uint32_t pc = no_pc;  ///< The first operation in code order that may read it before it is written.
};

/// Finds the registers that are live before the first operation, except the frame pointer, which the launch sets.
std::vector<early_read> find_early_reads(program& p, const flow_graph& g, const std::vector<block_liveness>& blocks,
                                         std::size_t registers) {
  std::vector<early_read> found;
  if (g.exit == 0) return found;
  for (slot s = 0; s < registers; ++s) {
    if (!blocks[0].live_in.has(s) || s == p.frame_pointer) continue;
    early_read read{s, no_pc};
    for (std::uint32_t b = 0; b < g.exit && read.pc == no_pc; ++b) {
      if (!blocks[b].reads.has(s)) continue;
      for (std::uint32_t pc = g.begin[b]; pc < g.begin[b + 1] && read.pc == no_pc; ++pc)
        visit(p, p.code[pc], [&](slot of, bool written) {
          if (of == s && !written) read.pc = pc;
        });
    }
    found.push_back(read);
  }
  return found;
}

std::vector<range> live_ranges(program& p, std::size_t registers, std::vector<early_read>& early) {
  const flow_graph g = flow_of(p);
  const std::vector<block_liveness> blocks = find_liveness(
      p, g, registers, [](slot s) { return (s & constant_bit) == 0 ? std::optional<std::size_t>(s) : std::nullopt; });
  early = find_early_reads(p, g, blocks, registers);
  std::vector<range> ranges(registers);
  for (std::uint32_t b = 0; b < g.exit; ++b) {
    for (slot s = 0; s < registers; ++s) {
      if (blocks[b].live_in.has(s)) ranges[s].include(g.begin[b]);
      if (blocks[b].live_out.has(s)) ranges[s].include(g.begin[b + 1] - 1);
    }
    for (std::uint32_t pc = g.begin[b]; pc < g.begin[b + 1]; ++pc)
      visit(p, p.code[pc], [&](slot s, bool) { ranges[s].include(pc); });
  }
  return ranges;
}

/// The layout of a register file, while it is made.
struct layout {
  std::vector<slot> place_of;          ///< Indexed by register; 0 if no operation uses it.
  std::vector<register_place> places;  ///< All places.
  std::uint32_t bytes = 0;
};

/// Assigns the same place to registers that are never live at the same time. \param lane_bytes  by register
layout place_registers(const std::vector<range>& ranges, std::span<const std::uint8_t> lane_bytes) {
  std::vector<slot> order(ranges.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](slot x, slot y) { return ranges[x].first < ranges[y].first; });
  layout made;
  made.place_of.assign(ranges.size(), 0);
  // Indexed by size. Predicates are separate, because a call saves lanes of a place and has to know its layout.
  std::map<std::uint8_t, std::vector<slot>> free_places;
  std::multimap<std::uint32_t, slot> active;  // last pc → register
  for (const slot s : order) {
    const range& r = ranges[s];
    if (r.first == no_pc) break;  // not used at all
    // A place is free only after the last operation that reads it, because some handlers write before they have read
    // all operands.
    while (!active.empty() && active.begin()->first < r.first) {
      const slot ended = active.begin()->second;
      free_places[lane_bytes[ended]].push_back(made.place_of[ended]);
      active.erase(active.begin());
    }
    std::vector<slot>& free = free_places[lane_bytes[s]];
    if (free.empty()) {
      free.push_back(made.bytes);
      made.places.push_back({made.bytes, lane_bytes[s]});
      made.bytes += place_bytes(lane_bytes[s]);
    }
    made.place_of[s] = free.back();
    free.pop_back();
    active.emplace(r.last, s);
  }
  return made;
}

/// Returns true if an operation only moves or converts a register.
bool is_copy(const op& o) {
  return (o.roles & role_copy) != 0 && o.kind == op_kind::arithmetic;
}

/// Stores in the facts which registers each operation reads and writes.
void note_uses(program& p) {
  observers::kernel_facts& facts = p.facts;
  std::map<slot, std::uint32_t> numbers;
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    facts.uses_begin.push_back(static_cast<std::uint32_t>(facts.register_uses.size()));
    if (is_copy(p.code[pc])) facts.instructions[pc].classes |= observers::class_copy;
    visit(p, p.code[pc], [&](slot s, bool written) {
      const auto number = numbers.emplace(s, static_cast<std::uint32_t>(numbers.size())).first->second;
      facts.register_uses.push_back({number, written});
    });
  }
  facts.uses_begin.push_back(static_cast<std::uint32_t>(facts.register_uses.size()));
  facts.register_count = static_cast<std::uint32_t>(numbers.size());
}

/// Leaves class_combine only on arithmetic that is a step of a reduction: one of its operands always has a value that
/// came from shared memory or from another lane.
void mark_combines(program& p, std::size_t registers) {
  std::vector<bool> elsewhere(registers, false), here(registers, false);  // where a register's values come from
  const auto is_foreign = [&](slot s) { return s < registers && elsewhere[s] && !here[s]; };
  const auto define = [&](slot s, bool foreign) {
    if (s != no_slot) (foreign ? elsewhere : here)[s] = true;
  };
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    const auto vector = [&] { return std::span(p.vector_registers).subspan(o.target, vector_length(o)); };
    const bool arithmetic = o.kind == op_kind::arithmetic;
    bool brings = (o.kind == op_kind::load && o.space == ptx::state_space::shared) ||
                  (p.facts.instructions[pc].classes & observers::class_shuffle) != 0;
    if (arithmetic && (o.roles & role_vector_read) != 0)  // packs several registers
      brings = std::ranges::all_of(vector(), is_foreign);
    else if ((o.roles & role_copy) != 0)
      brings = is_foreign(o.a);
    define(o.dst, brings);
    if ((o.roles & role_vector_written) == 0 || (!arithmetic && o.kind != op_kind::load)) continue;
    if (arithmetic) brings = is_foreign(o.a);  // unpacks one
    for (const slot s : vector()) define(s, brings);
  }
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    if (!is_foreign(o.a) && !is_foreign(o.b) && !is_foreign(o.c))
      p.facts.instructions[pc].classes &= ~std::uint32_t{observers::class_combine};
  }
}

/// Marks the loads whose value is only stored, perhaps after it was moved to other registers. Must run before registers
/// share places, while each register is one value, or a few of the same variable.
void mark_passed_on(program& p, std::size_t registers) {
  std::vector<observers::instruction_facts>& facts = p.facts.instructions;
  std::vector<bool> used(registers, false);  // by operations other than stores and moves
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    const bool stores = (facts[pc].classes & observers::class_store) != 0;
    visit(p, p.code[pc], [&](slot s, bool written) {
      if (!written && !is_copy(o) && !(stores && s != o.a && s != o.guard)) used[s] = true;
    });
  }
  // A register that is moved counts as used where its destination is used.
  for (bool more = true; more;) {
    more = false;
    for (op& o : p.code) {
      if (!is_copy(o)) continue;
      bool result_used = false;
      visit(p, o, [&](slot s, bool written) { result_used |= written && used[s]; });
      if (!result_used) continue;
      visit(p, o, [&](slot s, bool written) {
        more |= !written && !used[s];
        if (!written) used[s] = true;
      });
    }
  }
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    if ((facts[pc].classes & observers::class_load) == 0) continue;
    bool passed_on = true;
    visit(p, p.code[pc], [&](slot s, bool written) { passed_on &= !written || !used[s]; });
    if (passed_on) facts[pc].classes |= observers::class_passed_on;
  }
}

/// Finds out which types the shuffles move, because a shuffle's own type gives only the number of bits. A value has the
/// type of its uses, perhaps after it was moved to other registers. Must run before registers share places.
void mark_shuffled(program& p, std::size_t registers) {
  std::vector<observers::instruction_facts>& facts = p.facts.instructions;
  std::vector<bool> real(registers, false), half(registers, false);
  const auto is_move = [](const op& o) { return is_copy(o) && o.element_bytes == 0; };  // no conversion
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    const op& o = p.code[pc];
    const bool packs = o.kind == op_kind::arithmetic && (o.roles & role_vector_read) != 0;
    visit(p, p.code[pc], [&](slot s, bool written) {
      if (written) return;
      if (packs) half[s] = true;
      if (facts[pc].is_real && !is_move(o)) real[s] = true;
    });
  }
  // A register that is moved counts as used where its destination is used.
  for (bool more = true; more;) {
    more = false;
    for (op& o : p.code) {
      if (!is_move(o)) continue;
      bool to_real = false, to_half = false;
      visit(p, o, [&](slot s, bool written) {
        to_real |= written && real[s];
        to_half |= written && half[s];
      });
      visit(p, o, [&](slot s, bool written) {
        if (written || ((real[s] || !to_real) && (half[s] || !to_half))) return;
        more = true;
        real[s] = real[s] || to_real;
        half[s] = half[s] || to_half;
      });
    }
  }
  for (std::size_t pc = 0; pc < p.code.size(); ++pc) {
    if ((facts[pc].classes & observers::class_shuffle) == 0) continue;
    visit(p, p.code[pc], [&](slot s, bool written) {
      if (!written) return;
      facts[pc].is_real |= real[s];
      if (half[s]) facts[pc].element_bytes = 0;
    });
  }
}

}  // namespace

void decoder::allocate_registers() {
  mark_combines(program_, register_lane_bytes_.size());
  mark_shuffled(program_, register_lane_bytes_.size());
  mark_passed_on(program_, register_lane_bytes_.size());
  std::vector<early_read> early;
  layout made = place_registers(live_ranges(program_, register_lane_bytes_.size(), early), register_lane_bytes_);
  if (made.bytes > max_live_bytes) throw unsupported("the kernel has too many registers at a time");
  // Constants come first.
  const auto final_place = [&](slot s) {
    return (s & constant_bit) != 0 ? s & ~constant_bit : constant_bytes_ + made.place_of[s];
  };
  for (op& o : program_.code) for_each_slot(program_, o, [&](slot& s, bool) { s = final_place(s); });
  note_uses(program_);
  // Calls pass values through frames, and the registers that a callee reads are set by its caller.
  if (program_.routines.empty()) {
    for (const early_read& one : early) {
      if (register_lane_bytes_[one.of] == 0) {
        program_.sees_unset = true;
        continue;
      }
      program_.unset.push_back({final_place(one.of), register_lane_bytes_[one.of]});
      if (!stands_in_toolkit(program_.facts, one.pc)) program_.facts.unset_reads.push_back(one.pc);
    }
  }
  if (program_.frame_pointer != no_slot) program_.frame_pointer = final_place(program_.frame_pointer);
  if (!program_.calls.empty()) {
    for (register_place& place : made.places) place.at += constant_bytes_;
    program_.places = std::move(made.places);
  }
  program_.register_begin = constant_bytes_;
  program_.file_bytes = constant_bytes_ + std::max(made.bytes, 64u);
}

}  // namespace emulator::simt
