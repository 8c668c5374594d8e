#include "host/program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <ctime>

namespace host {

int guarded(const std::string& name, int otherwise, const std::function<int()>& body) {
  try {
    return body();
  } catch (const failure& failed) {
    fmt::print(stderr, "{}: {}\n", name, failed.what());
    return failed.status();
  } catch (const std::exception& failed) {
    fmt::print(stderr, "{}: {}\n", name, failed.what());
    return otherwise;
  }
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

}  // namespace host
