#pragma once
/// \file
/// initcheck: a kernel reads bytes that nobody has written.

#include <cstdint>
#include <vector>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/access_shape.hpp"
#include "emulator/observers/event.hpp"
#include "emulator/observers/incident.hpp"
#include "emulator/observers/written_bits.hpp"

namespace emulator::observers {

/// Watches one block's shared memory: a bit for each byte.
class shared_init_check {
 public:
  shared_init_check(const kernel_facts& facts, incident_table& found) : facts_(facts), found_(found) {}
  void begin_block(const block_identity& block);
  void access(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    if (written_.missing != 0) access_missing(warp, event, shape);
  }
  /// The same by a thread of another block of the cluster.
  void access_of(const block_identity& other, std::uint32_t warp, const memory_event& event);

 private:
  /// As `access`, as long as some bytes have not been written.
  void access_missing(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  [[nodiscard]] bool words_written(const memory_event& event) const;

  const kernel_facts& facts_;
  incident_table& found_;
  block_identity block_;
  bool by_another_ = false;  ///< The access is one of another block, …
  std::uint64_t owner_ = 0;  ///< … and this the number of the memory's own.
  std::vector<std::uint64_t> bits_;
  written_bytes written_;  ///< In these.
};

/// Watches global memory by the bitmaps of its allocations. What was written while nobody watched counts as
/// initialised.
class global_init_check {
 public:
  global_init_check(const kernel_facts& facts, incident_table& found) : facts_(facts), found_(found) {}
  void begin_block(const block_identity& block) { block_ = block; }
  void access(std::uint32_t warp, const memory_event& event, const access_shape& shape);

 private:
  /// The bitmap of the allocation around an address; `bits` is null where all of it counts as written.
  struct bitmap {
    std::uintptr_t begin = 1;
    std::uintptr_t end = 0;
    std::uint64_t serial = 0;
    std::uint64_t* bits = nullptr;
  };
  bitmap bitmap_at(std::uintptr_t address);
  bitmap bitmap_of(memory::allocation* found);
  void access_lanes(std::uint32_t warp, const memory_event& event, std::uint32_t lanes, const bitmap& map, bool reads,
                    bool writes);

  const kernel_facts& facts_;
  incident_table& found_;
  block_identity block_;
  bitmap recent_[2];
};

}  // namespace emulator::observers
