#pragma once
/// \file
/// The GPU that a user means by `--gpu`: whose facts programs read on the emulator, and whose times are predicted.

#include <optional>
#include <string>

#include "model/machine.hpp"

namespace model {

struct gpu {
  std::string emulated = "h200";    ///< As the emulator knows it.
  std::optional<machine> measured;  ///< What times are predicted from.
  std::string why_no_times;         ///< Where it is not measured: says so, and how to measure it; lines.
  std::string note;                 ///< What to know about its times; may be empty.

  /// What paths are followed with on it.
  [[nodiscard]] emulator::path_latencies latencies() const {
    return measured ? measured->latencies : emulator::path_latencies();
  }
};

/// Finds the GPU that is meant by a name ("h200", "NVIDIA H200") or by a file that `make machine` has written. `folder`
/// has the files of those that are known by name.
/// \throws std::runtime_error  where there is none, or its file lacks something: says what to give instead
[[nodiscard]] gpu chosen_gpu(const std::string& name_or_file, const std::string& folder = machines_folder());

/// What `--gpu` takes, for a help text.
[[nodiscard]] std::string gpus_to_choose_from();

}  // namespace model
