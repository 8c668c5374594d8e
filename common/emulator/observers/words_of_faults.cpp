// Words for what stopped a kernel.

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/words.hpp"

namespace emulator::observers {
namespace {

using ptx::state_space;

std::string_view verb(access_kind access) {
  switch (access) {
    case access_kind::load:
      return "read";
    case access_kind::store:
      return "write";
    default:
      return "atomic";
  }
}

std::string_view space_name(state_space space) {
  switch (space) {
    case state_space::shared:
      return "shared";
    case state_space::local:
      return "local";
    case state_space::constant:
      return "constant";
    case state_space::param:
      return "parameter";
    default:
      return "global";
  }
}

/// Where an address out of bounds lies, as well as that can be said.
std::string stray_place(const kernel_facts& facts, const fault& what) {
  if (what.space == state_space::shared) {
    const shared_variable* before = nullptr;
    for (const shared_variable& v : facts.shared) {
      if (v.size_bytes != 0 && v.offset + v.size_bytes <= what.address &&
          (before == nullptr || v.offset >= before->offset)) {
        before = &v;
      }
    }
    std::string text = fmt::format("byte {} of the block's {} of shared memory", what.address,
                                   counted(what.block.shared_bytes, "byte"));
    if (before != nullptr) {
      text +=
          fmt::format(", {} past the end of {}", counted(what.address - before->offset - before->size_bytes, "byte"),
                      plain_name(before->name));
    }
    return text;
  }
  if (what.space == state_space::local) {
    return fmt::format("byte {} of the thread's {} of local memory", what.address, counted(facts.local_bytes, "byte"));
  }
  if (what.message.empty()) return fmt::format("address {:#x}", what.address);
  return fmt::format("address {:#x}: {}", what.address, what.message);
}

/// The names and words of a fault of a memory access.
struct access_words {
  std::string kind;
  std::string sentence;  ///< What the access does wrong, and what would mend it; follows "thread … ".
};

access_words words_of_access(const kernel_facts& facts, const fault& what) {
  const std::string_view does = verb(what.access);
  const std::string access = fmt::format("{} of {} at {}", does, counted(what.bytes, "byte"), place(facts, what.pc));
  switch (what.kind) {
    case fault_kind::out_of_bounds:
      return {
          fmt::format("out-of-bounds {}", does),
          fmt::format("the {} goes out of bounds of {} memory, to {}. Compare the index with the number of elements "
                      "before the access.",
                      access, space_name(what.space), stray_place(facts, what))};
    case fault_kind::misaligned:
      return {fmt::format("misaligned {}", does),
              fmt::format(
                  "the {} is misaligned: address {:#x} is no multiple of {}. A vector access needs a pointer and an "
                  "index that are multiples of its size.",
                  access, what.address, what.bytes)};
    case fault_kind::use_after_free:
      return {"use after free",
              fmt::format("the {} goes to memory that has been freed, {}. Free it after the last kernel "
                          "that uses it.",
                          access, stray_place(facts, what))};
    case fault_kind::host_pointer:
      return {"host pointer",
              fmt::format("the {} goes to memory of the host ({:#x}). Pass a pointer from cudaMalloc or "
                          "cudaMallocManaged, and copy the data there.",
                          access, what.address)};
    case fault_kind::null_pointer:
      return {"null pointer",
              fmt::format("the {} goes through a null pointer ({}). Check what cudaMalloc returned, and the "
                          "order of the kernel's arguments.",
                          access, stray_place(facts, what))};
    case fault_kind::wrong_space:
      return {"wrong memory",
              fmt::format("the {} goes to {} memory, where it cannot be done. Use shared or global memory.", access,
                          space_name(what.space))};
    default:
      return {"write to read-only memory",
              fmt::format("the {} changes constant memory, which a kernel may only read ({}).", access,
                          stray_place(facts, what))};
  }
}

}  // namespace

finding describe(const kernel_facts& facts, const fault& what) {
  const std::uint32_t lane = what.mask == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(what.mask));
  const std::string who = fmt::format("In kernel {}, block {}, thread {}: ", facts.demangled, triple(what.block.index),
                                      thread_name(what.block, what.warp * warp_size + lane));
  const std::string warp =
      fmt::format("In kernel {}, block {}, warp {}: ", facts.demangled, triple(what.block.index), what.warp);
  const std::string at = place(facts, what.pc);
  const std::string more = what.message.empty() ? "" : ": " + what.message;
  const auto made = [&](std::string check, std::string kind, std::string message) {
    finding f = started(facts, what.pc, std::move(check), std::move(kind));
    f.message = std::move(message);
    return f;
  };
  switch (what.kind) {
    case fault_kind::trap:
      return made("memcheck", "trap", fmt::format("{}the kernel stopped itself at {}{}.", who, at, more));
    case fault_kind::assertion:
      return made("memcheck", "failed assertion", fmt::format("{}an assertion failed at {}{}.", who, at, more));
    case fault_kind::deadlock:
      return made(
          "synccheck", "deadlock",
          fmt::format("In kernel {}, block {}: {}\nEvery thread that a barrier waits for has to come to it: move "
                      "barriers out of branches, and name in a member mask only lanes that take part.",
                      facts.demangled, triple(what.block.index),
                      what.message.empty() ? "no thread can go on." : what.message));
    case fault_kind::divergent_barrier:
      return made(
          "synccheck", "divergent barrier",
          fmt::format("{}{} came to the barrier at {} without the others{}. All threads of the block that have not "
                      "exited must come to a barrier together.",
                      warp, lane_list(what.mask), at, more));
    case fault_kind::bad_member_mask:
      return made(
          "synccheck", "bad member mask",
          fmt::format("{}the member mask at {} does not fit{}. Each lane that executes the instruction has to be "
                      "in its mask, and each lane in the mask has to execute it.",
                      warp, at, more));
    case fault_kind::instruction_limit:
      return made(
          "limit", "instruction limit",
          fmt::format("{}the block ran into the limit on executed instructions at {}{}. A loop there does not seem "
                      "to end; raise the limit if it does.",
                      warp, at, more));
    case fault_kind::unsupported:
      return made("emulator", "unsupported", fmt::format("{}the emulator cannot run {}{}.", who, at, more));
    case fault_kind::none:
      return made("", "", "");
    default:
      break;
  }
  access_words words = words_of_access(facts, what);
  return made("memcheck", std::move(words.kind), who + words.sentence);
}

}  // namespace emulator::observers
