#pragma once
/// \file
/// The GPU that `--gpu` selects. Its facts are emulated, and its times are predicted.

#include <optional>
#include <string>

#include "timing/model/machine.hpp"

namespace model {

struct gpu {
  std::string emulated = "h200";    ///< The name by which the emulator knows it.
  std::optional<machine> measured;  ///< The measured facts from which times are predicted.
  std::string why_no_times;         ///< If it hasn't been measured: text that explains how to do it.
  std::string note;                 ///< A remark about its times; may be empty.

  /// Returns the latencies of this GPU, for the critical path of a block.
  [[nodiscard]] emulator::path_latencies latencies() const {
    return measured ? measured->latencies : emulator::path_latencies();
  }
};

/// Returns the GPU with this name ("h200", "NVIDIA H200"), or of a file written by `make machine`. `folder` has the
/// files of the GPUs that are known by name.
/// \throws std::runtime_error  if there is no such GPU, or if its file is incomplete; the message lists what can be
/// given
[[nodiscard]] gpu chosen_gpu(const std::string& name_or_file, const std::string& folder = machines_folder());

/// Returns the possible values of `--gpu` for a help text.
[[nodiscard]] std::string gpus_to_choose_from();

}  // namespace model
