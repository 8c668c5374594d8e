#include "workbook/mistakes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/source_text.hpp"
#include "workbook/words.hpp"

namespace workbook {
namespace {

using emulator::check_kind;
using emulator::finding_kind;

/// A paragraph with more lines leaves out everything but the cause and the fix, as far as necessary.
constexpr std::size_t max_lines = 6;

/// A finding, and the launch in which it was first seen.
struct seen {
  emulator::finding what;
  std::size_t launch = 0;
};

/// Returns the findings of all launches, with equal ones at the same lines merged.
std::vector<seen> merged(const outcome& o) {
  std::vector<seen> all;
  const auto add = [&](const emulator::finding& f, std::size_t launch) {
    const auto same = std::ranges::find_if(all, [&](const seen& s) {
      return s.what.check() == f.check() && s.what.file == f.file && s.what.line == f.line &&
             s.what.other_line == f.other_line && (f.line != 0 || s.what.message == f.message);
    });
    if (same == all.end())
      all.push_back({f, launch});
    else
      same->what.count += f.count;
  };
  for (const emulator::finding& f : o.in_calls) add(f, 0);
  for (std::size_t k = 0; k < o.launches.size(); ++k)
    for (const emulator::finding& f : o.launches[k].findings) add(f, k);
  return all;
}

bool stops_kernel(const emulator::finding& f) {
  const check_kind check = f.check();
  return check == check_kind::memcheck || check == check_kind::limit || check == check_kind::emulator ||
         f.kind == finding_kind::deadlock || f.kind == finding_kind::grid_deadlock ||
         f.kind == finding_kind::bad_member_mask;
}

/// Ranks findings so that root causes come first: faults that stop a kernel, then barriers that some threads don't
/// reach, then races, then reads of uninitialised data.
int rank(const emulator::finding& f) {
  if (stops_kernel(f)) return 0;
  static constexpr std::array checks = {check_kind::synccheck, check_kind::racecheck, check_kind::initcheck};
  const auto at = std::find(checks.begin(), checks.end(), f.check());
  return 1 + static_cast<int>(at - checks.begin());
}

/// Returns true if `later` may be a mere consequence of `root`.
bool follows(const seen& later, const seen& root) {
  // It may follow from work that was left undone by a stopped kernel, or by a kernel of an earlier launch.
  if (stops_kernel(root.what) || later.launch > root.launch) return true;
  if (root.what.check() == check_kind::synccheck) return true;
  // Races and premature reads of the same array have a common cause, so only the first one in the source is shown.
  return later.what.object == root.what.object && later.what.check() != check_kind::memcheck;
}

std::string place_of(const emulator::finding& f) {
  const std::string_view check = name_of(f.check());
  return f.line == 0 ? std::string(check) : fmt::format("{} in line {}", check, f.line);
}

/// Returns true if the access at the finding's line is a read.
bool is_read(const emulator::finding& f) {
  switch (f.kind) {
    case finding_kind::out_of_bounds_read:
    case finding_kind::out_of_bounds_surface_read:
    case finding_kind::misaligned_read:
    case finding_kind::read_after_write_race:
      return true;
    default:
      return f.check() == check_kind::initcheck;
  }
}

mistake from(const emulator::finding& f) {
  return {.found_by = std::string(name_of(f.check())),
          .cause = f.message,
          .file = f.file,
          .line = f.line,
          .object = f.object,
          .reads = is_read(f),
          .cure = f.cure};
}

/// Returns the mistake for an error of the device or the host if the checks have found nothing.
mistake from_failure(const outcome& o) {
  if (!o.refusal) return {.found_by = "call", .cause = o.failure};
  if (!o.refusal->empty_grid) return {.found_by = "launch", .cause = "A launch is refused: " + o.refusal->text + "."};
  return {.found_by = "launch",
          .cause =
              fmt::format("A launch of 0 blocks is refused (cudaErrorInvalidConfiguration), here for n = {}.", o.count),
          .cure = o.count == 0
                      ? "Launch at least one block, which then finds no element, or launch nothing and write 0."
                      : "Round up when you divide n by the elements per block: the grid must cover all n."};
}

mistake from_result(const outcome& o) {
  mistake m{.found_by = "result"};
  if (o.why_wrong) {
    m.cause = o.why_wrong->cause;
    m.right_block_size = o.why_wrong->right_block_size;
    if (!o.why_wrong->example.empty()) m.more.push_back(o.why_wrong->example);
    if (!o.why_wrong->picture.empty()) m.more.push_back(o.why_wrong->picture);
    return m;
  }
  m.cause = fmt::format("The result is wrong: {}off by {:.6g}; a correct one is off by {:.3g} at most.",
                        o.result_text.empty() ? "an output is " : fmt::format("{}, ", o.result_text), o.error, o.bound);
  return m;
}

/// Returns the first note of a kind, or null. Notes aren't faults if the result is right.
const emulator::finding* note_of(const outcome& o, finding_kind kind) {
  for (const emulator::launch_report& launch : o.launches)
    for (const emulator::finding& note : launch.notes)
      if (note.kind == kind) return &note;
  return nullptr;
}

/// Returns the number of threads in a block, or of blocks in a grid, of this shape.
std::uint64_t number_in(const std::uint32_t (&shape)[3]) {
  return std::uint64_t{shape[0]} * shape[1] * shape[2];
}

/// Returns the mistake of a pass that reports more partial sums than it has launched blocks, or nothing.
std::optional<mistake> from_count(const outcome& o) {
  for (std::size_t k = 0; k < o.returned.size() && k < o.launches.size(); ++k) {
    const std::uint64_t blocks = number_in(o.launches[k].grid);
    if (o.returned[k] <= blocks) continue;
    return mistake{.found_by = "result",
                   .cause = fmt::format(
                       "reduce() returns {}, the number of partial sums, but has launched {} block{}: the next pass "
                       "adds up values that no block has written.",
                       o.returned[k], blocks, blocks == 1 ? "" : "s"),
                   .cure = "Return the number of blocks that you launch."};
  }
  return {};
}

/// Returns the mistake if the checks have found none.
/// \param counted_wrong  true if all findings are in a later pass, because this one wrote too few partial sums
mistake from_outcome(const outcome& o, bool counted_wrong) {
  if (!o.failure.empty() && !counted_wrong && !o.why_wrong) return from_failure(o);
  if (const emulator::finding* unset = note_of(o, finding_kind::uninitialized_variable);
      unset != nullptr && o.hangs_on_unset)
    return from(*unset);
  mistake m = from_result(o);
  if (const emulator::finding* stray = note_of(o, finding_kind::shuffle_from_nowhere)) {
    m.more.insert(m.more.begin(), stray->message);
    // The uninitialised variable explains the added value that isn't an element.
    if (o.why_wrong && o.why_wrong->of_strangers) {
      std::swap(m.cause, m.more.front());
      m.right_block_size = 0;
    }
    m.file = stray->file;
    m.line = stray->line;
  }
  return m;
}

/// Returns the mistake of a kernel that fails only after earlier launches.
mistake from_leftovers() {
  return {
      .found_by = "result",
      .cause =
          "On a fresh device this run is right, and after other launches it is wrong: the kernel begins with what an "
          "earlier launch left, such as a counter or a sum that is not reset to 0.",
      .cure = "Leave every variable of the device as the next launch needs it, or set it before each launch."};
}

/// Returns a mark under the array that the mistake is about. For a read, it is under the array's last occurrence,
/// because reads are to the right of an assignment; for a write, it is under the first one. Empty if the line doesn't
/// contain the array.
std::string mark_under(const std::string& line, const mistake& m) {
  if (m.object.empty()) return {};
  const std::size_t at = m.reads ? line.rfind(m.object + "[") : line.find(m.object + "[");
  return at == std::string::npos ? std::string() : std::string(at, ' ') + '^';
}

/// Returns the source line and the mark, each with a margin. Returns nothing if the file cannot be read.
std::vector<std::string> excerpt(const mistake& m, std::size_t width) {
  if (m.file.empty() || m.line == 0) return {};
  const auto source = host::read_source(m.file);
  if (!source || m.line > source->size()) return {};
  std::string text = (*source)[m.line - 1];
  std::string mark = mark_under(text, m);
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  text.erase(0, indent);
  mark.erase(0, std::min(indent, mark.size()));
  const std::string margin = fmt::format("  {:>5} | ", m.line);
  text = host::fit(text, width - margin.size()).front();
  std::vector<std::string> lines = {margin + text};
  if (!mark.empty() && mark.size() <= width - margin.size()) lines.push_back(fmt::format("  {:>5} | {}", "", mark));
  return lines;
}

void add_wrapped(std::vector<std::string>& lines, const std::string& text, std::size_t width, const std::string& first,
                 const std::string& others) {
  std::string indent = first;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    for (const std::string& line :
         host::wrap(text.substr(begin, end - begin), width - std::max(first.size(), others.size()))) {
      lines.push_back(indent + line);
      indent = others;
    }
    begin = end + 1;
  }
}

bool is_flat(const problem& p) {
  return p.block_shape[1] <= 1 && p.block_shape[2] <= 1;
}

/// Returns true if the block size is the reason for a failure, because everything else is the same as in earlier tests.
bool is_of_block_size(const study& s, const problem& p) {
  return is_flat(p) && p.offset == 0 && p.block_size != s.default_block_size;
}

/// Returns for example "In blocks of 512 threads, though not of 256: ". Empty for the problems that are tested first.
std::string only_there(const study& s, const problem& p) {
  if (!is_flat(p)) return "In blocks of more than one dimension, though not in others: ";
  if (p.offset != 0) return fmt::format("Only if {}: ", s.offset_means);
  if (is_of_block_size(s, p)) return block_size_prefix(p.block_size, s.default_block_size);
  if (p.type == element_type::int32) return {};
  return fmt::format("With elements of type {}, though not of int: ", name_of(p.type));
}

/// Returns the mistake of a launch whose blocks have the wrong number of threads.
std::optional<mistake> from_launch(const problem& p, const outcome& o, const specimen& reference) {
  if (o.launches.empty()) return {};
  const std::uint64_t threads = number_in(o.launches[0].block);
  if (threads == p.block_size) return {};
  const outcome right = examine(reference, p, {.explains = false});
  if (right.launches.empty() || number_in(right.launches[0].block) != p.block_size) return {};
  const std::uint32_t blocks = o.launches[0].grid[0];
  return mistake{
      .found_by = "launch",
      .cause = fmt::format("The launch has {} block{} of {} thread{}, where blocks of {} threads are wanted{}.", blocks,
                           blocks == 1 ? "" : "s", threads, threads == 1 ? "" : "s", p.block_size,
                           blocks == p.block_size ? ": its first two arguments are exchanged" : ""),
      .cure =
          "The first argument of a launch is the number of blocks, the second the threads per block: "
          "kernel<<<grid_size, block_size, bytes>>>(…)."};
}

}  // namespace

bool suspect_variable(const outcome& o) {
  return note_of(o, finding_kind::uninitialized_variable) != nullptr;
}

std::optional<mistake> narrow_index_of(const outcome& o) {
  const emulator::finding* note = note_of(o, finding_kind::narrow_index);
  return note == nullptr ? std::nullopt : std::optional(from(*note));
}

std::vector<mistake> mistakes_of(const outcome& o) {
  if (o.left_over) return {from_leftovers()};
  std::vector<mistake> all;
  std::vector<seen> found = merged(o);
  std::stable_sort(found.begin(), found.end(), [](const seen& a, const seen& b) {
    return std::pair(a.launch, rank(a.what)) < std::pair(b.launch, rank(b.what));
  });
  const bool wrong = !o.rejected && (!o.failure.empty() || !o.verified);
  // A later pass may read data that the previous pass did not write. Then the missing data explains more than the read.
  const bool misses_sums =
      !found.empty() && found.front().what.check() == check_kind::initcheck && found.front().launch > 0;
  const bool counted_wrong = misses_sums && o.why_wrong;
  if (misses_sums && o.launches.size() == o.returned.size())
    if (const std::optional<mistake> m = from_count(o)) return {*m};
  if (found.empty() || counted_wrong) return wrong ? std::vector<mistake>{from_outcome(o, counted_wrong)} : all;
  std::vector<bool> told(found.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (told[k]) continue;
    mistake m = from(found[k].what);
    std::vector<std::string> also;
    for (std::size_t j = k + 1; j < found.size(); ++j) {
      if (told[j] || !follows(found[j], found[k])) continue;
      told[j] = true;
      const std::string place = place_of(found[j].what);
      if (std::find(also.begin(), also.end(), place) == also.end()) also.push_back(place);
    }
    for (std::size_t j = 0; j < also.size() && j < 3; ++j) m.follows += (j == 0 ? "" : ", ") + also[j];
    if (also.size() > 3) m.follows += " …";
    all.push_back(std::move(m));
  }
  return all;
}

mistake refused_block(const problem& p, const std::string& why) {
  return {
      .found_by = "launch",
      .cause =
          fmt::format("The kernel cannot be launched with the chapter's {} threads per block: {}.", p.block_size, why),
      .cure = "The first number in __launch_bounds__ is the largest block that the kernel will ever be launched with."};
}

mistake asks_for_too_much(const problem& p, std::string_view why) {
  return {.found_by = "launch",
          .cause = fmt::format("The kernel cannot be launched in blocks of {} threads, though the reference can: {}.",
                               block_text(p), why),
          .cure = "Request only the bytes of shared memory that the block's threads use."};
}

std::vector<mistake> mistakes_in_context(const study& s, const problem& p, const outcome& o, bool right_yet,
                                         bool observed) {
  const auto reference = std::ranges::find(s.kernels, role::reference, &specimen::as);
  if (observed && reference != s.kernels.end())
    if (std::optional<mistake> m = from_launch(p, o, *reference)) return {*m};
  std::vector<mistake> all = mistakes_of(o);
  const std::string only = right_yet ? only_there(s, p) : std::string();
  // The explanation of a wrong sum may mention the block size already.
  const bool is_said = !all.empty() && all.front().right_block_size == s.default_block_size && is_of_block_size(s, p);
  if (all.empty() || only.empty() || is_said) return all;
  std::string& cause = all.front().cause;
  cause.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(cause.front())));
  cause = only + cause;
  return all;
}

std::string paragraph(const mistake& m, std::size_t width) {
  std::vector<std::string> lines;
  add_wrapped(lines, m.found_by + ": " + m.cause, width, "", "  ");
  std::vector<std::string> rest;
  for (const std::string& more : m.more) add_wrapped(rest, more, width, "  ", "  ");
  std::vector<std::string> source = excerpt(m, width);
  std::vector<std::string> cure;
  if (!m.cure.empty()) add_wrapped(cure, m.cure, width, "  ", "  ");
  // If the text is too long, drops the least informative parts first.
  const auto size = [&] { return lines.size() + rest.size() + source.size() + cure.size(); };
  if (size() > max_lines && source.size() == 2) source.pop_back();
  if (size() > max_lines) source.clear();
  while (size() > max_lines && !rest.empty()) rest.pop_back();
  if (!m.follows.empty() && size() < max_lines) {
    const std::string also = "  Also found, and may follow from it: " + m.follows + ".";
    if (also.size() <= width) cure.push_back(also);
  }
  for (const auto* part : {&source, &rest, &cure}) lines.insert(lines.end(), part->begin(), part->end());
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace workbook
