// What a profile may assume of the place that it is printed to.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "emulator/report/profile.hpp"

namespace emulator::report {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

profile_style style_for(int file_descriptor) {
  constexpr std::size_t narrowest = 80, widest = 120;
  profile_style style;
  const bool terminal = isatty(file_descriptor) != 0;
  winsize size{};
  if (terminal && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    style.width = size.ws_col;
  } else if (const std::string columns = variable("COLUMNS");
             !columns.empty() && columns.size() < 5 && columns.find_first_not_of("0123456789") == std::string::npos) {
    style.width = std::stoul(columns);
  }
  style.width = std::clamp(style.width, narrowest, widest);
  style.color = terminal && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  return style;
}

}  // namespace emulator::report
