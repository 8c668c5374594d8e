#pragma once
/// \file
/// The search for the tables of device/tuned.hpp.

#include <cstddef>
#include <string>

namespace workbook {

/// Times every way on the current device and returns the text of a header like device/tuned.hpp. What the present table
/// has is kept unless something else is clearly faster; rows, columns and segments are not to be slower than a
/// library, where one of the ways is not. Prints a line for each size.
/// \param title  of the header: where and when it was made \throws device_error, std::runtime_error where a result is
/// wrong
[[nodiscard]] std::string tuned_header(const std::string& title);

/// Tries every way on the current device for some sizes, without timing. Returns whether all results are right and the
/// emulator has no finding. \param tried  is increased by their number
[[nodiscard]] bool verify_ways(std::size_t& tried);

}  // namespace workbook
