#include "emulator/runtime/call_findings.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/process_memory.hpp"

namespace emulator::runtime {
namespace {

using memory::address_of;
using memory::byte_run;
using memory::global_memory;
using memory::origin;

constexpr std::uint64_t largest_padding = 8;
constexpr std::size_t one_structure = 64;
constexpr std::size_t max_gaps = 4096;
constexpr std::size_t max_leaks = 50;

void report(finding_kind kind, std::string message, message_parts parts) {
  call_finding found{.what = {.kind = kind, .message = std::move(message), .parts = std::move(parts)}};
  if (call_in_progress* call = call_in_progress::innermost()) {
    found.where = call->stack();
    call->reported = true;
  }
  device::instance().add_call_finding(std::move(found));
}

/// The call stacks of live allocations, by serial number.
std::map<std::uint64_t, call_stack>& places_of_allocations() {
  static auto* places = new std::map<std::uint64_t, call_stack>;
  return *places;
}

/// Returns the first gap that isn't padding, or null.
const byte_run* first_gap(const std::vector<byte_run>& gaps, std::size_t size_bytes) {
  if (gaps.empty()) return nullptr;
  for (const byte_run& gap : gaps) {
    if (gap.size_bytes > largest_padding) return &gap;
  }
  if (gaps.size() == 1) return gaps[0].size_bytes == size_bytes || size_bytes > one_structure ? gaps.data() : nullptr;
  for (std::size_t k = 1; k < gaps.size(); ++k) {
    const bool regular =
        gaps[k].begin - gaps[k - 1].begin == gaps[1].begin - gaps[0].begin && gaps[k].size_bytes == gaps[0].size_bytes;
    if (!regular) return gaps.data();
  }
  return nullptr;
}

const char* call_of(origin from) {
  // In the order of `origin`. A module's variable isn't a leak.
  static constexpr const char* calls[] = {"cudaMalloc", "cudaMallocManaged", "cudaMallocHost",
                                          "",           "cudaMallocAsync",   "malloc() or new in a kernel"};
  static_assert(std::size(calls) == static_cast<std::size_t>(origin::heap) + 1);
  return calls[static_cast<std::size_t>(from)];
}

}  // namespace

void report_bad_free(const char* call, const void* pointer) {
  global_memory& memory = process_memory().memory;
  std::string nearest;
  static_cast<void>(memory.classify(address_of(pointer), &nearest));
  const std::string words =
      fmt::format("{}: the pointer is not the beginning of memory that can be freed: it is {}", call, nearest);
  explain(words);
  if (!device::instance().current_options().memcheck) return;
  const bool again = memory.find(address_of(pointer)) == nullptr &&
                     memory.free(address_of(pointer)) == global_memory::free_result::already_freed;
  if (again) {
    const char* const help = "Free each allocation once, and set the pointer to null after that.";
    report(finding_kind::double_free, fmt::format("{}. {}", words, help),
           {.headline = fmt::format("{} gets memory that has been freed", call),
            .help = help,
            .label = "the pointer is " + nearest});
  } else {
    const char* const help =
        "Free only pointers that cudaMalloc or a similar call returned, with the matching free call.";
    report(finding_kind::invalid_free, fmt::format("{}. {}", words, help),
           {.headline = fmt::format("{} gets a pointer that is not the beginning of memory that can be freed", call),
            .help = help,
            .label = "the pointer is " + nearest});
  }
}

void report_lost_memory() {
  const std::uint64_t size_bytes = process_memory().memory.drop_lost();
  if (size_bytes == 0) return;
  const std::string words =
      fmt::format("{} bytes of the host's memory were freed while they were pinned by cudaHostRegister", size_bytes);
  explain(words);
  if (device::instance().current_options().memcheck)
    report(finding_kind::registered_memory_freed, words + ". Call cudaHostUnregister before free().",
           {.headline = words, .help = "Call cudaHostUnregister before free()."});
}

void check_copied_bytes(const char* call, const void* source, std::size_t size_bytes) {
  if (!device::instance().current_options().initcheck) return;
  const std::vector<byte_run> gaps =
      memory::unwritten_runs(process_memory().memory, address_of(source), size_bytes, max_gaps);
  const byte_run* gap = first_gap(gaps, size_bytes);
  const memory::allocation* of = process_memory().memory.find(address_of(source));
  if (gap == nullptr || of == nullptr) return;
  const std::string whole = of->name.empty() ? fmt::format("allocation {} ({} bytes)", of->serial, of->size_bytes)
                                             : fmt::format("variable {} ({} bytes)", of->name, of->size_bytes);
  const std::uint64_t first = gap->begin - of->begin;
  report(finding_kind::uninitialized_copy,
         fmt::format(
             "{} copies {} bytes to the host; bytes {} to {} of {} are uninitialised, because they were written by no "
             "copy, no cudaMemset and no kernel. Check that the kernel before wrote all of its results, and that "
             "it ran.",
             call, size_bytes, first, first + gap->size_bytes - 1, whole),
         {.headline = fmt::format("{} copies uninitialised bytes to the host", call),
          .reason = "no copy, no cudaMemset and no kernel has written them",
          .help = "Check that the kernel before wrote all of its results, and that it ran.",
          .label = fmt::format("bytes {} to {} of {}", first, first + gap->size_bytes - 1, whole)});
}

void note_allocation(const void* pointer) {
  if (!device::instance().current_options().leaks) return;
  const memory::allocation* made = process_memory().memory.find(address_of(pointer));
  const call_in_progress* call = call_in_progress::innermost();
  if (made != nullptr && call != nullptr) places_of_allocations()[made->serial] = call->stack();
}

std::vector<finding> find_leaks() {
  std::vector<call_finding> found;
  std::uint64_t rest = 0, rest_bytes = 0;
  for (const memory::live_allocation& a : process_memory().memory.live()) {
    if (found.size() == max_leaks) {
      ++rest;
      rest_bytes += a.size_bytes;
      continue;
    }
    call_finding& leak = found.emplace_back(call_finding{.what = {.kind = finding_kind::leak}});
    if (const auto place = places_of_allocations().find(a.serial); place != places_of_allocations().end())
      leak.where = place->second;
    leak.what.message = fmt::format("Allocation {} ({} bytes, from {}) has not been freed when the program ends.",
                                    a.serial, a.size_bytes, call_of(a.from));
    leak.what.parts.headline =
        fmt::format("allocation {} ({} bytes) has not been freed when the program ends", a.serial, a.size_bytes);
  }
  if (rest != 0) {
    finding& leak = found.emplace_back(call_finding{.what = found.back().what}).what;
    leak.count = rest;
    leak.parts = {};
    leak.message =
        fmt::format("{} more allocations, {} bytes, have not been freed when the program ends.", rest, rest_bytes);
  }
  return with_lines(std::move(found));
}

std::vector<finding> with_lines(std::vector<call_finding> found) {
  std::vector<call_stack> stacks;
  for (const call_finding& f : found) stacks.push_back(f.where);
  for (const call_finding& f : found) stacks.push_back(f.other ? f.other->where : call_stack{});
  const auto frames = frames_of(stacks);
  std::vector<finding> result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    finding& what = found[i].what;
    if (what.kind != finding_kind::leak && made_by_library(frames[i])) continue;
    const source_frame* shown = line_to_show(frames[i]);
    if (shown != nullptr) {
      what.file = shown->file;
      what.line = shown->line;
    }
    what.detail = way_to(frames[i], shown);
    if (found[i].other) {
      const source_frame* there = line_to_show(frames[found.size() + i]);
      if (there != nullptr) {
        what.other_file = there->file;
        what.other_line = there->line;
      }
      what.message += there == nullptr ? "an unknown line" : fmt::format("line {}", there->line);
      what.message += found[i].other->rest_of_message;
    }
    result.push_back(std::move(what));
  }
  return result;
}

}  // namespace emulator::runtime
