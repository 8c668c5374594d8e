#pragma once
/// \file
/// Experiments on a program's own kernels: for a while, what is launched is compiled from edited PTX.

#include <functional>
#include <memory>
#include <string>

namespace emulator {

/// While one lives, every kernel that the program launches is made from what the editor makes of its PTX, on the
/// emulator and on a GPU, where the driver compiles it. There can be one at a time.
class rewritten_kernels {
 public:
  /// Receives a PTX module with a single kernel, and the variant asked for; returns the text to compile.
  using editor = std::function<std::string(const std::string& ptx, int variant)>;

  /// \throws std::logic_error  where another one lives
  explicit rewritten_kernels(editor edit);
  /// Waits for the GPU, then forgets what was compiled.
  ~rewritten_kernels();
  rewritten_kernels(const rewritten_kernels&) = delete;
  rewritten_kernels& operator=(const rewritten_kernels&) = delete;

  /// From here on kernels are launched in that variant; those compiled before are kept. At first it is 0.
  void use(int variant);
  /// From here on, on a GPU, each launch asks for so much more dynamic shared memory that only half as many of its
  /// blocks are resident at a time; where only one is, nothing changes.
  void halve_resident_blocks(bool wanted);
  /// Why a kernel of this variant could not be made, in words; empty where all could. Such a launch returns
  /// cudaErrorInvalidPtx.
  [[nodiscard]] const std::string& failure() const;

 private:
  friend struct rewriting;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace emulator
