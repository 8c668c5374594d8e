#pragma once
/// \file
/// Mailboxes: values that one block sends to another while both run.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <cuda/atomic>

namespace workbook {

/// Room in global memory for one value of type T that one block sends and another block receives. It must be zeroed
/// before its first use, and is empty again after the value has been received.
///
/// Each 4-byte word of the value is written in one 8-byte access, together with a mark that it has arrived. A receiver
/// that sees the mark also has the word, so nothing has to be ordered: there is no fence, no ticket, and no second
/// memory access for the value after one for a flag. CUB's scan passes its prefixes on in this way.
template <typename T>
struct alignas(8) mailbox {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr unsigned word_count = (sizeof(T) + 3) / 4;
  /// Upper half: a word of the value. Lower half: 0 if it hasn't arrived, otherwise 1 plus the sender's `beside`.
  unsigned long long words[word_count];
};

/// Puts `value` into `to` (device), which must be empty. One thread calls it. `beside`, an even number, is stored in
/// the marks; `receive` ignores it.
template <typename T>
__device__ void send(mailbox<T>& to, const T& value, unsigned beside = 0) {
  unsigned words[mailbox<T>::word_count] = {};
  memcpy(words, &value, sizeof(T));
  for (unsigned k = 0; k < mailbox<T>::word_count; ++k) {
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> word(to.words[k]);
    word.store(static_cast<unsigned long long>(words[k]) << 32 | beside | 1, cuda::memory_order_relaxed);
  }
}

/// Waits until a value is in `from` (device), removes it, and returns it. One thread calls it. Its block must not keep
/// the sender's block from running; a single waiting block doesn't, because the others can run in all other places.
template <typename T>
__device__ T receive(mailbox<T>& from) {
  constexpr unsigned n = mailbox<T>::word_count;
  const auto word = [&](unsigned k) {
    return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(from.words[k]);
  };
  // All words are requested before any is tested, so that their latencies overlap.
  unsigned long long seen[n];
  for (bool complete = false; !complete;) {
    for (unsigned k = 0; k < n; ++k) seen[k] = word(k).load(cuda::memory_order_relaxed);
    complete = true;
    for (unsigned k = 0; k < n; ++k) complete = complete && (seen[k] & 1) != 0;
  }
  unsigned words[n];
  for (unsigned k = 0; k < n; ++k) {
    word(k).store(0, cuda::memory_order_relaxed);
    words[k] = static_cast<unsigned>(seen[k] >> 32);
  }
  T value;
  memcpy(&value, words, sizeof(T));
  return value;
}

/// Number of mailboxes that a thread reads at once.
template <typename T>
inline constexpr unsigned boxes_at_once = mailbox<T>::word_count == 1 ? 8 : 4;

/// Waits until there is a value in each of the mailboxes `box(0)` to `box(count - 1)` (device), removes it, and calls
/// `f(d, value)`, in this order; d counts from 0 to `boxes_at_once<T>` - 1 again and again. As `receive`, but reads
/// several mailboxes at once, so that their latencies overlap.
template <typename T, typename Box, typename F>
__device__ void receive_all(std::size_t count, Box box, F f) {
  constexpr unsigned n = mailbox<T>::word_count, at_once = boxes_at_once<T>;
  for (std::size_t i = 0; i < count; i += at_once) {
    const auto word = [&](unsigned d, unsigned k) {
      return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(box(i + d).words[k]);
    };
    unsigned long long seen[at_once][n];
#pragma unroll
    for (unsigned d = 0; d < at_once; ++d)
      for (unsigned k = 0; k < n; ++k) seen[d][k] = i + d < count ? word(d, k).load(cuda::memory_order_relaxed) : 0;
#pragma unroll
    for (unsigned d = 0; d < at_once; ++d) {
      if (i + d >= count) break;
      unsigned words[n];
      for (unsigned k = 0; k < n; ++k) {
        while ((seen[d][k] & 1) == 0) seen[d][k] = word(d, k).load(cuda::memory_order_relaxed);
        word(d, k).store(0, cuda::memory_order_relaxed);
        words[k] = static_cast<unsigned>(seen[d][k] >> 32);
      }
      T value;
      memcpy(&value, words, sizeof(T));
      f(d, value);
    }
  }
}

}  // namespace workbook
