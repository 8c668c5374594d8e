// Operations that the lanes of a warp execute together: shfl, vote, match, redux, activemask, elect. The interpreter
// calls them after all lanes of the member mask have arrived; `warp.mask` then contains these lanes.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;
using u32 = std::uint32_t;

/// Sets the result of all active lanes to `value`.
template <typename T>
void write_all(warp& w, const op& o, T value) {
  write_lanes(w.lanes<T>(o.dst), w.mask, [value](unsigned) { return value; });
}

/// The result of shfl.sync if the source lane doesn't take part; on hardware it is undefined. As a float, or as the
/// upper half of a double, this value is a NaN, so a sum that includes it is visibly wrong.
constexpr u32 value_from_nowhere = 0x7fffdeadu;

/// shfl.sync d|p, a, b, c.
template <shuffle_mode Mode>
void shuffle(warp& w, const op& o) {
  const u32* a = w.lanes<u32>(o.a);
  const u32* b = w.lanes<u32>(o.b);
  const u32* c = w.lanes<u32>(o.c);
  alignas(64) u32 result[warp_size];
  alignas(64) u32 giver[warp_size];
  u32 in_range = 0, strays = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const auto [from, good] = source_of_shuffle(Mode, static_cast<int>(l), b[l], c[l]);
    giver[l] = static_cast<u32>(from);
    const u32 absent = ~w.mask >> from & 1u;
    result[l] = absent != 0 ? value_from_nowhere : a[from];
    strays |= absent << l;
    in_range |= static_cast<u32>(good) << l;
  }
  if (o.dst != no_slot) blend(w.lanes<u32>(o.dst), result, w.mask);
  if (o.target != no_pc) set_predicate(w, o.target, in_range);
  w.strays = strays & w.mask;
  std::copy_n(giver, warp_size, w.giver);
}

enum class vote_mode { all, any, uniform, ballot };

// vote.sync.mode d, {!}p, membermask: imm is 1 if the predicate is negated.
template <vote_mode Mode>
void vote(warp& w, const op& o) {
  const u32 p = (w.predicate(o.a) ^ (o.imm != 0 ? all_lanes : 0u)) & w.mask;
  if constexpr (Mode == vote_mode::ballot) {
    write_all(w, o, p);
  } else {
    const bool all = p == w.mask, any = p != 0;
    const bool result = Mode == vote_mode::all ? all : Mode == vote_mode::any ? any : (all || !any);
    set_predicate(w, o.dst, result ? all_lanes : 0u);
  }
}

template <typename T, bool All>
void match(warp& w, const op& o) {
  const T* a = w.lanes<T>(o.a);
  alignas(64) u32 result[warp_size] = {};
  bool same = true;
  for (const unsigned l : lanes_in(w.mask)) {
    for (const unsigned other : lanes_in(w.mask)) {
      if (a[l] == a[other]) result[l] |= 1u << other;
    }
    same &= result[l] == w.mask;
  }
  if constexpr (All) {
    for (u32& x : result) x = same ? w.mask : 0u;
    if (o.target != no_pc) set_predicate(w, o.target, same ? all_lanes : 0u);
  }
  if (o.dst != no_slot) blend(w.lanes<u32>(o.dst), result, w.mask);
}

template <typename T, auto F>
void reduce(warp& w, const op& o) {
  const T* a = w.lanes<T>(o.a);
  u32 m = w.mask;
  T result = a[std::countr_zero(m)];
  for (m &= m - 1; m != 0; m &= m - 1) result = F(result, a[std::countr_zero(m)]);
  write_all(w, o, result);
}
constexpr auto smaller = [](auto x, auto y) { return y < x ? y : x; };
constexpr auto larger = [](auto x, auto y) { return x < y ? y : x; };

void active_mask(warp& w, const op& o) {
  write_all(w, o, w.mask);
}

// elect.sync d|p, membermask: the lowest lane is chosen.
void elect(warp& w, const op& o) {
  const u32 leader = static_cast<u32>(std::countr_zero(w.mask));
  if (o.dst != no_slot) write_all(w, o, leader);
  if (o.target != no_pc) set_predicate(w, o.target, 1u << leader);
}

operation find_redux(const ptx::instruction& i, scalar_type t) {
  const bool is_signed = t == scalar_type::s32;
  if (ptx::size_bytes(t) != 4 || t == scalar_type::f32) return {};
  handler run = nullptr;
  if (i.has("add")) run = reduce<u32, std::plus<>{}>;
  if (i.has("and")) run = reduce<u32, std::bit_and<>{}>;
  if (i.has("or")) run = reduce<u32, std::bit_or<>{}>;
  if (i.has("xor")) run = reduce<u32, std::bit_xor<>{}>;
  if (i.has("min")) run = is_signed ? reduce<std::int32_t, smaller> : reduce<u32, smaller>;
  if (i.has("max")) run = is_signed ? reduce<std::int32_t, larger> : reduce<u32, larger>;
  return {run, t, t};
}

operation find_vote(const ptx::instruction& i) {
  const int negated = i.operands.size() > 1 && i.operands[1].negated ? 1 : 0;
  const auto pred = scalar_type::pred, none = scalar_type::none;
  if (i.has("all")) return {vote<vote_mode::all>, pred, pred, none, none, negated};
  if (i.has("any")) return {vote<vote_mode::any>, pred, pred, none, none, negated};
  if (i.has("uni")) return {vote<vote_mode::uniform>, pred, pred, none, none, negated};
  if (i.has("ballot")) return {vote<vote_mode::ballot>, scalar_type::b32, pred, none, none, negated};
  return {};
}

operation find_shuffle(const ptx::instruction& i, scalar_type t) {
  handler run = nullptr;
  if (i.has("up")) run = shuffle<shuffle_up>;
  if (i.has("down")) run = shuffle<shuffle_down>;
  if (i.has("bfly")) run = shuffle<shuffle_butterfly>;
  if (i.has("idx")) run = shuffle<shuffle_index>;
  return {t == scalar_type::b32 ? run : nullptr, t, t, scalar_type::u32, scalar_type::u32};
}

operation find_match(const ptx::instruction& i, scalar_type t) {
  const bool eight = ptx::size_bytes(t) == 8;
  if (!eight && ptx::size_bytes(t) != 4) return {};
  const handler run = i.has("all") ? (eight ? match<std::uint64_t, true> : match<u32, true>)
                                   : (eight ? match<std::uint64_t, false> : match<u32, false>);
  return {run, scalar_type::b32, t};
}

operation find_by_name(const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n == "activemask") return {active_mask, scalar_type::b32};
  if (n == "elect") return {elect, scalar_type::b32};
  if (n == "vote") return find_vote(i);
  if (i.modifiers.empty()) return {};
  const scalar_type t = ptx::parse_scalar_type(i.modifiers.back());
  if (n == "shfl") return find_shuffle(i, t);
  if (n == "match") return find_match(i, t);
  if (n == "redux") return find_redux(i, t);
  return {};
}

}  // namespace

operation find_collective(const ptx::instruction& i) {
  operation found = find_by_name(i);
  found.classes = i.opcode == "shfl"    ? observers::class_shuffle
                  : i.opcode == "redux" ? observers::class_warp_reduce
                                        : observers::class_vote;
  return found;
}

}  // namespace emulator::simt
