#include "emulator/observers/init_check.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

namespace emulator::observers {
namespace {

using memory::bit_range, memory::for_words;

incident uninitialized(incident_kind kind, std::uint32_t warp, unsigned lane, const memory_event& event,
                       const block_identity& block) {
  incident one = incident_at(kind, event.pc, block, warp * warp_size + lane);
  one.address = event.addresses[lane];
  one.bytes = event.bytes_per_lane;
  return one;
}

/// The words are accessed atomically, because blocks on other host threads may update the same word.
bool all_set(std::uint64_t& word, std::uint64_t mask) {
  return (std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed) & mask) == mask;
}
bool any_set(std::uint64_t& word, std::uint64_t mask) {
  return (std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed) & mask) != 0;
}
void set(std::uint64_t& word, std::uint64_t mask) {
  if (!all_set(word, mask)) std::atomic_ref<std::uint64_t>(word).fetch_or(mask, std::memory_order_relaxed);
}

/// Returns true if the value is only copied. A copied structure includes the padding between its members, which is
/// never written.
bool is_passed_on(const memory_event& event, const kernel_facts& facts) {
  return (facts.instructions[event.pc].classes & class_passed_on) != 0;
}

/// Returns true if the access uses the old contents of memory: all accesses except stores and `exch`, whose new value
/// doesn't depend on the old one.
bool reads_memory(const memory_event& event, const kernel_facts& facts) {
  if (event.access == access_kind::load) return true;
  if (event.access == access_kind::store) return false;
  return (facts.instructions[event.pc].classes & class_exchange) == 0;
}

}  // namespace

void shared_init_check::begin_block() {
  const block_identity& block = context_.block;
  bits_.assign((block.shared_bytes + 63) / 64, 0);
  written_ = {bits_.data(), bits_.size() * 64};
  const std::uint64_t reserved = context_.facts.reserved_shared_bytes;
  if (reserved != 0) note_written(written_, 0, reserved);
  if (block.shared_bytes % 64 != 0) note_written(written_, block.shared_bytes, bits_.size() * 64);
}

/// Returns true if the words of all lanes have been written.
bool shared_init_check::words_written(const memory_event& event) const {
  const auto* const halves = reinterpret_cast<const std::uint8_t*>(bits_.data());  // a byte for every two words
  std::uint32_t missing = 0;
  const std::uint64_t some = event.addresses[std::countr_zero(event.mask)];
  for (std::uint32_t l = 0; l < warp_size; ++l) {
    const std::uint64_t at = (event.mask >> l & 1u) != 0 ? event.addresses[l] : some;
    missing |= ~(halves[at / 8] >> (at & 4u)) & 0xfu;
  }
  return missing == 0;
}

void shared_init_check::access_missing(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
  const bool writes = event.access != access_kind::load;
  const std::uint64_t* const at = event.addresses;
  const std::uint64_t first = shape.low, end = shape.high + event.bytes_per_lane;
  // Nearly always everything has been written before, including the bytes between the lanes. Then there is nothing to
  // do.
  const bool short_range = shape.what != access_shape::pattern::scattered || end - first <= warp_size * 4;
  if (short_range && all_written(written_, first, end)) return;
  const bool reads = reads_memory(event, context_.facts);
  if (shape.is_range() && !reads) {
    note_written(written_, first, end);
    return;
  }
  if (event.bytes_per_lane == 4 && words_written(event)) return;
  for (const unsigned l : lanes_in(event.mask)) {
    const std::uint64_t mask = bit_range(at[l], event.bytes_per_lane);
    const std::uint64_t word = bits_[at[l] / 64];
    if (reads && (word & mask) != mask && !((word & mask) != 0 && is_passed_on(event, context_.facts))) {
      const block_identity& reader = other_ != nullptr ? *other_ : context_.block;
      incident one = uninitialized(incident_kind::uninitialized_shared_read, warp, l, event, reader);
      one.is_distributed = other_ != nullptr;
      one.owner = other_ != nullptr ? context_.block.linear : 0;
      context_.found.add(one);
    }
    if (writes) note_written_in(written_, at[l] / 64, mask);
  }
}

void shared_init_check::access_of(const block_identity& other, std::uint32_t warp, const memory_event& event) {
  other_ = &other;
  access_shared(warp, event, shape_of(event.addresses, event.mask, event.bytes_per_lane));
  other_ = nullptr;
}

global_init_check::bitmap global_init_check::bitmap_at(std::uintptr_t address) {
  return bitmap_of(context_.launch.memory().find(address));
}

global_init_check::bitmap global_init_check::bitmap_of(memory::allocation* found) {
  if (found == nullptr) return {};
  if (std::atomic_ref<bool>(found->written_unobserved).load(std::memory_order_relaxed)) {
    return {found->begin, found->end(), found->serial, nullptr};
  }
  for (unsigned k = 0; k < 2; ++k) {
    if (recent_[k].serial != found->serial) continue;
    if (k == 1) std::swap(recent_[0], recent_[1]);
    return recent_[0];
  }
  recent_[1] = recent_[0];
  recent_[0] = {found->begin, found->end(), found->serial, context_.launch.memory().initialized_bits(*found)};
  return recent_[0];
}

void global_init_check::access_global(std::uint32_t warp, const memory_event& event, const access_shape& shape) {
  const std::uint64_t* const at = event.addresses;
  const std::uint64_t low = shape.low, high = shape.high;
  const bitmap map = event.in != nullptr ? bitmap_of(event.in) : bitmap_at(low);
  const bool reads = reads_memory(event, context_.facts);
  const bool writes = event.access != access_kind::load;
  if (high + event.bytes_per_lane > map.end) {  // several allocations
    for (const unsigned l : lanes_in(event.mask)) access_lanes(warp, event, 1u << l, bitmap_at(at[l]), reads, writes);
    return;
  }
  if (map.bits == nullptr) return;
  const std::uint64_t begin = low - map.begin;
  const std::uint64_t end = high + event.bytes_per_lane - map.begin;
  bool done = shape.is_range() || shape.what == access_shape::pattern::one;
  if (done && reads) {
    for_words(begin, end, [&](std::uint64_t word, std::uint64_t mask) { done &= all_set(map.bits[word], mask); });
  }
  if (!done) {
    access_lanes(warp, event, event.mask, map, reads, writes);
  } else if (writes) {
    for_words(begin, end, [&](std::uint64_t word, std::uint64_t mask) { set(map.bits[word], mask); });
  }
}

/// Checks and marks the bytes of the lanes `lanes`, whose addresses are all in the allocation of `map`.
void global_init_check::access_lanes(std::uint32_t warp, const memory_event& event, std::uint32_t lanes,
                                     const bitmap& map, bool reads, bool writes) {
  if (map.bits == nullptr) return;
  for (const unsigned l : lanes_in(lanes)) {
    const std::uint64_t at = event.addresses[l] - map.begin;
    const std::uint64_t mask = bit_range(at, event.bytes_per_lane);
    if (reads && !all_set(map.bits[at / 64], mask) &&
        !(any_set(map.bits[at / 64], mask) && is_passed_on(event, context_.facts))) {
      context_.found.add(uninitialized(incident_kind::uninitialized_global_read, warp, l, event, context_.block));
    }
    if (writes) set(map.bits[at / 64], mask);
  }
}

}  // namespace emulator::observers
