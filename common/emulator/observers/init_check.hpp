#pragma once
/// \file
/// initcheck: a kernel reads bytes that nobody has written.

#include <cstdint>
#include <vector>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/bulk_parts.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"
#include "emulator/observers/written_bits.hpp"

namespace emulator::observers {

/// Watches one block's shared memory: a bit for each byte.
class shared_init_check : public observer {
 public:
  explicit shared_init_check(block_context& context) : observer(context) { context.shared_reads = this; }
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().initcheck; }

  void begin_block();
  void access_shared(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
    if (written_.missing != 0) access_missing(warp, event, shape);
  }
  void bulk_copy_begins(const bulk_event& event) {
    for_parts_read_from_shared(event, [this](std::uint32_t warp, const memory_event& part, const access_shape& shape) {
      access_shared(warp, part, shape);
    });
  }
  void bulk_copy_lands(const bulk_event& event) {
    if (!event.into_shared) return;
    for_parts(event, event.shared, ptx::state_space::shared, access_kind::store,
              [this](std::uint32_t warp, const memory_event& part, const access_shape& shape) {
                access_shared(warp, part, shape);
              });
  }
  /// The same as `access_shared` by a thread of another block of the cluster.
  void access_of(const block_identity& other, std::uint32_t warp, const memory_event& event);

 private:
  /// As `access_shared`, as long as some bytes have not been written.
  void access_missing(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  [[nodiscard]] bool words_written(const memory_event& event) const;

  const block_identity* other_ = nullptr;  ///< The access is one of this other block.
  std::vector<std::uint64_t> bits_;
  written_bytes written_;  ///< In these.
};

/// Watches global memory by the bitmaps of its allocations. What was written while nobody watched counts as
/// initialised.
class global_init_check : public observer {
 public:
  using observer::observer;
  [[nodiscard]] static bool is_wanted(const launch_observation& launch) { return launch.watched().initcheck; }
  [[nodiscard]] bool tracks_writes() const { return true; }

  void access_global(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  void bulk_copy_begins(const bulk_event& event) {
    for_parts_in_global(event, [this](std::uint32_t warp, const memory_event& part, const access_shape& shape) {
      access_global(warp, part, shape);
    });
  }

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

  bitmap recent_[2];
};

}  // namespace emulator::observers
