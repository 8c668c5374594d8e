#include "workbook/command_line.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace workbook {
namespace {

constexpr std::size_t largest_count = std::size_t{1} << 40;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw std::invalid_argument(
      fmt::format("--count {}: {} Give a number from 0 to 2^40, such as 1000000, 2^22 or 4Mi.", text, why));
}

std::size_t digits(const std::string& text, const std::string& part) {
  if (part.empty() || part.find_first_not_of("0123456789") != std::string::npos)
    refuse(text, "this is not a number of elements.");
  if (part.size() > 13) refuse(text, "this is too large.");
  return std::stoull(part);
}

std::string parse_type(const std::string& text, element_type& type) {
  for (const element_type t :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    if (name_of(t) == text) {
      type = t;
      return {};
    }
  }
  return fmt::format("--type {}: the types are int, unsigned, longlong, float and double.", text);
}

/// Reads 16x8 or 8x4x4; a shape that no block can have becomes the complaint, unless there is one already.
void parse_shape(const std::string& text, problem& given, std::string& complaint) {
  static constexpr unsigned largest[] = {1024, 1024, 64};
  std::array<unsigned, 3> shape{1, 1, 1};
  std::istringstream parts(text);
  std::size_t k = 0, threads = 1;
  bool good = text.back() != 'x';
  for (std::string part; good && std::getline(parts, part, 'x'); ++k) {
    good = k < 3 && !part.empty() && part.size() < 5 && part.find_first_not_of("0123456789") == std::string::npos;
    if (!good) break;
    shape[k] = static_cast<unsigned>(std::stoul(part));
    good = shape[k] >= 1 && shape[k] <= largest[k];
    threads *= shape[k];
  }
  good = good && threads >= 1 && threads <= 1024;
  if (!good && complaint.empty())
    complaint =
        fmt::format("--block-size {}: give up to three dimensions, such as 16x8 or 8x4x4, 1024 threads in all.", text);
  given.block_shape = shape;
  given.block_size = static_cast<unsigned>(threads);
}

}  // namespace

std::size_t parse_count(const std::string& text) {
  if (const auto caret = text.find('^'); caret != std::string::npos) {
    if (digits(text, text.substr(0, caret)) != 2) refuse(text, "only powers of two can be written with ^.");
    const std::size_t exponent = digits(text, text.substr(caret + 1));
    if (exponent > 40) refuse(text, "this is too large.");
    return std::size_t{1} << exponent;
  }
  std::size_t unit = 1;
  std::string number = text;
  static const std::pair<const char*, std::size_t> units[] = {{"Ki", 1u << 10}, {"Mi", 1u << 20}, {"Gi", 1u << 30},
                                                              {"K", 1000},      {"M", 1000000},   {"G", 1000000000}};
  for (const auto& [suffix, factor] : units) {
    const std::string s = suffix;
    if (text.size() > s.size() && text.compare(text.size() - s.size(), s.size(), s) == 0) {
      unit = factor;
      number = text.substr(0, text.size() - s.size());
      break;
    }
  }
  const std::size_t value = digits(text, number);
  if (value > largest_count / unit) refuse(text, "this is too large.");
  return value * unit;
}

parsed parse_command_line(int argc, char** argv, const std::string& title) {
  command_line line;
  // Google Benchmark's own flags stand behind --benchmark and are its business; the word behind --profile may be
  // absent.
  std::vector<char*> ours;
  for (int k = 0; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--benchmark")
      line.benchmark = true;
    else if (word.rfind("--benchmark_", 0) == 0)
      line.benchmark_arguments.push_back(word);
    else if (word == "--profile" && k + 1 < argc && argv[k + 1][0] != '-')
      line.profile = argv[++k];
    else if (word == "--profile" || word.rfind("--profile=", 0) == 0)
      line.profile = word.substr(std::min(word.size(), std::string("--profile=").size()));
    else
      ours.push_back(argv[k]);
  }
  CLI::App app{title};
  std::string device = "auto", count, type = "int", block_size = "128", seed = "1";
  app.add_option("--device", device,
                 "auto (the GPU where there is one, and the emulator for the counts), gpu or emulator");
  app.add_option("--count", count,
                 "Number of elements: 1000, 2^22, 4Mi (default: 2^26 on a GPU, 2^20 on the emulator)");
  app.add_option("--type", type, "int, unsigned, longlong, float or double");
  app.add_option("--block-size", block_size,
                 "Threads a block, 32 to 1024 (default 128); 16x8 or 8x4x4 where a chapter takes it");
  app.add_option("--seed", seed, "Which input (default 1)");
  app.add_option("--json", line.json,
                 "Write everything as JSON to this file; - is standard output, and then nothing else is printed there");
  app.add_flag("--test", line.strict_test,
               "The strict verdict on your kernel: every size, type and block size, every check, and the goal")
      ->excludes("--count", "--type", "--block-size");
  app.add_flag("--to-the-end", line.to_the_end, "With --test: go on after a failure")->needs("--test");
  bool unused = false;
  app.add_flag("--profile", unused,
               "What each line of a kernel costs, on the emulator; a kernel's name or role may follow (default: yours, "
               "or the reference where you have not begun)");
  app.add_flag("--benchmark", unused, "Google Benchmark instead of the table; its own --benchmark_… flags may follow");
  try {
    app.parse(static_cast<int>(ours.size()), ours.data());
  } catch (const CLI::ParseError& e) {
    return {{}, app.exit(e) == 0 ? 0 : 2};
  }
  std::string complaint;
  if (device == "auto")
    line.device = device_choice::automatic;
  else if (device == "gpu")
    line.device = device_choice::gpu;
  else if (device == "emulator")
    line.device = device_choice::emulator;
  else
    complaint = fmt::format("--device {}: the devices are auto, gpu and emulator.", device);
  if (complaint.empty()) complaint = parse_type(type, line.given.type);
  if (complaint.empty() && line.profile && line.benchmark)
    complaint = "--profile counts and --benchmark takes times: leave one out.";
  if (complaint.empty() && line.profile && line.device == device_choice::gpu)
    complaint = "--profile needs the emulator, which counts by line: leave out --device gpu.";
  try {
    if (complaint.empty() && !count.empty()) line.count = parse_count(count);
  } catch (const std::invalid_argument& e) {
    complaint = e.what();
  }
  const auto number = [&](const char* name, const std::string& text, std::uint64_t low,
                          std::uint64_t high) -> std::uint64_t {
    const bool good = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
    const std::uint64_t value = good ? std::stoull(text) : 0;
    if (complaint.empty() && (!good || value < low || value > high))
      complaint = fmt::format("{} {}: give a number from {} to {}.", name, text, low, high);
    return value;
  };
  line.block_size_given = app.count("--block-size") > 0;
  if (block_size.find('x') != std::string::npos) {
    parse_shape(block_size, line.given, complaint);
  } else {
    line.given.block_size = static_cast<unsigned>(number("--block-size", block_size, 32, 1024));
  }
  line.given.seed = number("--seed", seed, 0, 999999999999999999ull);
  if (!complaint.empty()) {
    fmt::print(stderr, "{}\n", complaint);
    return {{}, 2};
  }
  return {line, 0};
}

}  // namespace workbook
