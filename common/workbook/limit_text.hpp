#pragma once
/// \file
/// `chapterN --limit`: what a kernel waits for, told to its author.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "workbook/limit.hpp"

namespace workbook {

/// The experiments, what each leaves of the time, the limit, and what lifts it.
[[nodiscard]] std::string limit_text(const dissection& d, const ceilings& most);

/// As in `plots/data/ablations_h200.json`: times in microseconds by ablation, the limit with its share.
[[nodiscard]] nlohmann::json as_json(const dissection& d, const ceilings& most);

}  // namespace workbook
