#pragma once
/// \file
/// Experiments on a program's own kernels: while an experiment lasts, its launches run kernels compiled from edited
/// PTX.

#include <functional>
#include <memory>
#include <string>

namespace emulator {

/// As long as an object of this class exists, every kernel that the program launches is compiled from the PTX that the
/// editor returns, on the emulator as well as on a GPU (by the driver). There can be only one such object at a time.
class rewritten_kernels {
 public:
  /// Receives a PTX module with a single kernel and the requested variant; returns the text to compile.
  using editor = std::function<std::string(const std::string& ptx, int variant)>;

  /// \throws std::logic_error  if there is such an object already
  explicit rewritten_kernels(editor edit);
  /// Waits for the GPU, then discards the compiled kernels.
  ~rewritten_kernels();
  rewritten_kernels(const rewritten_kernels&) = delete;
  rewritten_kernels& operator=(const rewritten_kernels&) = delete;

  /// Launches this variant from now on. Kernels that were compiled before stay cached. The first variant is 0.
  void use(int variant);
  /// On a GPU, makes each launch from now on request enough additional dynamic shared memory to halve the number of its
  /// resident blocks. If only one block is resident at a time, nothing changes.
  void halve_resident_blocks(bool wanted);
  /// Returns why a kernel of this variant could not be compiled, or an empty string if there was no failure. Such a
  /// launch returns cudaErrorInvalidPtx.
  [[nodiscard]] const std::string& failure() const;

 private:
  friend struct rewriting;
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace emulator
