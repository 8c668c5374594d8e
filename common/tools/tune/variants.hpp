#pragma once
/// \file
/// The reduction in one launch in every shape that the tuning program tries.

#include <cstddef>
#include <string>
#include <vector>

namespace workbook {

/// How the last block comes to know that it is: two fences and a ticket, as in device/reduce.cuh; one atomic operation
/// that acquires and releases; or (ints only) one that carries the block's sum and its ticket in one word, so that
/// nobody has partial results to read.
enum class agreement { fences, acquire_release, packed };

/// One way to launch device/reduce.cuh, or a relative of it.
struct variant {
  unsigned depth = 4;  ///< Loads in flight a thread: 1, 2, 4 or 8.
  unsigned hint = 0;   ///< What a load tells the caches: 0 usual, 1 streaming, 2 read-only.
  unsigned block_size = 256;
  unsigned grid_size = 1;
  bool contiguous = false;  ///< A block's share lies in one piece.
  agreement by = agreement::fences;
};

/// Returns "grid x block, 4 loads, streaming, contiguous".
[[nodiscard]] std::string describe(const variant& v);

/// Returns the variants that make sense for `loads` loads of 16 bytes on a device of `multiprocessors`.
/// `packed`: those with packed words, too.
[[nodiscard]] std::vector<variant> variants_for(std::size_t loads, unsigned multiprocessors, bool packed);

/// Bytes of workspace for any of those variants.
inline constexpr std::size_t variants_workspace_bytes = std::size_t{1} << 20;

/// Sums the `n` elements at `in` (device) into `*out` (device) with variant `v`. `workspace` (device) has
/// `variants_workspace_bytes`, zeroed once. Does not synchronise. Defined for int, float and double.
template <typename T>
void launch_variant(const variant& v, const T* in, T* out, std::size_t n, void* workspace);

/// The same with `workbook::reduce`, which chooses its shape itself.
template <typename T>
void launch_as_shipped(const T* in, T* out, std::size_t n, void* workspace);

/// Returns what `workbook::reduce` chooses for `n` elements of T at an aligned start, on the current device.
template <typename T>
[[nodiscard]] variant shipped_variant(std::size_t n);

}  // namespace workbook
