// Finds unwritten bytes of device memory, and copies the initialised state of bytes that are copied.

#include <algorithm>
#include <cstring>
#include <limits>

#include "emulator/memory/global_memory.hpp"

namespace emulator::memory {
namespace {

bool is_set(const std::uint64_t* bits, std::uint64_t at) {
  return (bits[at / 64] >> (at % 64) & 1u) != 0;
}

/// Returns the first bit in [at, end) that equals `wanted`, or `end`.
std::uint64_t find_bit(const std::uint64_t* bits, std::uint64_t at, std::uint64_t end, bool wanted) {
  const std::uint64_t none = wanted ? 0 : ~std::uint64_t{0};
  while (at < end) {
    if (at % 64 == 0 && bits[at / 64] == none)
      at += 64;
    else if (is_set(bits, at) == wanted)
      return at;
    else
      ++at;
  }
  return end;
}

/// Returns the bitmap of `of`, all ones if all of it counts as written. Null if there is no memory for a bitmap.
std::uint64_t* exact_bits(global_memory& memory, allocation& of) {
  if (!of.written_unobserved) return memory.initialized_bits(of);
  const std::uint64_t words = (of.size_bytes + 63) / 64;
  std::unique_ptr<std::uint64_t[], bitmap_deleter> ones(
      static_cast<std::uint64_t*>(std::malloc(words * sizeof(std::uint64_t))));
  if (ones == nullptr) return nullptr;
  std::memset(ones.get(), 0xff, words * sizeof(std::uint64_t));
  of.initialized = std::move(ones);
  of.written_unobserved = false;
  return of.initialized.get();
}

}  // namespace

std::vector<byte_run> unwritten_runs(global_memory& memory, std::uintptr_t address, std::uint64_t size_bytes,
                                     std::size_t most) {
  allocation* of = memory.find(address);
  if (of == nullptr || of->written_unobserved) return {};
  const std::uint64_t* bits = memory.initialized_bits(*of);
  if (bits == nullptr) return {};
  std::vector<byte_run> runs;
  const std::uint64_t end = std::min(address - of->begin + size_bytes, of->size_bytes);
  for (std::uint64_t at = address - of->begin; runs.size() < most;) {
    at = find_bit(bits, at, end, false);
    if (at == end) break;
    const std::uint64_t first = at;
    at = find_bit(bits, at, end, true);
    runs.push_back({of->begin + first, at - first});
  }
  return runs;
}

void copy_written(global_memory& memory, std::uintptr_t to, std::uintptr_t from, std::uint64_t size_bytes) {
  const std::vector<byte_run> unwritten =
      unwritten_runs(memory, from, size_bytes, std::numeric_limits<std::size_t>::max());
  memory.mark_initialized(to, size_bytes);
  allocation* const of = memory.find(to);
  if (unwritten.empty() || of == nullptr || of->from == origin::managed || of->from == origin::pinned) return;
  std::uint64_t* const bits = exact_bits(memory, *of);
  if (bits == nullptr) return;
  for (const byte_run& run : unwritten) {
    const std::uint64_t begin = to - of->begin + (run.begin - from);
    for_words(begin, begin + run.size_bytes, [bits](std::uint64_t word, std::uint64_t mask) { bits[word] &= ~mask; });
  }
}

}  // namespace emulator::memory
