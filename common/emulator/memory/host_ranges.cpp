#include "emulator/memory/host_ranges.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "host/memory.hpp"

namespace emulator::memory {
namespace {

struct mapping {
  std::uintptr_t begin = 0, end = 0;
  bool readable = false, writable = false;
};

std::uintptr_t largest_stack() {
  rlimit limit{};
  return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : 0;  // unlimited: the largest number
}

std::vector<mapping> read_mappings() {
  std::vector<mapping> all;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    unsigned long long begin = 0, end = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %4s", &begin, &end, rights) != 3) continue;
    mapping found{begin, end, rights[0] == 'r', rights[1] == 'w'};
    mapping* last = all.empty() ? nullptr : &all.back();
    // The main thread's stack grows on access, so its largest possible size counts.
    if (line.ends_with("[stack]"))
      found.begin =
          std::min(found.begin, std::max<std::uintptr_t>(last != nullptr ? last->end : 0,
                                                         end - std::min<std::uintptr_t>(end, largest_stack())));
    if (last != nullptr && last->end == found.begin && last->readable == found.readable &&
        last->writable == found.writable)
      last->end = found.end;
    else
      all.push_back(found);
  }
  return all;
}

/// Returns the first byte of [begin, end) that is not in a mapping with the wanted rights; `end` if there is none.
std::uintptr_t first_beyond(const std::vector<mapping>& all, std::uintptr_t begin, std::uintptr_t end, bool writing) {
  auto next = std::upper_bound(all.begin(), all.end(), begin,
                               [](std::uintptr_t address, const mapping& m) { return address < m.end; });
  for (std::uintptr_t at = begin; at < end; ++next) {
    if (next == all.end() || next->begin > at || !(writing ? next->writable : next->readable)) return at;
    at = next->end;
  }
  return end;
}

/// Returns true if each page of the range is mapped, with any access rights.
bool all_mapped(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t first = begin / host::page_bytes() * host::page_bytes();
  // MS_ASYNC starts no writes; msync only checks that the range is mapped.
  return msync(reinterpret_cast<void*>(first), end - first, MS_ASYNC) == 0 || errno != ENOMEM;
}

}  // namespace

std::optional<std::uintptr_t> first_unusable_byte(std::uintptr_t address, std::size_t size_bytes, bool writing) {
  if (size_bytes == 0) return std::nullopt;
  if (size_bytes > std::numeric_limits<std::uintptr_t>::max() - address) return address;
  static auto* mutex = new std::mutex;
  static auto* known = new std::vector<mapping>;
  const std::lock_guard lock(*mutex);
  const std::uintptr_t end = address + size_bytes;
  // Access rights hardly ever change, but memory is often mapped and unmapped.
  if (all_mapped(address, end) && first_beyond(*known, address, end, writing) == end) return std::nullopt;
  *known = read_mappings();
  if (known->empty()) return std::nullopt;  // Nothing is known.
  const std::uintptr_t first = first_beyond(*known, address, end, writing);
  return first == end ? std::nullopt : std::optional(first);
}

}  // namespace emulator::memory
