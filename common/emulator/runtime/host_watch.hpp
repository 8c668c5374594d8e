#pragma once
/// \file
/// Watches the host's direct accesses to memory that it shares with the device. Between two runtime calls, pages that
/// unfinished work uses are protected, so an access that comes too early is noticed. Only on x86-64 Linux.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "emulator/memory/touched_bytes.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

class host_watch {
 public:
  static host_watch& instance() { return singleton<host_watch>(); }

  /// A host thread begins and ends a runtime call. Nested calls are not reported.
  void call_begins();
  void call_ends();
  /// Creates findings for the recorded accesses. Must be called under the device's mutex.
  void tell();
  /// Handles an access that a protected page has stopped, in the thread that made it. Returns false if the fault has a
  /// different cause.
  /// \param goes_one_step  receives true if the page is only open for this one instruction
  [[nodiscard]] bool stopped(std::uintptr_t address, bool writes, std::uintptr_t instruction, bool& goes_one_step);
  /// Handles the end of the single step of such an instruction. Returns false if there was none.
  [[nodiscard]] bool stepped();

 private:
  struct page {
    std::uintptr_t begin = 0;
    bool readable = false;
    bool open = false;  ///< The page stays accessible until pages are protected again.
  };
  /// An access, recorded in a signal handler, where nothing can be allocated.
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
  static constexpr std::size_t max_sightings = 16;
  static constexpr std::uint64_t max_steps = 20'000;

  void open();
  void close();

  void install();
  [[nodiscard]] page* find(std::uintptr_t address);

  std::recursive_mutex mutex_;  ///< Recursive, because a signal may arrive in the thread that holds it.
  std::uint64_t calls_ = 0;
  std::uint64_t version_ = 0;  ///< Version of the work when `pages_` was made.
  std::vector<page> pages_;    ///< Sorted by begin.
  bool closed_ = false;
  bool installed_ = false;
  sighting seen_[max_sightings];
  std::size_t seen_count_ = 0;
  std::uint64_t steps_ = 0;  ///< Single steps since the pages were protected. After too many, pages stay open.
};

/// While an object exists, the emulator can access memory. It is created under the device's mutex.
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
