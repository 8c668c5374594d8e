// The quick way through memory: ordinary loads and stores whose lanes lie in a row or at one place. Whatever is not as
// simple as that is left to memory_access.cpp, which could do all of it.

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt {

using observers::access_shape;
using observers::simple_access;
using ptx::state_space;

namespace {

/// Lanes of `mask` whose address is not `first + (l - l of the first) << shift`; and of those, whose is not `first`.
struct off_pattern {
  std::uint32_t row = 0;
  std::uint32_t one = 0;
};

#if defined(__AVX512F__)

off_pattern compare_addresses(const std::uint32_t* a, std::uint32_t mask, unsigned lane, unsigned shift) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m512i base = _mm512_set1_epi32(static_cast<int>(a[lane] - (lane << shift)));
  const __m512i low = _mm512_load_si512(a);
  const __m512i high = _mm512_load_si512(a + 16);
  const auto differ = [mask](__mmask16 l, __mmask16 h) {
    return mask & (static_cast<std::uint32_t>(l) | static_cast<std::uint32_t>(h) << 16);
  };
  const __m512i low_row = _mm512_add_epi32(base, _mm512_maskz_sll_epi32(0xffff, lanes, by));
  const __m512i high_row =
      _mm512_add_epi32(base, _mm512_maskz_sll_epi32(0xffff, _mm512_add_epi32(lanes, _mm512_set1_epi32(16)), by));
  off_pattern off;
  off.row = differ(_mm512_cmpneq_epu32_mask(low, low_row), _mm512_cmpneq_epu32_mask(high, high_row));
  if (off.row == 0) return off;
  const __m512i same = _mm512_set1_epi32(static_cast<int>(a[lane]));
  off.one = differ(_mm512_cmpneq_epu32_mask(low, same), _mm512_cmpneq_epu32_mask(high, same));
  return off;
}

off_pattern compare_addresses(const std::uint64_t* a, std::uint32_t mask, unsigned lane, unsigned shift) {
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(shift));
  __m512i in_row = _mm512_maskz_sll_epi64(0xff, _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), by);
  in_row =
      _mm512_add_epi64(in_row, _mm512_set1_epi64(static_cast<long long>(a[lane] - (std::uint64_t{lane} << shift))));
  const __m512i step = _mm512_set1_epi64(std::int64_t{8} << shift);
  const __m512i same = _mm512_set1_epi64(static_cast<long long>(a[lane]));
  off_pattern off;
  for (unsigned k = 0; k < 4; ++k) {
    const __m512i own = _mm512_load_si512(a + 8 * k);
    off.row |= static_cast<std::uint32_t>(_mm512_cmpneq_epu64_mask(own, in_row)) << 8 * k;
    off.one |= static_cast<std::uint32_t>(_mm512_cmpneq_epu64_mask(own, same)) << 8 * k;
    in_row = _mm512_add_epi64(in_row, step);
  }
  return {off.row & mask, off.one & mask};
}

#else

template <typename Address>
off_pattern compare_addresses(const Address* a, std::uint32_t mask, unsigned lane, unsigned shift) {
  const Address same = a[lane];
  const auto base = static_cast<Address>(same - (Address{lane} << shift));
  Address row = 0, one = 0;
  for (unsigned l = 0; l < warp_size; ++l) {
    const auto active = static_cast<Address>(0 - static_cast<Address>(mask >> l & 1u));
    row |= active & (a[l] ^ static_cast<Address>(base + (Address{l} << shift)));
    one |= active & (a[l] ^ same);
  }
  return {row != 0 ? 1u : 0u, one != 0 ? 1u : 0u};
}

#endif

/// Copies the active lanes' words between a row and a register; lane 0 has its word, active or not, at `row`.
template <typename T>
[[gnu::no_sanitize("thread")]] void load_row(T* to, std::uintptr_t row, std::uint32_t mask) {
  const auto* const from = reinterpret_cast<const T*>(row);
  if (mask == all_lanes) {
    std::memcpy(to, from, warp_size * sizeof(T));
    return;
  }
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (unsigned k = 0; k < 2; ++k) {
      const __m512i old = _mm512_load_si512(to + 16 * k);
      _mm512_store_si512(to + 16 * k,
                         _mm512_mask_loadu_epi32(old, static_cast<__mmask16>(mask >> 16 * k), from + 16 * k));
    }
    return;
  }
#endif
  for (const unsigned l : lanes_in(mask)) to[l] = from[l];
}

template <typename T>
[[gnu::no_sanitize("thread")]] void store_row(const T* from, std::uintptr_t row, std::uint32_t mask) {
  auto* const to = reinterpret_cast<T*>(row);
  if (mask == all_lanes) {
    std::memcpy(to, from, warp_size * sizeof(T));
    return;
  }
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == 4) {
    for (unsigned k = 0; k < 2; ++k)
      _mm512_mask_storeu_epi32(to + 16 * k, static_cast<__mmask16>(mask >> 16 * k), _mm512_load_si512(from + 16 * k));
    return;
  }
#endif
  for (const unsigned l : lanes_in(mask)) to[l] = from[l];
}

template <typename T>
[[gnu::no_sanitize("thread")]] T word_at(std::uintptr_t address) {
  return *reinterpret_cast<const T*>(address);
}

/// One element of each lane of a row of vectors, `Count` elements long.
template <typename T, unsigned Count>
[[gnu::no_sanitize("thread")]] void load_column(T* to, std::uintptr_t row, std::uint32_t mask) {
  const auto* const from = reinterpret_cast<const T*>(row);
  if (mask == all_lanes) {
    for (unsigned l = 0; l < warp_size; ++l) to[l] = from[l * Count];
    return;
  }
  for (const unsigned l : lanes_in(mask)) to[l] = from[l * Count];
}

template <typename T, unsigned Count>
[[gnu::no_sanitize("thread")]] void store_column(const T* from, std::uintptr_t row, std::uint32_t mask) {
  auto* const to = reinterpret_cast<T*>(row);
  for (const unsigned l : lanes_in(mask)) to[l * Count] = from[l];
}

template <typename T>
void move_row(warp& w, const op& o, std::uintptr_t row, bool loads) {
  if (o.element_count == 1) {
    loads ? load_row(w.lanes<T>(o.dst), row, w.mask) : store_row(w.lanes<T>(o.b), row, w.mask);
    return;
  }
  for (unsigned e = 0; e < o.element_count; ++e) {
    const slot reg = w.vector_registers[o.target + e];
    if (reg == no_slot) continue;
    T* const lanes = w.lanes<T>(reg);
    const std::uintptr_t at = row + e * sizeof(T);
    if (o.element_count == 2)
      loads ? load_column<T, 2>(lanes, at, w.mask) : store_column<T, 2>(lanes, at, w.mask);
    else
      loads ? load_column<T, 4>(lanes, at, w.mask) : store_column<T, 4>(lanes, at, w.mask);
  }
}

/// Copies bytes or half words between a row, or the one place of a load, and a register, of any size.
template <typename T, typename R>
[[gnu::no_sanitize("thread")]] void move_narrow(R* reg, std::uintptr_t at, std::uint32_t mask, bool loads, bool one) {
  auto* const memory = reinterpret_cast<T*>(at);
  if (!loads) {
    for (const unsigned l : lanes_in(mask)) memory[l] = static_cast<T>(reg[l]);
    return;
  }
  if (mask == all_lanes && !one) {
    for (unsigned l = 0; l < warp_size; ++l) reg[l] = static_cast<R>(memory[l]);
    return;
  }
  for (const unsigned l : lanes_in(mask)) reg[l] = static_cast<R>(memory[one ? 0 : l]);
}

/// The one place of a load: all lanes get what is there.
template <typename T>
void load_one(warp& w, const op& o, std::uintptr_t place) {
  for (unsigned e = 0; e < o.element_count; ++e) {
    const slot reg = o.element_count == 1 ? o.dst : w.vector_registers[o.target + e];
    if (reg == no_slot) continue;
    const T value = word_at<T>(place + e * sizeof(T));
    write_lanes(w.lanes<T>(reg), w.mask, [value](unsigned) { return value; });
  }
}

/// Says where the active lanes of `o` lie, if it is in a row or at one place.
template <typename Address>
bool find_shape(warp& w, const op& o, std::uint32_t bytes, access_shape& shape, std::uint64_t& begin) {
  const Address* const a = w.lanes<Address>(o.a);
  const std::uint32_t mask = w.mask;
  shape.first = static_cast<unsigned>(std::countr_zero(mask));
  shape.last = warp_size - 1 - static_cast<unsigned>(std::countl_zero(mask));
  const std::uint32_t run = mask >> shape.first;
  shape.gapless = (run & (run + 1)) == 0;
  const off_pattern off = compare_addresses(a, mask, shape.first, static_cast<unsigned>(std::countr_zero(bytes)));
  begin = static_cast<Address>(a[shape.first] + static_cast<Address>(static_cast<std::int64_t>(o.imm)));
  if (off.row == 0) {
    shape.what = access_shape::pattern::row;
    shape.base = begin - std::uint64_t{shape.first} * bytes;
    return true;
  }
  shape.what = access_shape::pattern::one;
  shape.base = begin;
  return off.one == 0;
}

#if defined(__AVX512VL__)

std::uint32_t least(__m256i v) {
  __m128i x = _mm_min_epu32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  x = _mm_min_epu32(x, _mm_shuffle_epi32(x, 0x4e));
  x = _mm_min_epu32(x, _mm_shuffle_epi32(x, 0xb1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(x));
}

/// Loads of one word by each lane from 32 neighbouring ones.
class window {
 public:
  /// Says whether the active lanes' words lie so, in shared memory of `limit` bytes.
  bool find(warp& w, const op& o, std::uint64_t limit) {
    if (o.space != state_space::shared || o.kind != op_kind::load || o.element_bytes != 4 || o.element_count != 1)
      return false;
    __m256i at[4];
    __mmask8 lanes[4], large = 0;
    const bool wide = (o.flags & flag_address_64) != 0;
    const __m256i offset = _mm256_set1_epi32(o.imm), none = _mm256_set1_epi32(-1);
    __m256i low = none;
    for (unsigned k = 0; k < 4; ++k) {
      lanes[k] = static_cast<__mmask8>(w.mask >> 8 * k);
      if (wide) {
        const __m512i own = _mm512_load_si512(w.lanes<std::uint64_t>(o.a) + 8 * k);
        large |= _mm512_mask_test_epi64_mask(lanes[k], own, _mm512_set1_epi64(~std::int64_t{0x7fffffff}));
        at[k] = _mm512_maskz_cvtepi64_epi32(0xff, own);
      } else {
        at[k] = _mm256_load_si256(reinterpret_cast<const __m256i*>(w.lanes<std::uint32_t>(o.a) + 8 * k));
      }
      at[k] = _mm256_add_epi32(at[k], offset);
      low = _mm256_min_epu32(low, _mm256_mask_mov_epi32(none, lanes[k], at[k]));
    }
    const std::uint32_t first = least(low);
    // Beyond the window, or no multiple of 4 bytes away.
    const __m256i outside = _mm256_set1_epi32(~0x7c);
    __m256i furthest = none;  // complements
    __mmask8 off = large;
    for (unsigned k = 0; k < 4; ++k) {
      const __m256i from_first = _mm256_sub_epi32(at[k], _mm256_set1_epi32(static_cast<int>(first)));
      off |= _mm256_mask_test_epi32_mask(lanes[k], from_first, outside);
      furthest = _mm256_min_epu32(furthest, _mm256_xor_si256(none, _mm256_maskz_mov_epi32(lanes[k], from_first)));
      _mm256_store_si256(reinterpret_cast<__m256i*>(words_ + 8 * k), _mm256_srli_epi32(from_first, 2));
    }
    if (off != 0 || (first & 3u) != 0) return false;
    begin_ = first;
    end_ = begin_ + ~least(furthest) + 4;
    return end_ <= limit;
  }
  void tell(simple_access& access) const {
    access.shape.what = access_shape::pattern::scattered;
    access.begin = begin_;
    access.end = end_;
    access.words = words_;
  }
  void load(warp& w, const op& o, const std::byte* memory) const {
    const auto count = static_cast<unsigned>(end_ - begin_) / 4;
    const std::uint32_t there = count == 32 ? all_lanes : (1u << count) - 1;
    const std::byte* const from = memory + begin_;
    const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(there), from);
    const __m512i high = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(there >> 16), from + 64);
    auto* const to = w.lanes<std::uint32_t>(o.dst);
    for (unsigned k = 0; k < 2; ++k) {
      const __m512i got = _mm512_permutex2var_epi32(low, _mm512_load_si512(words_ + 16 * k), high);
      const __m512i old = _mm512_load_si512(to + 16 * k);
      _mm512_store_si512(to + 16 * k, _mm512_mask_mov_epi32(old, static_cast<__mmask16>(w.mask >> 16 * k), got));
    }
  }

 private:
  std::uint64_t begin_ = 0, end_ = 0;
  alignas(64) std::uint32_t words_[warp_size];
};

#else

/// Only where there are instructions for it.
struct window {
  static bool find(warp&, const op&, std::uint64_t) { return false; }
  static void tell(simple_access&) {}
  static void load(warp&, const op&, const std::byte*) {}
};

#endif

}  // namespace

bool memory_unit::simple_window(block& b, warp& w, const op& o, simple_access& access) {
  window here;
  if (!here.find(w, o, b.launch->shared_bytes)) return false;
  if (observer_ != nullptr) {
    access.loads = access.in_shared = true;
    access.warp = w.index;
    access.mask = w.mask;
    here.tell(access);
    if (!observer_->simple(access)) return false;
  }
  here.load(w, o, b.shared.get());
  return true;
}

bool memory_unit::simple_parameter(const block& b, warp& w, const op& o) {
  if (!b.launch->watched.shortcuts || !b.is_constant(o.a) || o.register_bytes != o.element_bytes || o.element_bytes < 4)
    return false;
  const std::uint64_t bytes = std::uint64_t{o.element_bytes} * o.element_count;
  const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(o.imm));
  const std::uint64_t at = (o.flags & flag_address_64) != 0
                               ? *w.lanes<std::uint64_t>(o.a) + offset
                               : std::uint64_t{static_cast<std::uint32_t>(*w.lanes<std::uint32_t>(o.a) + offset)};
  const std::uint64_t limit = b.launch->parameters.size();
  if ((at & (bytes - 1)) != 0 || at >= limit || bytes > limit - at) return false;
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(b.launch->parameters.data()) + at;
  o.element_bytes == 4 ? load_one<std::uint32_t>(w, o, place) : load_one<std::uint64_t>(w, o, place);
  return true;
}

bool memory_unit::simple(block& b, warp& w, const op& o, std::uint32_t pc) {
  if (!goes_unnoted(o.kind == op_kind::load) || !b.launch->watched.shortcuts) [[unlikely]]
    return false;
  simple_access access;
  access.bytes = std::uint32_t{o.element_bytes} * o.element_count;
  const bool found = (o.flags & flag_address_64) != 0
                         ? find_shape<std::uint64_t>(w, o, access.bytes, access.shape, access.begin)
                         : find_shape<std::uint32_t>(w, o, access.bytes, access.shape, access.begin);
  access.pc = pc;
  if (!found) return simple_window(b, w, o, access);
  if ((access.begin & (access.bytes - 1)) != 0) return false;
  access.loads = o.kind == op_kind::load;
  const bool one = access.shape.what == access_shape::pattern::one;
  if (one && !access.loads) return false;
  const std::uint64_t length =
      access.bytes + (one ? 0 : std::uint64_t{access.shape.last - access.shape.first} * access.bytes);

  state_space space = o.space;
  if (space == state_space::generic) {
    const std::uint64_t window = access.begin & window_mask;
    if (window == local_window || window == param_window) return false;
    space = window == shared_window ? state_space::shared : state_space::global;
    if (window == shared_window) {
      access.begin -= shared_window;
      access.shape.base -= shared_window;
    }
  }
  access.end = access.begin + length;
  std::uintptr_t memory = 0;
  if (space == state_space::shared) {
    if (access.bytes < 4) return false;  // what looks for races sees words
    const std::uint64_t limit = b.launch->shared_bytes;
    if (access.begin >= limit || length > limit - access.begin) return false;
    access.in_shared = true;
    memory = reinterpret_cast<std::uintptr_t>(b.shared.get());
  } else {
    const auto within = [&access, length](const recent_allocation& c) {
      return access.begin >= c.begin && access.begin < c.end && length <= c.end - access.begin;
    };
    if (!within(recent_[0])) {
      if (!within(recent_[1])) return false;
      std::swap(recent_[0], recent_[1]);
    }
    access.in = recent_[0].allocation;
    if (!access.loads) {
      if (access.in->read_only) return false;
      if (!notes_writes_ && !std::atomic_ref<bool>(access.in->written_unobserved).load(std::memory_order_relaxed))
        return false;
      recent_[0].stores = 1;
    }
  }
  if (observer_ != nullptr) {
    access.warp = w.index;
    access.mask = w.mask;
    if (!observer_->simple(access)) return false;
  }
  const std::uintptr_t at = memory + access.shape.base;
  if (o.element_bytes < 4)
    with_types(o, [&](auto element, auto in_register) {
      auto* const reg = w.lanes<decltype(in_register)>(access.loads ? o.dst : o.b);
      move_narrow<decltype(element)>(reg, at, w.mask, access.loads, one);
    });
  else if (one)
    o.element_bytes == 4 ? load_one<std::uint32_t>(w, o, at) : load_one<std::uint64_t>(w, o, at);
  else
    o.element_bytes == 4 ? move_row<std::uint32_t>(w, o, at, access.loads)
                         : move_row<std::uint64_t>(w, o, at, access.loads);
  return true;
}

}  // namespace emulator::simt
