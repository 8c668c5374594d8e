#pragma once
/// \file
/// What a student did wrong, one mistake a message: all that the checks, the comparison and the device say of a run,
/// put together by cause, and what the strict test knows of a failure because of what else it has tried: where the
/// kernel goes wrong and where it does not, and how the reference is launched.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// One mistake.
struct mistake {
  std::string found_by{};  ///< "racecheck", "memcheck" … , "result", "launch", "call".
  std::string cause{};     ///< Whole sentences: what is wrong, where, and who does it.
  std::string file{};      ///< Where it stands, as the compiler saw it; empty where it stands in no line.
  std::uint32_t line = 0;
  std::string object{};             ///< The array that is concerned, as the source calls it; may be empty.
  bool reads = false;               ///< It is a read that is wrong.
  std::vector<std::string> more{};  ///< Further lines: a small case, a picture.
  std::string cure{};               ///< Whole sentences: what would mend it; may be empty.
  unsigned right_block_size = 0;    ///< As `explanation` has it.
  std::string follows{};  ///< What else was found, which may follow from it: "initcheck in line 19"; may be empty.
};

/// Returns the mistake at the root of what is wrong with an outcome, then those that cannot follow from it. Empty where
/// nothing is wrong.
[[nodiscard]] std::vector<mistake> mistakes_of(const outcome& o);

/// Says whether the kernel may read a variable that has no value.
[[nodiscard]] bool suspect_variable(const outcome& o);
/// Returns the mistake of a kernel that computes an index in 32 bits which should have 64: its sum of few elements is
/// right, that of as many as its argument can count is not. Nothing where none does.
[[nodiscard]] std::optional<mistake> narrow_index_of(const outcome& o);

/// What a kernel's own launch bounds make of the chapter's usual block. \param why  as `outcome::rejected`
[[nodiscard]] mistake refused_block(const problem& p, const std::string& why);
/// Says that the kernel's own host code asks for what no launch gets, where the reference needs no more than there is.
/// \param why  as `obstacle::text`: the block was not chosen, so there is nothing to advise
[[nodiscard]] mistake asks_for_too_much(const problem& p, std::string_view why);

/// The mistakes of a failed run, the first with what it hangs on.
/// \param s          the chapter: everything was tried with its usual block first, and with ints before other types
/// \param right_yet  all that was tried before was right
/// \param observed   the run was emulated: its launches can be set beside the reference's
[[nodiscard]] std::vector<mistake> mistakes_in_context(const study& s, const problem& p, const outcome& o,
                                                       bool right_yet, bool observed);

/// A mistake as a paragraph: its cause, the line with a mark, what would mend it.
/// \param width  columns
[[nodiscard]] std::string paragraph(const mistake& m, std::size_t width = 80);

}  // namespace workbook
