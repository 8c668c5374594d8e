#pragma once
/// \file
/// The place of a runtime call in the host program: the return addresses of the functions that led to it, and their
/// source lines.

#include <cstdint>
#include <string>
#include <vector>

namespace emulator::runtime {

/// Return addresses, innermost first.
struct call_stack {
  std::vector<std::uintptr_t> addresses;
  /// For a launch by <<<...>>>: its own address, because the compiler's stub is between it and the runtime. 0 for any
  /// other call.
  std::uintptr_t launch_site = 0;

  bool operator==(const call_stack&) const = default;
};

/// Returns the stack from the function that `return_address` returns to. If that function isn't found, the stack
/// contains only `return_address`.
[[nodiscard]] call_stack stack_from(const void* return_address);

/// One function of a stack. Inlined functions have separate frames.
struct source_frame {
  std::string function;  ///< Demangled; empty if unknown.
  std::string file;      ///< Empty if the program has no line information.
  std::uint32_t line = 0;
};

/// Returns the frames of each stack, innermost first, without the compiler's stubs and the wrappers in the toolkit's
/// headers. Runs the binary utility addr2line once for each object file involved. If that isn't available, there are no
/// lines.
[[nodiscard]] std::vector<std::vector<source_frame>> frames_of(const std::vector<call_stack>& stacks);

/// Returns true if the call was made by a template library of the toolkit: CUB, Thrust, libcu++.
[[nodiscard]] bool made_by_library(const std::vector<source_frame>& frames);

/// Returns the frame whose line is to be shown: the first one outside the language's own library. Null if no frame has
/// a line.
[[nodiscard]] const source_frame* line_to_show(const std::vector<source_frame>& frames);

/// Describes how the program reached `shown`: "called from run(int) in main.cu:12, from main in main.cu:20". Returns an
/// empty string if the call is in the outermost function. Without a line to show, it lists the known function names.
[[nodiscard]] std::string way_to(const std::vector<source_frame>& frames, const source_frame* shown);

}  // namespace emulator::runtime
