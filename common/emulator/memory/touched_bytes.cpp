#include "emulator/memory/touched_bytes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "host/memory.hpp"

namespace emulator::memory {
namespace {

constexpr touch worst_first[] = {touch::write, touch::word, touch::read, touch::atomic, touch::polled};
static_assert(std::size(worst_first) == touches);

bool only_looks(touch how) {
  return how == touch::read || how == touch::polled;
}

/// Returns true if two accesses to one word can pass a value from one piece of work to the other.
bool talk(touch a, touch b) {
  if (a > b) std::swap(a, b);
  return (a == touch::atomic && (b == touch::atomic || b == touch::polled)) || (a == touch::polled && b == touch::word);
}

}  // namespace

/// A chunk in which every byte is written.
const touched_bytes::chunk& touched_bytes::written() {
  static const chunk& all = *[] {
    auto* const made = new chunk;
    for (std::atomic<std::uint64_t>& word : made->of[static_cast<std::size_t>(touch::write)]) word = ~std::uint64_t{0};
    return made;
  }();
  return all;
}

touched_bytes::of_allocation& touched_bytes::entry_of(const allocation& in) {
  const std::scoped_lock lock(mutex_);
  auto& entry = allocations_[in.begin];
  if (entry == nullptr) entry = std::make_unique<of_allocation>(in);
  return *entry;
}

void touched_bytes::note(const allocation& in, std::uintptr_t address, std::uint64_t size_bytes, touch how) {
  of_allocation& entry = entry_of(in);
  const std::uint64_t begin = address - in.begin;
  for_words(begin, std::min(begin + size_bytes, in.size_bytes), [&](std::uint64_t number, std::uint64_t mask) {
    std::atomic<chunk*>& place = entry.chunks[number / chunk_words];
    chunk* here = place.load(std::memory_order_acquire);
    if (here == nullptr) {
      auto made = std::make_unique<chunk>();
      if (place.compare_exchange_strong(here, made.get(), std::memory_order_acq_rel)) here = made.release();
    }
    std::atomic<std::uint64_t>& word = here->of[static_cast<std::size_t>(how)][number % chunk_words];
    if ((word.load(std::memory_order_relaxed) & mask) != mask) word.fetch_or(mask, std::memory_order_relaxed);
  });
}

void touched_bytes::note_whole(const allocation& in) {
  entry_of(in).whole = true;
}

/// Returns how the bytes [from, to) of an allocation were accessed.
touched_bytes::page_touches touched_bytes::touches_of(const of_allocation& of, std::uint64_t from, std::uint64_t to) {
  page_touches found;
  for_words(from, to, [&](std::uint64_t number, std::uint64_t mask) {
    const chunk* const here = of.chunk_at(number / chunk_words);
    std::uint64_t any = 0, changed = 0;
    for (std::size_t k = 0; here != nullptr && k < touches; ++k) {
      const std::uint64_t word = here->of[k][number % chunk_words];
      any |= word;
      if (!only_looks(static_cast<touch>(k))) changed |= word;
    }
    found.all = found.all && (any & mask) == mask;
    found.any = found.any || (any & mask) != 0;
    found.written = found.written || (changed & mask) != 0;
  });
  return found;
}

void touched_bytes::add_host_pages(global_memory& memory, std::vector<host_page>& to) const {
  const std::uintptr_t page_bytes = host::page_bytes();
  for (const auto& [begin, mine] : allocations_) {
    const allocation* const in = memory.find(begin);
    if (in == nullptr || in->serial != mine->serial || !in->host_reaches) continue;
    for (std::uintptr_t page = begin / page_bytes * page_bytes; page < in->end(); page += page_bytes) {
      const bool has_neighbours = page < begin || page + page_bytes > in->end();
      // Allocations of the emulator don't share a page with anything, but registered memory may.
      if (in->registered && has_neighbours) continue;
      const std::uint64_t first = std::max(page, begin) - begin;
      const std::uint64_t last = std::min<std::uintptr_t>(page + page_bytes, in->end()) - begin;
      const page_touches found = touches_of(*mine, first, last);
      if (found.all || (found.any && in->size_bytes <= page_bytes)) to.push_back({page, found.written});
    }
  }
}

unsigned touched_bytes::touches_at(const allocation& in, std::uintptr_t address) const {
  const auto found = allocations_.find(in.begin);
  if (found == allocations_.end() || found->second->serial != in.serial) return 0;
  const std::uint64_t at = address - in.begin, inside = at % chunk_bytes;
  const chunk* const here = found->second->chunk_at(at / chunk_bytes);
  unsigned kinds = 0;
  for (std::size_t k = 0; here != nullptr && k < touches; ++k)
    kinds |= static_cast<unsigned>(here->of[k][inside / 64] >> inside % 64 & 1u) << k;
  return kinds;
}

touched_bytes::meeting touched_bytes::meeting_with(const touched_bytes& other) const {
  meeting found;
  for (const auto& [begin, mine] : allocations_) {
    const auto match = other.allocations_.find(begin);
    if (match == other.allocations_.end() || match->second->serial != mine->serial) continue;
    for (std::size_t c = 0; c < mine->chunks.size(); ++c) {
      const chunk* const a = mine->chunk_at(c);
      const chunk* const b = match->second->chunk_at(c);
      if (a == nullptr || b == nullptr) continue;
      for (std::size_t w = 0; w < chunk_words; ++w) {
        std::array<std::uint64_t, touches> mine_of, theirs_of;
        for (std::size_t k = 0; k < touches; ++k) {
          mine_of[k] = a->of[k][w];
          theirs_of[k] = b->of[k][w];
        }
        for (const touch here : worst_first) {
          for (const touch there : worst_first) {
            const std::uint64_t both =
                mine_of[static_cast<std::size_t>(here)] & theirs_of[static_cast<std::size_t>(there)];
            if (both == 0) continue;
            found.talk = found.talk || talk(here, there);
            found.learns = found.learns || (here == touch::polled && talk(here, there));
            if (found.met || talk(here, there) || (only_looks(here) && only_looks(there))) continue;
            found.met =
                conflict{begin + c * chunk_bytes + w * 64 + static_cast<unsigned>(std::countr_zero(both)), here, there};
          }
        }
      }
    }
  }
  if (found.talk) found.met.reset();  // their communication may order the rest
  return found;
}

}  // namespace emulator::memory
