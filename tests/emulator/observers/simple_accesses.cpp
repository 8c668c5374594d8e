// Compares the shortcuts for ordinary accesses with the general path: the same events must lead to the same report.

#include <random>
#include <string>

#include "emulator/memory/global_memory.hpp"
#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

constexpr unsigned warps = 3;
constexpr std::uint64_t shared_bytes = 2048;

/// Device memory whose first half has been written.
class half_written {
 public:
  half_written() : begin(memory_of_tests().allocate(size_bytes, memory::origin::device)) {
    memory_of_tests().mark_initialized(begin, size_bytes / 2);
  }
  ~half_written() { memory_of_tests().free(begin); }
  half_written(const half_written&) = delete;
  half_written& operator=(const half_written&) = delete;

  [[nodiscard]] std::uint64_t serial() const { return memory_of_tests().find(begin)->serial; }
  static constexpr std::uint64_t size_bytes = 2048;
  std::uintptr_t begin;
};

/// Returns the report as text. Allocations are numbered throughout the program, so the two launches' allocations have
/// different numbers. They are replaced, so that the texts can be compared.
std::string described(const launch_report& r, std::uint64_t allocation) {
  std::string text;
  for (const auto& [name, value] : r.counters) text += std::string(name) + " " + std::to_string(value) + "\n";
  for (const line_report& line : r.lines) {
    text += "line " + std::to_string(line.line) + " " + std::to_string(line.worst_conflict.degree) + " " +
            std::to_string(line.worst_conflict.bank) + " " + std::to_string(line.worst_request.sectors) + " " +
            std::to_string(line.worst_request.block) + "\n";
    for (const auto& [name, value] : line.counters)
      text += "  " + std::string(name) + " " + std::to_string(value) + "\n";
  }
  for (const finding& f : r.findings)
    text += std::string(name_of(f.kind)) + ": " + f.message + " x" + std::to_string(f.count) + "\n";
  const std::string own = "allocation " + std::to_string(allocation);
  for (std::size_t at; (at = text.find(own)) != std::string::npos;) text.replace(at, own.size(), "allocation");
  return text;
}

/// Reports the same random events to two launches, one of which takes no shortcuts, and compares their reports.
void run(std::mt19937& random, options watched, unsigned barriers_of_twenty) {
  const half_written global_of_one, global_of_other;
  launch one(watched, warps * 32, shared_bytes);
  watched.shortcuts = false;
  launch other(watched, warps * 32, shared_bytes);
  const auto both = [&](auto act) {
    act(one, global_of_one.begin);
    act(other, global_of_other.begin);
  };
  std::uint64_t block = 0;
  for (unsigned event = 0; event < 120; ++event) {
    const unsigned warp = random() % warps;
    const std::uint32_t mask = random() % 2 == 0   ? all
                               : random() % 3 == 0 ? 1u << random() % 32
                               : random() % 2 == 0 ? 0x55555555u
                                                   : random() | 1u;
    if (random() % 20 < barriers_of_twenty) {
      const unsigned what = random() % 8;
      const std::uint32_t some = random();
      if (what < 4) both([&](launch& l, std::uint64_t) { l.sync(); });
      if (what == 4 || what == 5) both([&](launch& l, std::uint64_t) { l.syncwarp(warp); });
      if (what == 6 && some % 3 == 0) both([&](launch& l, std::uint64_t) { l.syncwarp(warp, mask); });
      if (what == 7 && some % 4 == 0) both([&](launch& l, std::uint64_t) { l.sync({all, 0, 0xffffu}, 1); });
      if (what == 7 && some % 4 == 1) {
        ++block;
        both([&](launch& l, std::uint64_t) { l.begin(block); });
      }
      continue;
    }
    const bool reads = random() % 10 < 6, global = random() % 4 == 0;
    const unsigned odd = random() % 40;  // sometimes makes the access one that is never simple
    std::uint32_t at = global  ? (reads ? load_global : store_global)
                       : reads ? (random() % 2 == 0 ? load_shared : load_shared_again)
                               : (random() % 2 == 0 ? store_shared : store_shared_again);
    if (odd == 0) at = add_shared;
    if (odd == 1) at = strong_store;
    const unsigned bytes = at == add_shared ? 4 : odd == 2 ? 1 : 4u << (random() % 5 == 0 ? 1 + random() % 2 : 0);
    const unsigned style = random() % 12, shift = random() % 5;
    const bool in_global = at == load_global || at == store_global;
    const std::uint64_t count = (in_global ? half_written::size_bytes : shared_bytes) / bytes;
    const auto place = [&](unsigned lane) {
      const std::uint64_t own = warp * 32 + lane;
      const std::uint64_t index = style < 4     ? own
                                  : style == 4  ? own + shift
                                  : style == 5  ? own + 32 * shift
                                  : style == 6  ? own * 2 + shift
                                  : style == 8  ? warp * 32 + lane % 16
                                  : style == 9  ? warp * 32 + lane / (4u << shift)
                                  : style == 10 ? (lane * 5 + shift) % 32
                                  : style == 11 ? lane / 2 + warp * 8
                                                : shift * 7;
      return index % count * bytes;
    };
    both([&](launch& l, std::uint64_t global_begin) {
      l.access(
          at, warp, mask, [&](unsigned lane) { return place(lane) + (in_global ? global_begin : 0); }, bytes);
    });
  }
  REQUIRE(described(one.report(), global_of_one.serial()) == described(other.report(), global_of_other.serial()));
}

}  // namespace

TEST_CASE("an ordinary access is counted and checked the same with shortcuts and without") {
  std::mt19937 random(24);
  for (unsigned program = 0; program < 1500; ++program) {
    INFO("program " << program);
    options watched;
    watched.racecheck = program % 5 != 0;
    watched.initcheck = program % 7 != 0;
    watched.counters = program % 11 != 0;
    run(random, watched, program % 6 + 2);
  }
}
