#include "host/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "host/files.hpp"

namespace host {

bool is_terminal(int file_descriptor) {
  return isatty(file_descriptor) != 0;
}

std::optional<std::size_t> terminal_columns(int file_descriptor) {
  winsize size{};
  if (is_terminal(file_descriptor) && ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    return size.ws_col;
  const std::string columns = variable("COLUMNS");
  const bool is_number =
      !columns.empty() && columns.size() < 5 && columns.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::optional<std::size_t>(std::stoul(columns)) : std::nullopt;
}

bool takes_color(int file_descriptor) {
  return is_terminal(file_descriptor) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

}  // namespace host
