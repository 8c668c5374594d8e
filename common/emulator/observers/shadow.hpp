#pragma once
/// \file
/// The race check's record of accesses to shared memory.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/observers/event.hpp"

namespace emulator::observers {

/// The strength of an access in the memory model. `ordinary` accesses race with every other one, `volatile_` ones also
/// with each other, and `strong` ones (including atomics) only with ordinary ones.
enum class access_level : std::uint32_t { ordinary = 0, volatile_ = 1, strong = 2 };

[[nodiscard]] inline access_level level_of(const memory_event& event) {
  return is_update(event.access) || (event.is_strong && !event.is_volatile) ? access_level::strong
         : event.is_volatile                                                ? access_level::volatile_
                                                                            : access_level::ordinary;
}

[[nodiscard]] inline bool levels_conflict(access_level a, access_level b) {
  return a == access_level::ordinary || b == access_level::ordinary ||
         (a == access_level::volatile_ && b == access_level::volatile_);
}

/// An access, packed into 32 bits: program counter (19 bits), a flag for several lanes that made it together (1), level
/// (2), and a thread of the block or a warp (10).
class access_info {
 public:
  access_info() = default;
  explicit access_info(std::uint32_t bits) : bits_(bits) {}
  access_info(std::uint32_t pc, access_level level, std::uint32_t who)
      : bits_(std::min(pc, max_pc) << 13 | static_cast<std::uint32_t>(level) << 10 | who) {}

  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  [[nodiscard]] std::uint32_t pc() const { return bits_ >> 13; }
  [[nodiscard]] access_level level() const { return static_cast<access_level>(bits_ >> 10 & 3); }
  [[nodiscard]] std::uint32_t who() const { return bits_ & who_mask; }

  static constexpr std::uint32_t max_pc = (1u << 19) - 1;
  static constexpr std::uint32_t who_mask = (1u << 10) - 1;
  /// For a write: several lanes of `who`'s warp have written the cell in one instruction, and `shadow::write_lanes`
  /// contains them.
  static constexpr std::uint32_t several = 1u << 12;

 private:
  std::uint32_t bits_ = 0;
};

/// For each cell, up to two groups of threads that accessed it. A group is a set of `lanes` of one warp with the same
/// stamp.
struct shadow_groups {
  struct group {
    std::vector<std::uint32_t> stamp;
    std::vector<std::uint32_t> info;  ///< `access_info` bits; `who` is the warp.
    std::vector<std::uint32_t> lanes;
    std::uint32_t newest = 0;  ///< An upper bound on the stamps.
  };
  std::array<group, 2> of;

  [[nodiscard]] std::size_t size() const { return of[0].stamp.size(); }
  void resize(std::size_t cells) {
    for (group& g : of) {
      g.stamp.resize(cells);
      g.info.resize(cells);
      g.lanes.resize(cells);
    }
  }
  void set(unsigned k, std::size_t cell, std::uint32_t stamp, access_info info, std::uint32_t lanes) {
    of[k].stamp[cell] = stamp;
    of[k].info[cell] = info.bits();
    of[k].lanes[cell] = lanes;
  }
  void forget() {
    for (group& g : of) {
      std::fill(g.stamp.begin(), g.stamp.end(), 0u);
      g.newest = 0;
    }
  }
};

/// The shadow of memory, with a cell for each word or for each byte.
struct shadow {
  std::vector<std::uint32_t> write_stamp;  ///< Stamp of the last plain write …
  std::vector<std::uint32_t> write_info;   ///< … and its `access_info` bits; `who` is the thread.
  std::vector<std::uint32_t> write_lanes;  ///< If `access_info::several` is set: all lanes that wrote it.
  std::vector<std::uint32_t> written_by;   ///< Number of the last store that was handled lane by lane.
  shadow_groups readers;
  shadow_groups atomics;  ///< Empty until the first atomic.

  void resize(std::size_t cells) {
    write_stamp.resize(cells);
    write_info.resize(cells);
    write_lanes.resize(cells);
    written_by.resize(cells);
    readers.resize(cells);
  }
  void forget() {
    std::fill(write_stamp.begin(), write_stamp.end(), 0u);
    readers.forget();
    atomics.forget();
  }
  /// Notes that a lane writes a cell; `info.who()` is its thread. \param together  true if another lane of the same
  /// instruction has written it before
  void write(std::size_t cell, std::uint32_t stamp, access_info info, bool together) {
    if (!together) {
      write_stamp[cell] = stamp;
      write_info[cell] = info.bits();
      return;
    }
    const std::uint32_t before = write_info[cell];
    const std::uint32_t lanes =
        (before & access_info::several) != 0 ? write_lanes[cell] : 1u << access_info(before).who() % 32;
    write_lanes[cell] = lanes | 1u << info.who() % 32;
    write_info[cell] = info.bits() | access_info::several;
    write_stamp[cell] = std::max(write_stamp[cell], stamp);  // valid for all of them: no barrier is between the writes
  }
  /// Copies cell `from` of `source` to cell `to` of this shadow.
  void copy(std::size_t to, const shadow& source, std::size_t from) {
    write_stamp[to] = source.write_stamp[from];
    write_info[to] = source.write_info[from];
    write_lanes[to] = source.write_lanes[from];
    copy(readers, to, source.readers, from);
    if (from < source.atomics.size()) copy(atomics, to, source.atomics, from);
  }

 private:
  static void copy(shadow_groups& into, std::size_t to, const shadow_groups& source, std::size_t from) {
    for (unsigned k = 0; k < 2; ++k) {
      const shadow_groups::group& g = source.of[k];
      into.set(k, to, g.stamp[from], access_info(g.info[from]), g.lanes[from]);
      into.of[k].newest = std::max(into.of[k].newest, g.newest);
    }
  }
};

}  // namespace emulator::observers
