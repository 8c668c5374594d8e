#include "host/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace host {
namespace {

constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

/// Returns the number in a file; `unknown` if it has none, for example only the word "max".
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
  if (!root.empty()) return unknown;
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes)
                                     : unknown;
}

/// Returns the memory that a control group leaves, from the files with its limit and its usage.
std::uint64_t rest_of(const std::string& limit, const std::string& usage) {
  const std::uint64_t most = number_in(limit), used = number_in(usage);
  if (most == unknown || used == unknown) return unknown;
  return most > used ? most - used : 0;
}

/// Returns the least memory that the process's control group (version 2; for version 1, the outermost one) and its
/// ancestors leave.
std::uint64_t of_the_container(const std::string& root) {
  std::string group;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::", 0) == 0) group = line.substr(3);
  }
  const std::string all = root + "/sys/fs/cgroup";
  std::uint64_t least = rest_of(all + "/memory/memory.limit_in_bytes", all + "/memory/memory.usage_in_bytes");
  while (true) {
    least = std::min(least, rest_of(all + group + "/memory.max", all + group + "/memory.current"));
    if (group.empty()) return least;
    group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
}

/// Returns the address space that `ulimit -v` leaves.
std::uint64_t of_the_shell(const std::string& root) {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
  const std::uint64_t pages = number_in(root + "/proc/self/statm");
  const std::uint64_t used = pages == unknown ? 0 : pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t unused_memory(const std::string& root) {
  return std::min(of_the_machine(root), of_the_container(root));
}

std::uint64_t available_memory(const std::string& root) {
  return std::min(unused_memory(root), of_the_shell(root));
}

std::uint64_t page_bytes() {
  static const long size = sysconf(_SC_PAGESIZE);
  return static_cast<std::uint64_t>(size);
}

bool processor_is_emulated() {
  // qemu intercepts /proc/self/exe, but not the same link of a thread.
  char program[4096];
  const std::string link = "/proc/self/task/" + std::to_string(getpid()) + "/exe";
  const ssize_t length = readlink(link.c_str(), program, sizeof program);
  if (length <= 0) return false;
  const std::string path(program, static_cast<std::size_t>(length));
  return path.find("/qemu-", path.find_last_of('/')) != std::string::npos;
}

}  // namespace host
