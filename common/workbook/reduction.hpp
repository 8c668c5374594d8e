#pragma once
/// \file
/// The interface between a kernel and the code around it. A `reduction` is one rung of the ladder, with its kernel's
/// launch function for each element type. Host code only; rung.hpp makes a rung from the table in a kernel file.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>

namespace workbook {

/// The role of a reduction in a chapter's table.
enum class role { previous, reference, yours, library, wrong, compared };

/// Launches one pass, as a `pass_function` (kernel_table.hpp) does.
template <typename T>
using pass = std::function<std::size_t(const T* in, T* partials, std::size_t n, unsigned block_size)>;

/// Computes the whole sum into `*out` (device) in one call. It is for libraries, whose passes cannot be seen.
template <typename T>
using whole = std::function<void(const T* in, T* out, std::size_t n)>;

/// One rung of the ladder.
struct reduction {
  std::string name;  ///< The kernel's, such as "reduce_sequential".
  role as = role::reference;
  int chapter = 0;
  bool attempted = true;  ///< False for an exercise that the student has not touched.
  std::tuple<pass<int>, pass<unsigned>, pass<long long>, pass<float>, pass<double>> passes{};
  std::tuple<whole<int>, whole<unsigned>, whole<long long>, whole<float>, whole<double>> wholes{};
  /// Returns why the kernel cannot run with this block size, or nothing if it can. May be empty.
  std::function<std::optional<std::string>(unsigned block_size)> rejects{};
  /// Frees device memory that the rung caches between calls; may be empty. Called before the device is reset.
  std::function<void()> reset{};
  /// Returns the number of additions on the longest path from an element to the sum, for the error bound. If it is
  /// empty, the depth is computed from the passes: in each, a tree over the block, and the same number of elements for
  /// each thread.
  std::function<std::size_t(std::size_t n, unsigned block_size)> depth{};
};

}  // namespace workbook
