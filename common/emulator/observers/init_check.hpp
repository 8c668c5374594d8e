#pragma once
/// \file
/// initcheck: reads of uninitialised memory.

#include <cstdint>
#include <vector>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/bulk_parts.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/observers/observer.hpp"
#include "emulator/observers/written_bits.hpp"

namespace emulator::observers {

/// Watches the shared memory of one block, with a bit for each byte.
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
  /// The same as `access_shared`, for an access by a thread of another block of the cluster.
  void access_of(const block_identity& other, std::uint32_t warp, const memory_event& event);

 private:
  /// The same as `access_shared`, if some bytes have not been written.
  void access_missing(std::uint32_t warp, const memory_event& event, const access_shape& shape);
  [[nodiscard]] bool words_written(const memory_event& event) const;

  const block_identity* other_ = nullptr;  ///< Set while an access by this other block is checked.
  std::vector<std::uint64_t> bits_;
  written_bytes written_;  ///< Refers to `bits_`.
};

/// Watches global memory, with the bitmaps of its allocations. Bytes that were written while the check was off count as
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
  /// The bitmap of the allocation that contains an address. `bits` is null if all of its bytes count as written.
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
