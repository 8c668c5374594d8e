#include "emulator/memory/spare_pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace emulator::memory {
namespace {

constexpr std::uint64_t fewest_bytes = std::uint64_t{64} << 10, max_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t max_bytes_in_all = std::uint64_t{64} << 20;

/// Moves the pages of a mapping to a different address, and leaves the mapping in place. Returns the new address, or
/// MAP_FAILED.
void* moved_away(void* begin, std::uint64_t bytes) {
#if defined(MREMAP_DONTUNMAP)
  return mremap(begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
#else
  static_cast<void>(begin), static_cast<void>(bytes);
  return MAP_FAILED;
#endif
}

}  // namespace

void spare_pages::take(void* begin, std::uint64_t bytes) {
  if (bytes < fewest_bytes || bytes > max_bytes) return;
  void* const at = moved_away(begin, bytes);
  if (at == MAP_FAILED) return;
  pieces_.push_back({at, bytes});
  kept_bytes_ += bytes;
  while (kept_bytes_ > max_bytes_in_all) {
    munmap(pieces_.front().at, pieces_.front().bytes);
    kept_bytes_ -= pieces_.front().bytes;
    pieces_.erase(pieces_.begin());
  }
}

bool spare_pages::give(void* begin, std::uint64_t bytes) {
  const auto newest =
      std::find_if(pieces_.rbegin(), pieces_.rend(), [bytes](const piece& one) { return one.bytes == bytes; });
  if (newest == pieces_.rend()) return false;
  if (mremap(newest->at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == MAP_FAILED) return false;
  pieces_.erase(std::next(newest).base());
  kept_bytes_ -= bytes;
  std::memset(begin, 0, static_cast<std::size_t>(bytes));
  return true;
}

}  // namespace emulator::memory
