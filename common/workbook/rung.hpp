#pragma once
/// \file
/// Functions that make rungs of the ladder.

#include <bit>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reductions/buffer.hpp"
#include "workbook/kernel_table.hpp"
#include "workbook/reduction.hpp"

namespace workbook {

/// Returns why a tree over the block cannot use this block size, or nothing if it can.
inline std::optional<std::string> reject_unless_power_of_two(unsigned block_size) {
  if (block_size >= 32 && block_size <= 1024 && std::has_single_bit(block_size)) return {};
  return "the tree halves the block in every step: the block size must be a power of two from 32 to 1024, not " +
         std::to_string(block_size);
}

/// As above, for kernels that accept any number of whole warps.
inline std::optional<std::string> reject_unless_whole_warps(unsigned block_size) {
  if (block_size >= 32 && block_size <= 1024 && block_size % 32 == 0) return {};
  return "every warp of the block must be whole: the block size must be a multiple of 32 up to 1024, not " +
         std::to_string(block_size);
}

/// Makes a rung from a kernel file's table. It has no pass for types that the kernel does not support.
inline reduction make_rung(std::string name, role as, int chapter, const kernel_table& table) {
  return {.name = std::move(name),
          .as = as,
          .chapter = chapter,
          .attempted = table.attempted,
          .passes = {table.for_int, table.for_unsigned, table.for_longlong, table.for_float, table.for_double},
          .rejects = reject_unless_power_of_two};
}

/// Device memory that a rung reuses, because an allocation in each call would be timed together with the sum. It grows
/// when a larger size is requested. Must not be used by concurrent calls.
class kept_workspace {
 public:
  /// Frees the memory. Must be called before the device is reset.
  void release() { bytes_ = device_bytes(); }
  /// Returns at least `wanted` bytes of device memory, zeroed when they were allocated, or null if they cannot be
  /// allocated.
  [[nodiscard]] void* reserve(std::size_t wanted) {
    if (wanted <= bytes_.size_bytes()) return bytes_.data();
    release();
    try {
      bytes_ = device_bytes(wanted);
      check(cudaMemset(bytes_.data(), 0, wanted));
    } catch (const device_error&) {
      release();
    }
    return bytes_.data();
  }

 private:
  device_bytes bytes_;
};

/// Makes a rung that computes the whole sum in one call. Its workspace is allocated in the first call and cached until
/// `reset`.
inline reduction make_whole(std::string name, role as, int chapter, const whole_table& table) {
  const auto kept = std::make_shared<kept_workspace>();
  const auto call = [kept]<typename T>(const whole_function<T>& function) -> whole<T> {
    return [kept, function](const T* in, T* out, std::size_t n) {
      const std::size_t bytes = function.workspace_bytes(n);
      // If this fails, the caller finds the error with cudaGetLastError.
      if (void* workspace = kept->reserve(bytes > 0 ? bytes : 1); workspace != nullptr)
        function.run(in, out, n, workspace);
    };
  };
  return {.name = std::move(name),
          .as = as,
          .chapter = chapter,
          .wholes = {call(table.for_int), call(table.for_unsigned), call(table.for_longlong), call(table.for_float),
                     call(table.for_double)},
          .reset = [kept] { kept->release(); }};
}

}  // namespace workbook
