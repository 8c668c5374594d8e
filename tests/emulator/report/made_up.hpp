#pragma once
/// \file
/// Launch reports made by hand, for tests of the texts that are printed about them.

#include <initializer_list>
#include <string>
#include <utility>

#include "emulator/emulator.hpp"
#include "emulator/observers/counters.hpp"

namespace made_up {

using emulator::observers::counter;
using counts = std::initializer_list<std::pair<counter, std::uint64_t>>;

inline void add(emulator::counter_map& to, const counts& values) {
  for (const auto& [which, value] : values) to[emulator::observers::facts_of(which).name] += value;
}

/// Returns a launch of 10 blocks of 4 warps in the file "kernel.cu", without instructions.
inline emulator::launch_report launch() {
  emulator::launch_report r;
  r.kernel = "kernel(int*)";
  r.mangled = "_Z6kernelPi";
  r.file = "kernel.cu";
  r.grid[0] = 10;
  r.block[0] = 128;
  add(r.counters, {{counter::blocks, 10}, {counter::warps, 40}});
  return r;
}

/// Adds a line with its counts to the launch, and adds the counts to those of the launch.
inline emulator::line_report& line(emulator::launch_report& r, std::uint32_t number, const counts& values,
                                   const std::string& file = "kernel.cu") {
  emulator::line_report l;
  l.file = file;
  l.line = number;
  add(l.counters, values);
  add(r.counters, values);
  r.lines.push_back(l);
  return r.lines.back();
}

}  // namespace made_up
