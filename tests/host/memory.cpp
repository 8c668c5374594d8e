// Tests the amount of available memory that is reported for machines that are simulated by files.

#include "host/memory.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "host/process.hpp"
#include "support/catch.hpp"

namespace {

void put(const std::string& root, const std::string& path, const std::string& text) {
  std::filesystem::create_directories((root + path).substr(0, (root + path).find_last_of('/')));
  std::ofstream(root + path) << text;
}

}  // namespace

TEST_CASE("the free memory is the machine's, or that of the container around this process") {
  const host::temporary_folder folder;
  const std::string& root = folder.path();
  CHECK(host::available_memory(root) == std::numeric_limits<std::uint64_t>::max());
  put(root, "/proc/meminfo", "MemTotal:       24000 kB\nMemFree:  5000 kB\nMemAvailable:   20000 kB\n");
  CHECK(host::available_memory(root) == 20000ull * 1024);
  put(root, "/proc/self/cgroup", "1:name=systemd:/other\n0::/course/student\n");
  put(root, "/sys/fs/cgroup/course/student/memory.max", "max\n");
  put(root, "/sys/fs/cgroup/course/student/memory.current", "1000\n");
  CHECK(host::available_memory(root) == 20000ull * 1024);
  put(root, "/sys/fs/cgroup/course/memory.max", "9000\n");
  put(root, "/sys/fs/cgroup/course/memory.current", "2000\n");
  CHECK(host::available_memory(root) == 7000);
  put(root, "/sys/fs/cgroup/course/memory.current", "9500\n");
  CHECK(host::available_memory(root) == 0);
}

TEST_CASE("a control group of the older interface counts, too") {
  const host::temporary_folder folder;
  const std::string& root = folder.path();
  put(root, "/proc/meminfo", "MemAvailable:   20000 kB\n");
  put(root, "/proc/self/cgroup", "4:memory:/course\n");
  put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
  put(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "2000\n");
  CHECK(host::unused_memory(root) == 7000);
  put(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(host::unused_memory(root) == 20000ull * 1024);
}

TEST_CASE("this machine has some memory left") {
  CHECK(host::available_memory() > 0);
  CHECK(host::available_memory() < std::uint64_t{1} << 60);
}

TEST_CASE("the page size is the system's, and is a power of two") {
  CHECK(host::page_bytes() == static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  CHECK((host::page_bytes() & (host::page_bytes() - 1)) == 0);
}
