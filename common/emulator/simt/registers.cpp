// Register allocation: PTX has as many virtual registers as values; a warp's file should stay in the host's cache.
// Liveness by data flow over basic blocks, then a linear scan over the ranges.

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {
namespace {

/// Of a warp's register file; no compiler comes near 2^17 values alive at a time.
constexpr std::uint32_t most_live_bytes = 1u << 24;

/// Calls `read` and `write` for every register of an operation.
template <typename Read, typename Write>
void visit(const program& p, const op& o, std::uint8_t role, Read read, Write write) {
  const auto is_register = [](slot s) { return s != no_slot && (s & constant_bit) == 0; };
  for (const slot s : {o.a, o.b, o.c, o.guard}) {
    if (is_register(s)) read(s);
  }
  if ((role & role_imm) != 0 && is_register(static_cast<slot>(o.imm))) read(static_cast<slot>(o.imm));
  if ((role & (role_vector_read | role_vector_written)) != 0) {
    const unsigned count = o.kind == op_kind::arithmetic ? static_cast<unsigned>(o.imm) : o.element_count;
    const unsigned read_count = (role & role_vector_read) != 0 ? count : 0;
    const unsigned written_count = (role & role_vector_written) != 0 ? count : 0;
    for (unsigned k = 0; k < read_count + written_count; ++k) {
      const slot s = p.vector_registers[o.target + k];
      if (!is_register(s)) continue;
      if (k < read_count)
        read(s);
      else
        write(s);
    }
  }
  if (is_register(o.dst)) write(o.dst);
  if ((role & role_target) != 0 && is_register(o.target)) write(o.target);
}

struct range {
  std::uint32_t first = no_pc;
  std::uint32_t last = 0;
  std::uint32_t bytes = 0;
  bool predicate = false;
  slot place = 0;
  void include(std::uint32_t pc) {
    first = std::min(first, pc);
    last = std::max(last, pc);
  }
};

using bits = std::vector<std::uint64_t>;

struct basic_block {
  std::uint32_t begin = 0, end = 0;
  std::vector<std::uint32_t> successors;
  bits live_in, live_out, reads, writes;
};

std::vector<basic_block> split_blocks(const program& p) {
  const auto count = static_cast<std::uint32_t>(p.code.size());
  std::vector<bool> leader(count + 1, false);
  leader[0] = leader[count] = true;
  const auto ends = [](const op& o) {
    return o.kind == op_kind::branch || o.kind == op_kind::branch_table || o.kind == op_kind::exit ||
           o.kind == op_kind::call_return || o.kind == op_kind::trap;
  };
  for (std::uint32_t pc = 0; pc < count; ++pc) {
    const op& o = p.code[pc];
    if (o.kind == op_kind::branch) leader[o.target] = true;
    if (o.kind == op_kind::branch_table)
      for (const std::uint32_t t : p.tables[o.target]) leader[t] = true;
    if (ends(o)) leader[pc + 1] = true;
  }
  std::vector<basic_block> blocks;
  std::vector<std::uint32_t> block_of(count + 1, 0);
  for (std::uint32_t pc = 0; pc < count; ++pc) {
    if (leader[pc]) blocks.push_back({pc, pc, {}, {}, {}, {}, {}});
    block_of[pc] = static_cast<std::uint32_t>(blocks.size()) - 1;
    blocks.back().end = pc + 1;
  }
  for (basic_block& b : blocks) {
    const op& o = p.code[b.end - 1];
    const auto add = [&](std::uint32_t pc) {
      if (pc < count) b.successors.push_back(block_of[pc]);
    };
    const bool falls = !ends(o) || o.guard != no_slot;
    if (o.kind == op_kind::branch) add(o.target);
    if (o.kind == op_kind::branch_table)
      for (const std::uint32_t t : p.tables[o.target]) add(t);
    if (falls) add(b.end);
  }
  return blocks;
}

}  // namespace

void decoder::compact_registers() {
  std::map<slot, std::uint32_t> index;  // register → dense number
  std::vector<slot> registers;
  const auto number = [&](slot s) {
    const auto [found, added] = index.try_emplace(s, static_cast<std::uint32_t>(registers.size()));
    if (added) registers.push_back(s);
    return found->second;
  };
  for (std::size_t pc = 0; pc < program_.code.size(); ++pc)
    visit(program_, program_.code[pc], roles_[pc], number, number);
  if (registers.empty()) return;

  std::vector<basic_block> blocks = split_blocks(program_);
  const std::size_t words = (registers.size() + 63) / 64;
  const auto test = [](const bits& b, std::uint32_t k) { return (b[k / 64] >> (k % 64) & 1u) != 0; };
  const auto set = [](bits& b, std::uint32_t k) { b[k / 64] |= std::uint64_t{1} << (k % 64); };
  for (basic_block& b : blocks) {
    b.live_in.assign(words, 0);
    b.live_out.assign(words, 0);
    b.reads.assign(words, 0);
    b.writes.assign(words, 0);
    for (std::uint32_t pc = b.begin; pc < b.end; ++pc) {
      const bool partial = program_.code[pc].guard != no_slot;  // a guarded write keeps the old value in some lanes
      visit(
          program_, program_.code[pc], roles_[pc],
          [&](slot s) {
            if (!test(b.writes, index[s])) set(b.reads, index[s]);
          },
          [](slot) {});
      visit(
          program_, program_.code[pc], roles_[pc], [](slot) {},
          [&](slot s) {
            if (partial && !test(b.writes, index[s])) set(b.reads, index[s]);
            if (!partial) set(b.writes, index[s]);
          });
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = blocks.size(); k-- > 0;) {
      basic_block& b = blocks[k];
      for (std::size_t word = 0; word < words; ++word) {
        std::uint64_t out = 0;
        for (const std::uint32_t s : b.successors) out |= blocks[s].live_in[word];
        const std::uint64_t in = b.reads[word] | (out & ~b.writes[word]);
        changed |= in != b.live_in[word];
        b.live_out[word] = out;
        b.live_in[word] = in;
      }
    }
  }

  std::vector<range> ranges(registers.size());
  for (const basic_block& b : blocks) {
    for (std::uint32_t k = 0; k < registers.size(); ++k) {
      if (test(b.live_in, k)) ranges[k].include(b.begin);
      if (test(b.live_out, k)) ranges[k].include(b.end - 1);
    }
    for (std::uint32_t pc = b.begin; pc < b.end; ++pc) {
      const auto touch = [&](slot s) { ranges[index[s]].include(pc); };
      visit(program_, program_.code[pc], roles_[pc], touch, touch);
    }
  }
  for (std::uint32_t k = 0; k < registers.size(); ++k) {
    ranges[k].bytes = sizes_.at(registers[k]);
    ranges[k].predicate = predicates_.contains(registers[k]);
  }

  std::vector<std::uint32_t> order(registers.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t x, std::uint32_t y) { return ranges[x].first < ranges[y].first; });
  // By size; predicates apart, because a call saves lanes of a place and must know how they lie in it.
  std::map<std::pair<std::uint32_t, bool>, std::vector<slot>> free_places;
  std::multimap<std::uint32_t, std::uint32_t> active;  // last pc → register
  std::uint32_t used = 0;
  for (const std::uint32_t k : order) {
    range& r = ranges[k];
    // A place is free again only after the operation that read it last: some handlers write before they have read all.
    while (!active.empty() && active.begin()->first < r.first) {
      const range& ended = ranges[active.begin()->second];
      free_places[{ended.bytes, ended.predicate}].push_back(ended.place);
      active.erase(active.begin());
    }
    auto& places = free_places[{r.bytes, r.predicate}];
    if (places.empty()) {
      r.place = used;
      used += r.bytes;
      if (!program_.calls.empty()) {
        program_.places.push_back({r.place, static_cast<std::uint8_t>(r.predicate ? 0 : r.bytes / warp_size)});
      }
    } else {
      r.place = places.back();
      places.pop_back();
    }
    active.emplace(r.last, k);
  }
  const auto move = [&](slot& s) {
    if (s == no_slot || (s & constant_bit) != 0) return;
    const auto found = index.find(s);  // no operation may have it: of a call that could not be decoded
    s = found == index.end() ? 0 : ranges[found->second].place;
  };
  for (std::size_t pc = 0; pc < program_.code.size(); ++pc) {
    op& o = program_.code[pc];
    for (slot* s : {&o.dst, &o.a, &o.b, &o.c, &o.guard}) move(*s);
    if ((roles_[pc] & role_target) != 0) move(o.target);
    if ((roles_[pc] & role_imm) != 0) {
      slot s = static_cast<slot>(o.imm);
      move(s);
      o.imm = static_cast<std::int32_t>(s);
    }
  }
  for (slot& s : program_.vector_registers) move(s);
  move(program_.frame_pointer);
  register_bytes_ = used;
  if (used > most_live_bytes) throw unsupported("the kernel has too many registers at a time");
}

}  // namespace emulator::simt
