#pragma once
/// \file
/// Everything that a chapter's program prints, as data (schema 1 of the design).

#include <nlohmann/json_fwd.hpp>

#include "workbook/table.hpp"

namespace workbook {

/// \param counted  the emulator's results beside the GPU's, of the same rows; null where `main` has the counts
[[nodiscard]] nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted);

}  // namespace workbook
