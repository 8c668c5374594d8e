#include "emulator/explain/finding_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "emulator/explain/source_guards.hpp"
#include "emulator/explain/source_names.hpp"
#include "host/source_text.hpp"

namespace emulator::explain {
namespace {

bool has_line(const kernel_facts& facts, std::uint32_t pc) {
  return pc < facts.instructions.size() && facts.instructions[pc].file >= 0 && facts.instructions[pc].line != 0;
}

/// Returns true if the kernel's own file has a line for the instruction. If a helper of another file does something for
/// the kernel, the line that calls the helper is reported.
bool is_at_home(const kernel_facts& facts, std::uint32_t pc) {
  return facts.instructions[pc].home_line != 0;
}

/// Returns a text about threads that return early and so don't write to the array; empty if the array is mentioned
/// before the return.
std::string who_returned(const kernel_facts& facts, std::uint32_t pc, const std::string& array) {
  const std::optional<std::vector<std::string>> lines = host::read_source(file_of(facts, pc));
  const std::optional<guard> g = lines ? early_return(*lines, line_of(facts, pc)) : std::nullopt;
  if (!g || g->condition.size() >= 40) return {};
  const bool mentioned = std::any_of(lines->begin(), lines->begin() + (g->line - 1),
                                     [&](const std::string& l) { return l.find(array + "[") != std::string::npos; });
  return mentioned ? std::string()
                   : fmt::format("; threads for which \"{}\" is true return in line {}, before they could write it",
                                 g->condition, g->line);
}

finding describe_uninitialized(const naming& names, const incident& what) {
  const kernel_facts& facts = names.facts();
  const bool shared = what.kind == incident_kind::uninitialized_shared_read;
  const naming::element e = shared ? names.in_shared(what.pc, what.address, what.bytes, what.block)
                                   : names.in_global(what.pc, what.address, what.bytes);
  const std::string reads = fmt::format("thread {} reads {}", thread_name(what.block, what.thread), e.text);
  const std::string at = place(facts, what.pc);
  message_parts parts{.headline = reads + ", which is uninitialised", .label = reads};
  parts.here = expression_of(facts, what.pc, e, false, what.thread, what.block);
  std::string message, cure;
  if (what.is_distributed) {
    parts.headline = fmt::format("{} of block {}, which is uninitialised", reads, what.owner);
    parts.reason = "no thread of the cluster has written it";
    message = fmt::format("{} of block {} in {}, but no thread of the cluster has written it: it is uninitialised",
                          reads, what.owner, at);
    cure = fmt::format(
        "Let block {} write it first, and put a cluster.sync() between its write and the read: each block has a copy "
        "of its own of every shared array.",
        what.owner);
  } else if (shared) {
    const std::string returned = who_returned(facts, what.pc, e.array);
    parts.reason = "no thread of the block has written it" + returned;
    message =
        fmt::format("{} in {}, but no thread of the block has written it: it is uninitialised{}", reads, at, returned);
    cure =
        "Write every element that is read: a thread without an element of its own stores the neutral element (0 for a "
        "sum).";
  } else {
    parts.reason = "no copy, no cudaMemset and no kernel has written it";
    message =
        fmt::format("{} in {}, which is uninitialised: no copy, no cudaMemset and no kernel has written it", reads, at);
    cure =
        "Set it before the launch; if an earlier kernel should have written it, check how many results that kernel "
        "writes.";
  }
  finding f = finding_with_text(facts, what.pc, what.block, facts_of(what.kind).reported_as, message, std::move(cure),
                                std::move(parts));
  f.object = e.array;
  return f;
}

/// Describes the use of a block of the cluster that may not have begun, or that may end too early.
finding describe_life_of_block(const naming& names, const incident& what) {
  const kernel_facts& facts = names.facts();
  const bool begins = what.kind == incident_kind::block_not_begun;
  const naming::element e = names.in_shared(what.pc, what.address, what.bytes, what.block);
  const std::string uses =
      fmt::format("thread {} of block {} uses {} of block {} in {}, and", thread_name(what.block, what.thread),
                  what.block.linear, e.text, what.owner, place(facts, what.pc));
  finding f = finding_with_text(
      facts, what.pc, what.block, facts_of(what.kind).reported_as,
      begins ? fmt::format("{} nothing says that block {} has begun", uses, what.owner)
             : fmt::format("{} block {} does not wait for that before it exits, which ends its shared memory", uses,
                           what.owner),
      begins ? "Put a cluster.sync() before the first use of other blocks' shared memory: after it, all blocks have "
               "started."
             : "Put a cluster.sync() after the last use of other blocks' shared memory, at the kernel's end.");
  f.object = e.array;
  return f;
}

}  // namespace

source_part expression_of(const kernel_facts& facts, std::uint32_t pc, const naming::element& e, bool is_store,
                          std::uint32_t thread, const block_identity& block) {
  const std::optional<std::vector<std::string>> lines = host::read_source(file_of(facts, pc));
  if (!lines || e.array.empty()) return {};
  const auto index = index_of(*lines, line_of(facts, pc), e.array, is_store, thread, block.linear == 0, e.index);
  if (!index) return {};
  return {.column = static_cast<std::uint32_t>(index->column + 1),
          .width = static_cast<std::uint32_t>(e.array.size() + index->text.size() + 2)};
}

std::string file_of(const kernel_facts& facts, std::uint32_t pc) {
  if (!has_line(facts, pc)) return {};
  return is_at_home(facts, pc) ? facts.file : facts.files[static_cast<std::size_t>(facts.instructions[pc].file)];
}

std::uint32_t line_of(const kernel_facts& facts, std::uint32_t pc) {
  if (!has_line(facts, pc)) return 0;
  return is_at_home(facts, pc) ? facts.instructions[pc].home_line : facts.instructions[pc].line;
}

std::string place(const kernel_facts& facts, std::uint32_t pc) {
  if (has_line(facts, pc)) {
    const std::string file = file_of(facts, pc);
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line_of(facts, pc));
  }
  return pc < facts.instructions.size() ? fmt::format("line {} of the PTX", facts.instructions[pc].ptx_line)
                                        : "an unknown line";
}

std::string place_after(const kernel_facts& facts, std::uint32_t pc, std::uint32_t before) {
  if (has_line(facts, pc) && file_of(facts, pc) == file_of(facts, before))
    return fmt::format("line {}", line_of(facts, pc));
  return place(facts, pc);
}

bool same_line(const kernel_facts& facts, std::uint32_t one, std::uint32_t other) {
  return line_of(facts, one) == line_of(facts, other) && file_of(facts, one) == file_of(facts, other);
}

std::string thread_name(const block_identity& block, std::uint32_t linear) {
  const std::uint32_t x = std::max(1u, block.dimensions[0]);
  const std::uint32_t y = std::max(1u, block.dimensions[1]);
  if (y == 1 && block.dimensions[2] <= 1) return std::to_string(linear);
  return fmt::format("({},{},{})", linear % x, linear / x % y, linear / x / y);
}

std::string_view space_name(ptx::state_space space) {
  // In the order of `state_space`.
  static constexpr std::string_view names[] = {"global",   "global",    "shared", "local",
                                               "constant", "parameter", "global"};
  static_assert(std::size(names) == static_cast<std::size_t>(ptx::state_space::reg) + 1);
  return names[static_cast<std::size_t>(space)];
}

std::string block_name(const block_identity& block) {
  if (block.index[1] == 0 && block.index[2] == 0) return fmt::format("block {}", block.index[0]);
  return fmt::format("block ({},{},{})", block.index[0], block.index[1], block.index[2]);
}

std::string where(const kernel_facts& facts, const block_identity& block) {
  return fmt::format(" ({} of {})", block_name(block), kernel_name(facts.demangled));
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string lane_list(std::uint32_t mask) {
  std::string text = std::popcount(mask) == 1 ? "lane " : "lanes ";
  std::string_view separator;
  // Short texts for every second lane, which is the pattern of the first step of an interleaved tree.
  if (mask == 0x55555555u) return "the even lanes";
  if (mask == 0xaaaaaaaau) return "the odd lanes";
  while (mask != 0) {
    const int first = std::countr_zero(mask);
    const int length = std::countr_one(mask >> first);
    text += length == 1 ? fmt::format("{}{}", separator, first)
                        : fmt::format("{}{}-{}", separator, first, first + length - 1);
    separator = ", ";
    mask &= length == 32 ? 0u : ~(((1u << length) - 1) << first);
  }
  return text;
}

std::string plain_name(const std::string& name) {
  int depth = 0;
  for (std::size_t k = name.size(); k-- > 1;) {
    const char c = name[k];
    if (c == '>' || c == ')' || c == ']') ++depth;
    if (c == '<' || c == '(' || c == '[') --depth;
    if (depth == 0 && c == ':' && name[k - 1] == ':') return name.substr(k + 1);
  }
  return name;
}

finding finding_at(const kernel_facts& facts, std::uint32_t pc, finding_kind kind) {
  finding f;
  f.kind = kind;
  f.kernel = facts.demangled;
  f.file = file_of(facts, pc);
  f.line = line_of(facts, pc);
  return f;
}

finding finding_with_text(const kernel_facts& facts, std::uint32_t pc, const block_identity& block, finding_kind kind,
                          const std::string& message, std::string cure, message_parts parts) {
  finding f = finding_at(facts, pc, kind);
  f.parts = std::move(parts);
  f.parts.block = block_name(block);
  f.message = message + where(facts, block) + ".";
  f.message.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(f.message.front())));
  f.cure = std::move(cure);
  return f;
}

namespace {

/// Returns the condition around a barrier; nothing if the source shows none, or one that is too long for a message.
std::optional<guard> short_guard_of(const kernel_facts& facts, std::uint32_t pc) {
  const std::optional<std::vector<std::string>> lines = host::read_source(file_of(facts, pc));
  std::optional<guard> g = lines ? guard_of(*lines, line_of(facts, pc), std::string::npos) : std::nullopt;
  if (g && (g->condition.empty() || g->condition.size() > 50)) g.reset();
  return g;
}

}  // namespace

std::string condition_around(const kernel_facts& facts, std::uint32_t pc) {
  const std::optional<guard> g = short_guard_of(facts, pc);
  if (!g) return {};
  return g->returns ? fmt::format(", after \"if ({}) return\" in line {}", g->condition, g->line)
                    : fmt::format(", which is inside the condition \"{}\"", g->condition);
}

std::string reason_of_barrier(const kernel_facts& facts, std::uint32_t pc) {
  const std::optional<guard> g = short_guard_of(facts, pc);
  if (!g) return {};
  return g->returns ? fmt::format("threads for which \"{}\" is true return in line {}", g->condition, g->line)
                    : fmt::format("the barrier is inside the condition \"{}\"", g->condition);
}

finding describe(const naming& names, const incident& what) {
  const kernel_facts& facts = names.facts();
  const std::string at = place(facts, what.pc);
  const std::uint32_t warp = what.thread / warp_size;
  const auto with_text = [&](const std::string& message, std::string cure, message_parts parts) {
    return finding_with_text(facts, what.pc, what.block, facts_of(what.kind).reported_as, message, std::move(cure),
                             std::move(parts));
  };
  switch (what.kind) {
    case incident_kind::block_not_begun:
    case incident_kind::block_leaves:
      return describe_life_of_block(names, what);
    case incident_kind::divergent_barrier: {
      const std::string here = lane_list(what.mask), missing = lane_list(what.expected & ~what.mask);
      return with_text(
          fmt::format("Not all threads come to the __syncthreads() in {}{}: of warp {}, {} do, {} do not", at,
                      condition_around(facts, what.pc), warp, here, missing),
          "Move the barrier out of the branch or loop whose condition differs between threads: all threads of the "
          "block must reach it.",
          {.headline = "not all threads reach this __syncthreads()",
           .reason = reason_of_barrier(facts, what.pc),
           .label = fmt::format("{} of warp {} {} here, {} {} not", here, warp,
                                std::popcount(what.mask) == 1 ? "waits" : "wait", missing,
                                std::popcount(what.expected & ~what.mask) == 1 ? "does" : "do")});
    }
    case incident_kind::lanes_gone:
      return with_text(
          fmt::format("The member mask in {} names lanes that do not take part: in warp {}, {} {} there, {} never {}",
                      at, warp, lane_list(what.mask), std::popcount(what.mask) == 1 ? "is" : "are",
                      lane_list(what.expected), std::popcount(what.expected) == 1 ? "comes" : "come"),
          "Let all lanes of the mask execute it: move it out of the branch. Or put only the lanes that execute it in "
          "the mask.",
          {.headline = "the member mask names lanes that do not take part",
           .label = fmt::format("of warp {}, {} {} here, {} never {}", warp, lane_list(what.mask),
                                std::popcount(what.mask) == 1 ? "is" : "are", lane_list(what.expected),
                                std::popcount(what.expected) == 1 ? "comes" : "come")});
    case incident_kind::different_barriers: {
      finding f = with_text(
          fmt::format("Threads of one block wait at different barriers: thread {} at the __syncthreads() in {}, "
                      "thread {} at the one in {}",
                      thread_name(what.block, what.thread), at, thread_name(what.block, what.other_thread),
                      place_after(facts, what.other_pc, what.pc)),
          "Let all threads come to the same barrier: move it out of the branch.",
          {.headline = "threads of one block wait at different barriers",
           .label = fmt::format("thread {} waits here", thread_name(what.block, what.thread)),
           .other_label = fmt::format("thread {} waits here", thread_name(what.block, what.other_thread))});
      f.other_file = file_of(facts, what.other_pc);
      f.other_line = line_of(facts, what.other_pc);
      return f;
    }
    case incident_kind::shuffle_from_nowhere:
      return with_text(
          fmt::format("The shuffle in {} reads from lanes that take no part in it: {} of warp {} {} the value of such "
                      "a lane",
                      at, lane_list(what.mask), warp, std::popcount(what.mask) == 1 ? "asks for" : "ask for"),
          "Let all lanes that are read execute the shuffle and put them in its member mask, or use the result only "
          "where the other lane is one of them.",
          {.headline = "the shuffle reads from lanes that take no part in it",
           .label = fmt::format("{} of warp {} {} the value of such a lane", lane_list(what.mask), warp,
                                std::popcount(what.mask) == 1 ? "asks for" : "ask for")});
    default:
      return describe_uninitialized(names, what);
  }
}

std::vector<finding> suspicions(const naming& names) {
  const kernel_facts& facts = names.facts();
  std::vector<finding> all;
  const auto add = [&](std::uint32_t pc, finding_kind kind, std::string message, const char* cure,
                       const char* headline) {
    finding f = finding_at(facts, pc, kind);
    f.message = std::move(message);
    f.parts.headline = headline;
    f.cure = cure;
    const bool known = std::any_of(all.begin(), all.end(), [&](const finding& one) {
      return one.kind == f.kind && one.line == f.line && one.file == f.file;
    });
    if (!known) all.push_back(std::move(f));
  };
  for (const std::uint32_t pc : facts.unset_reads)
    add(pc, finding_kind::uninitialized_variable,
        fmt::format("A variable that {} reads has never been given a value: it is uninitialised, and holds what its "
                    "register happened to hold.",
                    place(facts, pc)),
        "Give it a first value where it is declared: T sum{}; for a sum.",
        "a variable is read that has never been given a value");
  for (const std::uint32_t pc : facts.narrow_indices)
    add(pc, finding_kind::narrow_index,
        fmt::format("The index in {} is computed in 32 bits: it overflows for 2^32 elements or more (2^31, "
                    "if it is signed).",
                    place(facts, pc)),
        "Widen before you multiply: std::size_t{blockIdx.x} * blockDim.x + threadIdx.x, and store it in a "
        "std::size_t.",
        "the index is computed in 32 bits, so it overflows for 2^32 elements or more (2^31, if it is signed)");
  return all;
}

}  // namespace emulator::explain
