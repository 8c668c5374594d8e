#pragma once
/// \file
/// The changes that a launch makes to device memory, saved so that the same launch can run again from the same state.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/memory/global_memory.hpp"

namespace emulator::memory {

/// Saves the contents of pages before the first write to each, and after one of the runs. The cost depends on the
/// amount of memory that is written, not on the amount that is allocated. Used by one host thread only. No allocation
/// may be freed while this object is in use.
class saved_pages {
 public:
  /// Has to be called before bytes of `in` change.
  void before_write(allocation& in, std::uintptr_t address, std::uint64_t size_bytes);
  /// Restores the state before the first write: the bytes, and which of them were initialised.
  void restore();
  /// Saves the current state as the result with which other runs are compared.
  void keep_result();
  /// Restores the state that `keep_result` saved.
  void put_back_result();

  struct difference {
    std::uintptr_t address = 0;  ///< The first word that differs from the saved result; 0: none differs.
    std::uint64_t words = 0;     ///< The number of differing words of 4 bytes.
    bool only_rounding = true;   ///< All differing words may be floating-point numbers that differ in their last
                                 ///< digits.
    std::uint32_t here = 0, kept = 0;
    bool wide = false;  ///< If `only_rounding` is set: the words are halves of 8-byte numbers.
  };
  [[nodiscard]] difference compare() const;
  /// Returns the 8 bytes at `address` as `keep_result` saved them, or fewer at the end of a page.
  [[nodiscard]] std::uint64_t kept_word(std::uintptr_t address) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  struct content {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> written;  ///< One bit per byte; empty if there was no bitmap.
    bool written_unobserved = false;
  };
  struct page {
    allocation* in = nullptr;
    std::uint64_t offset = 0;  ///< In the allocation.
    std::uint64_t size_bytes = 0;
    content before = {}, result = {};
    bool has_result = false;
    [[nodiscard]] std::byte* bytes() const { return reinterpret_cast<std::byte*>(in->begin + offset); }
  };
  static content content_of(const page& which);
  static void put(const page& which, const content& what);
  [[nodiscard]] static const content& result_of(const page& which) {
    return which.has_result ? which.result : which.before;
  }

  std::vector<page> pages_;
  std::unordered_map<std::uintptr_t, std::size_t> by_address_;  ///< Indexed by the address of the first byte.
  std::uintptr_t last_ = 0;                                     ///< The page of the most recent write.
};

}  // namespace emulator::memory
