#include "emulator/memory/touched_bytes.hpp"

#include <algorithm>
#include <bit>

namespace emulator::memory {

touched_bytes::of_allocation& touched_bytes::entry_of(const allocation& in) {
  const std::scoped_lock lock(mutex_);
  auto& entry = allocations_[in.begin];
  if (entry == nullptr) entry = std::make_unique<of_allocation>(in);
  return *entry;
}

void touched_bytes::note(const allocation& in, std::uintptr_t address, std::uint64_t size_bytes, touch how) {
  of_allocation& entry = entry_of(in);
  std::uint64_t at = address - in.begin;
  const std::uint64_t end = std::min(at + size_bytes, in.size_bytes);
  while (at < end) {
    std::atomic<chunk*>& place = entry.chunks[at / chunk_bytes];
    chunk* here = place.load(std::memory_order_acquire);
    if (here == nullptr) {
      auto made = std::make_unique<chunk>();
      if (place.compare_exchange_strong(here, made.get(), std::memory_order_acq_rel)) here = made.release();
    }
    const std::uint64_t inside = at % chunk_bytes, bit = inside % 64;
    const std::uint64_t count = std::min(64 - bit, end - at);
    const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << bit;
    std::atomic<std::uint64_t>& word = here->of[static_cast<std::size_t>(how)][inside / 64];
    if ((word.load(std::memory_order_relaxed) & mask) != mask) word.fetch_or(mask, std::memory_order_relaxed);
    at += count;
  }
}

std::optional<touched_bytes::conflict> touched_bytes::conflict_with(const touched_bytes& other) const {
  std::optional<conflict> found;
  for (const auto& [begin, mine] : allocations_) {
    const auto match = other.allocations_.find(begin);
    if (match == other.allocations_.end() || match->second->serial != mine->serial) continue;
    for (std::size_t c = 0; c < mine->chunks.size(); ++c) {
      const chunk* const a = mine->chunks[c].load();
      const chunk* const b = match->second->chunks[c].load();
      if (a == nullptr || b == nullptr) continue;
      for (std::size_t w = 0; w < chunk_bytes / 64; ++w) {
        const std::uint64_t reads = a->of[0][w], writes = a->of[1][w], atomics = a->of[2][w];
        const std::uint64_t their_reads = b->of[0][w], their_writes = b->of[1][w], their_atomics = b->of[2][w];
        if ((atomics & their_atomics) != 0) return std::nullopt;
        if (found) continue;
        const auto keep = [&](std::uint64_t both, touch here, touch there) {
          if (both == 0 || found) return;
          found =
              conflict{begin + c * chunk_bytes + w * 64 + static_cast<unsigned>(std::countr_zero(both)), here, there};
        };
        keep(writes & their_writes, touch::write, touch::write);
        keep(reads & their_writes, touch::read, touch::write);
        keep(writes & their_reads, touch::write, touch::read);
        keep(writes & their_atomics, touch::write, touch::atomic);
        keep(atomics & their_writes, touch::atomic, touch::write);
        keep(atomics & their_reads, touch::atomic, touch::read);
        keep(reads & their_atomics, touch::read, touch::atomic);
      }
    }
  }
  return found;
}

}  // namespace emulator::memory
