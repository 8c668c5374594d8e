#pragma once
/// \file
/// The search for the tables of reductions/tuned.hpp.

#include <cstddef>
#include <string>

namespace workbook {

/// Times every algorithm on the current device and returns the text of a header like reductions/tuned.hpp. An entry of
/// the present table is kept unless another algorithm is clearly faster; for rows, columns and segments, it must not be
/// slower than a library if one of the algorithms isn't. Prints a line for each size.
/// \param title  of the header: where and when it was made
/// \throws device_error; std::runtime_error if a result is wrong
[[nodiscard]] std::string tuned_header(const std::string& title);

/// Tries every algorithm on the current device for some sizes, without timing. Returns true if all results are right
/// and the emulator has no finding. \param tried  is increased by the number of algorithms tried
[[nodiscard]] bool verify_ways(std::size_t& tried);

}  // namespace workbook
