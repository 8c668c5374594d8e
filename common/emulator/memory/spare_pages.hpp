#pragma once
/// \file
/// Pages of freed memory, to be reused by later allocations. Getting new pages from the system, with one fault each,
/// takes several times as long as clearing these.

#include <cstdint>
#include <vector>

namespace emulator::memory {

/// Holds pages of private mappings of up to 4 MiB each and 64 MiB in total. Must not be shared between threads.
class spare_pages {
 public:
  /// Removes the pages from [begin, begin + bytes), which is one mapping, and leaves a mapping without pages there.
  /// Does nothing if the mapping is too small or too large, or if the system does not support it.
  void take(void* begin, std::uint64_t bytes);
  /// Maps `bytes` bytes of zeroed pages at `begin`, replacing whatever is mapped there. Returns false without doing
  /// anything if there are no such pages.
  bool give(void* begin, std::uint64_t bytes);

 private:
  struct piece {
    void* at = nullptr;
    std::uint64_t bytes = 0;
  };
  std::vector<piece> pieces_;  ///< Oldest first.
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace emulator::memory
