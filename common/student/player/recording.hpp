#pragma once
/// \file
/// Records a run as one JSON document, which docs/pages/recording.md describes.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/output_file.hpp"
#include "host/process.hpp"

namespace player {

/// The name of the format in a recording, and its version.
inline constexpr const char* recording_format = "reduction workbook recording";
inline constexpr int recording_version = 1;

/// Limits for the recorded part of a run. The recording states how much was left out.
struct bounds {
  std::size_t blocks = 1;    ///< The number of first blocks of each launch.
  std::size_t steps = 4000;  ///< The number of first steps of each block.
  std::size_t launches = 8;  ///< The number of first launches.
};

/// The largest number of blocks that the emulator traces.
inline constexpr std::size_t max_blocks = 8;
/// The largest number of steps per block that the emulator traces.
inline constexpr std::size_t max_steps = 20000;

/// Returns the page that plays a recording: one HTML file that loads no other file.
[[nodiscard]] std::string page_of(const nlohmann::json& recording);

/// Returns the page that plays two recordings in step.
[[nodiscard]] std::string page_of(const nlohmann::json& recording, const nlohmann::json& beside);

/// Reads a recording that `--record` has written.
/// \throws host::usage_error  if the file is missing or damaged, or is not a recording
[[nodiscard]] nlohmann::json read_recording(const std::string& path);

/// The values of `--record`, `--play`, `--beside` and their bounds.
struct wanted {
  std::string recording_path, page_path;  ///< Empty if not wanted; "-" for standard output.
  std::string beside_path;                ///< A recording that the page shows next to this one; may be empty.
  bounds kept;
  [[nodiscard]] bool any() const { return !recording_path.empty() || !page_path.empty(); }
};

/// The two output files, and the trace from which they are made. The files are opened before the run, so that an
/// unusable path is refused early.
class files {
 public:
  /// \throws host::usage_error  if a file cannot be written, if both paths are the same, or if `--beside` doesn't name
  /// a recording
  explicit files(const wanted& asked);
  ~files();
  /// Returns the path for the emulator's trace (`options::trace_path`, EMULATOR_TRACE_FILE); empty if no trace is
  /// needed.
  [[nodiscard]] std::string trace_path() const { return folder_ ? folder_->path() + "/trace.jsonl" : std::string(); }
  /// Makes the recording and writes the files. \throws std::runtime_error  if the trace is truncated or the disk is
  /// full
  void write();

 private:
  bounds kept_;
  std::optional<host::temporary_folder> folder_;
  host::output_file recording_, page_;
  std::unique_ptr<const nlohmann::json> beside_;
};

}  // namespace player
