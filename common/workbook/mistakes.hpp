#pragma once
/// \file
/// The mistakes of a student's kernel, with one message for each. Findings of the checks, wrong results and errors of
/// the device are combined if they have the same cause. The strict test adds the inputs with which the kernel fails,
/// those with which it works, and how the reference is launched.

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
  std::string cause{};     ///< Whole sentences: what is wrong, where, and in which threads.
  std::string file{};      ///< Source file as the compiler saw it; empty if the line is unknown.
  std::uint32_t line = 0;
  std::string object{};             ///< The array that it is about, as named in the source; may be empty.
  bool reads = false;               ///< True if the wrong access is a read.
  std::vector<std::string> more{};  ///< Further lines: a small case, or a picture.
  std::string cure{};               ///< Whole sentences: how to fix it; may be empty.
  unsigned right_block_size = 0;    ///< As in `explanation`.
  std::string follows{};            ///< Findings that may follow from it, such as "initcheck in line 19"; may be empty.
};

/// Returns the root cause of what is wrong, followed by the mistakes that cannot be consequences of it. Empty if
/// nothing is wrong.
[[nodiscard]] std::vector<mistake> mistakes_of(const outcome& o);

/// Returns true if the kernel may read a variable that has no value.
[[nodiscard]] bool suspect_variable(const outcome& o);
/// Returns the mistake of a kernel that computes an index in 32 bits although it needs 64. The sum is then right for
/// few elements, but not for the largest n that the kernel's parameter can hold. Returns nothing if no index is too
/// narrow.
[[nodiscard]] std::optional<mistake> narrow_index_of(const outcome& o);

/// Returns the mistake of a kernel whose launch bounds exclude the chapter's default block size. \param why  as in
/// `outcome::rejected`
[[nodiscard]] mistake refused_block(const problem& p, const std::string& why);
/// Returns the mistake of a kernel whose host code requests more resources than a launch can have, although the
/// reference can be launched.
/// \param why  as in `obstacle::text`, without advice, because the student hasn't chosen the block size
[[nodiscard]] mistake asks_for_too_much(const problem& p, std::string_view why);

/// Returns the mistakes of a failed run. The conditions under which the first one occurs are added to its cause.
/// \param s          the chapter: its default block size is tested before other sizes, and ints before other types
/// \param right_yet  true if all earlier tests passed
/// \param observed   true if the run was emulated, so that its launches can be compared with the reference's
[[nodiscard]] std::vector<mistake> mistakes_in_context(const study& s, const problem& p, const outcome& o,
                                                       bool right_yet, bool observed);

/// Returns a mistake as a paragraph: its cause, the source line with a mark, and how to fix it.
/// \param width  in columns
[[nodiscard]] std::string paragraph(const mistake& m, std::size_t width = 80);

}  // namespace workbook
