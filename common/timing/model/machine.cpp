#include "timing/model/machine.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace model {
namespace {

/// Returns a required value.
const nlohmann::json& at(const nlohmann::json& facts, const std::string& pointer) {
  const nlohmann::json::json_pointer place(pointer);
  if (!facts.contains(place)) throw std::runtime_error(pointer + " is missing");
  return facts.at(place);
}

/// Returns a required number above 0, or not below 0 if `zero` is set. A number above `most` means that the file is
/// damaged, or belongs to a different kind of machine.
double positive(const nlohmann::json& facts, const std::string& pointer, double most = HUGE_VAL, bool zero = false) {
  const nlohmann::json& found = at(facts, pointer);
  if (!found.is_number()) throw std::runtime_error(fmt::format("a number is missing at {}", pointer));
  const double value = found.get<double>();
  if (value < 0 || (value == 0 && !zero) || !std::isfinite(value))
    throw std::runtime_error(fmt::format("{} is {}", pointer, value));
  if (value > most) throw std::runtime_error(fmt::format("{} is {}, but at most {} is possible", pointer, value, most));
  return value;
}

std::string text(const nlohmann::json& facts, const std::string& pointer) {
  const nlohmann::json& found = at(facts, pointer);
  if (!found.is_string()) throw std::runtime_error(fmt::format("a text is missing at {}", pointer));
  return found.get<std::string>();
}

/// Returns the SM's cycles for a warp's remainder. In the measured stream, there are also two additions for each
/// remainder, which are subtracted.
double division_cycles_of(const nlohmann::json& facts) {
  double division = 0, addition = 0;
  for (std::size_t row = 0; row < at(facts, "/instructions").size(); ++row) {
    const std::string here = fmt::format("/instructions/{}", row);
    const std::string name = text(facts, here + "/name");
    if (name == "remainder") division = positive(facts, here + "/cycles");
    if (name == "IADD3") addition = positive(facts, here + "/cycles");
  }
  if (division <= 2 * addition || addition == 0)
    throw std::runtime_error(
        "/instructions lacks \"remainder\" or \"IADD3\", or a remainder takes less than additions");
  return division - 2 * addition;
}

/// The costs of the first one of several operations, up to 32, and of each further one.
struct line_of_cycles {
  double first = 0, further = 0;
};

/// Returns the costs from the rows of a list in which `count` is 1 and 32.
line_of_cycles first_and_further(const nlohmann::json& facts, const std::string& list, const std::string& count,
                                 const std::string& cycles, const std::string& what_of_rows) {
  double first = 0, all = 0;
  for (std::size_t row = 0; row < at(facts, list).size(); ++row) {
    const std::string here = fmt::format("{}/{}/", list, row);
    const double number = positive(facts, here + count), taken = positive(facts, here + cycles);
    if (number == 1) first = taken;
    if (number == 32) all = taken;
  }
  if (first == 0 || all < first)
    throw std::runtime_error(fmt::format("{} lacks the rows of {}, or the latter is faster", list, what_of_rows));
  return {first, (all - first) / 31};
}

emulator::path_latencies latencies_from(const nlohmann::json& facts, double division_cycles) {
  constexpr double schedulers = 4;
  emulator::path_latencies l;
  l.arithmetic = positive(facts, "/latencies/chains/IADD3", 1e4);
  l.shuffle = positive(facts, "/latencies/chains/SHFL", 1e4);
  // This exists only from compute capability 8.0 on.
  if (facts.contains(nlohmann::json::json_pointer("/latencies/chains/REDUX")))
    l.warp_reduce = positive(facts, "/latencies/chains/REDUX", 1e4);
  l.shared = positive(facts, "/latencies/chains/LDS", 1e4);
  l.shared_pass = first_and_further(facts, "/shared", "degree", "load_cycles", "degree 1 and 32").further;
  l.first_cache = positive(facts, "/latencies/l1/cycles", 1e4);
  l.second_cache = positive(facts, "/latencies/l2/cycles", 1e5);
  l.global = positive(facts, "/latencies/dram/cycles", 1e6);
  l.divide_issue = schedulers * division_cycles;
  const auto [one, further] = first_and_further(facts, "/latencies/barriers", "warps", "cycles", "1 and 32 warps");
  l.barrier_per_warp = further;
  l.barrier = std::max(0.0, one - further);
  return l;
}

machine from_json(const nlohmann::json& facts) {
  machine m;
  m.name = text(facts, "/device/name");
  const bool printable = std::all_of(m.name.begin(), m.name.end(), [](char c) { return c >= ' ' && c < 0x7f; });
  if (m.name.empty() || m.name.size() > 100 || !printable)
    throw std::runtime_error("/device/name isn't a name of a GPU: up to 100 letters, digits and blanks");
  m.multiprocessors = positive(facts, "/device/multiprocessors", 10'000);
  if (m.multiprocessors != std::floor(m.multiprocessors))
    throw std::runtime_error(
        fmt::format("/device/multiprocessors is {}, which isn't a whole number", m.multiprocessors));
  m.clock_ghz = positive(facts, "/latencies/clock_ghz", 100);
  if (m.clock_ghz < 0.01) throw std::runtime_error(fmt::format("/latencies/clock_ghz is {}", m.clock_ghz));
  m.first_launch_us = positive(facts, "/launches/queued_us", 1e6);
  m.further_launch_us = positive(facts, "/launches/stream_us_per_launch", 1e6);
  m.memory_ns = positive(facts, "/latencies/dram/ns", 1e6);
  m.l2_ns = positive(facts, "/latencies/l2/ns", 1e6);
  m.memory_gb_per_s = positive(facts, "/ceilings/read/best/gb_per_s", 1e6);
  m.compute_capability = text(facts, "/device/compute_capability");
  m.division_cycles = division_cycles_of(facts);
  m.latencies = latencies_from(facts, m.division_cycles);
  const double shared_bytes = positive(facts, "/device/shared_bytes_per_multiprocessor");
  const std::size_t rows = at(facts, "/starts").size();
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string here = fmt::format("/starts/{}", row);
    const auto threads = static_cast<unsigned>(positive(facts, here + "/threads"));
    const double ns = positive(facts, here + "/ns_per_block");
    const double shared = positive(facts, here + "/shared_bytes", HUGE_VAL, true);
    const bool plain = at(facts, here + "/barrier") == false && shared == 0;
    const bool known =
        std::any_of(m.starts.begin(), m.starts.end(), [&](const block_starts& s) { return s.threads == threads; });
    if (plain && !known) m.starts.push_back({threads, ns});
    // If one block fills an SM, each block must wait for the previous one.
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
    return std::runtime_error(fmt::format(
        "{} was not written by `make machine`, or by an old version: {}. Measure the GPU again: `make machine "
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

std::optional<machine> known_machine(const std::string& gpu, const std::string& folder) {
  const std::string path = fmt::format("{}/machine_{}.json", folder, gpu);
  if (!std::filesystem::exists(path)) return {};
  return read_machine(path);
}

}  // namespace model
