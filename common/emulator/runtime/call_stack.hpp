#pragma once
/// \file
/// Where in the host's program a call of the runtime stands: the return addresses of the functions that led to it, and
/// the source lines that they stand for.

#include <cstdint>
#include <string>
#include <vector>

namespace emulator::runtime {

/// Return addresses, the innermost first.
struct call_stack {
  std::vector<std::uintptr_t> addresses;
  /// Of a launch by <<<...>>>: where it stands, as the compiler's stub lies between it and the runtime. 0: no such
  /// launch.
  std::uintptr_t launch_site = 0;

  bool operator==(const call_stack&) const = default;
};

/// Returns the stack from the function that `return_address` leads back to; that address alone where it is not found.
[[nodiscard]] call_stack stack_from(const void* return_address);

/// One function of a stack. Inlined functions have frames of their own.
struct source_frame {
  std::string function;  ///< Demangled; empty where it is not known.
  std::string file;      ///< Empty where the program has no line information.
  std::uint32_t line = 0;
};

/// Returns the frames of each stack, the innermost first, without those of the compiler's stubs and of the wrappers in
/// the toolkit's headers. Runs the binary utility addr2line once for each object file that is concerned; without it
/// there are no lines.
[[nodiscard]] std::vector<std::vector<source_frame>> frames_of(const std::vector<call_stack>& stacks);

/// Says whether a library of templates that comes with the toolkit made the call: CUB, Thrust, libcu++.
[[nodiscard]] bool made_by_library(const std::vector<source_frame>& frames);

/// The line to show, the first outside of the language's own library; null where no frame has one.
[[nodiscard]] const source_frame* line_to_show(const std::vector<source_frame>& frames);

/// Says how the program came to `shown`: "called from run(int) in main.cu:12, from main in main.cu:20". Empty where the
/// call stands in the outermost function. Without a line to show it says the functions' names, as far as they are
/// known.
[[nodiscard]] std::string way_to(const std::vector<source_frame>& frames, const source_frame* shown);

}  // namespace emulator::runtime
