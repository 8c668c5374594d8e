#pragma once
/// \file
/// A run as a recording: one JSON document, which docs/pages/recording.md describes.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "host/output_file.hpp"
#include "host/process.hpp"

namespace player {

/// What a recording calls itself, and the version of its form.
inline constexpr const char* recording_format = "reduction workbook recording";
inline constexpr int recording_version = 1;

/// How much of a run is kept. What is left out, the recording says.
struct bounds {
  std::size_t blocks = 1;    ///< Of each launch, the first.
  std::size_t steps = 4000;  ///< Of each block, the first.
  std::size_t launches = 8;  ///< The first.
};

/// More blocks than this the emulator does not trace.
inline constexpr std::size_t most_blocks = 8;
/// Nor more steps of a block.
inline constexpr std::size_t most_steps = 20000;

/// Returns the page that plays a recording: one HTML file that asks no other for anything.
[[nodiscard]] std::string page_of(const nlohmann::json& recording);

/// Returns the page that plays two recordings in step.
[[nodiscard]] std::string page_of(const nlohmann::json& recording, const nlohmann::json& beside);

/// Reads what `--record` has written. \throws host::usage_error  where it is something else
[[nodiscard]] nlohmann::json read_recording(const std::string& path);

/// What `--record`, `--play`, `--beside` and their bounds ask for.
struct wanted {
  std::string recording_path, page_path;  ///< Empty: none; "-": standard output.
  std::string beside_path;                ///< A recording, shown beside this one on the page; empty: none.
  bounds kept;
  [[nodiscard]] bool any() const { return !recording_path.empty() || !page_path.empty(); }
};

/// The two files, and the trace from which they are made. They are opened before any work is done, so that a path that
/// does not do is refused early.
class files {
 public:
  /// \throws host::usage_error  where one of them cannot be written, both are one, or `--beside` names no recording
  explicit files(const wanted& asked);
  ~files();
  /// Where the emulator is to write its trace (`options::trace_path`, EMULATOR_TRACE_FILE); empty where none is wanted.
  [[nodiscard]] std::string trace_path() const { return folder_ ? folder_->path() + "/trace.jsonl" : std::string(); }
  /// Makes the recording and writes what is wanted. \throws std::runtime_error  where the trace breaks off, or the disk
  /// is full
  void write();

 private:
  bounds kept_;
  std::optional<host::temporary_folder> folder_;
  host::output_file recording_, page_;
  std::unique_ptr<const nlohmann::json> beside_;
};

}  // namespace player
