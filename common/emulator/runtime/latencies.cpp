#include "emulator/runtime/latencies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "emulator/runtime/environment.hpp"

namespace emulator::runtime {
namespace {

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

}  // namespace

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
    const auto* const found = std::find_if(all_latencies.begin(), all_latencies.end(),
                                           [&](const named_latency& one) { return one.name == name; });
    double cycles = -1;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), cycles);
    const bool whole = error == std::errc() && stop == value.data() + value.size();
    if (found == all_latencies.end() || !whole || !(cycles >= 0 && cycles <= 1e6))
      throw bad_setting("EMULATOR_LATENCIES has '" + std::string(part) + "'; it can be as in '" + text_of({}) + "'");
    read.*found->which = cycles;
  }
  return read;
}

}  // namespace emulator::runtime
