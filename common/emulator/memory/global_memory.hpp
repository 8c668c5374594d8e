#pragma once
/// \file
/// The emulated device's memory: allocations in one reserved address range, each with unmapped pages around it. A
/// device address is also the host address of its bytes, so an access that has passed the bounds check is a plain
/// access.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/memory/devices.hpp"

namespace emulator::memory {

/// The origin of an allocation. The device may access memory of every origin, the host only that of some. `heap` is
/// memory from malloc() in a kernel, which no runtime call accepts.
enum class origin : std::uint8_t { device, managed, pinned, module_variable, pool, heap };

/// States whether memory is the value of a conditional handle of graph nodes, and whether kernels may set it now.
enum class condition_state : std::uint8_t { none, idle, in_launch };

/// Frees a bitmap from `calloc`, whose pages use no memory until they are accessed.
struct bitmap_deleter {
  void operator()(std::uint64_t* bits) const { std::free(bits); }
};

/// A piece of device memory. Its address never changes. After it has been freed, its addresses are not reused until the
/// reserved range is exhausted.
struct allocation {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;  ///< As requested, not rounded.
  std::uint64_t serial = 0;      ///< 1, 2, 3 … in order of allocation; findings use it as the name.
  origin from = origin::device;
  int device = 0;  ///< The owner; meaningless for pinned and managed memory.
  /// For a pool's memory: a bit for each device that has access by cudaMemPoolSetAccess.
  std::uint32_t reached_from = 0;
  bool read_only = false;     ///< Constant memory: kernels must not write it.
  bool host_reaches = false;  ///< The host may access it directly, without a call.
  condition_state condition = condition_state::none;
  bool registered = false;  ///< The program's own memory, pinned by cudaHostRegister; outside of the reserved range.
  std::string name = {};    ///< The variable's name; empty for cudaMalloc.
  /// One bit per byte that is set if the byte has been written. Created by `global_memory::initialized_bits`. If it is
  /// null and `written_unobserved` is false, nothing has been written.
  std::unique_ptr<std::uint64_t[], bitmap_deleter> initialized = {};
  bool written_unobserved = false;  ///< Written while initcheck was off, so all of it counts as initialised.

  [[nodiscard]] std::uintptr_t end() const { return begin + size_bytes; }
};

/// Returns bits [at, at + count) of a bitmap's word. The range must not cross the end of the word.
[[nodiscard]] constexpr std::uint64_t bit_range(std::uint64_t at, std::uint64_t count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << (at % 64);
}

/// Calls `act(word, mask)` for each word of a bitmap that contains bits of [begin, end).
template <typename Act>
void for_words(std::uint64_t begin, std::uint64_t end, Act act) {
  while (begin < end) {
    const std::uint64_t count = std::min(64 - begin % 64, end - begin);
    act(begin / 64, bit_range(begin, count));
    begin += count;
  }
}

/// An allocation that has not been freed, for reports of leaks.
struct live_allocation {
  std::uint64_t serial = 0;
  std::uint64_t size_bytes = 0;
  origin from = origin::device;
};

/// Returns the address of a pointer as an integer, as the table stores it.
[[nodiscard]] inline std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// The minimum number of unused bytes after each allocation. An address that is at most half this distance away from an
/// allocation is not nearer to any other.
inline constexpr std::uint64_t smallest_guard = 64 * 1024;

/// The kind of an address, for error messages.
enum class address_class : std::uint8_t { live, guard, freed, never_allocated, null, host };

/// The table of allocations. All members are safe to call from several host threads.
class global_memory {
 public:
  /// \param devices  the owners of the memory; must outlive this object
  explicit global_memory(const device_table& devices);
  ~global_memory();

  /// Returns the address of `size_bytes` new bytes, aligned to at least 256 bytes. Returns 0 if the device's memory
  /// (`set_capacity`) or the address range is exhausted, or if `size_bytes` is 0.
  [[nodiscard]] std::uintptr_t allocate(std::uint64_t size_bytes, origin from, std::string name = {});

  /// Allocates the same addresses again after they have been freed. Returns false if another allocation uses them, or
  /// if the device's memory is exhausted.
  [[nodiscard]] bool allocate_again(std::uintptr_t address, std::uint64_t size_bytes, origin from);

  /// Registers memory of the program as pinned until it is freed here. Returns false if part of it is registered
  /// already.
  [[nodiscard]] bool adopt(std::uintptr_t address, std::uint64_t size_bytes);

  /// Frees registered memory that the program has returned to the system without unregistering it. Returns the size in
  /// bytes of the first such allocation; 0: there is none.
  [[nodiscard]] std::uint64_t drop_lost();

  enum class free_result : std::uint8_t { ok, not_an_allocation, already_freed };
  free_result free(std::uintptr_t address);

  /// Returns the live allocation that contains `address`, or null. The pointer is valid until the allocation is freed.
  [[nodiscard]] allocation* find(std::uintptr_t address);

  /// Returns the kind of `address`. `nearest`, if not null, receives text such as "12 bytes past the end of allocation
  /// 3 (4096 bytes)".
  [[nodiscard]] address_class classify(std::uintptr_t address, std::string* nearest = nullptr);

  /// Marks bytes as initialised (after memcpy, memset, or for zeroed module variables).
  void mark_initialized(std::uintptr_t address, std::uint64_t size_bytes);

  /// Returns the bitmap of `of`, one bit per byte, which is created with zeroes on first use. Returns null if
  /// `written_unobserved` is set and there is no bitmap: everything counts as written.
  [[nodiscard]] std::uint64_t* initialized_bits(allocation& of);

  /// Returns true if `address` is in the reserved range, whether it is allocated or not.
  [[nodiscard]] bool is_device_address(std::uintptr_t address) const;

  /// Sets the amount of memory of the device. Pinned memory and module variables do not count. The default is the
  /// unused memory of the host (`host::unused_memory`).
  void set_capacity(std::uint64_t size_bytes);
  [[nodiscard]] std::uint64_t capacity() const;
  /// Sets the number of bytes that malloc() in kernels can allocate (cudaLimitMallocHeapSize); the default is 8 MiB.
  /// Returns false and changes nothing if a kernel has already allocated from the heap.
  [[nodiscard]] bool set_heap_size(std::uint64_t size_bytes);
  /// Returns the bytes of the current device that count against its capacity. Each device has the same capacity.
  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t live_allocations() const;  ///< Without module variables.
  [[nodiscard]] std::uint64_t allocations_made() const;  ///< Since the program began, without module variables.
  /// Returns all allocations that have not been freed, in order of allocation, without module variables.
  [[nodiscard]] std::vector<live_allocation> live() const;
  /// Returns a hash of the bytes of live memory: it changes if any of them change, unless hashes collide.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// Frees everything (cudaDeviceReset), or all memory of one device.
  void reset(std::optional<int> device = {});

  global_memory(const global_memory&) = delete;
  global_memory& operator=(const global_memory&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A range of bytes.
struct byte_run {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;
};

/// Returns the ranges of unwritten bytes within part of one live allocation, up to the first `most` of them. Empty if
/// writes were not observed.
[[nodiscard]] std::vector<byte_run> unwritten_runs(global_memory& memory, std::uintptr_t address,
                                                   std::uint64_t size_bytes, std::size_t most);

/// Copies the initialised state of `from` to `to`: bytes that are unwritten in `from` become unwritten in `to`. Both
/// are device memory and may overlap. Memory that the host can write, too, counts as fully written.
void copy_written(global_memory& memory, std::uintptr_t to, std::uintptr_t from, std::uint64_t size_bytes);

}  // namespace emulator::memory
