#include "model/machine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/paths.hpp"

namespace model {
namespace {

/// What has to be there, wherever it is in the file.
const nlohmann::json& at(const nlohmann::json& facts, const std::string& pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!facts.contains(place)) throw std::runtime_error(pointer + " is missing");
  return facts.at(place);
}

/// A number that has to be there, and above 0; `zero`: it may be 0.
double positive(const nlohmann::json& facts, const std::string& pointer, bool zero = false) {
  const nlohmann::json& found = at(facts, pointer);
  if (!found.is_number()) throw std::runtime_error(fmt::format("a number is missing at {}", pointer));
  const double value = found.get<double>();
  if (value < 0 || (value == 0 && !zero) || !std::isfinite(value))
    throw std::runtime_error(fmt::format("{} is {}", pointer, value));
  return value;
}

std::string text(const nlohmann::json& facts, const std::string& pointer) {
  const nlohmann::json& found = at(facts, pointer);
  if (!found.is_string()) throw std::runtime_error(fmt::format("a text is missing at {}", pointer));
  return found.get<std::string>();
}

machine from_json(const nlohmann::json& facts) {
  machine m;
  m.name = text(facts, "/device/name");
  m.multiprocessors = positive(facts, "/device/multiprocessors");
  m.clock_ghz = positive(facts, "/latencies/clock_ghz");
  m.first_launch_us = positive(facts, "/launches/queued_us");
  m.further_launch_us = positive(facts, "/launches/stream_us_per_launch");
  m.memory_ns = positive(facts, "/latencies/dram/ns");
  m.l2_ns = positive(facts, "/latencies/l2/ns");
  m.memory_gb_per_s = positive(facts, "/ceilings/read/best/gb_per_s");
  m.compute_capability = text(facts, "/device/compute_capability");
  const double shared_bytes = positive(facts, "/device/shared_bytes_per_multiprocessor");
  const std::size_t rows = at(facts, "/starts").size();
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string here = fmt::format("/starts/{}", row);
    const auto threads = static_cast<unsigned>(positive(facts, here + "/threads"));
    const double ns = positive(facts, here + "/ns_per_block");
    const double shared = positive(facts, here + "/shared_bytes", true);
    const bool plain = at(facts, here + "/barrier") == false && shared == 0;
    const bool known =
        std::any_of(m.starts.begin(), m.starts.end(), [&](const block_starts& s) { return s.threads == threads; });
    if (plain && !known) m.starts.push_back({threads, ns});
    // Where one block fills a multiprocessor, each waits for the one before it.
    if (shared > shared_bytes / 2 && m.block_turnover_ns == 0) m.block_turnover_ns = ns * m.multiprocessors;
  }
  if (m.starts.empty()) throw std::runtime_error("/starts has no row of a block without barrier and shared memory");
  if (m.block_turnover_ns == 0)
    throw std::runtime_error("/starts has no row of a block that takes more than half of the shared memory");
  std::sort(m.starts.begin(), m.starts.end(),
            [](const block_starts& a, const block_starts& b) { return a.threads < b.threads; });
  return m;
}

}  // namespace

std::string machine::with_article() const {
  const bool begins_like_a_vowel = name.starts_with("NVIDIA") || name.find_first_of("AEIOaeio") == 0;
  return (begins_like_a_vowel ? "an " : "a ") + name;
}

double machine::start_ns(unsigned threads) const {
  const auto at =
      std::find_if(starts.begin(), starts.end(), [&](const block_starts& s) { return s.threads >= threads; });
  return at == starts.end() ? starts.back().ns_per_block : at->ns_per_block;
}

machine read_machine(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw std::runtime_error(
        fmt::format("There is no file {} that can be read. `make machine ARGS=\"--json FILE\"` on a GPU writes one "
                    "with its facts.",
                    path));
  const auto refused = [&](const std::string& why) {
    return std::runtime_error(
        fmt::format("{} is no file of `make machine`, or an old one: {}. Measure the GPU again: `make machine "
                    "ARGS=\"--json FILE\"`.",
                    path, why));
  };
  try {
    return from_json(nlohmann::json::parse(file));
  } catch (const nlohmann::json::parse_error& error) {
    throw refused(fmt::format("it is no JSON from byte {} on", error.byte));
  } catch (const std::exception& error) {
    throw refused(error.what());
  }
}

std::optional<machine> known_machine(const std::string& gpu) {
  const std::string path = fmt::format("{}/machine_{}.json", machines, gpu);
  if (!std::filesystem::exists(path)) return {};
  return read_machine(path);
}

}  // namespace model
