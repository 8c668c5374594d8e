// `mbarrier`: barriers that lie in shared memory as 64-bit words.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/simt/access_request.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

namespace {

/// A barrier object as it lies in shared memory: arrivals that the phase still needs, arrivals that a phase needs, and
/// in the highest bit the number of the phase.
constexpr std::uint64_t arrival_mask = (1u << 20) - 1;
constexpr unsigned expected_at = 20;
constexpr std::uint64_t phase_bit = std::uint64_t{1} << 63;

/// \return  the object after `count` arrivals
std::uint64_t arrived(std::uint64_t object, std::uint64_t count, bool drop) {
  std::uint64_t pending = object & arrival_mask, expected = object >> expected_at & arrival_mask;
  std::uint64_t phase = object & phase_bit;
  if (drop) expected -= std::min(count, expected);
  pending -= std::min(count, pending);
  if (pending == 0) {
    phase ^= phase_bit;
    pending = expected;
  }
  return phase | expected << expected_at | pending;
}

}  // namespace

observers::barrier_phases memory_unit::phases_of(const block& b, warp& w, const op& o, const request& r) {
  observers::barrier_phases phases;
  const auto operation = static_cast<object_operation>(o.sub);
  std::uint64_t last = ~std::uint64_t{0}, object = 0;
  for (std::uint32_t m = r.mask; m != 0; m &= m - 1) {
    const int l = std::countr_zero(m);
    const std::uint32_t lane = 1u << l;
    if (r.address.of[l] != last) std::memcpy(&object, b.shared.get() + r.address.of[l], sizeof object);
    last = r.address.of[l];
    if (operation == object_operation::wait_state || operation == object_operation::wait_parity) {
      const bool odd = operation == object_operation::wait_state ? (w.lanes<std::uint64_t>(o.b)[l] & phase_bit) != 0
                                                                 : (w.lanes<std::uint32_t>(o.b)[l] & 1u) != 0;
      if (odd) phases.odd |= lane;
      if (odd == ((object & phase_bit) != 0)) phases.still_waits |= lane;
    } else if (operation == object_operation::arrive || operation == object_operation::arrive_drop) {
      const std::uint64_t after =
          arrived(object, w.lanes<std::uint32_t>(o.b)[l], operation == object_operation::arrive_drop);
      if ((object & phase_bit) != 0) phases.odd |= lane;
      if (((object ^ after) & phase_bit) != 0) phases.completes |= lane;
      object = after;
    }
  }
  return phases;
}

bool memory_unit::barrier_object(block& b, warp& w, const op& o, std::uint32_t pc) {
  const auto operation = static_cast<object_operation>(o.sub);
  const bool plain = operation == object_operation::init || operation == object_operation::invalidate;
  bool elsewhere = false;
  const bool carried =
      by_space<true>(b, w, o, pc, plain ? access_kind::store : access_kind::atomic, [&](const request& r) {
        if (r.space != state_space::shared) {
          elsewhere = true;
          return;
        }
        block& home = r.home(b);
        std::uint32_t over = 0;
        for (std::uint32_t m = r.mask; m != 0; m &= m - 1) {
          const int l = std::countr_zero(m);
          std::byte* const at = home.shared.get() + r.address.of[l];
          std::uint64_t object = 0;
          std::memcpy(&object, at, sizeof object);
          const std::uint64_t given = operation == object_operation::wait_state ? w.lanes<std::uint64_t>(o.b)[l]
                                                                                : w.lanes<std::uint32_t>(o.b)[l];
          const std::uint64_t before = object;
          if (operation == object_operation::init)
            object = (given & arrival_mask) << expected_at | (given & arrival_mask);
          if (operation == object_operation::invalidate) object = 0;
          if (operation == object_operation::arrive) object = arrived(object, given, false);
          if (operation == object_operation::arrive_drop) object = arrived(object, given, true);
          if (operation == object_operation::wait_state && ((object ^ given) & phase_bit) != 0) over |= 1u << l;
          if (operation == object_operation::wait_parity && object >> 63 != (given & 1)) over |= 1u << l;
          std::memcpy(at, &object, sizeof object);
          if (plain)
            forget_handovers(home, r.address.of[l]);
          else if (((object ^ before) & phase_bit) != 0)
            phase_is_over(home, r.address.of[l]);
          if ((operation == object_operation::arrive || operation == object_operation::arrive_drop) && o.dst != no_slot)
            w.lanes<std::uint64_t>(o.dst)[l] = before;
        }
        if (operation == object_operation::wait_state || operation == object_operation::wait_parity) {
          std::uint32_t& p = w.predicate(o.dst);
          p = (p & ~r.mask) | over;
          for (std::uint32_t m = over; m != 0; m &= m - 1) land_handed_over(home, r.address.of[std::countr_zero(m)]);
        }
      });
  if (!carried || !elsewhere) return carried;
  b.fault = {};
  b.fault.kind = fault_kind::trap;
  b.fault.pc = pc;
  b.fault.block = b.identity;
  b.fault.warp = w.index;
  b.fault.mask = w.mask;
  b.fault.message = "a barrier object lies in shared memory";
  return false;
}

}  // namespace emulator::simt
