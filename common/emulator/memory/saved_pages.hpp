#pragma once
/// \file
/// What a launch changes in device memory, kept so that the same launch can be run again from the same state.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/memory/global_memory.hpp"

namespace emulator::memory {

/// Pages of allocations as they were before the first write to each, and as one run left them. Costs what is written,
/// not what is allocated. For one host thread; no allocation may be freed meanwhile.
class saved_pages {
 public:
  /// To be called before bytes of `in` change.
  void before_write(allocation& in, std::uintptr_t address, std::uint64_t size_bytes);
  /// Brings back what there was before the first write: bytes, and which of them had been written.
  void restore();
  /// Keeps what there is now as the result with which others are compared.
  void keep_result();
  /// Puts back what `keep_result` kept.
  void put_back_result();

  struct difference {
    std::uintptr_t address = 0;  ///< The first word that is not as in the kept result; 0: all are.
    std::uint64_t words = 0;     ///< Of 4 bytes: how many are not.
    bool only_rounding = true;   ///< All of them may be floating-point numbers that differ in their last digits.
    std::uint32_t here = 0, kept = 0;
    bool wide = false;  ///< Rounding: they are halves of numbers of 8 bytes.
  };
  [[nodiscard]] difference compare() const;
  /// Returns the 8 bytes at `address`, or what is left of its page, as `keep_result` kept them.
  [[nodiscard]] std::uint64_t kept_word(std::uintptr_t address) const;

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  struct content {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> written;  ///< A bit a byte; empty where there was no bitmap.
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
  std::unordered_map<std::uintptr_t, std::size_t> by_address_;  ///< Of its first byte.
  std::uintptr_t last_ = 0;                                     ///< The page that was met last.
};

}  // namespace emulator::memory
