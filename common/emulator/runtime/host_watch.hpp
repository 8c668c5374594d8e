#pragma once
/// \file
/// What the host does by itself to memory that host and device share: between two calls of the runtime, pages that work
/// under way touches are closed to it, so that an access that comes too early is seen. On x86-64 Linux.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "emulator/memory/touched_bytes.hpp"
#include "emulator/only_one.hpp"
#include "emulator/runtime/call_stack.hpp"

namespace emulator::runtime {

class host_watch {
 public:
  static host_watch& instance() { return only_one<host_watch>(); }

  /// A host thread begins a call of the runtime, and ends it; calls inside of calls are not told.
  void call_begins();
  void call_ends();
  /// Makes findings of what has been seen. Under the device's mutex.
  void tell();
  /// An access that a closed page has stopped, in its thread. Returns false where that is somebody else's affair.
  /// \param goes_one_step  receives whether the page is open for this instruction alone
  [[nodiscard]] bool stopped(std::uintptr_t address, bool writes, std::uintptr_t instruction, bool& goes_one_step);
  /// The instruction that went on has been carried out. Returns false where none did.
  [[nodiscard]] bool stepped();

 private:
  struct page {
    std::uintptr_t begin = 0;
    bool readable = false;
    bool open = false;  ///< For good, until pages are closed again.
  };
  /// What is noted while nothing can be allocated.
  struct sighting {
    static constexpr int deepest = 48;
    const void* work = nullptr;
    std::uintptr_t address = 0;
    bool writes = false;
    bool learns = false;
    void* stack[deepest] = {};
    int depth = 0;
    std::uintptr_t instruction = 0;
  };
  static constexpr std::size_t most_sightings = 16;
  static constexpr std::uint64_t most_steps = 20'000;

  void open();
  void close();

  void install();
  [[nodiscard]] page* find(std::uintptr_t address);

  std::recursive_mutex mutex_;  ///< A signal may come to who has it.
  std::uint64_t calls_ = 0;
  std::uint64_t version_ = 0;  ///< Of the work that `pages_` were made of.
  std::vector<page> pages_;    ///< By rising begin.
  bool closed_ = false;
  bool installed_ = false;
  sighting seen_[most_sightings];
  std::size_t seen_count_ = 0;
  std::uint64_t steps_ = 0;  ///< Since pages were closed: a page is left open where it would take too many.
};

/// As long as it exists, the emulator touches memory. To be made under the device's mutex.
class pages_open {
 public:
  pages_open() {
    host_watch::instance().call_begins();
    host_watch::instance().tell();
  }
  ~pages_open() { host_watch::instance().call_ends(); }
  pages_open(const pages_open&) = delete;
  pages_open& operator=(const pages_open&) = delete;
};

}  // namespace emulator::runtime
