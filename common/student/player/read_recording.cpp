// Reads a recording that a user provides, and refuses everything that the page could not handle.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/program.hpp"
#include "student/player/recording.hpp"

namespace player {
namespace {

using nlohmann::json;

constexpr std::int64_t max_threads = 1024, max_lanes = 32, max_grid = 0x7fff'ffff, max_mask = 0xffff'ffff;
/// More bytes than the shared memory of any block has. The page draws it row by row.
constexpr std::int64_t max_shared_bytes = std::int64_t{1} << 18;
/// JavaScript's numbers are exact up to this value, which is larger than every address.
constexpr std::int64_t most = std::int64_t{1} << 53;

constexpr std::array<std::string_view, 12> kinds_of_step = {"run",      "load",         "store",  "atomic",
                                                            "shuffle",  "warp barrier", "branch", "arrive",
                                                            "announce", "barrier",      "leave",  "fault"};

bool is_number(const json& value, std::int64_t low, std::int64_t high) {
  return value.is_number_integer() && value.get<std::int64_t>() >= low && value.get<std::int64_t>() <= high;
}

/// Returns true if the member `name` is a whole number from `low` to `high`. If it is missing, returns `or_none`.
bool holds(const json& where, const char* name, std::int64_t low, std::int64_t high, bool or_none = true) {
  const auto found = where.find(name);
  return found == where.end() ? or_none : is_number(*found, low, high);
}

bool holds(const json& where, const char* name, json::value_t kind) {
  const auto found = where.find(name);
  return found != where.end() && found->type() == kind;
}

/// Returns the number of blocks or threads in a list of three extents, clamped to `most`; 0 if the list is invalid or
/// an extent is larger than `largest`.
std::int64_t volume_of(const json& extents, std::int64_t largest) {
  if (extents.size() != 3) return 0;
  std::int64_t volume = 1;
  for (const json& extent : extents) {
    if (!is_number(extent, 1, largest)) return 0;
    const auto times = extent.get<std::int64_t>();
    volume = volume > most / times ? most : volume * times;
  }
  return volume;
}

/// The numbers of blocks, warps and so on: exclusive upper bounds for the indices in steps and findings.
struct extents {
  std::int64_t blocks = 0, warps = 0, sources = 0, variables = 0, steps = 0;
};

/// Returns true for a value, or for a list of one lane's values. `null` stands for a number that is not finite.
bool is_value(const json& value) {
  const auto is_one = [](const json& one) { return one.is_number() || one.is_null(); };
  return value.is_array() ? std::all_of(value.begin(), value.end(), is_one) : is_one(value);
}

bool is_step(const json& step, const extents& of) {
  if (!step.is_object() || !holds(step, "what", json::value_t::string) || !holds(step, "op", json::value_t::string))
    return false;
  const auto& what = step["what"].get_ref<const std::string&>();
  if (std::find(kinds_of_step.begin(), kinds_of_step.end(), what) == kinds_of_step.end()) return false;
  bool good = holds(step, "block", 0, of.blocks - 1, false) && holds(step, "warp", 0, of.warps - 1, false) &&
              holds(step, "line", 0, most, false) && holds(step, "mask", 0, max_mask, false) &&
              holds(step, "jumped", 0, max_mask) && holds(step, "source", 0, of.sources - 1) &&
              holds(step, "variable", 0, of.variables - 1) && holds(step, "bytes", 0, 64) &&
              holds(step, "barrier", 0, 15);
  for (const char* count : {"instructions", "thread_instructions", "passes", "conflicts", "sectors"})
    good = good && holds(step, count, 0, most);
  if (!good) return false;
  const bool in_shared = step.contains("space") && step["space"] == "shared";
  const auto lanes = static_cast<std::size_t>(std::popcount(step["mask"].get<std::uint32_t>()));
  // Returns true if the member is a list with a valid element per active lane, or if it is missing.
  const auto each = [&](const char* name, const auto& is_good) {
    const auto list = step.find(name);
    if (list == step.end()) return true;
    return list->is_array() && list->size() == lanes && std::all_of(list->begin(), list->end(), is_good);
  };
  return each("at",
              [&](const json& place) {
                return is_number(place, in_shared ? 0 : -most, in_shared ? max_shared_bytes : most);
              }) &&
         each("from", [](const json& lane) { return is_number(lane, 0, max_lanes - 1); }) && each("values", is_value) &&
         each("found", is_value);
}

bool is_finding(const json& finding, const extents& of) {
  if (!finding.is_object()) return false;
  for (const char* words : {"check", "kind", "message", "cure"})
    if (!holds(finding, words, json::value_t::string)) return false;
  for (const char* count : {"block", "other_block", "thread", "other_thread"})
    if (!holds(finding, count, 0, most)) return false;
  return holds(finding, "line", 0, most) && holds(finding, "other_line", 0, most) &&
         holds(finding, "source", 0, of.sources - 1) && holds(finding, "other_source", 0, of.sources - 1) &&
         holds(finding, "step", 0, of.steps - 1) && holds(finding, "other_step", 0, of.steps - 1);
}

bool is_variable(const json& variable) {
  return variable.is_object() && holds(variable, "name", json::value_t::string) &&
         holds(variable, "space", json::value_t::string) && holds(variable, "begin", 0, most, false) &&
         holds(variable, "end", 0, most, false) && holds(variable, "element_bytes", 1, most, false);
}

bool is_source(const json& source) {
  return source.is_object() && holds(source, "file", json::value_t::string) &&
         holds(source, "text", json::value_t::array) &&
         std::all_of(source["text"].begin(), source["text"].end(), [](const json& line) { return line.is_string(); });
}

/// Returns a description of what is wrong with a launch, or an empty string if nothing is.
std::string fault_of(const json& launch, std::int64_t sources) {
  for (const char* list : {"grid", "block", "steps", "findings", "variables"})
    if (!holds(launch, list, json::value_t::array)) return fmt::format("its {} is missing", list);
  if (!holds(launch, "kernel", json::value_t::string)) return "its kernel has no name";
  extents of;
  of.blocks = volume_of(launch["grid"], max_grid);
  if (of.blocks == 0) return "the size of its grid is invalid";
  const std::int64_t threads = volume_of(launch["block"], max_threads);
  if (threads == 0 || threads > max_threads) return "the size of its block is invalid (1 to 1024 threads are allowed)";
  of.warps = (threads + max_lanes - 1) / max_lanes;
  of.sources = sources;
  of.variables = static_cast<std::int64_t>(launch["variables"].size());
  of.steps = static_cast<std::int64_t>(launch["steps"].size());
  for (const json& variable : launch["variables"])
    if (!is_variable(variable)) return "a variable has a missing or an invalid field";
  for (std::size_t k = 0; k < launch["steps"].size(); ++k)
    if (!is_step(launch["steps"][k], of)) return fmt::format("step {} has a missing or an invalid field", k + 1);
  for (std::size_t k = 0; k < launch["findings"].size(); ++k)
    if (!is_finding(launch["findings"][k], of))
      return fmt::format("finding {} has a missing or an invalid field", k + 1);
  return {};
}

}  // namespace

json read_recording(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    return host::usage_error("--beside " + path + ": " + why + "; `--record` writes recordings");
  };
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) throw refuse("this is a folder");
  std::ifstream file(path);
  if (!file) throw refuse("this file cannot be read");
  json recording = json::parse(file, nullptr, false);
  if (!recording.is_object() || recording.value("format", json()) != recording_format)
    throw refuse("this is no recording");
  if (recording.value("version", json()) != recording_version)
    throw refuse(fmt::format("its version is {}, and this program shows version {}",
                             recording.value("version", json()).dump(), recording_version));
  if (!holds(recording, "launches", json::value_t::array) || !holds(recording, "sources", json::value_t::array))
    throw refuse("its launches or its sources are missing");
  if (recording["launches"].empty()) throw refuse("it has no launch");
  const json& sources = recording["sources"];
  if (!std::all_of(sources.begin(), sources.end(), is_source))
    throw refuse("one of its sources has no file name or no text");
  const json& launches = recording["launches"];
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const std::string fault = fault_of(launches[k], static_cast<std::int64_t>(sources.size()));
    if (!fault.empty()) throw refuse(fmt::format("it is damaged: in launch {}, {}", k + 1, fault));
  }
  return recording;
}

}  // namespace player
