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

/// A number that has to be there, and above 0.
double positive(const nlohmann::json& facts, const std::string& pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!facts.contains(at) || !facts.at(at).is_number()) throw std::runtime_error(pointer + " is missing");
  const double value = facts.at(at).get<double>();
  if (!(value > 0) || !std::isfinite(value)) throw std::runtime_error(fmt::format("{} is {}", pointer, value));
  return value;
}

machine from_json(const nlohmann::json& facts) {
  machine m;
  m.name = facts.at("device").at("name").get<std::string>();
  m.multiprocessors = positive(facts, "/device/multiprocessors");
  m.clock_ghz = positive(facts, "/latencies/clock_ghz");
  m.first_launch_us = positive(facts, "/launches/queued_us");
  m.further_launch_us = positive(facts, "/launches/stream_us_per_launch");
  m.memory_ns = positive(facts, "/latencies/dram/ns");
  m.l2_ns = positive(facts, "/latencies/l2/ns");
  m.memory_gb_per_s = positive(facts, "/ceilings/read/best/gb_per_s");
  for (const nlohmann::json& row : facts.at("starts")) {
    const auto threads = row.at("threads").get<unsigned>();
    const double ns = row.at("ns_per_block").get<double>();
    const bool plain = !row.at("barrier").get<bool>() && row.at("shared_bytes").get<double>() == 0;
    const bool known =
        std::any_of(m.starts.begin(), m.starts.end(), [&](const block_starts& s) { return s.threads == threads; });
    if (plain && !known) m.starts.push_back({threads, ns});
    // Where one block fills a multiprocessor, each waits for the one before it.
    if (row.at("shared_bytes").get<double>() > positive(facts, "/device/shared_bytes_per_multiprocessor") / 2 &&
        m.block_turnover_ns == 0)
      m.block_turnover_ns = ns * m.multiprocessors;
  }
  if (m.starts.empty() || m.block_turnover_ns == 0) throw std::runtime_error("/starts has not the rows it should");
  std::sort(m.starts.begin(), m.starts.end(),
            [](const block_starts& a, const block_starts& b) { return a.threads < b.threads; });
  return m;
}

}  // namespace

double machine::start_ns(unsigned threads) const {
  const auto at =
      std::find_if(starts.begin(), starts.end(), [&](const block_starts& s) { return s.threads >= threads; });
  return at == starts.end() ? starts.back().ns_per_block : at->ns_per_block;
}

machine read_machine(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(fmt::format("{} cannot be read: `make machine` on that GPU writes such a file.", path));
  try {
    return from_json(nlohmann::json::parse(file));
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{} is no file of `make machine`, or an old one: {}. Measure the GPU again "
                    "with `make machine`.",
                    path, error.what()));
  }
}

std::optional<machine> known_machine(const std::string& gpu) {
  const std::string path = fmt::format("{}/machine_{}.json", machines, gpu);
  if (!std::filesystem::exists(path)) return {};
  return read_machine(path);
}

}  // namespace model
