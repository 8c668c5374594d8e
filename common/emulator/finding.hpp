#pragma once
/// \file
/// What the checks report.

#include <cstdint>
#include <string>

namespace emulator {

/// One fault that a check found. Repeated findings at the same lines are one, with `count`.
struct finding {
  std::string check = {};  ///< "memcheck", "initcheck", "racecheck", "synccheck" or "limit".
  std::string kind = {};   ///< Short and stable: "out-of-bounds read", "read-after-write race", "divergent barrier" …
  std::string kernel = {};  ///< Demangled.
  std::string file = {};    ///< As the compiler saw it.
  std::uint32_t line = 0;
  std::string other_file = {};  ///< The second access of a race; empty where there is none.
  std::uint32_t other_line = 0;
  std::string message = {};  ///< Whole sentences: what is wrong, where, and who does it.
  std::string cure = {};     ///< Whole sentences: what would mend it; may be empty.
  std::string detail = {};   ///< All that is known of a deadlock; of a call, how the program came there; may be empty.
  std::string object = {};   ///< The array or variable that is concerned, as the source calls it; may be empty.
  std::uint64_t count = 1;
};

/// Returns true if two findings have one cause: they are of one kind, in one kernel, at the same source lines. Without
/// a line, their messages are compared.
[[nodiscard]] inline bool same_cause(const finding& a, const finding& b) {
  return a.line == b.line && a.other_line == b.other_line && a.kind == b.kind && a.check == b.check &&
         a.file == b.file && a.other_file == b.other_file && a.kernel == b.kernel &&
         (a.line != 0 || a.message == b.message);
}

}  // namespace emulator
