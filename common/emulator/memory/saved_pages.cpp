#include "emulator/memory/saved_pages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace emulator::memory {
namespace {

/// Returns true if two numbers may differ only because a sum was rounded in a different order. Their magnitude must be
/// one that integers and addresses, interpreted as floating-point numbers, do not have.
template <typename T>
bool close(T a, T b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  const T size = std::max(std::abs(a), std::abs(b));
  return size > T(1e-20) && size < T(1e20) && std::abs(a - b) <= size * T(1e-3);
}

std::uint64_t word_at(const std::byte* from, std::uint64_t left) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, std::min<std::uint64_t>(left, 8));
  return word;
}

}  // namespace

saved_pages::content saved_pages::content_of(const page& which) {
  content now;
  now.bytes.assign(which.bytes(), which.bytes() + which.size_bytes);
  now.written_unobserved = which.in->written_unobserved;
  if (const std::uint64_t* bits = which.in->initialized.get(); bits != nullptr)
    now.written.assign(bits + which.offset / 64, bits + (which.offset + which.size_bytes + 63) / 64);
  return now;
}

void saved_pages::put(const page& which, const content& what) {
  std::memcpy(which.bytes(), what.bytes.data(), which.size_bytes);
  which.in->written_unobserved = what.written_unobserved;
  std::uint64_t* bits = which.in->initialized.get();
  if (bits == nullptr) return;
  bits += which.offset / 64;
  const std::uint64_t words = (which.size_bytes + 63) / 64;
  if (what.written.empty())
    std::fill_n(bits, words, 0);
  else
    std::copy_n(what.written.data(), words, bits);
}

void saved_pages::before_write(allocation& in, std::uintptr_t address, std::uint64_t size_bytes) {
  const std::uint64_t end = std::min<std::uint64_t>(address + size_bytes - in.begin, in.size_bytes);
  for (std::uint64_t at = (address - in.begin) / page_bytes * page_bytes; at < end; at += page_bytes) {
    if (in.begin + at == last_) continue;
    last_ = in.begin + at;
    if (!by_address_.try_emplace(last_, pages_.size()).second) continue;
    page one{&in, at, std::min(page_bytes, in.size_bytes - at)};
    one.before = content_of(one);
    pages_.push_back(std::move(one));
  }
}

void saved_pages::restore() {
  for (const page& one : pages_) put(one, one.before);
}

void saved_pages::keep_result() {
  for (page& one : pages_) {
    one.result = content_of(one);
    one.has_result = true;
  }
}

void saved_pages::put_back_result() {
  for (const page& one : pages_) put(one, result_of(one));
}

saved_pages::difference saved_pages::compare() const {
  difference found;
  bool floats = true, doubles = true;
  for (const page& one : pages_) {
    const std::byte* const kept = result_of(one).bytes.data();
    const std::byte* const here = one.bytes();
    if (std::memcmp(kept, here, one.size_bytes) == 0) continue;
    for (std::uint64_t at = 0; at < one.size_bytes; at += 4) {
      const std::uint64_t left = one.size_bytes - at;
      const auto a = static_cast<std::uint32_t>(word_at(kept + at, std::min<std::uint64_t>(left, 4)));
      const auto b = static_cast<std::uint32_t>(word_at(here + at, std::min<std::uint64_t>(left, 4)));
      if (a == b) continue;
      ++found.words;
      const std::uintptr_t address = one.in->begin + one.offset + at;
      if (found.address == 0 || address < found.address) {
        found.address = address;
        found.kept = a;
        found.here = b;
      }
      floats = floats && close(std::bit_cast<float>(a), std::bit_cast<float>(b));
      const std::uint64_t pair = at / 8 * 8;
      doubles = doubles && one.size_bytes - pair >= 8 &&
                close(std::bit_cast<double>(word_at(kept + pair, 8)), std::bit_cast<double>(word_at(here + pair, 8)));
    }
  }
  found.only_rounding = found.words != 0 && (floats || doubles);
  found.wide = !floats && doubles;
  return found;
}

std::uint64_t saved_pages::kept_word(std::uintptr_t address) const {
  for (const page& one : pages_) {
    const std::uintptr_t begin = one.in->begin + one.offset;
    if (address >= begin && address < begin + one.size_bytes)
      return word_at(result_of(one).bytes.data() + (address - begin), begin + one.size_bytes - address);
  }
  return 0;
}

}  // namespace emulator::memory
