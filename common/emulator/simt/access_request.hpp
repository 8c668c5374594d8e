#pragma once
/// \file
/// Computes the addresses of a warp's access and separates them by state space. Included only by the files that execute
/// accesses.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/observers/access_shape.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt {

/// Returns the bytes at `address` in a state space that begins at `base`. For global memory `base` is 0, because its
/// addresses are host addresses.
[[nodiscard]] inline std::byte* bytes_at(std::uintptr_t base, std::uint64_t address) {
  return reinterpret_cast<std::byte*>(base + address);
}

/// Executes the atomic operation `o` for the lanes in `mask`, one lane after the other. Each is atomic on the host,
/// too.
/// \param base  the address of the block's shared memory; 0 for global memory, where float additions flush subnormal
/// numbers
void atomic_lanes(warp& w, const op& o, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask);

/// The address of each lane. Lanes outside the mask repeat the address of an active lane, so they don't affect the
/// other members.
struct address_set {
  alignas(64) std::uint64_t of[warp_size];
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t together;  ///< Bitwise or of all addresses.
};

/// The addresses of an access by lane, and the pattern that they form. `bytes` is the distance between neighbouring
/// lanes if the access is contiguous.
struct lane_places {
  const std::uint64_t* of;
  const observers::access_shape& shape;
  std::uint32_t bytes;
};

/// An access by a warp to one state space, with its addresses resolved.
struct memory_unit::request {
  request() = default;
  request(observers::access_kind how, ptx::state_space where, std::uint32_t at_pc, std::uint32_t lanes,
          std::uint32_t lane_bytes)
      : space(where), kind(how), pc(at_pc), mask(lanes), bytes(lane_bytes) {}

  ptx::state_space space = ptx::state_space::global;
  observers::access_kind kind = observers::access_kind::load;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint32_t bytes = 4;                   ///< Per lane, all elements together.
  address_set address;                       ///< In the state space.
  memory::allocation* allocation = nullptr;  ///< Global: the allocation that contains all lanes' addresses, or null if
                                             ///< there are several.
  block* other = nullptr;         ///< Shared: the other block of the cluster to which the memory belongs, or null.
  bool is_edge = false;           ///< One end of a bulk copy, whose link traffic is counted once for the whole copy.
  observers::access_shape shape;  ///< Shape of the addresses, if `has_shape`.
  bool has_shape = false;

  /// Returns the block whose shared memory is accessed.
  [[nodiscard]] block& home(block& own) const { return other != nullptr ? *other : own; }

  /// Sets the addresses of the active lanes to `own(l)`, and finds their shape. \tparam T  type of an address
  template <typename T, typename F>
  void place(F own);
  /// Subtracts `base` from all addresses.
  void move_down(std::uint64_t base) {
    for (std::uint64_t& a : address.of) a -= base;
    address.low -= base;
    address.high -= base;
    shape.base -= base;
    shape.low -= base;
    shape.high -= base;
  }
};

/// Sets the addresses of the active lanes to `address(l)`. \tparam T  type of an address
template <typename T, typename F>
void set_addresses(address_set& to, std::uint32_t mask, F address) {
  T low = address(static_cast<unsigned>(std::countr_zero(mask)));
  T high = low;
  T together = 0;
  if (mask == all_lanes) {
    for (unsigned l = 0; l < warp_size; ++l) {
      const T own = address(l);
      to.of[l] = own;
      low = std::min(low, own);
      high = std::max(high, own);
      together |= own;
    }
  } else {
    const T first = low;
    for (unsigned l = 0; l < warp_size; ++l) {
      const T active = 0 - static_cast<T>(mask >> l & 1u);
      const T own = (address(l) & active) | (first & ~active);
      to.of[l] = own;
      low = std::min(low, own);
      high = std::max(high, own);
      together |= own;
    }
  }
  to.low = low;
  to.high = high;
  to.together = together;
}

template <typename T, typename F>
void memory_unit::request::place(F own) {
  using observers::access_shape;
  has_shape = true;
  shape.first = static_cast<unsigned>(std::countr_zero(mask));
  shape.last = warp_size - 1 - static_cast<unsigned>(std::countl_zero(mask));
  const std::uint32_t run = mask >> shape.first;
  shape.gapless = (run & (run + 1)) == 0;
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  const T some = own(shape.first);
  const auto base = static_cast<T>(some - (T{shape.first} << shift));
  const std::uint32_t lanes = mask;
  T off_row = 0, off_one = 0;  // lanes outside the mask repeat the first active lane
  if (lanes == all_lanes) {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) {
      const T one = own(l);
      address.of[l] = one;
      off_row |= one ^ static_cast<T>(base + (T{l} << shift));
      off_one |= one ^ some;
    }
  } else {
#pragma GCC ivdep
    for (unsigned l = 0; l < warp_size; ++l) {
      const T active = 0 - static_cast<T>(lanes >> l & 1u);
      const T one = own(l);
      const auto off = static_cast<T>(active & (one ^ some));
      address.of[l] = some ^ off;
      off_row |= active & (one ^ static_cast<T>(base + (T{l} << shift)));
      off_one |= off;
    }
  }
  address.low = address.together = some;
  address.high = address.of[shape.last];
  shape.low = address.low;
  shape.high = address.high;
  const std::uint64_t length = std::uint64_t{shape.last - shape.first} << shift;
  if (off_row == 0 && address.high == address.low + length) {  // otherwise it wraps around at 2^32
    shape.what = access_shape::pattern::row;
    shape.base = address.low - (std::uint64_t{shape.first} << shift);
    return;
  }
  shape.what = off_one == 0 ? access_shape::pattern::one : access_shape::pattern::scattered;
  shape.base = some;
  if (off_one == 0) return;
  T low = some, high = some, together = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const T active = 0 - static_cast<T>(lanes >> l & 1u);
    const auto one = static_cast<T>(some ^ (active & (own(l) ^ some)));
    low = std::min(low, one);
    high = std::max(high, one);
    together |= one;
  }
  shape.low = address.low = low;
  shape.high = address.high = high;
  address.together = together;
}

/// Calls `set` with a value of the type that the addresses of `o` have, and with a function that returns a lane's
/// address.
template <typename F>
inline void with_addresses(warp& w, const op& o, F set) {
  const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(o.imm));
  if ((o.flags & flag_address_64) != 0) {
    const std::uint64_t* a = w.lanes<std::uint64_t>(o.a);
    set(std::uint64_t{}, [a, offset](unsigned l) { return a[l] + offset; });
  } else {
    const std::uint32_t* a = w.lanes<std::uint32_t>(o.a);
    const auto narrow = static_cast<std::uint32_t>(offset);
    set(std::uint32_t{}, [a, narrow](unsigned l) { return a[l] + narrow; });
  }
}

inline void compute_addresses(warp& w, const op& o, std::uint32_t mask, address_set& to) {
  with_addresses(w, o, [&](auto type, auto address) { set_addresses<decltype(type)>(to, mask, address); });
}

/// Resolves generic addresses and calls `carry` once for each state space that the lanes touch.
template <bool Noted, typename Carry>
bool memory_unit::by_space(block& b, warp& w, const op& o, std::uint32_t pc, observers::access_kind kind, Carry carry) {
  request r(kind, o.space, pc, w.mask, std::uint32_t{o.element_bytes} * o.element_count);
  // Inlined, because a call adds one or two per cent to the cost of an access.
  const auto in_space = [&]() __attribute__((always_inline)) {
    if (!check(b, w, r)) return false;
    observe(b, w, o, r);
    if constexpr (Noted) note_before(b, w, o, r);
    carry(r);
    if constexpr (Noted) note_after(b, w, r);
    if (observer_ != nullptr && observer_->wants_results() && r.other == nullptr) [[unlikely]]
      tell_values(b, w, o, r);
    return true;
  };
  const auto of_cluster = [&]() __attribute__((always_inline)) {
    if constexpr (Noted) {
      if (clustered_ && r.space == ptx::state_space::shared && r.address.high > cluster_offset_mask) [[unlikely]]
        return by_rank(b, w, r, in_space);
    }
    return in_space();
  };
  with_addresses(w, o, [&](auto type, auto address) { r.place<decltype(type)>(address); });
  const auto enter = [&r](std::uint64_t window) {
    r.space = window == shared_window  ? ptx::state_space::shared
              : window == local_window ? ptx::state_space::local
              : window == param_window ? ptx::state_space::param
                                       : ptx::state_space::global;
    return r.space == ptx::state_space::global ? 0 : window;
  };
  bool in_one_space = true;
  if (o.space == ptx::state_space::generic) {
    in_one_space = ((r.address.low ^ r.address.high) & window_mask) == 0;
    if (in_one_space) {
      if (const std::uint64_t base = enter(r.address.low & window_mask); base != 0) r.move_down(base);
    }
  }
  if (in_one_space) [[likely]]
    return of_cluster();
  const address_set generic = r.address;
  const std::uint64_t* const address = generic.of;
  for (std::uint32_t rest = w.mask; rest != 0;) {
    const std::uint64_t window = address[std::countr_zero(rest)] & window_mask;
    r.mask = 0;
    for (const unsigned l : lanes_in(rest)) {
      if ((address[l] & window_mask) == window) r.mask |= 1u << l;
    }
    rest &= ~r.mask;
    const std::uint64_t base = enter(window);
    r.place<std::uint64_t>([address, base](unsigned l) { return address[l] - base; });
    r.allocation = nullptr;
    if (!of_cluster()) return false;
  }
  return true;
}

template <typename InBlock>
bool memory_unit::by_rank(block& b, const warp& w, request& r, InBlock in_block) {
  const request all = r;
  const std::uint64_t* const address = all.address.of;
  for (std::uint32_t rest = all.mask; rest != 0;) {
    const std::uint64_t place = address[std::countr_zero(rest) & 31] & ~cluster_offset_mask;
    r.mask = 0;
    for (const unsigned l : lanes_in(rest)) {
      if ((address[l] & ~cluster_offset_mask) == place) r.mask |= 1u << l;
    }
    rest &= ~r.mask;
    const auto first = static_cast<unsigned>(std::countr_zero(r.mask) & 31);
    r.place<std::uint64_t>([address](unsigned l) { return address[l] & cluster_offset_mask; });
    if (!find_other(b, w, r, place >> cluster_rank_at, first)) return false;
    if (!in_block()) return false;
  }
  return true;
}

}  // namespace emulator::simt
