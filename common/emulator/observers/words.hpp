#pragma once
/// \file
/// Words for findings: kernel, lines, threads, addresses, and what would mend it.

#include "emulator/emulator.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"

namespace emulator::observers {

/// Puts what a check found into words. `count` of the result is 1.
[[nodiscard]] finding describe(const kernel_facts& facts, const incident& what);

}  // namespace emulator::observers
