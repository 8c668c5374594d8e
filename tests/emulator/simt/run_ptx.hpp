#pragma once
/// \file
/// Runs a few lines of PTX on the emulator's lowest layer (parser, decoder, interpreter) and returns what each thread
/// wrote. Expected values in the tests come from the text of the PTX ISA, never from the emulator's own functions.

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace emulator::simt::test {

/// Number of 32-bit words that a thread may write.
inline constexpr unsigned words_per_thread = 8;

/// The three values that a thread gets as its inputs.
struct inputs {
  std::uint64_t a = 0, b = 0, c = 0;
};

/// A kernel and its launch shape. Its body can use these registers, which have no type of their own:
///
/// | registers                      | hold                                                       |
/// | ------------------------------ | ---------------------------------------------------------- |
/// | `%a %b %c`                     | the low 32 bits of the thread's inputs                     |
/// | `%la %lb %lc`                  | all 64 bits                                                |
/// | `%ha %hb %hc`                  | the low 16 bits                                            |
/// | `%d %ld %hd`, `%p %q`          | `untouched` bits; both predicates are true                 |
/// | `%t %lane %out`                | thread in the block, lane in the warp, where its words are |
/// | `%r0`–`%r31`, `%w0`–`%w15`, `%h0`–`%h7`, `%p0`–`%p9` | nothing yet: 32, 64, 16 bits, predicates |
///
/// Words are stored with `st.global.b32 [%out+4*k], …`. A `ret` is added after the body.
struct ptx_launch {
  std::string body;
  std::string declarations = {};  ///< At module scope.
  unsigned threads = 32;          ///< Per block.
  unsigned blocks = 1;
  std::vector<inputs> values = {};  ///< Indexed by the number of the thread in the grid. Other threads get zeroes.
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t max_instructions = 1'000'000;  ///< Limit of warp instructions per block.
};

/// The outcome of a launch.
struct ptx_result {
  std::string error;                  ///< Empty if the kernel ran to its end.
  std::vector<std::string> findings;  ///< Kinds of the findings, such as "divergent barrier".
  std::string seen;                   ///< Everything that the observers counted and found, as text.
  std::vector<std::uint32_t> words;   ///< `words_per_thread` per thread; `untouched` if not written.

  [[nodiscard]] std::uint32_t word(unsigned thread, unsigned k = 0) const {
    return words.at(thread * words_per_thread + k);
  }
  /// Returns words `k` and `k + 1` as one value.
  [[nodiscard]] std::uint64_t wide(unsigned thread, unsigned k = 0) const {
    return word(thread, k) | std::uint64_t{word(thread, k + 1)} << 32;
  }
  /// Returns word `k` of the first `count` threads.
  [[nodiscard]] std::vector<std::uint32_t> column(unsigned count, unsigned k = 0) const;
};

inline constexpr std::uint32_t untouched = 0xa5a5a5a5u;

/// Runs `wanted` without observers, then with all of them, and again with all of them but without `options::shortcuts`.
/// Returns an error if the runs wrote different values, or if the observers of the last two saw different things.
[[nodiscard]] ptx_result run(const ptx_launch& wanted);
/// Runs one block of `threads` threads without inputs.
[[nodiscard]] ptx_result run(const std::string& body, unsigned threads = 32);

/// One test case of an instruction: inputs, and the expected content of its destination.
struct row {
  std::uint64_t a = 0, b = 0, c = 0;
  std::uint64_t expected = 0;
};

/// Returns what `text` leaves in its destination for each of `values`. The destination is the first of `%ld`, `%hd`,
/// `%d` that is in the text, or else `%p` (bit 0) with `%q` (bit 1). Runs the text with all lanes of every warp, and
/// again with only the odd lanes, while the even lanes jump over it. Fails the test case if the results differ, or if
/// the destinations of the even lanes change.
[[nodiscard]] std::vector<std::uint64_t> evaluate(const std::string& text, const std::vector<inputs>& values);

/// Checks that `text` gives the results in `rows`.
void check(const std::string& text, const std::vector<row>& rows);

/// Returns the bits of a value; for a negative number, its two's complement.
[[nodiscard]] constexpr std::uint64_t n(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}
[[nodiscard]] inline std::uint64_t bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
[[nodiscard]] inline std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
[[nodiscard]] inline float as_float(std::uint64_t x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x));
}
[[nodiscard]] inline double as_double(std::uint64_t x) {
  return std::bit_cast<double>(x);
}

/// Pseudorandom numbers, the same in every run.
class random_words {
 public:
  std::uint64_t operator()() {
    // Marsaglia's xorshift.
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15u;
};

}  // namespace emulator::simt::test
