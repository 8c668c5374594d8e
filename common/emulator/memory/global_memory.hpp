#pragma once
/// \file
/// The emulated device's memory: allocations in one reserved range of addresses, each with unmapped pages around it.
/// A device address is also the host address of the bytes, so an access that passed the bounds check is a plain access.

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

/// How an allocation came to be; the host may touch only some of them, the device all. `heap` is what malloc() in a
/// kernel gives: no call of the runtime takes it.
enum class origin : std::uint8_t { device, managed, pinned, module_variable, pool, heap };

/// Whether memory is the value behind a handle of conditional graph nodes, and whether kernels may set it now.
enum class condition_state : std::uint8_t { none, idle, in_launch };

/// Frees a bitmap from `calloc`: pages of it that nobody touched cost no memory.
struct bitmap_deleter {
  void operator()(std::uint64_t* bits) const { std::free(bits); }
};

/// A piece of device memory. Its address never changes; once freed, its addresses are not given out again until the
/// reserved range has been used up.
struct allocation {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;  ///< As asked for, not rounded.
  std::uint64_t serial = 0;      ///< 1, 2, 3 … in order of allocation: names it in findings.
  origin from = origin::device;
  int device = 0;                  ///< To which it belongs; means nothing for pinned and managed memory.
  std::uint32_t reached_from = 0;  ///< Of a pool's memory: a bit for each device that cudaMemPoolSetAccess has let in.
  bool read_only = false;          ///< Constant memory: kernels may not write it.
  bool host_reaches = false;       ///< The host may touch it by itself, without a call.
  condition_state condition = condition_state::none;
  bool registered = false;  ///< The program's own memory, pinned by cudaHostRegister: outside of the reserved range.
  std::string name = {};    ///< The variable's name; empty for cudaMalloc.
  /// One bit a byte: written at least once. Made by `global_memory::initialized_bits`; null together with
  /// `written_unobserved` unset means nothing was written.
  std::unique_ptr<std::uint64_t[], bitmap_deleter> initialized = {};
  bool written_unobserved = false;  ///< Written while nobody watched: treated as initialised throughout.

  [[nodiscard]] std::uintptr_t end() const { return begin + size_bytes; }
};

/// Returns bits [at, at + count) of a bitmap's word, for what does not cross it.
[[nodiscard]] constexpr std::uint64_t bit_range(std::uint64_t at, std::uint64_t count) {
  return (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << (at % 64);
}

/// Calls `act(word, mask)` for the words of a bitmap that hold bits [begin, end).
template <typename Act>
void for_words(std::uint64_t begin, std::uint64_t end, Act act) {
  while (begin < end) {
    const std::uint64_t count = std::min(64 - begin % 64, end - begin);
    act(begin / 64, bit_range(begin, count));
    begin += count;
  }
}

/// What a leak is made of.
struct live_allocation {
  std::uint64_t serial = 0;
  std::uint64_t size_bytes = 0;
  origin from = origin::device;
};

/// The address that a pointer holds, as the table knows it.
[[nodiscard]] inline std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// At least so many bytes behind each allocation belong to none: what is no further than half of that from one is
/// nearer to no other.
inline constexpr std::uint64_t smallest_guard = 64 * 1024;

/// What an address is, for error messages.
enum class address_class : std::uint8_t { live, guard, freed, never_allocated, null, host };

/// The table of allocations. All members are safe to call from several host threads.
class global_memory {
 public:
  /// \param devices  whose memory it is; must live as long as this
  explicit global_memory(const device_table& devices);
  ~global_memory();

  /// Returns the address of `size_bytes` fresh bytes (aligned to 256 at least), or 0 where the device's memory
  /// (`set_capacity`) or the address range is used up. `size_bytes` of 0 returns 0.
  [[nodiscard]] std::uintptr_t allocate(std::uint64_t size_bytes, origin from, std::string name = {});

  /// Makes the same of the addresses of an allocation that was freed. Returns false where another one lies there, or
  /// the device's memory is used up.
  [[nodiscard]] bool allocate_again(std::uintptr_t address, std::uint64_t size_bytes, origin from);

  /// Takes memory of the program's own as pinned until it is freed here. Returns false where a part of it is known
  /// already.
  [[nodiscard]] bool adopt(std::uintptr_t address, std::uint64_t size_bytes);

  /// Forgets memory that was taken so and that the program has given back to the system without a word; as if it had
  /// been freed here. Returns how many bytes the first of it had; 0: there is none.
  [[nodiscard]] std::uint64_t drop_lost();

  enum class free_result : std::uint8_t { ok, not_an_allocation, already_freed };
  free_result free(std::uintptr_t address);

  /// Returns the live allocation that contains `address`, or null. The pointer stays valid until it is freed.
  [[nodiscard]] allocation* find(std::uintptr_t address);

  /// Says what `address` is; `nearest` receives, if given, words such as "12 bytes past the end of allocation 3 (4096
  /// bytes)".
  [[nodiscard]] address_class classify(std::uintptr_t address, std::string* nearest = nullptr);

  /// Marks bytes as initialised or not (memcpy, memset, fresh allocations of zeroed module variables).
  void mark_initialized(std::uintptr_t address, std::uint64_t size_bytes);

  /// Returns the bitmap of `of`, one bit a byte, made of zeroes on first use. Null where `written_unobserved` is set
  /// and no bitmap was made: everything counts as written.
  [[nodiscard]] std::uint64_t* initialized_bits(allocation& of);

  /// Says whether `address` lies in the reserved range, allocated or not.
  [[nodiscard]] bool is_device_address(std::uintptr_t address) const;

  /// Sets how much memory the device has. Pinned memory and module variables do not count. The default is what the host
  /// has to spare (`host::unused_memory`).
  void set_capacity(std::uint64_t size_bytes);
  [[nodiscard]] std::uint64_t capacity() const;
  /// Sets how much malloc() in kernels may give (cudaLimitMallocHeapSize): 8 MiB without it.
  /// Returns false, and changes nothing, once a kernel has allocated from the heap.
  [[nodiscard]] bool set_heap_size(std::uint64_t size_bytes);
  /// Bytes of the current device that count against the capacity, which each device has.
  [[nodiscard]] std::uint64_t used() const;
  [[nodiscard]] std::uint64_t live_allocations() const;  ///< Without module variables.
  [[nodiscard]] std::uint64_t allocations_made() const;  ///< Since the program began, without module variables.
  /// Says what has been allocated and not freed, in the order in which it was; without module variables.
  [[nodiscard]] std::vector<live_allocation> live() const;
  /// Returns a number that is another one where the bytes of live memory are others, but for chance.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// Frees everything (cudaDeviceReset), or what belongs to one device.
  void reset(std::optional<int> device = {});

  global_memory(const global_memory&) = delete;
  global_memory& operator=(const global_memory&) = delete;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Neighbouring bytes, from an address on.
struct byte_run {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;
};

/// Returns the runs of bytes in a range of one live allocation that nothing has written, the first `most` of them.
/// Empty where nobody watched.
[[nodiscard]] std::vector<byte_run> unwritten_runs(global_memory& memory, std::uintptr_t address,
                                                   std::uint64_t size_bytes, std::size_t most);

/// What has been written of `from` counts as written of `to`, and the rest as not written. Both are device memory; they
/// may overlap. Memory that the host may write too counts as written throughout.
void copy_written(global_memory& memory, std::uintptr_t to, std::uintptr_t from, std::uint64_t size_bytes);

}  // namespace emulator::memory
