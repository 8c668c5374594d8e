// The replacement for functions of a library without emulation, in a program that `emulate --allow-missing` has linked
// without that library.

#include <unistd.h>

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/router.hpp"

namespace emulator::runtime {
namespace {

/// The exit status for everything that a device failed to do.
constexpr int status_device_failed = 3;

std::string place_of_call(const void* return_address) {
  const auto frames = frames_of({stack_from(return_address)}).front();
  const source_frame* const shown = line_to_show(frames);
  const std::string way = way_to(frames, shown);
  return (shown == nullptr ? "" : fmt::format(" in {}:{}", shown->file, shown->line)) +
         (way.empty() ? "" : fmt::format(", {}", way));
}

}  // namespace
}  // namespace emulator::runtime

/// Called by the functions that `emulate` compiles; see common/emulator/emulate/libraries.cpp.
extern "C" [[noreturn]] void emulator_called_missing_function(const char* function, const char* owner,
                                                              const void* return_address) {
  using namespace emulator::runtime;
  std::fflush(stdout);
  fmt::print(stderr, "emulator: {} is called{}. It belongs to {} and has no emulation, so the program ends here.\n",
             function, place_of_call(return_address), owner);
  // Creates a finding in the report, as for a runtime function that the emulator lacks.
  static_cast<void>(on_emulator<after_fault::allowed>(function, return_address, [&] {
    call_in_progress::innermost()->reason = fmt::format("it belongs to {} and has no emulation", owner);
    return cudaErrorNotSupported;
  }));
  end_with_report(status_device_failed);
}
