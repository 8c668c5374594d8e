#pragma once
/// \file
/// Questions about processes, for tests that observe them from outside.

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace test_support {

/// Returns true if the process exists and has not ended. It counts as ended even if its parent has not yet asked for
/// its status.
[[nodiscard]] inline bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  // The format is PID (NAME) STATE …. NAME may contain parentheses itself, so the last one is searched for.
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z' &&
         text[name_end + 2] != 'X';
}

/// Calls `holds()` until it returns true or a minute has passed. Returns the last result.
template <typename Question>
[[nodiscard]] bool eventually(const Question& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return holds();
}

/// Returns true if the process has ended, or ends within a minute.
[[nodiscard]] inline bool ends(pid_t process) {
  return eventually([&] { return !is_running(process); });
}

/// Waits until a file has a line with a number. Returns the number, or -1 if it does not appear within a minute.
[[nodiscard]] inline pid_t number_in(const std::string& path) {
  pid_t number = -1;
  static_cast<void>(eventually([&] {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || file.eof()) return false;
    number = std::stoi(line);
    return true;
  }));
  return number;
}

}  // namespace test_support
