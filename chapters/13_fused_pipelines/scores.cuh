#pragma once
/// \file
/// Chapter 13's types and limits: the type of a probability, and the largest number of scores in a row.

#include <type_traits>

namespace chapter13 {

/// The type of a probability: that of the scores if they are floats or doubles, and float for integer scores.
template <typename T>
using probability = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// The largest number of columns that a row can have. As doubles they take 32 KiB, and a block can have 48 KiB of
/// shared memory without requesting more.
inline constexpr unsigned max_columns = 4096;

}  // namespace chapter13
