#pragma once
/// \file
/// The GPU that `--gpu` selects. Its facts are emulated, and its times are predicted.

#include <optional>
#include <string>

#include "timing/model/machine.hpp"

namespace model {

struct gpu {
  std::string emulated = "h200";    ///< The emulator's name for it.
  std::optional<machine> measured;  ///< The facts that times are predicted from.
  std::string why_no_times;         ///< If it has not been measured: lines that tell how to do it.
  std::string note;                 ///< A remark about its times; may be empty.

  /// Returns the latencies for following a block's critical path on it.
  [[nodiscard]] emulator::path_latencies latencies() const {
    return measured ? measured->latencies : emulator::path_latencies();
  }
};

/// Returns the GPU of a name ("h200", "NVIDIA H200") or of a file written by `make machine`. `folder` contains the
/// files of the GPUs that are known by name.
/// \throws std::runtime_error  if there is none, or if its file is incomplete; the message lists what to give instead
[[nodiscard]] gpu chosen_gpu(const std::string& name_or_file, const std::string& folder = machines_folder());

/// Returns the possible values of `--gpu`, for a help text.
[[nodiscard]] std::string gpus_to_choose_from();

}  // namespace model
