// The text of faults, which stop a kernel.
// Long because each kind of fault has a text of its own.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/explain/finding_text.hpp"
#include "emulator/explain/source_guards.hpp"
#include "host/source_text.hpp"

namespace emulator::explain {
namespace {

using ptx::state_space;

finding_kind out_of_bounds_kind(access_kind access) {
  return access == access_kind::load    ? finding_kind::out_of_bounds_read
         : access == access_kind::store ? finding_kind::out_of_bounds_write
                                        : finding_kind::out_of_bounds_atomic;
}

finding_kind out_of_surface_kind(access_kind access) {
  return access == access_kind::load    ? finding_kind::out_of_bounds_surface_read
         : access == access_kind::store ? finding_kind::out_of_bounds_surface_write
                                        : finding_kind::out_of_bounds_surface_atomic;
}

/// "thread 3 reads …"
std::string_view verb_of(access_kind access) {
  return access == access_kind::load ? "reads" : access == access_kind::store ? "writes" : "atomically changes";
}

std::uint32_t first_lane(const fault& what) {
  return what.mask == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(what.mask));
}

/// Returns the part of a message which states that the array doesn't have such an element.
std::string beyond(const naming::element& e) {
  if (e.array.empty() || e.size == 0) return "which is not memory of the program";
  return e.size == 1 ? fmt::format("but {} has only one element", e.array)
                     : fmt::format("but {} has {} elements, 0 to {}", e.array, e.size, e.size - 1);
}

/// The text of an access that is out of bounds.
struct access_text {
  std::string message, cure;
  message_parts parts;
};

/// The index that is out of bounds, as it is written in the source: " (tid + stride)", and the condition that didn't
/// prevent the access.
struct way_there {
  std::string index, condition;
};

way_there way_to(const kernel_facts& facts, const fault& what, const naming::element& e, std::uint32_t thread) {
  const std::optional<std::vector<std::string>> lines = host::read_source(file_of(facts, what.pc));
  if (!lines) return {};
  const std::uint32_t line = line_of(facts, what.pc);
  const auto index =
      index_of(*lines, line, e.array, what.access == access_kind::store, thread, what.block.linear == 0, e.index);
  way_there way;
  // A number adds nothing to the element's name.
  if (index && !std::all_of(index->text.begin(), index->text.end(), [](char c) { return std::isdigit(c) != 0; }))
    way.index = fmt::format(" ({})", index->text);
  constexpr std::size_t longest = 60;
  if (way.index.size() > longest) way.index.clear();
  const std::optional<guard> g = guard_of(*lines, line, index ? index->column : std::string::npos);
  if (!g || g->condition.size() > longest) return way;
  if (!g->condition.empty() && !mentions_index(g->condition, *lines, line, e.array)) return way;
  way.condition = g->condition.empty() ? "no condition prevents it"
                  : g->returns         ? fmt::format("\"if ({}) return\" does not prevent it", g->condition)
                                       : fmt::format("the condition \"{}\" allows it", g->condition);
  return way;
}

/// Returns the amount of dynamic shared memory if `e` is a dynamic array, else an empty string.
std::string bytes_of_launch(const kernel_facts& facts, const naming::element& e, const block_identity& block) {
  const auto of = std::find_if(facts.shared.begin(), facts.shared.end(),
                               [&](const shared_variable& v) { return plain_name(v.name) == e.array; });
  if (of == facts.shared.end() || of->size_bytes != 0) return {};
  return fmt::format(" in the {} of shared memory that the launch requests",
                     counted(block.shared_bytes - of->offset, "byte"));
}

/// Returns the range of the private arrays. An invalid byte within it is between two of them.
std::string extent_of_arrays(const kernel_facts& facts) {
  if (facts.array_bytes == 0) return "which no variable of the kernel contains";
  return fmt::format("and the kernel's private arrays are bytes 0 to {}", facts.array_bytes - 1);
}

access_text out_of_bounds(const naming& names, const fault& what, const std::string& who) {
  const kernel_facts& facts = names.facts();
  const std::string_view does = verb_of(what.access);
  const std::uint32_t thread = what.warp * warp_size + first_lane(what);
  const std::string at = place(facts, what.pc);
  // The condition as the end of a sentence.
  const auto after_colon = [](const way_there& way) { return way.condition.empty() ? "" : ": " + way.condition; };
  if (what.space == state_space::shared) {
    const naming::element e = names.in_shared(what.pc, what.address, what.bytes, what.block, true);
    const std::string label = fmt::format("{} {} {}", who, does, e.text);
    const std::string bytes = bytes_of_launch(facts, e, what.block);
    if (what.block.shared_bytes == 0)
      return {fmt::format("The launch gives the kernel no shared memory, and {} {} {} in {}", who, does, e.text, at),
              "Pass the number of bytes per block as the third launch argument: kernel<<<grid, block, bytes>>>(…).",
              {.headline = "the launch gives the kernel no shared memory", .label = label}};
    if (what.owner)
      return {fmt::format("Out of bounds of the shared memory of block {}: {} {} {} there in {}, {}{}", *what.owner,
                          who, does, e.text, at, beyond(e), bytes),
              "Check the index: it must be below the size of the array, in whichever block of the cluster.",
              {.headline = fmt::format("{} of block {}, {}{}", label, *what.owner, beyond(e), bytes), .label = label}};
    const way_there way = way_to(facts, what, e, thread);
    return {fmt::format("Out of bounds of shared memory: {} {} {}{} in {}, {}{}{}{}", who, does, e.text, way.index, at,
                        beyond(e), bytes, after_colon(way),
                        what.block.linear == 0 ? "" : "; earlier blocks stay in bounds"),
            e.index < 0 ? "Check what is subtracted from the index."
            : bytes.empty()
                ? "Check the index, and what its condition compares: it must be below the size of the array."
                : "Check the index, what its condition compares, and the third launch argument: the bytes of shared "
                  "memory of a block.",
            {.headline = fmt::format("{}, {}{}", label, beyond(e), bytes),
             .reason = way.condition,
             .label = label,
             .here = expression_of(facts, what.pc, e, what.access == access_kind::store, thread, what.block)}};
  }
  if (what.space == state_space::local)
    return {fmt::format("Out of bounds of a private array: {} {} byte {} of local memory in {}, {}", who, does,
                        static_cast<std::int64_t>(what.address), at, extent_of_arrays(facts)),
            "Compare the index with the size of the array.",
            {.headline = fmt::format("{} {} a private array out of bounds", who, does),
             .label = fmt::format("byte {} of local memory, {}", static_cast<std::int64_t>(what.address),
                                  extent_of_arrays(facts))}};
  const naming::element e = names.in_global(what.pc, what.address, what.bytes);
  if (e.array.empty())
    return {fmt::format("Out of bounds: {} {} {} in {}, {}", who, does, e.text, at,
                        what.message.empty() ? "which is not memory of the program" : what.message),
            "Check the pointer, and compare the index with the number of elements.",
            {.headline = fmt::format("{} {} {}, {}", who, does, e.text,
                                     what.message.empty() ? "which is not memory of the program" : what.message)}};
  const instruction_facts& i = facts.instructions[what.pc];
  const std::uint32_t width = i.element_bytes == 0 ? 1 : what.bytes / i.element_bytes;
  const std::string last = width == 1      ? std::string()
                           : e.is_nameless ? fmt::format(", {} elements at once,", width)
                                           : fmt::format(" to {}[{}], at once,", e.array, e.index + width - 1);
  const way_there way = way_to(facts, what, e, thread);
  return {fmt::format("Out of bounds: {} {} {}{}{} in {}, {}{}", who, does, e.text, way.index, last, at, beyond(e),
                      after_colon(way)),
          e.index < 0 ? "Check what is subtracted from the index."
                      : "Check the index, and what its condition compares: the very index that is used must be below "
                        "the number of elements.",
          {.headline = fmt::format("{} {} {}{} {}", who, does, e.text, last.empty() ? "," : last, beyond(e)),
           .reason = way.condition,
           .label = fmt::format("{} {} {}", who, does, e.text),
           .here = expression_of(facts, what.pc, e, what.access == access_kind::store, thread, what.block)}};
}

/// Warps of a deadlocked block that are described at most.
constexpr std::size_t max_described_warps = 12;

/// Returns "at block barrier 0 (kernel.cu:7)", the place where lanes wait.
std::string waiting_place(const kernel_facts& facts, const observers::waiting_lanes& one) {
  return one.where == observers::waiting_lanes::place::block_barrier
             ? fmt::format("at block barrier {} ({})", one.barrier, place(facts, one.pc))
             : fmt::format("in {} ({})", facts.instructions[one.pc].mnemonic, place(facts, one.pc));
}

/// Returns a text with a line for each of the first warps of a deadlocked block.
std::string picture_of(const kernel_facts& facts, const std::vector<observers::waiting_lanes>& waiting) {
  std::string text = "deadlock: no thread of the block can make progress:";
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    if (k == max_described_warps) return text + "\n    …";
    const observers::waiting_lanes& one = waiting[k];
    text += fmt::format("\n    warp {}", one.warp);
    if (one.where == observers::waiting_lanes::place::exited) {
      text += " has exited";
      continue;
    }
    text += fmt::format(", {} {} {}", one.mask == ~0u ? "all lanes" : lane_list(one.mask),
                        std::popcount(one.mask) == 1 ? "waits" : "wait", waiting_place(facts, one));
    if (one.where == observers::waiting_lanes::place::warp_operation)
      text += " for " + (one.missing == ~0u ? "all lanes" : lane_list(one.missing));
  }
  return text;
}

/// Returns a short text with the places where threads wait for each other.
std::string places_of_deadlock(const kernel_facts& facts, const std::vector<observers::waiting_lanes>& waiting) {
  std::vector<std::string> places;
  for (const observers::waiting_lanes& one : std::span(waiting).first(std::min(waiting.size(), max_described_warps))) {
    if (one.where == observers::waiting_lanes::place::exited) continue;
    const std::string where = waiting_place(facts, one);
    if (std::find(places.begin(), places.end(), where) == places.end()) places.push_back(where);
  }
  if (places.empty()) return "no thread can make progress";
  std::string text = places.size() == 1 ? "all remaining threads wait " + places[0] : "some wait " + places[0];
  for (std::size_t k = 1; k < places.size() && k < 3; ++k) text += ", others " + places[k];
  return text;
}

/// Returns the pc of the branch that closes the loop around `pc`: the first loop branch after it that has the
/// line of the loop's condition.
std::uint32_t condition_of_loop(const kernel_facts& facts, std::uint32_t pc) {
  for (std::uint32_t k = pc; k < facts.instructions.size(); ++k)
    if ((facts.instructions[k].classes & class_loop_branch) != 0 && line_of(facts, k) != 0) return k;
  return pc;
}

/// Returns true if the loop at `pc` seems to poll what other threads write.
bool spins(const kernel_facts& facts, std::uint32_t pc) {
  const std::uint32_t line = line_of(facts, pc);
  for (std::uint32_t k = 0; k < facts.instructions.size(); ++k) {
    const instruction_facts& i = facts.instructions[k];
    const bool near = i.file == facts.instructions[pc].file && i.line + 2 >= line && i.line <= line + 2;
    const bool looks = (i.classes & class_atomic) != 0 ||
                       ((i.classes & class_load) != 0 && (i.ordering & (ordering_relaxed | ordering_acquire)) != 0);
    if (near && looks) return true;
  }
  return false;
}

/// Returns true if a barrier of the block is in the line of `at`.
bool has_barrier(const kernel_facts& facts, std::uint32_t at) {
  for (std::uint32_t pc = 0; pc < facts.instructions.size(); ++pc)
    if ((facts.instructions[pc].classes & class_barrier) != 0 && same_line(facts, pc, at)) return true;
  return false;
}

}  // namespace

finding describe(const naming& names, const fault& what) {
  const kernel_facts& facts = names.facts();
  const std::string who = "thread " + thread_name(what.block, what.warp * warp_size + first_lane(what));
  const std::string_view does = verb_of(what.access);
  const std::string at = place(facts, what.pc);
  const std::string more = what.message.empty() ? "" : ": " + what.message;
  const auto made = [&](finding_kind kind, const std::string& message, std::string cure, message_parts parts = {}) {
    return finding_with_text(facts, what.pc, what.block, kind, message, std::move(cure), std::move(parts));
  };
  switch (what.kind) {
    case fault_kind::out_of_bounds: {
      access_text text = out_of_bounds(names, what, who);
      return made(out_of_bounds_kind(what.access), text.message, std::move(text.cure), std::move(text.parts));
    }
    case fault_kind::misaligned: {
      const naming::element e = what.space == state_space::shared
                                    ? names.in_shared(what.pc, what.address, what.bytes, what.block, true)
                                    : names.in_global(what.pc, what.address, what.bytes);
      return made(
          what.access == access_kind::load ? finding_kind::misaligned_read : finding_kind::misaligned_write,
          fmt::format(
              "Misaligned: {} {} {} at once, beginning with {}, in {}; its address {:#x} isn't a multiple of {}", who,
              does, counted(what.bytes, "byte"), e.text, at, what.address, what.bytes),
          "A vector access needs an address that is a multiple of its size: check where the array and its rows begin, "
          "and the index.",
          {.headline = fmt::format("{} {} {} at once, but its address is not a multiple of {}", who, does,
                                   counted(what.bytes, "byte"), what.bytes),
           .label = fmt::format("{} {} from {} on, at address {:#x}", who, does, e.text, what.address)});
    }
    case fault_kind::use_after_free:
      return made(finding_kind::use_after_free,
                  fmt::format("{} {} memory in {} that has been freed: {}", who, does, at, what.message),
                  "Free it after its last use.",
                  {.headline = fmt::format("{} {} memory that has been freed", who, does), .label = what.message});
    case fault_kind::host_pointer:
      return made(
          finding_kind::host_pointer,
          fmt::format("{} {} host memory in {}: the kernel got a host pointer, {:#x}", who, does, at, what.address),
          "Pass a pointer from cudaMalloc or cudaMallocManaged, and copy the data there.",
          {.headline = fmt::format("{} {} host memory", who, does),
           .reason = fmt::format("the kernel got a host pointer, {:#x}", what.address)});
    case fault_kind::no_peer_access:
      return made(
          finding_kind::no_peer_access,
          fmt::format("{} {} memory of another device without access to it, in {}: {}", who, does, at, what.message),
          "Call cudaDeviceEnablePeerAccess for the owner's number while the kernel's device is the current one, "
          "if cudaDeviceCanAccessPeer allows it; otherwise copy the data with cudaMemcpyPeer.");
    case fault_kind::null_pointer:
      return made(finding_kind::null_pointer, fmt::format("{} {} through a null pointer in {}", who, does, at),
                  "Compare the index with the number of elements (an array of none has no address), check what "
                  "cudaMalloc returned, and the order of the arguments.",
                  {.headline = fmt::format("{} {} through a null pointer", who, does)});
    case fault_kind::wrong_space:
      return made(
          finding_kind::wrong_memory,
          fmt::format("{} {} {} memory in {}, where that cannot be done", who, does, space_name(what.space), at),
          "Use shared or global memory.");
    case fault_kind::read_only:
      return made(finding_kind::write_to_read_only,
                  fmt::format("{} {} constant memory in {}, which a kernel may only read", who, does, at),
                  "Write to global memory.");
    case fault_kind::trap:
      return made(finding_kind::trap, fmt::format("The kernel stopped itself in {}: {}{}", at, who, more), "",
                  {.headline = "the kernel stopped itself", .label = who + more});
    case fault_kind::assertion:
      return made(finding_kind::failed_assertion, fmt::format("An assertion failed in {}: {}{}", at, who, more), "",
                  {.headline = "an assertion failed", .label = who + more});
    case fault_kind::bad_free:
      return made(finding_kind::invalid_free,
                  fmt::format("{} frees in {} what malloc() or new in a kernel did not give{}", who, at, more),
                  "free() and delete in a kernel need a pointer that malloc() or new in a kernel returned; memory from "
                  "cudaMalloc is freed by the host, with cudaFree.");
    case fault_kind::double_free:
      return made(finding_kind::double_free, fmt::format("{} frees memory in {} that has been freed{}", who, at, more),
                  "Let one thread free it, once, after its last use.",
                  {.headline = who + " frees memory that has been freed", .label = what.message});
    case fault_kind::left_cluster:
      return made(finding_kind::shared_memory_of_no_block,
                  fmt::format("{} uses shared memory in {} that no block of its cluster has{}", who, at, more),
                  "A block's shared memory is there until the block leaves the kernel: end with a cluster.sync(), so "
                  "that no block leaves while others still use its memory. A rank must be below cluster.num_blocks().");
    case fault_kind::bad_bulk_copy:
      return made(finding_kind::wrong_bulk_copy, fmt::format("{} begins a bulk copy in {} {}", who, at, what.message),
                  "cp.async.bulk takes a size that is a multiple of 16 bytes, between addresses that are multiples of "
                  "16: align the shared array (alignas(128)), and copy what is left by loads and stores.");
    case fault_kind::cluster_protocol:
      return made(
          finding_kind::cluster_barrier_out_of_turn, fmt::format("{} {} in {}", who, what.message, at),
          "Each arrival at a cluster's barrier (barrier_arrive) must be followed by one wait of the same thread "
          "(barrier_wait), or both are done by cluster.sync().");
    case fault_kind::bad_texture:
      return made(finding_kind::invalid_texture,
                  fmt::format("{} uses a texture or surface in {} that does not fit{}", who, at, more),
                  "Check which object the kernel is given, how it was created, and that it and its memory live until "
                  "the kernel has ended.");
    case fault_kind::surface_out_of_bounds:
      return made(out_of_surface_kind(what.access),
                  fmt::format("Out of bounds of a surface: {} {} at {} in {}", who, does, what.message, at),
                  "Compare the coordinates with the array's size; x is counted in bytes.");
    case fault_kind::bad_condition:
      return made(
          finding_kind::invalid_condition,
          fmt::format("{} calls cudaGraphSetConditional in {} with an invalid handle{}", who, at, more),
          "Pass the handle from cudaGraphConditionalHandleCreate to the kernel, and keep that graph until the kernel "
          "has ended.");
    case fault_kind::deadlock: {
      std::string message = fmt::format("Deadlock: the threads of a block wait for each other forever: {}",
                                        places_of_deadlock(facts, what.waiting));
      // The kernel stops at a barrier or at a member mask. The condition that keeps other threads away from it explains
      // more.
      if (const std::string in = condition_around(facts, what.pc); !in.empty() && has_barrier(facts, what.pc))
        message += fmt::format("; {} is a barrier{}", at, in);
      finding f = made(finding_kind::deadlock, message,
                       "Every thread that a barrier waits for has to reach it: move barriers and shuffles out of "
                       "branches, and name in a member mask only lanes that take part.",
                       {.headline = "the threads of a block wait for each other forever",
                        .reason = has_barrier(facts, what.pc) ? reason_of_barrier(facts, what.pc) : std::string(),
                        .label = who + " waits here"});
      f.detail = picture_of(facts, what.waiting);
      return f;
    }
    case fault_kind::divergent_barrier:
      return made(finding_kind::divergent_barrier,
                  fmt::format("Not all threads come to the barrier in {} together: of warp {}, {} came without the "
                              "others{}",
                              at, what.warp, lane_list(what.mask), more),
                  "Move the barrier out of the branch or loop whose condition differs between threads: all threads of "
                  "the block must come to it.",
                  {.headline = "not all threads reach this barrier together",
                   .reason = reason_of_barrier(facts, what.pc),
                   .label = fmt::format("of warp {}, {} came without the others", what.warp, lane_list(what.mask))});
    case fault_kind::bad_member_mask:
      return made(finding_kind::bad_member_mask,
                  fmt::format("The member mask in {} does not fit the lanes of warp {}{}", at, what.warp, more),
                  "Each lane that executes the instruction has to be in its mask, and each lane in the mask has to "
                  "execute it.",
                  {.headline = fmt::format("the member mask does not fit the lanes of warp {}", what.warp),
                   .label = what.message});
    case fault_kind::incomplete_warp:
      return made(
          finding_kind::incomplete_warp,
          fmt::format("All 32 lanes of a warp have to execute {} in {} together, but in warp {} {}",
                      facts.instructions[what.pc].mnemonic, at, what.warp, what.message),
          "Keep matrix instructions out of branches whose condition differs within a warp, let no thread return "
          "before them, and give a block a multiple of 32 threads.");
    case fault_kind::bad_matrix:
      return made(finding_kind::invalid_matrix,
                  fmt::format("{} {} a matrix in {} with an invalid address or row distance{}", who,
                              what.access == access_kind::store ? "stores" : "loads", at, more),
                  "All lanes must pass the same pointer and the same distance between rows; a matrix begins at a "
                  "multiple of 32 bytes, and its rows are a multiple of 16 bytes apart (8 halves, 4 floats).");
    case fault_kind::instruction_limit: {
      if (spins(facts, what.pc))
        return made(
            finding_kind::instruction_limit,
            fmt::format("The loop in {} waits forever for what another thread or block is to do: it does not "
                        "happen while this one runs{}",
                        at, more),
            "Do not wait for blocks that may not have started; a thread that holds a lock blocks the "
            "others of its warp; and take two locks in the same order everywhere.",
            {.headline = "this loop waits forever for what another thread or block is to do", .label = what.message});
      // The line with the loop's condition explains more than the one at which the kernel was stopped.
      const std::uint32_t head = condition_of_loop(facts, what.pc);
      return finding_with_text(
          facts, head, what.block, finding_kind::instruction_limit,
          fmt::format("An endless loop: the one in {} never ends{}", place(facts, head), more),
          "Check what should end it: the first value, the condition, and what changes in each iteration. "
          "(An unsigned number is never below 0.)",
          {.headline = "this loop never ends", .label = what.message});
    }
    case fault_kind::unsupported:
      return made(finding_kind::unsupported, fmt::format("{}: the emulator cannot run {}{}", who, at, more), "");
    case fault_kind::grid_deadlock:
    case fault_kind::none:
      break;
  }
  return {};
}

}  // namespace emulator::explain
