#pragma once
/// \file
/// Pages of memory that was freed, for what is allocated next. To ask the system for pages, one fault each, takes
/// several times as long as clearing them.

#include <cstdint>
#include <vector>

namespace emulator::memory {

/// Keeps the pages of private mappings of up to 4 MiB, up to 64 MiB in all. Not safe to share between threads.
class spare_pages {
 public:
  /// Takes the pages of [begin, begin + bytes), which is one mapping, out of it, and leaves a mapping without pages
  /// there: if they are worth it, and the system can; else does nothing.
  void take(void* begin, std::uint64_t bytes);
  /// Puts so many pages, all 0, to `begin`, in the place of whatever is mapped there. Returns false, and has done
  /// nothing, where there are none.
  bool give(void* begin, std::uint64_t bytes);

 private:
  struct piece {
    void* at = nullptr;
    std::uint64_t bytes = 0;
  };
  std::vector<piece> pieces_;  ///< The oldest first.
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace emulator::memory
