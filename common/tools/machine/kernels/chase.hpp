#pragma once
/// \file
/// A walk along pointers: no load can begin before the one in front of it has arrived.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// From the beginning of one pointer to the next: a line of the cache.
inline constexpr std::size_t line_bytes = 128;

/// Writes to line `i` of `lines` (device) the address of line `next[i]` (device, `count` of them). Does not
/// synchronise. \throws device_error
void link_lines(std::byte* lines, const std::uint32_t* next, unsigned count);

/// One thread walks `warm_up` steps from the first line, then `steps` more. `result` (device): the cycles of these, and
/// the address where the walk ends. Does not synchronise. \throws device_error
void walk(const std::byte* lines, unsigned warm_up, unsigned steps, std::uint64_t* result);

}  // namespace workbook::machine
