#pragma once
/// \file
/// The reduction in one launch, in every launch shape that the tuning program tries.

#include <cstddef>
#include <string>
#include <vector>

namespace workbook {

/// The methods of combining the blocks' sums: by a mailbox each, as in reductions/reduce.cuh; by a ticket between two
/// fences, as in chapter 12; (ints only) by one atomic operation that carries the block's sum and its ticket in one
/// word; or not at all, which is no reduction, but a lower bound for the rest.
enum class agreement { mailboxes, ticket, packed, none };

/// A launch of reductions/reduce.cuh, or of a relative of it.
struct variant {
  unsigned depth = 4;  ///< Loads in flight per thread: 1, 2, 4 or 8.
  unsigned hint = 0;   ///< The loads' cache hint: 0 usual, 1 streaming, 2 read-only.
  unsigned block_size = 256;
  unsigned grid_size = 1;
  bool one_round = false;  ///< True if no thread does more than `depth` loads.
  agreement by = agreement::mailboxes;
};

/// Returns a description such as "grid x block, 4 loads, streaming, one round".
[[nodiscard]] std::string describe(const variant& v);

/// Returns the variants that make sense for `loads` loads of 16 bytes on a device with `multiprocessors` SMs.
/// If `packed` is true, includes those with packed words. Variants with `agreement::none` are last.
[[nodiscard]] std::vector<variant> variants_for(std::size_t loads, unsigned multiprocessors, bool packed);

/// Launches a kernel that does nothing, to time a launch.
void launch_nothing();

/// Bytes of workspace that are enough for each of those variants.
inline constexpr std::size_t variants_workspace_bytes = std::size_t{1} << 20;

/// Sums the `n` elements at `in` (device) into `*out` (device) with variant `v`. `workspace` (device) has
/// `variants_workspace_bytes`, zeroed once. Does not synchronise. Defined for int, float and double.
template <typename T>
void launch_variant(const variant& v, const T* in, T* out, std::size_t n, void* workspace);

/// As `launch_variant`, but with `workbook::reduce`, which chooses its shape itself.
template <typename T>
void launch_as_shipped(const T* in, T* out, std::size_t n, void* workspace);

/// Returns the bytes of workspace that cub::DeviceReduce::Sum of the raced library needs for `n` elements of T.
template <typename T>
[[nodiscard]] std::size_t library_workspace_bytes(std::size_t n);

/// Computes the same sum with that library. `workspace` (device) has `library_workspace_bytes<T>(n)`.
template <typename T>
void launch_library(const T* in, T* out, std::size_t n, void* workspace);

/// Returns the variant that `workbook::reduce` chooses on the current device for `n` elements of T with an aligned
/// start.
/// device.
template <typename T>
[[nodiscard]] variant shipped_variant(std::size_t n);

}  // namespace workbook
