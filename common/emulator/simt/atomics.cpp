// The effect of atomics on memory, after the addresses have been checked.

#include <atomic>
#include <type_traits>

#include "emulator/simt/access_request.hpp"
#include "emulator/simt/half.hpp"
#include "emulator/simt/lanes.hpp"

namespace emulator::simt {
namespace {

/// Returns the new value of a word that contains `old`.
/// \tparam Flush  single-precision sums flush subnormal numbers to zero, as they do in global memory
template <typename T, bool Flush>
T changed(atomic_operation operation, T old, T b, T c) {
  switch (operation) {
    case atomic_operation::add:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(b));
      else if constexpr (Flush)
        return flushed(canonical(flushed(old) + flushed(b)));
      else
        return canonical(old + b);
    case atomic_operation::min:
      return b < old ? b : old;
    case atomic_operation::max:
      return old < b ? b : old;
    case atomic_operation::exchange:
      return b;
    case atomic_operation::compare_and_swap:
      return old == b ? c : old;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case atomic_operation::inc:
        return old >= b ? T{0} : static_cast<T>(old + 1);
      case atomic_operation::dec:
        return old == 0 || old > b ? b : static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) - 1);
      case atomic_operation::bit_and:
        return old & b;
      case atomic_operation::bit_or:
        return old | b;
      case atomic_operation::bit_xor:
        return old ^ b;
      default:
        break;
    }
  }
  return old;
}

/// The addresses and the registers for one element that each lane changes.
struct element {
  std::uintptr_t base;
  const std::uint64_t* address;
  std::uint32_t mask;
  slot dst, b, c;
};

/// Replaces the value at each lane's address with `change(old, lane)`, one lane after the other.
template <typename T, typename F>
void exchange_lanes(warp& w, const element& at, F change) {
  alignas(64) T old_values[warp_size] = {};
  for (const int l : lanes_in(at.mask)) {
    std::atomic_ref<T> memory(*reinterpret_cast<T*>(bytes_at(at.base, at.address[l])));
    T old = memory.load(std::memory_order_relaxed);
    while (!memory.compare_exchange_weak(old, change(old, l), std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    old_values[l] = old;
  }
  if (at.dst != no_slot) blend(w.lanes<T>(at.dst), old_values, at.mask);
}

template <typename T, bool Flush = false>
void change_lanes(warp& w, const op& o, const element& at) {
  const auto operation = static_cast<atomic_operation>(o.sub);
  const T* b = w.lanes<T>(at.b);
  const T* c = at.c == no_slot ? b : w.lanes<T>(at.c);
  exchange_lanes<T>(w, at, [&](T old, int l) { return changed<T, Flush>(operation, old, b[l], c[l]); });
}

/// Adds one 16-bit number, or two of them in a single atomic access.
template <typename Format, typename T>
void atomic_add_halves(warp& w, const element& at) {
  const T* b = w.lanes<T>(at.b);
  exchange_lanes<T>(w, at, [&](T old, int l) {
    T sum = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 16) {
      const double x = Format::decode(static_cast<std::uint16_t>(old >> shift));
      const double y = Format::decode(static_cast<std::uint16_t>(b[l] >> shift));
      sum = static_cast<T>(sum | static_cast<T>(encode<Format>(sum_to_odd(x, y))) << shift);
    }
    return sum;
  });
}

/// \param global  true if the elements are in global memory, where float additions flush subnormal numbers
void change_element(warp& w, const op& o, const element& at, bool global) {
  switch (o.half) {
    case half_kind::f16:
      return atomic_add_halves<half_format, std::uint16_t>(w, at);
    case half_kind::f16x2:
      return atomic_add_halves<half_format, std::uint32_t>(w, at);
    case half_kind::bf16:
      return atomic_add_halves<bfloat_format, std::uint16_t>(w, at);
    case half_kind::bf16x2:
      return atomic_add_halves<bfloat_format, std::uint32_t>(w, at);
    case half_kind::none:
      break;
  }
  if (o.element_bytes == 2) return change_lanes<std::uint16_t>(w, o, at);
  const bool eight = o.element_bytes == 8;
  // compare-and-swap and exchange work on bits for every type.
  const auto operation = static_cast<atomic_operation>(o.sub);
  const bool by_bits = operation == atomic_operation::compare_and_swap || operation == atomic_operation::exchange;
  if ((o.flags & flag_float) != 0 && !by_bits) {
    if (eight)
      change_lanes<double>(w, o, at);
    else
      global ? change_lanes<float, true>(w, o, at) : change_lanes<float>(w, o, at);
  } else if ((o.flags & flag_signed) != 0) {
    eight ? change_lanes<std::int64_t>(w, o, at) : change_lanes<std::int32_t>(w, o, at);
  } else {
    eight ? change_lanes<std::uint64_t>(w, o, at) : change_lanes<std::uint32_t>(w, o, at);
  }
}

}  // namespace

void atomic_lanes(warp& w, const op& o, std::uintptr_t base, const std::uint64_t* address, std::uint32_t mask) {
  const bool global = base == 0;
  if (o.element_count == 1) return change_element(w, o, {base, address, mask, o.dst, o.b, o.c}, global);
  // Each element of a vector is a separate atomic access (PTX ISA, "red", "atom").
  for (unsigned e = 0; e < o.element_count; ++e) {
    const slot b = w.vector_registers[o.target + e];
    const slot dst = w.vector_registers[o.target + o.element_count + e];
    change_element(w, o, {base + std::uint64_t{e} * o.element_bytes, address, mask, dst, b, no_slot}, global);
  }
}

}  // namespace emulator::simt
