#pragma once
/// \file
/// Does the memory hold what a run needs? Asked before the input is filled, which takes minutes where it does not.

#include <cstdint>
#include <optional>
#include <string>

#include "workbook/study.hpp"

namespace workbook {

/// Says that a run takes more memory than there is: how much it needs, how much there is, and the largest power of two
/// that fits. Nothing where it fits.
/// \param bytes_per_count  that each element of `--count` takes
/// \param available        bytes
/// \param whose            "the host's", "the GPU's"
[[nodiscard]] std::optional<std::string> too_much_memory(std::uint64_t count, double bytes_per_count,
                                                         std::uint64_t available, const std::string& whose);

/// The same for a problem and the selected device. On a GPU no more than one value for each element is counted.
[[nodiscard]] std::optional<std::string> too_much_memory(const study& s, const problem& given);

}  // namespace workbook
