#include "workbook/circumstances.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "workbook/words.hpp"

namespace workbook {
namespace {

/// "In blocks of 512 threads, though not of 128: "; empty where the failure is of the first that was tried.
std::string only_there(const study& s, const problem& p) {
  const unsigned usual = s.default_block_size;
  if (p.block_shape[1] > 1 || p.block_shape[2] > 1)
    return "In blocks of more than one dimension, though not in others: ";
  if (p.offset != 0) return fmt::format("Where {}, though not elsewhere: ", s.offset_means);
  if (p.block_size != usual) return in_such_blocks_only(p.block_size, usual);
  if (p.type == element_type::int32) return {};
  return fmt::format("With elements of type {}, though not of int: ", name_of(p.type));
}

std::uint64_t threads_in(const std::uint32_t (&block)[3]) {
  return std::uint64_t{block[0]} * block[1] * block[2];
}

/// A launch whose blocks have not as many threads as they were to have.
std::optional<mistake> from_launch(const problem& p, const outcome& o, const specimen& reference) {
  if (o.launches.empty()) return {};
  const std::uint64_t threads = threads_in(o.launches[0].block);
  if (threads == p.block_size) return {};
  const outcome right = examine(reference, p, {.explains = false});
  if (right.launches.empty() || threads_in(right.launches[0].block) != p.block_size) return {};
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

mistake refused_block(const problem& p, const std::string& why) {
  return {
      .found_by = "launch",
      .cause =
          fmt::format("The kernel cannot be launched with the chapter's {} threads per block: {}.", p.block_size, why),
      .cure = "The first number in __launch_bounds__ is the largest block that the kernel will ever be launched with."};
}

mistake asks_for_too_much(const problem& p, std::string_view why) {
  // Who runs the strict test has not chosen the block.
  if (why.ends_with(smaller_block_would_do)) why.remove_suffix(smaller_block_would_do.size());
  return {.found_by = "launch",
          .cause = fmt::format("The kernel cannot be launched in blocks of {} threads, though the reference can: {}.",
                               block_text(p), why),
          .cure = "Ask for the bytes of shared memory that the block's threads use, and for no more."};
}

std::vector<mistake> mistakes_in_context(const study& s, const problem& p, const outcome& o, bool right_yet,
                                         bool observed) {
  const auto reference = std::ranges::find(s.kernels, role::reference, &specimen::as);
  if (observed && reference != s.kernels.end())
    if (std::optional<mistake> m = from_launch(p, o, *reference)) return {*m};
  std::vector<mistake> all = mistakes_of(o);
  const std::string only = right_yet ? only_there(s, p) : std::string();
  // A wrong sum may have been found to hang on its blocks already.
  if (all.empty() || only.empty() || all.front().cause.starts_with(only)) return all;
  std::string& cause = all.front().cause;
  cause.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(cause.front())));
  cause = only + cause;
  return all;
}

}  // namespace workbook
