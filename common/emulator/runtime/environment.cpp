#include "emulator/runtime/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/device_facts.hpp"

namespace emulator::runtime {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool flag(const char* name, bool otherwise) {
  const std::string value = variable(name);
  if (value.empty()) return otherwise;
  if (value == "1") return true;
  if (value == "0") return false;
  throw bad_setting(std::string(name) + " is '" + value + "'; it can be 0 or 1");
}

struct named_latency {
  std::string_view name;
  double path_latencies::*which;
};

constexpr std::array all_latencies = {named_latency{"arithmetic", &path_latencies::arithmetic},
                                      named_latency{"shuffle", &path_latencies::shuffle},
                                      named_latency{"warp_reduce", &path_latencies::warp_reduce},
                                      named_latency{"divide", &path_latencies::divide},
                                      named_latency{"shared", &path_latencies::shared},
                                      named_latency{"shared_pass", &path_latencies::shared_pass},
                                      named_latency{"first_cache", &path_latencies::first_cache},
                                      named_latency{"second_cache", &path_latencies::second_cache},
                                      named_latency{"global", &path_latencies::global},
                                      named_latency{"barrier", &path_latencies::barrier},
                                      named_latency{"barrier_per_warp", &path_latencies::barrier_per_warp},
                                      named_latency{"issue", &path_latencies::issue},
                                      named_latency{"divide_issue", &path_latencies::divide_issue}};

environment read_environment() {
  environment read;
  options& wanted = read.initial_options;
  if (const std::string checks = variable("EMULATOR_CHECK"); !checks.empty()) parse_checks(checks, wanted);
  wanted.counters = flag("EMULATOR_COUNTERS", wanted.counters);
  if (const std::string gpu = variable("EMULATOR_GPU"); !gpu.empty()) {
    if (find_device_facts(gpu) == nullptr) {
      throw bad_setting("EMULATOR_GPU is '" + gpu + "'; it can be " + known_devices());
    }
    wanted.gpu = gpu;
  }
  if (const std::string gpus = variable("EMULATOR_GPUS"); !gpus.empty())
    parse_gpus("EMULATOR_GPUS", gpus, read.gpus, read.peers);
  wanted.latencies = latencies_of(variable("EMULATOR_LATENCIES"));
  if (const std::string threads = variable("EMULATOR_HOST_THREADS"); !threads.empty()) {
    wanted.host_threads = static_cast<unsigned>(parse_number("EMULATOR_HOST_THREADS", threads, 4096));
  }
  if (const std::string most = variable("EMULATOR_MAX_INSTRUCTIONS"); !most.empty()) {
    wanted.max_instructions =
        parse_number("EMULATOR_MAX_INSTRUCTIONS", most, std::numeric_limits<unsigned long long>::max());
  }
  if (const std::string after = variable("EMULATOR_NATIVE_AFTER"); after == "never") {
    wanted.native_after = options::never_native;
  } else if (!after.empty()) {
    wanted.native_after = parse_number("EMULATOR_NATIVE_AFTER", after, options::never_native - 1);
  }
  if (const std::string bytes = variable("EMULATOR_NATIVE_BYTES"); !bytes.empty()) {
    wanted.native_bytes = static_cast<unsigned>(parse_number("EMULATOR_NATIVE_BYTES", bytes, 64));
    if (wanted.native_bytes != 32 && wanted.native_bytes != 64)
      throw bad_setting("EMULATOR_NATIVE_BYTES is '" + bytes + "'; it can be 32 or 64");
  }
  wanted.native_compares = flag("EMULATOR_NATIVE_COMPARE", wanted.native_compares);
  if (const std::string orders = variable("EMULATOR_ORDERS"); !orders.empty())
    parse_orders("EMULATOR_ORDERS", orders, wanted);
  wanted.trace_launches = flag("EMULATOR_TRACE", false);
  wanted.trace_path = variable("EMULATOR_TRACE_FILE");
  wanted.api_errors = flag("EMULATOR_API_ERRORS", wanted.api_errors);
  read.print_report = flag("EMULATOR_REPORT", false);
  read.print_notes = flag("EMULATOR_NOTES", false);
  read.print_profile = flag("EMULATOR_PROFILE", false);
  if (read.print_profile) wanted.counters = true;
  read.json_path = variable("EMULATOR_JSON");
  read.summary_path = variable("EMULATOR_SUMMARY");
  read.suppressions_path = variable("EMULATOR_SUPPRESS");
  return read;
}

}  // namespace

void parse_checks(const std::string& list, options& into) {
  bool* const checks[] = {&into.memcheck, &into.racecheck, &into.initcheck, &into.synccheck, &into.leaks};
  static constexpr const char* names[] = {"memcheck", "racecheck", "initcheck", "synccheck", "leaks"};
  for (bool* check : checks) *check = false;
  if (list == "none") return;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name == "all") {
      for (bool* check : checks) *check |= check != &into.leaks;
      continue;
    }
    const auto* const found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) {
      throw bad_setting(
          "unknown check '" + name +
          "'; it can be all, none, or some of memcheck,racecheck,initcheck,synccheck and leaks (all,leaks)");
    }
    *checks[found - std::begin(names)] = true;
  }
}

unsigned long long parse_number(const std::string& name, const std::string& text, unsigned long long largest) {
  unsigned long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > largest) {
    throw bad_setting(name + " is '" + text + "'; it must be a whole number from 0 to " + std::to_string(largest));
  }
  return value;
}

void parse_orders(const std::string& name, const std::string& text, options& into) {
  const std::size_t colon = text.find(':');
  into.orders = static_cast<unsigned>(parse_number(name, text.substr(0, colon), 65536));
  if (colon != std::string::npos)
    into.orders_seed = parse_number(name + "'s seed", text.substr(colon + 1), 0xffffffffffffull);
}

void parse_gpus(const std::string& name, const std::string& text, int& count, bool& peers) {
  const std::size_t colon = text.find(':');
  const std::string digits = text.substr(0, colon);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  peers = colon == std::string::npos;
  const bool known = peers || text.substr(colon) == ":no-peer";
  if (error == std::errc() && end == digits.data() + digits.size() && known && count >= 1 &&
      count <= memory::max_devices)
    return;
  throw bad_setting(name + " is '" + text + "'; it can be a number of devices from 1 to " +
                    std::to_string(memory::max_devices) + ", or, if they cannot access each other's memory, 4:no-peer");
}

std::string text_of(const path_latencies& latencies) {
  std::string text;
  for (const named_latency& one : all_latencies) {
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, latencies.*one.which).ptr;
    text += (text.empty() ? "" : ",") + std::string(one.name) + '=' + std::string(digits, end);
  }
  return text;
}

path_latencies latencies_of(const std::string& text) {
  path_latencies read;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view name = part.substr(0, part.find('='));
    const std::string_view value = part.substr(std::min(name.size() + 1, part.size()));
    const auto* const found = std::ranges::find(all_latencies, name, &named_latency::name);
    double cycles = -1;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), cycles);
    const bool whole = error == std::errc() && stop == value.data() + value.size();
    if (found == all_latencies.end() || !whole || !(cycles >= 0 && cycles <= 1e6))
      throw bad_setting("EMULATOR_LATENCIES has '" + std::string(part) + "'; it can be as in '" + text_of({}) + "'");
    read.*found->which = cycles;
  }
  return read;
}

const environment& environment::instance() {
  static const environment* const read = [] {
    try {
      return new environment(read_environment());
    } catch (const bad_setting& bad) {
      std::fprintf(stderr, "emulator: %s\n", bad.what());
      std::fflush(nullptr);
      _exit(2);
    }
  }();
  return *read;
}

}  // namespace emulator::runtime
