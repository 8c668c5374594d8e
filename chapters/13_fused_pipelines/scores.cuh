#pragma once
/// \file
/// Chapter 13's numbers: what type a score's probability has, and how long a row of scores may be.

#include <type_traits>

namespace chapter13 {

/// The type of a probability: that of the scores if they are floats or doubles, and float for integer scores.
template <typename T>
using probability = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// A row has at most this many columns. As doubles they take 32 KiB, and a block gets 48 KiB of shared memory without
/// asking for more.
inline constexpr unsigned max_columns = 4096;

}  // namespace chapter13
