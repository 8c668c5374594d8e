#include "emulator/observers/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/launch_observation.hpp"

namespace emulator::observers {
namespace {

using ptx::state_space;

const instruction_facts* instruction_at(const kernel_facts& facts, std::uint32_t pc) {
  return pc < facts.instructions.size() ? &facts.instructions[pc] : nullptr;
}

bool has_line(const kernel_facts& facts, std::uint32_t pc) {
  const instruction_facts* i = instruction_at(facts, pc);
  return i != nullptr && i->file >= 0 && i->line != 0;
}

std::string file_of(const kernel_facts& facts, std::uint32_t pc) {
  return has_line(facts, pc) ? facts.files[static_cast<std::size_t>(facts.instructions[pc].file)] : std::string();
}

std::uint32_t line_of(const kernel_facts& facts, std::uint32_t pc) {
  return has_line(facts, pc) ? facts.instructions[pc].line : 0;
}

}  // namespace

std::string place(const kernel_facts& facts, std::uint32_t pc) {
  if (has_line(facts, pc)) {
    const std::string file = file_of(facts, pc);
    return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line_of(facts, pc));
  }
  const instruction_facts* i = instruction_at(facts, pc);
  return i == nullptr ? "an unknown line" : fmt::format("line {} of the PTX", i->ptx_line);
}

std::string triple(const std::uint32_t (&v)[3]) {
  return fmt::format("({},{},{})", v[0], v[1], v[2]);
}

std::string thread_name(const block_identity& block, std::uint32_t linear) {
  const std::uint32_t x = std::max(1u, block.dimensions[0]);
  const std::uint32_t y = std::max(1u, block.dimensions[1]);
  return triple({linear % x, linear / x % y, linear / x / y});
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string lane_list(std::uint32_t mask) {
  std::string text = std::popcount(mask) == 1 ? "lane " : "lanes ";
  std::string_view separator;
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

finding started(const kernel_facts& facts, std::uint32_t pc, std::string check, std::string kind) {
  finding f;
  f.check = std::move(check);
  f.kind = std::move(kind);
  f.kernel = facts.demangled;
  f.file = file_of(facts, pc);
  f.line = line_of(facts, pc);
  return f;
}

namespace {

/// Size of one element as the instruction's type says; `accessed`, the bytes of the access, where it has none. nvcc
/// declares arrays as bytes, so the access tells more than the declaration.
std::uint32_t element_bytes(const kernel_facts& facts, std::uint32_t pc, std::uint32_t accessed) {
  const instruction_facts* i = instruction_at(facts, pc);
  return std::max<std::uint32_t>(1, i != nullptr && i->element_bytes != 0 ? i->element_bytes : accessed);
}

/// "tile[17]", with the byte in the element where it is not the first.
std::string shared_place(const kernel_facts& facts, std::uint32_t pc, std::uint64_t offset, std::uint32_t bytes) {
  for (const shared_variable& v : facts.shared) {
    if (offset < v.offset || (v.size_bytes != 0 && offset >= v.offset + v.size_bytes)) continue;
    const std::uint32_t element = v.element_bytes > 1 ? v.element_bytes : element_bytes(facts, pc, bytes);
    const std::uint64_t at = offset - v.offset;
    if (v.size_bytes == element) return plain_name(v.name);
    const std::string name = fmt::format("{}[{}]", plain_name(v.name), at / element);
    return at % element == 0 ? name : fmt::format("{} (byte {} of the element)", name, at % element);
  }
  return fmt::format("byte {} of shared memory", offset);
}

/// What would order two accesses.
std::string mend_race(const kernel_facts& facts, const incident& what) {
  const bool same_warp = what.thread / warp_size == what.other_thread / warp_size;
  const std::string barrier = same_warp ? "__syncwarp()" : "__syncthreads()";
  std::string text;
  if (same_warp) text = fmt::format("Both threads are in warp {}. ", what.thread / warp_size);
  if (what.is_atomic) text += "An atomic orders nothing against an access that is none. ";
  if (what.is_volatile) {
    text +=
        same_warp
            ? "volatile does not make the lanes of a warp wait for each other: since Volta they need not run in step. "
            : "volatile does not make threads wait for each other. ";
  }
  const std::string earlier = place(facts, what.other_pc);
  const std::string later = place(facts, what.pc);
  if (earlier == later) {
    return text + fmt::format(
                      "A {} between the {} and the {} would order them: between two passes through {}, or with "
                      "the two on lines of their own.",
                      barrier, what.kind == incident_kind::write_after_read ? "read" : "write",
                      what.kind == incident_kind::read_after_write ? "read" : "write", later);
  }
  return text + fmt::format("A {} between {} and {} would order them.", barrier, earlier, later);
}

finding describe_race(const kernel_facts& facts, const incident& what) {
  const bool reads = what.kind == incident_kind::read_after_write;
  const bool read_before = what.kind == incident_kind::write_after_read;
  finding f = started(facts, what.pc, "racecheck",
                      reads         ? "read-after-write race"
                      : read_before ? "write-after-read race"
                                    : "write-after-write race");
  f.other_file = file_of(facts, what.other_pc);
  f.other_line = line_of(facts, what.other_pc);
  const std::string where = shared_place(facts, what.pc, what.address, what.bytes);
  const std::string thread = thread_name(what.block, what.thread);
  const std::string other = thread_name(what.block, what.other_thread);
  const std::string in = fmt::format("In kernel {}, block {}, ", facts.demangled, triple(what.block.index));
  if (what.kind == incident_kind::write_in_same_instruction) {
    f.message = fmt::format(
        "{}threads {} and {} write different values to {} in one instruction at {}: which of them stays "
        "is open. Let one thread write it, or combine the values with an atomic.",
        in, other, thread, where, place(facts, what.pc));
    return f;
  }
  const std::string_view outcome = reads         ? "the value read may be the old one or the new one"
                                   : read_before ? "the earlier read may get the new value"
                                                 : "which of the values stays is open";
  f.message = fmt::format("{}thread {} {} {} at {} after thread {} {} it at {}, and nothing orders the two: {}. {}", in,
                          thread, reads ? "reads" : "writes", where, place(facts, what.pc), other,
                          read_before ? "read" : "wrote", place(facts, what.other_pc), outcome, mend_race(facts, what));
  return f;
}

/// "allocation 2 (4096 bytes)".
std::string name_of(const memory::allocation& a) {
  const std::string size = counted(a.size_bytes, "byte");
  return a.name.empty() ? fmt::format("allocation {} ({})", a.serial, size)
                        : fmt::format("variable {} ({})", a.name, size);
}

/// "element 3 of allocation 2 (4096 bytes), in elements of 4 bytes".
std::string global_place(const kernel_facts& facts, std::uint32_t pc, std::uint64_t address, std::uint32_t bytes) {
  const memory::allocation* in = memory::global_memory::instance().find(address);
  if (in == nullptr) return fmt::format("address {:#x}", address);
  const std::string whole = name_of(*in);
  const std::uint32_t element = element_bytes(facts, pc, bytes);
  const std::uint64_t at = address - in->begin;
  if (at % element != 0) return fmt::format("byte {} of {}", at, whole);
  if (element == in->size_bytes) return whole;
  return fmt::format("element {} of {}, in elements of {}", at / element, whole, counted(element, "byte"));
}

/// What would order two accesses to global memory.
std::string mend_global_race(const incident& what) {
  if (what.block.linear == what.other_block) return "A __syncthreads() between the two would order them.";
  if (what.is_block_only) {
    return "Their scope is the block (.cta), which says nothing to other blocks: use the device's scope, "
           "thread_scope_device, for both.";
  }
  std::string text = "Blocks run in any order. ";
  if (what.is_atomic) text += "An atomic orders nothing against an access that is none. ";
  if (what.kind == incident_kind::global_write_and_write) {
    return text + "Combine the values with an atomic, or let each block write a place of its own.";
  }
  return text +
         "Read in the next kernel, or pass the value on: the writer calls __threadfence() between its write and an "
         "atomic that tells of it; the reader calls __threadfence() between the atomic that learns of it and the "
         "read. Where all blocks add to one place, use an atomic.";
}

finding describe_global_race(const kernel_facts& facts, const incident& what) {
  const bool reads = what.kind == incident_kind::global_read_and_write;
  finding f = started(facts, what.pc, "racecheck", reads ? "read and write race" : "write and write race");
  f.other_file = file_of(facts, what.other_pc);
  f.other_line = line_of(facts, what.other_pc);
  const bool same_block = what.block.linear == what.other_block;
  const std::string other = same_block ? std::string("the same block") : fmt::format("block {}", what.other_block);
  f.message = fmt::format(
      "In kernel {}, block {}, thread {} {} global memory, {}, at {}, and thread {} of {} writes it at {}; nothing "
      "orders the two: {}. {}",
      facts.demangled, triple(what.block.index), thread_name(what.block, what.thread), reads ? "reads" : "writes",
      global_place(facts, what.pc, what.address, what.bytes), place(facts, what.pc),
      thread_name(what.block, what.other_thread), other, place(facts, what.other_pc),
      reads ? "the value read may be the old one or the new one" : "which of the values stays is open",
      mend_global_race(what));
  return f;
}

finding describe_uninitialized(const kernel_facts& facts, const incident& what) {
  const bool shared = what.kind == incident_kind::uninitialized_shared_read;
  finding f =
      started(facts, what.pc, "initcheck", shared ? "uninitialised shared memory" : "uninitialised global memory");
  const std::string who = fmt::format("In kernel {}, block {}, thread {} reads ", facts.demangled,
                                      triple(what.block.index), thread_name(what.block, what.thread));
  if (shared) {
    f.message = fmt::format(
        "{}{} at {} before any thread of the block has written it. Write every element that is read: "
        "threads without an input of their own store the neutral element (0 for a sum).",
        who, shared_place(facts, what.pc, what.address, what.bytes), place(facts, what.pc));
    return f;
  }
  std::string where = fmt::format("address {:#x}", what.address);
  if (const memory::allocation* in = memory::global_memory::instance().find(what.address)) {
    const std::uint64_t at = what.address - in->begin;
    const std::uint32_t element = element_bytes(facts, what.pc, what.bytes);
    where = fmt::format("byte {} of {}, element {} in elements of {}", at, name_of(*in), at / element,
                        counted(element, "byte"));
  }
  f.message = fmt::format(
      "{}{} at {}, which nothing has written: no copy, no cudaMemset and no kernel. Check that the "
      "kernel before wrote all of its results, and that this one stops at the last of them.",
      who, where, place(facts, what.pc));
  return f;
}

finding describe_divergent_barrier(const kernel_facts& facts, const incident& what) {
  finding f = started(facts, what.pc, "synccheck", "divergent barrier");
  f.message = fmt::format(
      "In kernel {}, block {}, warp {} comes to the barrier at {} in parts: {} of it without {}. All threads of the "
      "block "
      "that have not exited must come to a barrier together: move it out of the branch or loop whose condition differs "
      "between threads.",
      facts.demangled, triple(what.block.index), what.thread / warp_size, place(facts, what.pc), lane_list(what.mask),
      lane_list(what.expected & ~what.mask));
  return f;
}

finding describe_shuffle(const kernel_facts& facts, const incident& what) {
  finding f = started(facts, what.pc, "synccheck", "shuffle from a lane that takes no part");
  f.message = fmt::format(
      "In kernel {}, block {}, warp {}, {} {} the value of a lane that takes no part in the shuffle at {}. There is no "
      "such value: what arrives must not be used. Let all lanes that are read from execute the shuffle and stand in "
      "its "
      "member mask, or choose the result only where the other lane is one of them.",
      facts.demangled, triple(what.block.index), what.thread / warp_size, lane_list(what.mask),
      std::popcount(what.mask) == 1 ? "asks for" : "ask for", place(facts, what.pc));
  return f;
}

}  // namespace

finding describe(const kernel_facts& facts, const incident& what) {
  switch (what.kind) {
    case incident_kind::uninitialized_shared_read:
    case incident_kind::uninitialized_global_read:
      return describe_uninitialized(facts, what);
    case incident_kind::divergent_barrier:
      return describe_divergent_barrier(facts, what);
    case incident_kind::shuffle_from_nowhere:
      return describe_shuffle(facts, what);
    case incident_kind::global_read_and_write:
    case incident_kind::global_write_and_write:
      return describe_global_race(facts, what);
    default:
      return describe_race(facts, what);
  }
}

}  // namespace emulator::observers
