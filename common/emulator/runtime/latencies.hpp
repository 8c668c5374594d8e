#pragma once
/// \file
/// The latencies that paths are followed with, as a line of text: programs get them from `emulate` that way.

#include <string>

#include "emulator/emulator.hpp"

namespace emulator::runtime {

/// "arithmetic=4.2,shuffle=24,…", every latency by the name that `path_latencies` has for it.
[[nodiscard]] std::string text_of(const path_latencies& latencies);

/// The other way round; what the text does not name is as by default.
/// \throws bad_setting  where a name is unknown, or a value is no number from 0 to 1e6
[[nodiscard]] path_latencies latencies_of(const std::string& text);

}  // namespace emulator::runtime
