#pragma once
/// \file
/// What the strict test knows of a failure because of what else it has tried: where the kernel goes wrong and where it
/// does not, and how the reference is launched.

#include <string>
#include <string_view>
#include <vector>

#include "workbook/measure.hpp"
#include "workbook/mistakes.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// What a kernel's own launch bounds make of the chapter's usual block. \param why  as `outcome::rejected`
[[nodiscard]] mistake refused_block(const problem& p, const std::string& why);
/// Says that the kernel's own host code asks for what no launch gets, where the reference needs no more than there is.
[[nodiscard]] mistake asks_for_too_much(const problem& p, std::string_view why);

/// The mistakes of a failed run, the first with what it hangs on.
/// \param s          the chapter: everything was tried with its usual block first, and with ints before other types
/// \param right_yet  all that was tried before was right
/// \param observed   the run was emulated: its launches can be set beside the reference's
[[nodiscard]] std::vector<mistake> mistakes_in_context(const study& s, const problem& p, const outcome& o,
                                                       bool right_yet, bool observed);

}  // namespace workbook
