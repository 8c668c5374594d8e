#include "host/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace host {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// The number that a file consists of; unknown where there is none, as in the word "max".
std::uint64_t number_in(const std::string& path) {
  std::uint64_t value = 0;
  return std::ifstream(path) >> value ? value : unknown;
}

std::uint64_t of_the_machine(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "MemAvailable:") return kibibytes * 1024;
  }
  return unknown;
}

/// The process's control group (version 2) and those above it: the least that one of them leaves.
std::uint64_t of_the_container(const std::string& root) {
  std::string group;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) == 0) group = line.substr(3);
  }
  std::uint64_t least = unknown;
  while (true) {
    const std::string folder = root + "/sys/fs/cgroup" + group;
    const std::uint64_t most = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
    if (most != unknown && used != unknown) least = std::min(least, most > used ? most - used : 0);
    if (group.empty()) return least;
    group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

/// What `ulimit -v` leaves.
std::uint64_t of_the_shell(const std::string& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
  const std::uint64_t pages = number_in(root + "/proc/self/statm");
  const std::uint64_t used = pages == unknown ? 0 : pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t available_memory(const std::string& root) {
  return std::min({of_the_machine(root), of_the_container(root), of_the_shell(root)});
}

}  // namespace host
