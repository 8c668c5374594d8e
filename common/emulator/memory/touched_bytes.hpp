#pragma once
/// \file
/// The bytes of device memory that a piece of work has read and written, for work that may run concurrently with other
/// work.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/memory/global_memory.hpp"

namespace emulator::memory {

/// The kinds of access to a byte.
enum class touch : std::uint8_t {
  read,
  write,
  atomic,  ///< Accessed by an atomic operation, or an ordered (or volatile) store.
  polled,  ///< Read by an ordered (or volatile) load.
  word     ///< Written by a copy or fill of one whole word.
};
inline constexpr std::size_t touches = 5;

/// Returns how a copy or fill of this size writes its destination: aligned words of up to 8 bytes are written as a
/// whole.
[[nodiscard]] constexpr touch written_by_copy(std::uintptr_t address, std::uint64_t size_bytes) {
  const bool word = size_bytes <= 8 && (size_bytes & (size_bytes - 1)) == 0 && address % size_bytes == 0;
  return word && size_bytes != 0 ? touch::word : touch::write;
}

/// Bits for each byte of each allocation, created on first use. `note` is safe to call from several host threads.
class touched_bytes {
 public:
  void note(const allocation& in, std::uintptr_t address, std::uint64_t size_bytes, touch how);
  /// Marks all of an allocation as written, because it is being allocated or freed.
  void note_whole(const allocation& in);

  struct conflict {
    std::uintptr_t address = 0;  ///< The first byte.
    touch here = touch::read, there = touch::read;
  };
  /// The accesses of two pieces of work to the same bytes.
  struct meeting {
    std::optional<conflict> met;  ///< A byte that both access and at least one writes; none if they communicate.
    /// They communicate: by atomics or polling, or by a word that one copies and the other polls.
    bool talk = false;
    bool learns = false;  ///< This one polls what the other changes, so it is ordered after it.
  };
  [[nodiscard]] meeting meeting_with(const touched_bytes& other) const;

  /// A page of memory that the host can access directly.
  struct host_page {
    std::uintptr_t begin = 0;
    bool written = false;
  };
  /// Adds the pages that were accessed. For memory larger than a page, only pages whose every byte was accessed are
  /// added, because other work may use the rest.
  void add_host_pages(global_memory& memory, std::vector<host_page>& to) const;
  /// Returns how a byte was accessed: a bit for each `touch`.
  [[nodiscard]] unsigned touches_at(const allocation& in, std::uintptr_t address) const;

 private:
  static constexpr std::uint64_t chunk_bytes = 4096, chunk_words = chunk_bytes / 64;
  using bits = std::array<std::atomic<std::uint64_t>, chunk_words>;
  struct chunk {
    std::array<bits, touches> of{};
  };
  struct of_allocation {
    std::uint64_t serial = 0;
    bool whole = false;  ///< All of it counts as written, regardless of the chunks.
    std::vector<std::atomic<chunk*>> chunks;
    explicit of_allocation(const allocation& a)
        : serial(a.serial), chunks((a.size_bytes + chunk_bytes - 1) / chunk_bytes) {}
    ~of_allocation() {
      for (auto& c : chunks) delete c.load();
    }
    of_allocation(const of_allocation&) = delete;
    of_allocation& operator=(const of_allocation&) = delete;
    /// Returns null if none of the chunk's bytes was accessed.
    [[nodiscard]] const chunk* chunk_at(std::size_t k) const { return whole ? &written() : chunks[k].load(); }
  };
  struct page_touches {
    bool all = true, any = false, written = false;
  };
  [[nodiscard]] static page_touches touches_of(const of_allocation& of, std::uint64_t from, std::uint64_t to);
  [[nodiscard]] of_allocation& entry_of(const allocation& in);
  [[nodiscard]] static const chunk& written();

  std::mutex mutex_;
  std::map<std::uintptr_t, std::unique_ptr<of_allocation>> allocations_;  ///< Indexed by `begin`.
};

}  // namespace emulator::memory
