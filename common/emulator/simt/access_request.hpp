#pragma once
/// \file
/// How the addresses of a warp's access are worked out and taken apart by state space: for the files that carry out
/// accesses, and for nobody else.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/simt/lanes.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt {

/// Returns the bytes at `address` in a state space that begins at `base`: 0 for global memory, whose addresses are the
/// host's.
[[nodiscard]] inline std::byte* bytes_at(std::uintptr_t base, std::uint64_t address) {
  return reinterpret_cast<std::byte*>(base + address);
}

/// Carries out the atomic `o` for the lanes in `mask`, one after the other; each is atomic on the host, too.
/// \param base  the block's shared memory; 0 for global memory, where sums of floats flush subnormal numbers
void atomic_lanes(warp& w, const op& o, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask);

/// The lanes' addresses; lanes outside the mask repeat an active lane's, so that they can do no harm.
struct address_set {
  alignas(64) std::uint64_t of[warp_size];
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t together;  ///< All of them or-ed.
};

/// One warp access in one state space, addresses resolved.
struct memory_unit::request {
  request() = default;
  request(observers::access_kind how, ptx::state_space where, std::uint32_t at_pc, std::uint32_t lanes,
          std::uint32_t lane_bytes)
      : space(where), kind(how), pc(at_pc), mask(lanes), bytes(lane_bytes) {}

  ptx::state_space space = ptx::state_space::global;
  observers::access_kind kind = observers::access_kind::load;
  std::uint32_t pc = 0;
  std::uint32_t mask = 0;
  std::uint32_t bytes = 4;                   ///< A lane's, all elements together.
  address_set address;                       ///< In the space.
  memory::allocation* allocation = nullptr;  ///< Global: where all lanes fall, or null where they fall in several.
  block* other = nullptr;  ///< Shared: the other block of the cluster whose memory it is, if it is one's.
  bool is_edge = false;    ///< An end of a bulk copy, which passes a link as a whole.

  /// The block whose shared memory it is.
  [[nodiscard]] block& home(block& own) const { return other != nullptr ? *other : own; }
};

/// Sets `to` to `address(l)` for the active lanes. \tparam T  an address's own width
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

inline void compute_addresses(warp& w, const op& o, std::uint32_t mask, address_set& to) {
  const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(o.imm));
  if ((o.flags & flag_address_64) != 0) {
    const std::uint64_t* a = w.lanes<std::uint64_t>(o.a);
    set_addresses<std::uint64_t>(to, mask, [a, offset](unsigned l) { return a[l] + offset; });
  } else {
    const std::uint32_t* a = w.lanes<std::uint32_t>(o.a);
    const auto narrow = static_cast<std::uint32_t>(offset);
    set_addresses<std::uint32_t>(to, mask, [a, narrow](unsigned l) { return a[l] + narrow; });
  }
}

/// Resolves generic addresses and calls `carry` once for each state space that the lanes touch.
template <bool Noted, typename Carry>
bool memory_unit::by_space(block& b, warp& w, const op& o, std::uint32_t pc, observers::access_kind kind, Carry carry) {
  request r(kind, o.space, pc, w.mask, std::uint32_t{o.element_bytes} * o.element_count);
  // In line: as a call it costs one or two hundredths of all that an access does.
  const auto in_space = [&]() __attribute__((always_inline)) {
    if (!check(b, w, r)) return false;
    observe(b, w, o, r);
    if constexpr (Noted) note_before(b, w, o, r);
    carry(r);
    if constexpr (Noted) note_after(b, w, r);
    if (observer_ != nullptr && observer_->records() && r.other == nullptr) [[unlikely]]
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
  if (o.space != ptx::state_space::generic) {
    compute_addresses(w, o, r.mask, r.address);
    return of_cluster();
  }
  address_set generic;
  compute_addresses(w, o, w.mask, generic);
  const std::uint64_t* const address = generic.of;
  for (std::uint32_t rest = w.mask; rest != 0;) {
    const std::uint64_t window = address[std::countr_zero(rest)] & window_mask;
    r.mask = 0;
    for (const unsigned l : lanes_in(rest)) {
      if ((address[l] & window_mask) == window) r.mask |= 1u << l;
    }
    rest &= ~r.mask;
    r.space = window == shared_window  ? ptx::state_space::shared
              : window == local_window ? ptx::state_space::local
              : window == param_window ? ptx::state_space::param
                                       : ptx::state_space::global;
    const std::uint64_t base = r.space == ptx::state_space::global ? 0 : window;
    set_addresses<std::uint64_t>(r.address, r.mask, [address, base](unsigned l) { return address[l] - base; });
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
    set_addresses<std::uint64_t>(r.address, r.mask, [address](unsigned l) { return address[l] & cluster_offset_mask; });
    if (!find_other(b, w, r, place >> cluster_rank_at, first)) return false;
    if (!in_block()) return false;
  }
  return true;
}

}  // namespace emulator::simt
