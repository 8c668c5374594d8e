#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "emulator/memory/global_memory.hpp"

namespace emulator::memory {
namespace {

/// Returns the number in a one-line file; nothing where there is none ("max", or no such file).
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

/// Returns what the control group may still use, for version 2 and version 1 of the interface.
std::uint64_t control_group_rest() {
  struct pair {
    const char* limit;
    const char* usage;
  };
  for (const pair& files :
       {pair{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        pair{"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const auto limit = number_in(files.limit);
    const auto usage = number_in(files.usage);
    if (limit && usage) return *limit > *usage ? *limit - *usage : 0;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

/// Returns the kernel's own estimate of what can be given away without swapping.
std::uint64_t system_rest() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key;) {
    if (key == "MemAvailable:") {
      std::uint64_t kibibytes = 0;
      if (file >> kibibytes) return kibibytes * 1024;
    }
  }
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
}

}  // namespace

std::uint64_t host_memory_available() {
  return std::min(system_rest(), control_group_rest());
}

}  // namespace emulator::memory
