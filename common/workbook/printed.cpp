#include "workbook/printed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace workbook {
namespace {

/// Longer lines are cut, because a kernel can print without ever ending a line.
constexpr std::size_t longest_line = 2000;

void flush_standard_output() {
  std::fflush(stdout);
  std::cout.flush();
}

/// Returns the number with commas: 18000 as "18,000".
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

/// A pipe in place of standard output, and the thread that empties it.
struct captured_output::reader {
  int before = -1;  ///< The original standard output.
  int from = -1;    ///< The pipe's reading end.
  std::size_t kept = 0;
  printed read{};
  std::string line{};
  std::thread thread{};

  void end_line() {
    ++read.line_count;
    if (read.lines.size() < kept) read.lines.push_back(line);
    line.clear();
  }
  void take_in(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      line += part.substr(0, longest_line - std::min(longest_line, line.size()));
      if (end == std::string_view::npos) return;
      end_line();
      bytes.remove_prefix(end + 1);
    }
  }
  void run() {
    char buffer[65536];
    while (true) {
      const ssize_t got = ::read(from, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      take_in({buffer, static_cast<std::size_t>(got)});
    }
    if (!line.empty()) end_line();
  }
};

captured_output::captured_output(std::size_t kept) {
  flush_standard_output();
  const int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int ends[2];
  if (before < 0) return;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    close(before);
    return;
  }
  reader_ = std::make_unique<reader>(reader{.before = before, .from = ends[0], .kept = kept});
  try {
    reader_->thread = std::thread([r = reader_.get()] { r->run(); });
    dup2(ends[1], STDOUT_FILENO);
  } catch (const std::system_error&) {  // no thread is available, so the output is not captured
    close(before);
    close(ends[0]);
    reader_.reset();
  }
  close(ends[1]);
}

captured_output::~captured_output() {
  if (reader_) (void)take();
}

printed captured_output::take() {
  if (!reader_) return {};
  flush_standard_output();
  // This closes the pipe's last writing end, so the reader ends.
  dup2(reader_->before, STDOUT_FILENO);
  close(reader_->before);
  reader_->thread.join();
  close(reader_->from);
  printed read = std::move(reader_->read);
  reader_.reset();
  return read;
}

void printed_by_all::add(const printed& more) {
  if (more.line_count == 0) return;
  auto known = std::find_if(all_.begin(), all_.end(), [&](const printed& one) { return one.kernel == more.kernel; });
  if (known == all_.end()) known = all_.insert(all_.end(), printed{more.kernel, 0, {}});
  known->line_count += more.line_count;
  for (const std::string& line : more.lines) {
    if (known->lines.size() < kept_) known->lines.push_back(line);
  }
}

std::string printed_by_all::text() const {
  std::string text;
  for (const printed& one : all_) {
    text += fmt::format("\nPrinted by {}:\n", one.kernel);
    for (const std::string& line : one.lines) text += "  " + line + '\n';
    const std::uint64_t more = one.line_count - one.lines.size();
    if (more > 0)
      text += fmt::format("  … {} more line{} of printf from {};\n  --all-output shows them\n", grouped(more),
                          more == 1 ? "" : "s", one.kernel);
  }
  return text;
}

nlohmann::json printed_by_all::data() const {
  nlohmann::json all = nlohmann::json::array();
  for (const printed& one : all_)
    all.push_back({{"kernel", one.kernel}, {"line_count", one.line_count}, {"lines", one.lines}});
  return all;
}

}  // namespace workbook
