// `mbarrier`: barriers that are 64-bit words in shared memory.

#include <algorithm>
#include <cstring>

#include "emulator/explain/deadlock_text.hpp"
#include "emulator/simt/access_request.hpp"

namespace emulator::simt {

using observers::access_kind;
using observers::fault_kind;
using ptx::state_space;

namespace {

/// Layout of a barrier object in shared memory: the number of arrivals that the current phase still needs, the number
/// that each phase needs, the number of bytes that the current phase still needs (22 bits, signed), and in the highest
/// bit whether the current phase is odd.
constexpr std::uint64_t arrival_mask = (1u << 20) - 1, bytes_mask = (1u << 22) - 1;
constexpr unsigned expected_at = 20, byte_count_at = 40;
constexpr std::uint64_t phase_bit = std::uint64_t{1} << 63;

/// Completes the phase if it needs neither arrivals nor bytes.
std::uint64_t ended(std::uint64_t object) {
  if ((object & arrival_mask) != 0 || (object >> byte_count_at & bytes_mask) != 0) return object;
  return (object ^ phase_bit) | (object >> expected_at & arrival_mask);
}

std::uint64_t with_more_bytes(std::uint64_t object, std::uint64_t bytes) {
  const std::uint64_t all = ((object >> byte_count_at & bytes_mask) + bytes) & bytes_mask;
  return (object & ~(bytes_mask << byte_count_at)) | all << byte_count_at;
}

/// Returns the object after `count` arrivals.
std::uint64_t arrived(std::uint64_t object, std::uint64_t count, bool drop) {
  std::uint64_t pending = object & arrival_mask, expected = object >> expected_at & arrival_mask;
  if (drop) expected -= std::min(count, expected);
  pending -= std::min(count, pending);
  return ended((object & (phase_bit | bytes_mask << byte_count_at)) | expected << expected_at | pending);
}

/// Returns the object after an operation that isn't a wait, with the operand `given`.
std::uint64_t changed(std::uint64_t object, object_operation operation, std::uint64_t given) {
  switch (operation) {
    case object_operation::init:
      return (given & arrival_mask) << expected_at | (given & arrival_mask);
    case object_operation::invalidate:
      return 0;
    case object_operation::arrive:
    case object_operation::arrive_drop:
      return arrived(object, given, operation == object_operation::arrive_drop);
    case object_operation::expect_tx:
      return with_more_bytes(object, given);
    case object_operation::complete_tx:
      return ended(with_more_bytes(object, 0 - given));
    case object_operation::arrive_expect:
      return arrived(with_more_bytes(object, given), 1, false);
    default:
      return object;
  }
}

bool is_arrival(object_operation operation) {
  return operation == object_operation::arrive || operation == object_operation::arrive_drop ||
         operation == object_operation::arrive_expect;
}

}  // namespace

observers::barrier_phases memory_unit::phases_of(const block& b, warp& w, const op& o, const request& r) {
  observers::barrier_phases phases;
  const auto operation = static_cast<object_operation>(o.sub);
  std::uint64_t last = ~std::uint64_t{0}, object = 0;
  for (const unsigned l : lanes_in(r.mask)) {
    const std::uint32_t lane = 1u << l;
    if (r.address.of[l] != last) std::memcpy(&object, b.shared.get() + r.address.of[l], sizeof object);
    last = r.address.of[l];
    if (operation == object_operation::wait_state || operation == object_operation::wait_parity) {
      const bool odd = operation == object_operation::wait_state ? (w.lanes<std::uint64_t>(o.b)[l] & phase_bit) != 0
                                                                 : (w.lanes<std::uint32_t>(o.b)[l] & 1u) != 0;
      if (odd) phases.odd |= lane;
      if (odd == ((object & phase_bit) != 0)) phases.still_waits |= lane;
    } else if (is_arrival(operation)) {
      const std::uint64_t after = changed(object, operation, w.lanes<std::uint32_t>(o.b)[l]);
      if ((object & phase_bit) != 0) phases.odd |= lane;
      if (((object ^ after) & phase_bit) != 0) phases.completes |= lane;
      object = after;
    }
  }
  return phases;
}

/// Called before lanes wait. If a phase lacks only bytes, its copies arrive now, one after the other, until it is
/// complete. This is the latest time that the hardware allows.
void memory_unit::land_bulk_loads(block& b, warp& w, const op& o) {
  address_set at;
  compute_addresses(w, o, w.mask, at);
  for (const unsigned l : lanes_in(w.mask)) {
    const std::uint64_t place = at.of[l & 31] & ~window_mask;
    for (std::size_t k = 0; k < b.bulk_loads.size();) {
      if (b.bulk_loads[k].object != place) {
        ++k;
        continue;
      }
      std::uint64_t object = 0;
      std::memcpy(&object, b.shared.get() + place, sizeof object);
      if ((object & arrival_mask) != 0) break;  // other threads have to arrive first
      const bulk_load copy = std::move(b.bulk_loads[k]);
      b.bulk_loads.erase(b.bulk_loads.begin() + static_cast<std::ptrdiff_t>(k));
      std::memcpy(b.shared.get() + copy.to, copy.data.data(), copy.data.size());
      tell_landing(copy);
      const std::uint64_t after = changed(object, object_operation::complete_tx, copy.data.size());
      std::memcpy(b.shared.get() + place, &after, sizeof after);
      if (note_ != nullptr) note_->changed();
      if (((object ^ after) & phase_bit) == 0) continue;
      phase_is_over(b, place);
      break;
    }
  }
}

/// Returns true if the current phase of the object at that offset is odd.
bool memory_unit::is_odd_phase(const block& b, std::uint64_t object) {
  std::uint64_t value = 0;
  std::memcpy(&value, b.shared.get() + object, sizeof value);
  return (value & phase_bit) != 0;
}

explain::object_phase phase_of_object(const block& b, std::uint64_t at) {
  std::uint64_t object = 0;
  std::memcpy(&object, b.shared.get() + at, sizeof object);
  const auto bytes = static_cast<std::int32_t>(object >> byte_count_at & bytes_mask);
  constexpr std::int32_t sign = (bytes_mask + 1) / 2;
  return {.arrivals = static_cast<std::uint32_t>(object >> expected_at & arrival_mask),
          .missing = static_cast<std::uint32_t>(object & arrival_mask),
          .bytes = bytes >= sign ? bytes - 2 * sign : bytes};
}

bool memory_unit::barrier_object(block& b, warp& w, const op& o, std::uint32_t pc) {
  const auto operation = static_cast<object_operation>(o.sub);
  const bool plain = operation == object_operation::init || operation == object_operation::invalidate;
  bool elsewhere = false;
  if (!b.bulk_loads.empty() && operation >= object_operation::wait_state) land_bulk_loads(b, w, o);
  const bool carried =
      by_space<true>(b, w, o, pc, plain ? access_kind::store : access_kind::atomic, [&](const request& r) {
        if (r.space != state_space::shared) {
          elsewhere = true;
          return;
        }
        block& home = r.home(b);
        std::uint32_t over = 0;
        for (const unsigned l : lanes_in(r.mask)) {
          std::byte* const at = home.shared.get() + r.address.of[l];
          std::uint64_t object = 0;
          std::memcpy(&object, at, sizeof object);
          const std::uint64_t given = operation == object_operation::wait_state ? w.lanes<std::uint64_t>(o.b)[l]
                                                                                : w.lanes<std::uint32_t>(o.b)[l];
          const std::uint64_t before = object;
          object = changed(object, operation, given);
          if (operation == object_operation::wait_state && ((object ^ given) & phase_bit) != 0) over |= 1u << l;
          if (operation == object_operation::wait_parity && object >> 63 != (given & 1)) over |= 1u << l;
          std::memcpy(at, &object, sizeof object);
          if (plain)
            forget_handovers(home, r.address.of[l]);
          else if (((object ^ before) & phase_bit) != 0)
            phase_is_over(home, r.address.of[l]);
          if (is_arrival(operation) && o.dst != no_slot) w.lanes<std::uint64_t>(o.dst)[l] = before;
        }
        if (operation == object_operation::wait_state || operation == object_operation::wait_parity) {
          std::uint32_t& p = w.predicate(o.dst);
          p = (p & ~r.mask) | over;
          for (const unsigned l : lanes_in(over)) land_handed_over(home, r.address.of[l]);
        }
      });
  if (!carried || !elsewhere) return carried;
  b.fault = {};
  return stop_lanes(b, w, pc, fault_kind::trap, w.mask, "a barrier object that is not in shared memory");
}

}  // namespace emulator::simt
