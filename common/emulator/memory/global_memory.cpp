// Long because the table of allocations, its addresses and its description of invalid addresses are one state under
// one lock.

#include "emulator/memory/global_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/memory/host_ranges.hpp"
#include "emulator/memory/spare_pages.hpp"
#include "host/memory.hpp"

namespace emulator::memory {
namespace {

/// Addresses below this are treated as a null pointer plus an offset.
constexpr std::uint64_t null_page_bytes = 4096;
constexpr std::uint64_t largest_guard = std::uint64_t{1} << 30;
constexpr std::uint64_t largest_reservation = std::uint64_t{8} << 40;
/// qemu-user keeps a record of every reserved page, so 8 TiB would exhaust the machine's memory, and 64 GiB take half a
/// second.
constexpr std::uint64_t largest_reservation_if_emulated = std::uint64_t{16} << 30;
constexpr std::uint64_t smallest_reservation = std::uint64_t{1} << 30;
/// By default, Linux allows a process 65530 mappings, and a guarded allocation takes two. With more live allocations
/// than this, the pages between them stay accessible. Accesses by kernels are checked against the table anyway.
constexpr std::size_t max_guarded_allocations = 16 * 1024;
/// The number of freed allocations that `classify` can still describe.
constexpr std::size_t remembered_frees = 1024;

constexpr int private_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t whole_pages(std::uint64_t size_bytes) {
  return round_up(size_bytes, host::page_bytes());
}

void* pointer(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

bool counts_against_capacity(origin from) {
  return from != origin::pinned && from != origin::module_variable;
}

/// The record of an allocation that was freed.
struct obituary {
  std::uintptr_t begin = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t serial = 0;
  std::string name;
  origin from = origin::device;
};

std::string counted_bytes(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

/// \param what  an allocation, or the record of a freed one
template <typename Allocation>
std::string described(const Allocation& what) {
  const std::string size =
      counted_bytes(what.size_bytes) + (what.from == origin::heap ? ", from malloc() in a kernel" : "");
  if (!what.name.empty()) return "variable " + what.name + " (" + size + ")";
  return "allocation " + std::to_string(what.serial) + " (" + size + ")";
}

}  // namespace

struct global_memory::state {
  explicit state(const device_table& all) : devices(all) {}

  const device_table& devices;
  std::atomic<bool> any_adopted{false};  ///< True after the first call of `adopt`.
  /// An allocation, and how its pages are mapped.
  struct record {
    allocation what;
    std::uint64_t mapped_bytes = 0;  ///< Payload, rounded up to pages.
    std::uint64_t guard_bytes = 0;   ///< Unused bytes after the payload.
    bool guarded = true;             ///< The pages around it are inaccessible.
  };
  using table = std::map<std::uintptr_t, record>;  ///< Indexed by `begin`.

  mutable std::shared_mutex mutex;
  std::mutex bitmap_mutex;
  std::uintptr_t base = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t cursor = 0;  ///< Offset at which to try the next allocation.
  bool wrapped = false;      ///< The range has been exhausted once, so addresses are being reused.
  table rows;
  spare_pages spare;
  std::deque<obituary> freed;
  std::uint64_t serial = 0;
  std::atomic<std::uint64_t> capacity{0};
  std::array<std::atomic<std::uint64_t>, max_devices> used{};
  std::uint64_t heap_size = std::uint64_t{8} << 20;
  std::uint64_t heap_used = 0;
  std::uint32_t heap_begun = 0;  ///< One bit per device: a kernel has allocated from its heap.
  std::atomic<std::uint64_t> live{0};
  std::atomic<std::uint64_t> made{0};
  /// Changes with every allocation and free, and no other table ever has the same value. A thread's last result of
  /// `find` is valid while it doesn't change.
  std::atomic<std::uint64_t> generation{next_generation()};

  static std::uint64_t next_generation() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  void reserve();
  [[nodiscard]] record* containing(std::uintptr_t address);
  [[nodiscard]] std::uint64_t place(std::uint64_t total_bytes);
  void release(record& entry);
  [[nodiscard]] bool has_room(std::uint64_t size_bytes, origin from) const;
  [[nodiscard]] std::uint64_t guard_of(std::uint64_t size_bytes) const;
  /// Turns the unused pages at `begin` into an allocation. Returns `begin`, or 0 if the system has no memory.
  std::uintptr_t begin_at(std::uintptr_t begin, std::uint64_t size_bytes, origin from, std::string name);
};

/// Device memory begins here if the range is free, so addresses in a kernel's output, reports and recordings are the
/// same in every run. It is below the addresses that Linux gives to other mappings, with room for the largest
/// reservation.
constexpr std::uintptr_t wished_base = 0x700000000000;

void global_memory::state::reserve() {
  reserved_bytes = host::processor_is_emulated() ? largest_reservation_if_emulated : largest_reservation;
  for (; reserved_bytes >= smallest_reservation; reserved_bytes /= 2) {
    void* got = mmap(pointer(wished_base), reserved_bytes, PROT_NONE, private_flags, -1, 0);
    if (got == MAP_FAILED) continue;
    base = reinterpret_cast<std::uintptr_t>(got);
    madvise(got, reserved_bytes, MADV_DONTDUMP);
    return;
  }
  throw std::runtime_error(
      "emulator: cannot reserve a range of addresses for device memory: is the address space limited (ulimit -v)?");
}

global_memory::state::record* global_memory::state::containing(std::uintptr_t address) {
  const auto next = rows.upper_bound(address);
  if (next == rows.begin()) return nullptr;
  record* candidate = &std::prev(next)->second;
  return address < candidate->what.end() ? candidate : nullptr;
}

/// Returns the offset of `total_bytes` (payload and guard) that no live allocation uses, or 0. Searches forward, and
/// wraps around to the start of the range only at its end.
std::uint64_t global_memory::state::place(std::uint64_t total_bytes) {
  if (total_bytes > reserved_bytes - smallest_guard) return 0;
  for (int round = 0; round < 2; ++round) {
    while (cursor + total_bytes <= reserved_bytes) {
      if (!wrapped) return cursor;
      // If there is an obstacle, it is the last live allocation that begins before the wanted end.
      const auto next = rows.upper_bound(base + cursor + total_bytes - 1);
      if (next == rows.begin() || std::prev(next)->first < base) return cursor;
      const record& in_the_way = std::prev(next)->second;
      const std::uint64_t its_end = in_the_way.what.begin - base + in_the_way.mapped_bytes + in_the_way.guard_bytes;
      if (its_end <= cursor) return cursor;
      cursor = its_end;
    }
    cursor = smallest_guard;
    wrapped = true;
  }
  return 0;
}

/// Returns the pages to the system and makes them inaccessible.
void global_memory::state::release(record& entry) {
  if (entry.what.registered) return;
  void* begin = pointer(entry.what.begin);
  if (entry.guarded) {
    spare.take(begin, entry.mapped_bytes);
    // Linux merges this range with its neighbours only if it is a new mapping. Changing the access rights of the old
    // mapping isn't enough.
    if (mmap(begin, entry.mapped_bytes, PROT_NONE, private_flags | MAP_FIXED, -1, 0) != MAP_FAILED) {
      madvise(begin, entry.mapped_bytes, MADV_DONTDUMP);
      return;
    }
    mprotect(begin, entry.mapped_bytes, PROT_NONE);
  }
  madvise(begin, entry.mapped_bytes, MADV_DONTNEED);
}

bool global_memory::state::has_room(std::uint64_t size_bytes, origin from) const {
  if (!counts_against_capacity(from)) return true;
  const std::uint64_t in_use = used[static_cast<std::size_t>(current_device())];
  return in_use <= capacity && size_bytes <= capacity - in_use;
}

std::uint64_t global_memory::state::guard_of(std::uint64_t size_bytes) const {
  return std::clamp(whole_pages(size_bytes), smallest_guard, std::min(largest_guard, reserved_bytes / 4096));
}

std::uintptr_t global_memory::state::begin_at(std::uintptr_t begin, std::uint64_t size_bytes, origin from,
                                              std::string name) {
  record entry;
  entry.mapped_bytes = whole_pages(size_bytes);
  entry.guard_bytes = guard_of(size_bytes);
  entry.guarded = rows.size() < max_guarded_allocations;
  const std::uint64_t usable_bytes = entry.mapped_bytes + (entry.guarded ? 0 : entry.guard_bytes);
  const bool has_pages = entry.guarded && spare.give(pointer(begin), entry.mapped_bytes);
  if (!has_pages && mprotect(pointer(begin), usable_bytes, PROT_READ | PROT_WRITE) != 0) return 0;
  madvise(pointer(begin), usable_bytes, MADV_DODUMP);

  // Memory from malloc() in a kernel belongs to the device that the kernel runs on.
  const int owner = from == origin::heap ? devices.running() : current_device();
  entry.what = {.begin = begin,
                .size_bytes = size_bytes,
                .serial = ++serial,
                .from = from,
                .device = owner,
                .host_reaches = from == origin::pinned || from == origin::managed,
                .name = std::move(name)};
  rows.emplace(begin, std::move(entry));
  if (counts_against_capacity(from)) used[static_cast<std::size_t>(owner)] += size_bytes;
  if (from == origin::heap) heap_used += size_bytes;
  if (from != origin::module_variable) {
    ++live;
    ++made;
  }
  generation.store(next_generation(), std::memory_order_release);
  return begin;
}

global_memory::global_memory(const device_table& devices) : state_(std::make_unique<state>(devices)) {
  state_->reserve();
  state_->cursor = smallest_guard;
  state_->capacity = host::unused_memory();
}

global_memory::~global_memory() {
  munmap(pointer(state_->base), state_->reserved_bytes);
}

std::uintptr_t global_memory::allocate(std::uint64_t size_bytes, origin from, std::string name) {
  state& s = *state_;
  if (size_bytes == 0 || size_bytes > s.reserved_bytes) return 0;
  const std::unique_lock lock(s.mutex);
  if (!s.has_room(size_bytes, from)) return 0;
  if (from == origin::heap) s.heap_begun |= 1u << s.devices.running();
  if (from == origin::heap && (s.heap_used > s.heap_size || size_bytes > s.heap_size - s.heap_used)) return 0;
  const std::uint64_t guard_bytes = s.guard_of(size_bytes);
  const std::uint64_t mapped_bytes = whole_pages(size_bytes);
  const std::uint64_t offset = s.place(mapped_bytes + guard_bytes);
  if (offset == 0) return 0;
  const std::uintptr_t begin = s.begin_at(s.base + offset, size_bytes, from, std::move(name));
  if (begin != 0) s.cursor = offset + mapped_bytes + guard_bytes;
  return begin;
}

bool global_memory::allocate_again(std::uintptr_t address, std::uint64_t size_bytes, origin from) {
  state& s = *state_;
  const std::unique_lock lock(s.mutex);
  if (!s.has_room(size_bytes, from)) return false;
  const auto next = s.rows.lower_bound(address + whole_pages(size_bytes) + s.guard_of(size_bytes));
  if (next != s.rows.begin()) {
    const state::record& before = std::prev(next)->second;
    if (before.what.begin + before.mapped_bytes + before.guard_bytes > address) return false;
  }
  return s.begin_at(address, size_bytes, from, {}) != 0;
}

bool global_memory::adopt(std::uintptr_t address, std::uint64_t size_bytes) {
  state& s = *state_;
  const std::unique_lock lock(s.mutex);
  const auto next = s.rows.lower_bound(address + size_bytes);
  if (next != s.rows.begin() && std::prev(next)->second.what.end() > address) return false;
  s.any_adopted.store(true, std::memory_order_relaxed);
  state::record entry{.what = {.begin = address,
                               .size_bytes = size_bytes,
                               .serial = ++s.serial,
                               .from = origin::pinned,
                               .device = current_device(),
                               .host_reaches = true,
                               .registered = true,
                               .written_unobserved = true}};
  s.rows.emplace(address, std::move(entry));
  s.generation.store(s.next_generation(), std::memory_order_release);
  return true;
}

std::uint64_t global_memory::drop_lost() {
  state& s = *state_;
  if (!s.any_adopted.load(std::memory_order_relaxed)) return 0;
  std::vector<std::pair<std::uintptr_t, std::uint64_t>> lost;
  {
    const std::shared_lock lock(s.mutex);
    for (const auto& [begin, row] : s.rows) {
      if (row.what.registered && first_unusable_byte(begin, row.what.size_bytes, false))
        lost.emplace_back(begin, row.what.size_bytes);
    }
  }
  for (const auto& [begin, size_bytes] : lost) static_cast<void>(free(begin));
  return lost.empty() ? 0 : lost.front().second;
}

global_memory::free_result global_memory::free(std::uintptr_t address) {
  state& s = *state_;
  const std::unique_lock lock(s.mutex);
  const auto found = s.rows.find(address);
  if (found == s.rows.end()) {
    const bool known = std::ranges::any_of(s.freed, [&](const obituary& o) { return o.begin == address; });
    return known ? free_result::already_freed : free_result::not_an_allocation;
  }
  state::record& entry = found->second;
  s.generation.store(s.next_generation(), std::memory_order_release);
  s.release(entry);
  const allocation& what = entry.what;
  if (counts_against_capacity(what.from)) s.used[static_cast<std::size_t>(what.device)] -= what.size_bytes;
  if (what.from != origin::module_variable && !what.registered) --s.live;
  s.freed.push_back({what.begin, what.size_bytes, what.serial, what.name, what.from});
  if (what.from == origin::heap) s.heap_used -= what.size_bytes;
  if (s.freed.size() > remembered_frees) s.freed.pop_front();
  s.rows.erase(found);
  return free_result::ok;
}

allocation* global_memory::find(std::uintptr_t address) {
  struct answer {
    std::uint64_t generation = 0;
    allocation* what = nullptr;
  };
  thread_local answer last;
  state& s = *state_;
  const std::uint64_t now = s.generation.load(std::memory_order_acquire);
  if (last.generation == now && address - last.what->begin < last.what->size_bytes) return last.what;
  const std::shared_lock lock(s.mutex);
  state::record* found = s.containing(address);
  if (found == nullptr) return nullptr;
  last = {s.generation.load(std::memory_order_relaxed), &found->what};
  return &found->what;
}

address_class global_memory::classify(std::uintptr_t address, std::string* nearest) {
  const auto say = [&](std::string words) {
    if (nearest != nullptr) *nearest = std::move(words);
  };
  if (address < null_page_bytes) {
    say(address == 0 ? "a null pointer" : counted_bytes(address) + " past a null pointer");
    return address_class::null;
  }
  if (!is_device_address(address)) {
    say("host memory");
    return address_class::host;
  }
  state& s = *state_;
  const std::shared_lock lock(s.mutex);
  if (const state::record* entry = s.containing(address)) {
    say("inside " + described(entry->what));
    return address_class::live;
  }
  // Newest first: after the range has wrapped, an address may have belonged to several allocations.
  for (auto dead = s.freed.rbegin(); dead != s.freed.rend(); ++dead) {
    if (address - dead->begin >= dead->size_bytes) continue;
    say("inside " + described(*dead) + ", which has been freed");
    return address_class::freed;
  }
  const auto next = s.rows.upper_bound(address);
  const state::record* before = next == s.rows.begin() ? nullptr : &std::prev(next)->second;
  const state::record* after = next == s.rows.end() ? nullptr : &next->second;
  const std::uint64_t past = before != nullptr ? address - before->what.end() : ~std::uint64_t{0};
  const std::uint64_t ahead = after != nullptr ? after->what.begin - address : ~std::uint64_t{0};
  const bool in_guard_behind =
      before != nullptr && address < before->what.begin + before->mapped_bytes + before->guard_bytes;
  const bool in_guard_before = after != nullptr && ahead <= smallest_guard;
  if (in_guard_behind && (past <= ahead || !in_guard_before)) {
    say(counted_bytes(past) + " past the end of " + described(before->what));
    return address_class::guard;
  }
  if (in_guard_before) {
    say(counted_bytes(ahead) + " before the start of " + described(after->what));
    return address_class::guard;
  }
  if (s.wrapped || address < s.base + s.cursor) {
    say("memory that has been freed");
    return address_class::freed;
  }
  say("device memory that was never allocated");
  return address_class::never_allocated;
}

std::uint64_t* global_memory::initialized_bits(allocation& of) {
  const std::lock_guard lock(state_->bitmap_mutex);
  if (of.initialized == nullptr && !of.written_unobserved) {
    of.initialized.reset(static_cast<std::uint64_t*>(std::calloc((of.size_bytes + 63) / 64, sizeof(std::uint64_t))));
    // Without memory for the bitmap, initcheck cannot check this allocation.
    if (of.initialized == nullptr) of.written_unobserved = true;
  }
  return of.initialized.get();
}

void global_memory::mark_initialized(std::uintptr_t address, std::uint64_t size_bytes) {
  allocation* of = find(address);
  if (of == nullptr || size_bytes == 0 || of->written_unobserved) return;
  const std::uint64_t begin = address - of->begin;
  const std::uint64_t end = std::min(begin + size_bytes, of->size_bytes);
  if (begin == 0 && end == of->size_bytes) {
    of->written_unobserved = true;
    return;
  }
  std::uint64_t* const bits = initialized_bits(*of);
  if (bits == nullptr) return;
  // Blocks on other host threads may mark neighbouring bytes at the same time.
  for_words(begin, end, [bits](std::uint64_t word, std::uint64_t mask) {
    std::atomic_ref<std::uint64_t>(bits[word]).fetch_or(mask, std::memory_order_relaxed);
  });
}

bool global_memory::is_device_address(std::uintptr_t address) const {
  return address - state_->base < state_->reserved_bytes;
}

void global_memory::set_capacity(std::uint64_t size_bytes) {
  state_->capacity = size_bytes;
}
std::uint64_t global_memory::capacity() const {
  return state_->capacity;
}
bool global_memory::set_heap_size(std::uint64_t size_bytes) {
  const std::unique_lock lock(state_->mutex);
  if ((state_->heap_begun >> current_device() & 1u) != 0) return false;
  state_->heap_size = size_bytes;
  return true;
}
std::uint64_t global_memory::used() const {
  return state_->used[static_cast<std::size_t>(current_device())];
}
std::uint64_t global_memory::live_allocations() const {
  return state_->live;
}
std::uint64_t global_memory::allocations_made() const {
  return state_->made;
}
std::vector<live_allocation> global_memory::live() const {
  const std::shared_lock lock(state_->mutex);
  std::vector<live_allocation> all;
  for (const auto& [begin, record] : state_->rows) {
    if (record.what.from != origin::module_variable && !record.what.registered)
      all.push_back({record.what.serial, record.what.size_bytes, record.what.from});
  }
  std::ranges::sort(all, [](const auto& a, const auto& b) { return a.serial < b.serial; });
  return all;
}

std::uint64_t global_memory::fingerprint() const {
  constexpr std::uint64_t factor = 0x9e37'79b9'7f4a'7c15u;
  // Four independent hashes, because each step waits for the previous one.
  std::uint64_t parts[4] = {1, 2, 3, 4};
  const auto add = [&parts](std::uint64_t& part, std::uint64_t word) {
    part = (part ^ word) * factor;
    part ^= part >> 32;
  };
  const std::shared_lock lock(state_->mutex);
  for (const auto& [begin, record] : state_->rows) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(begin);
    const std::uint64_t size = record.what.size_bytes;
    add(parts[0], begin);
    add(parts[1], size);
    for (std::uint64_t at = 0; at < size; at += 32) {
      std::uint64_t words[4] = {};
      std::memcpy(words, bytes + at, std::min<std::uint64_t>(32, size - at));
      for (int k = 0; k < 4; ++k) add(parts[k], words[k]);
    }
  }
  for (int k = 1; k < 4; ++k) add(parts[0], parts[k]);
  return parts[0];
}

void global_memory::reset(std::optional<int> device) {
  std::vector<std::uintptr_t> all;
  {
    const std::shared_lock lock(state_->mutex);
    for (const auto& [begin, entry] : state_->rows) {
      const bool has_owner = entry.what.from != origin::pinned && entry.what.from != origin::managed;
      if (!device || (has_owner && entry.what.device == *device)) all.push_back(begin);
    }
  }
  for (const std::uintptr_t address : all) static_cast<void>(free(address));
}

}  // namespace emulator::memory
