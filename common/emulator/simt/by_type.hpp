#pragma once
/// \file
/// Chooses the instance of a template by a type, a width or a switch that is known only when an instruction is decoded
/// or executed.

#include <cstdint>
#include <type_traits>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt {

/// If `type` is an integer of 16 to 64 bits, returns `f(T{})` for its C++ type T. For other types, returns an empty
/// result.
template <typename F>
[[nodiscard]] auto by_integer(ptx::scalar_type type, F f) -> decltype(f(std::uint16_t{})) {
  using ptx::scalar_type;
  switch (type) {
    case scalar_type::u16:
    case scalar_type::b16:
      return f(std::uint16_t{});
    case scalar_type::s16:
      return f(std::int16_t{});
    case scalar_type::u32:
    case scalar_type::b32:
      return f(std::uint32_t{});
    case scalar_type::s32:
      return f(std::int32_t{});
    case scalar_type::u64:
    case scalar_type::b64:
      return f(std::uint64_t{});
    case scalar_type::s64:
      return f(std::int64_t{});
    default:
      return {};
  }
}

/// If `type` is an integer of 8 to 64 bits, f32 or f64, returns `f(T{})` for its C++ type T. For other types, returns
/// an empty result.
template <typename F>
[[nodiscard]] auto by_number(ptx::scalar_type type, F f) -> decltype(f(std::uint16_t{})) {
  using ptx::scalar_type;
  switch (type) {
    case scalar_type::u8:
      return f(std::uint8_t{});
    case scalar_type::s8:
      return f(std::int8_t{});
    case scalar_type::f32:
      return f(float{});
    case scalar_type::f64:
      return f(double{});
    default:
      return by_integer(type, f);
  }
}

/// Returns the handler `f(T{})` for the unsigned integer of `bytes` bytes; null unless `bytes` is 2, 4 or 8.
template <typename F>
[[nodiscard]] handler by_width(unsigned bytes, F f) {
  switch (bytes) {
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return nullptr;
  }
}

/// Returns the handler `f(std::true_type{})` if `on` is set, else `f(std::false_type{})`.
template <typename F>
[[nodiscard]] handler by_switch(bool on, F f) {
  return on ? f(std::true_type{}) : f(std::false_type{});
}

[[nodiscard]] inline bool is_signed(ptx::scalar_type t) {
  using ptx::scalar_type;
  return t == scalar_type::s8 || t == scalar_type::s16 || t == scalar_type::s32 || t == scalar_type::s64;
}

/// Calls `f` with a value of the C++ type of an element that `o` loads or stores, and a value of the register's C++
/// type.
template <typename F>
void with_types(const op& o, F f) {
  const bool sign = (o.flags & flag_sign_extend) != 0;
  const auto with_register = [&](auto element) {
    using T = decltype(element);
    if constexpr (sizeof(T) == 8) {
      f(element, element);
    } else {
      using narrow = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
      using medium = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
      using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
      if (o.register_bytes == 8)
        f(element, wide{});
      else if (o.register_bytes == 4)
        f(element, medium{});
      else if constexpr (sizeof(T) <= 2)
        f(element, narrow{});
    }
  };
  switch (o.element_bytes) {
    case 1:
      sign ? with_register(std::int8_t{}) : with_register(std::uint8_t{});
      break;
    case 2:
      sign ? with_register(std::int16_t{}) : with_register(std::uint16_t{});
      break;
    case 4:
      (sign && o.register_bytes == 8) ? with_register(std::int32_t{}) : with_register(std::uint32_t{});
      break;
    default:
      with_register(std::uint64_t{});
      break;
  }
}

}  // namespace emulator::simt
