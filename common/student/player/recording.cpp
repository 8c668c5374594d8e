#include "student/player/recording.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/observers/trace.hpp"
#include "host/program.hpp"
#include "host/source_text.hpp"

namespace player {

static_assert(max_blocks == emulator::observers::traced_blocks && max_steps == emulator::observers::traced_steps);

namespace {

using nlohmann::json;

constexpr std::size_t heavy_page = 50'000'000;  // bytes

/// The source files, each of which is stored once. Steps refer to them by number.
class source_table {
 public:
  int number_of(const std::string& path) {
    const auto [at, is_new] = numbers_.emplace(path, static_cast<int>(texts_.size()));
    if (is_new) texts_.push_back({{"file", host::shown_path(path)}, {"text", lines_of(path)}});
    return at->second;
  }
  [[nodiscard]] const json& texts() const { return texts_; }

 private:
  static json lines_of(const std::string& path) {
    const std::optional<std::vector<std::string>> lines = host::read_source(path);
    return lines ? json(*lines) : json::array();
  }
  std::map<std::string, int> numbers_;
  json texts_ = json::array();
};

/// Replaces the member "file", which contains a path, by "source", the number of the file.
void name_source(json& where, source_table& sources, const char* from = "file", const char* to = "source") {
  const auto file = where.find(from);
  if (file == where.end()) return;
  const std::string path = *file;
  where.erase(file);
  if (!path.empty()) where[to] = sources.number_of(path);
}

std::uint32_t mask_of(const json& lanes) {
  std::uint32_t mask = 0;
  for (const json& lane : lanes) mask |= 1u << lane.get<unsigned>();
  return mask;
}

json step_of(json& event, source_table& sources) {
  json step = std::move(event);
  step["mask"] = mask_of(step["lanes"]);
  step.erase("lanes");
  name_source(step, sources);
  return step;
}

/// Returns a finding whose step numbers are those of the recording. Numbers of steps that are left out are removed.
json finding_of(json& traced, const std::map<std::size_t, std::size_t>& place, source_table& sources) {
  json finding = std::move(traced);
  name_source(finding, sources);
  name_source(finding, sources, "other_file", "other_source");
  for (const char* name : {"step", "other_step"}) {
    if (!finding.contains(name)) continue;
    const auto found = place.find(finding[name].get<std::size_t>());
    if (found == place.end())
      finding.erase(name);
    else
      finding[name] = found->second;
  }
  return finding;
}

/// Returns the blocks to record: the first ones and, if none of them has a finding, the block of the first finding that
/// has a step. If the finding to be shown is a race, the block of its other access is also recorded.
std::set<std::size_t> blocks_of(const json& traced, const bounds& kept) {
  std::set<std::size_t> blocks;
  for (std::size_t block = 0; block < kept.blocks; ++block) blocks.insert(block);
  const auto block_of = [&](const json& finding, const char* step) {
    return traced["events"][finding[step].get<std::size_t>()]["block"].get<std::size_t>();
  };
  const json* shown = nullptr;
  for (const json& finding : traced["findings"]) {
    if (!finding.contains("step")) continue;
    const bool within = blocks.contains(block_of(finding, "step"));
    if (within || shown == nullptr) shown = &finding;
    if (within) break;
  }
  if (shown == nullptr) return blocks;
  blocks.insert(block_of(*shown, "step"));
  if (shown->contains("other_step")) blocks.insert(block_of(*shown, "other_step"));
  return blocks;
}

json launch_of(json& traced, const bounds& kept, source_table& sources) {
  json launch = json::object();
  for (const char* name : {"kernel", "grid", "block", "completed", "variables", "counters"})
    launch[name] = std::move(traced[name]);
  const std::set<std::size_t> blocks_kept = blocks_of(traced, kept);
  json steps = json::array();
  std::map<std::size_t, std::size_t> place;  // for each recorded event of the trace, its step's number
  std::map<std::size_t, std::size_t> of_block;
  std::size_t left_out = traced["left_out"];
  json& events = traced["events"];
  for (std::size_t k = 0; k < events.size(); ++k) {
    const auto block = events[k]["block"].get<std::size_t>();
    // A fault ends the run, so it is always recorded.
    const bool fault = events[k]["what"] == "fault";
    if (!fault && !blocks_kept.contains(block)) continue;
    if (!fault && ++of_block[block] > kept.steps) {
      ++left_out;
      continue;
    }
    place.emplace(k, steps.size());
    steps.push_back(step_of(events[k], sources));
  }
  std::size_t blocks = 1;
  for (const json& extent : launch["grid"]) blocks *= extent.get<std::size_t>();
  launch["blocks_recorded"] = of_block.size();
  launch["blocks_left_out"] = blocks - of_block.size();
  launch["steps_left_out"] = left_out;
  launch["findings"] = json::array();
  for (json& finding : traced["findings"]) launch["findings"].push_back(finding_of(finding, place, sources));
  launch["steps"] = std::move(steps);
  return launch;
}

/// Returns the recording that is made from the emulator's trace, the file named by EMULATOR_TRACE_FILE. Each of its
/// lines is a launch. If there is no such file, nothing was launched.
json recording_of(const std::string& trace_path, const bounds& kept) {
  json recording = {{"format", recording_format},
                    {"version", recording_version},
                    {"bounds", {{"blocks", kept.blocks}, {"steps", kept.steps}, {"launches", kept.launches}}}};
  source_table sources;
  json launches = json::array();
  std::size_t left_out = 0;
  std::ifstream trace(trace_path);
  for (std::string line; std::getline(trace, line);) {
    if (launches.size() == kept.launches) {
      ++left_out;
      continue;
    }
    json traced = json::parse(line, nullptr, false);
    if (traced.is_discarded())
      throw std::runtime_error("the emulator's trace ends early, after " + std::to_string(launches.size()) +
                               " launches: is the disk full?");
    launches.push_back(launch_of(traced, kept, sources));
  }
  recording["launches"] = std::move(launches);
  recording["launches_left_out"] = left_out;
  recording["sources"] = sources.texts();
  return recording;
}

/// Returns true if both outputs go to the same place, so that one of them would be lost.
bool same_place(const wanted& asked) {
  if (asked.recording_path.empty() || asked.page_path.empty()) return false;
  if (asked.recording_path == "-" || asked.page_path == "-") return asked.recording_path == asked.page_path;
  std::error_code unknown;
  const auto whole = [&unknown](const std::string& path) { return std::filesystem::weakly_canonical(path, unknown); };
  return whole(asked.recording_path) == whole(asked.page_path);
}

}  // namespace

files::files(const wanted& asked) : kept_(asked.kept), recording_(asked.recording_path), page_(asked.page_path) {
  if (same_place(asked)) throw host::usage_error("--record and --play name the same file: give each its own");
  if (!asked.beside_path.empty()) beside_ = std::make_unique<const json>(read_recording(asked.beside_path));
  if (asked.any()) folder_.emplace();
  recording_.claim();
  page_.claim();
}

files::~files() = default;

void files::write() {
  if (!folder_) return;
  const json recording = recording_of(trace_path(), kept_);
  if (recording_.wanted()) recording_.write(recording.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  // If this run has launched nothing, there is nothing to show next to the other recording.
  const bool in_step = beside_ && !recording["launches"].empty();
  if (!page_.wanted()) return;
  const std::string page = in_step ? page_of(recording, *beside_) : page_of(recording);
  page_.write(page);
  if (page.size() >= heavy_page)
    fmt::print(stderr,
               "The page has {} MB, so a browser takes long to open it. --record-blocks, --record-steps and "
               "--record-launches record less.\n",
               page.size() / 1'000'000);
}

}  // namespace player
