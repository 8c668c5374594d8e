#pragma once
/// \file
/// A walk along pointers: no load can begin before the one in front of it has arrived.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace workbook::machine {

/// Writes to place `i` of `places` (device, `stride` bytes each, a multiple of 8) the address of place `next[i]`
/// (device, `count` of them). Does not synchronise. \throws device_error
void link_places(std::byte* places, std::size_t stride, const std::uint32_t* next, unsigned count);

/// One thread walks `warm_up` steps from the first place, then `steps` more. `result` (device): the cycles of these,
/// and the address where the walk ends. Does not synchronise. \throws device_error
void walk(const std::byte* places, unsigned warm_up, unsigned steps, std::uint64_t* result);

}  // namespace workbook::machine
