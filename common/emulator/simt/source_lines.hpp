#pragma once
/// \file
/// The CUDA source lines of PTX instructions.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::simt {

/// Returns true if instruction `pc` is in a header of the CUDA toolkit or of the host compiler, and isn't inlined into
/// code elsewhere. The user of a program can't fix such code.
[[nodiscard]] bool stands_in_toolkit(const observers::kernel_facts& facts, std::uint32_t pc);

/// Finds the source lines of a kernel's instructions, in the order in which they are decoded.
class source_lines {
 public:
  /// \param files  the module's files, by number
  source_lines(const std::unordered_map<std::uint32_t, std::string>& files, const ptx::function& kernel);

  /// Returns the file that contains the kernel itself, which is the file of the first source line that isn't part of an
  /// inlined function. Empty if there is no line information.
  [[nodiscard]] const std::string& home() const { return home_; }

  /// Sets `file` and `line` of `facts` to the innermost line of instruction `i` that isn't inside the CUDA toolkit. An
  /// instruction without a line gets that of the instruction before it. If the instruction was inlined, `home_line` is
  /// set to the line of the kernel's own file into which it was inlined. New files are added to `files`.
  /// \param function  the function that contains the instruction
  void locate(const ptx::function& function, const ptx::instruction& i, observers::instruction_facts& facts,
              std::vector<std::string>& files);
  /// Sets the members that `locate` sets to those of the previous instruction.
  void repeat(observers::instruction_facts& facts) const;

 private:
  [[nodiscard]] const std::string* path_of(std::uint32_t number) const;
  [[nodiscard]] const ptx::source_location* choose(const ptx::function& function, std::int32_t innermost) const;

  const std::unordered_map<std::uint32_t, std::string>& files_;
  std::unordered_map<std::string, std::int32_t> numbers_;  ///< Index in the kernel's own list of files.
  std::int32_t last_file_ = -1;
  std::uint32_t last_line_ = 0;
  std::uint32_t last_home_line_ = 0;  ///< In the kernel's own file; 0 if the instruction doesn't come from it.
  std::string home_;                  ///< The kernel's own file.
};

}  // namespace emulator::simt
