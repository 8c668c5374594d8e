// sketch plain|checked|counted COUNT ROUNDS
//
// What a translator from PTX to native code would make of chapter 1's kernel, written by hand: each warp's registers
// are vectors of 32 lanes that the host compiler keeps where it likes, each stretch between barriers is a loop over the
// warps of the block, and a branch is a mask. Prints the CPU time of each round in milliseconds, a line each, after one
// that is not timed.
//
//   plain    nothing else, as a compiler of OpenCL does it
//   checked  every access is compared with the bounds of its array, as the emulator always does
//   counted  also counts, by basic block, instructions and active lanes, and by access, sectors and bank conflicts,
//            with the emulator's own functions
//
// It is a measure of what can be gained, not a part of the emulator: it knows one kernel.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "emulator/observers/access_cost.hpp"

namespace {

constexpr unsigned lanes = 32, block_size = 128, warps = block_size / lanes;

/// PTX instructions of the kernel's stretches, as its profile has them: entry and load; a step's head, its body under
/// the condition, its end; the result.
enum stretch { entry, step_head, step_body, step_end, result, stretches };
constexpr unsigned instructions_of[stretches] = {19, 4, 6, 4, 6};

struct counts {
  std::uint64_t executed[stretches] = {}, active[stretches] = {};
  std::uint64_t sectors = 0, requests = 0, conflicts = 0, shared_accesses = 0;
};

struct vector_u32 {
  alignas(64) std::uint32_t of[lanes];
};

/// Where all lanes divide by one number the emulator multiplies by its reciprocal instead, and so would a translator:
/// no processor divides vectors of integers.
void remainder_by_uniform(const vector_u32& a, std::uint32_t divisor, vector_u32& rest) {
  const double reciprocal = 1.0 / divisor;
  for (unsigned l = 0; l < lanes; ++l) {
    const auto quotient = static_cast<std::uint32_t>(static_cast<double>(a.of[l]) * reciprocal);
    // The quotient is right, or one too small where the reciprocal was rounded down.
    const std::uint32_t r = a.of[l] - quotient * divisor;
    rest.of[l] = r >= divisor ? r - divisor : r;
  }
}

[[noreturn]] void out_of_bounds(std::uint64_t address) {
  std::fprintf(stderr, "out of bounds: %llu\n", static_cast<unsigned long long>(address));
  std::exit(1);
}

enum class mode { plain, checked, counted };

/// One block. \tparam Mode  what is done beside the work
template <mode Mode>
void run_block(const std::int32_t* in, std::int32_t* partials, std::uint64_t n, std::uint64_t blocks,
               std::uint32_t block, counts& c) {
  alignas(64) std::int32_t tile[2 * block_size];  // lanes that rest read, too, where a vector is loaded whole

  const auto count = [&](stretch s, std::uint32_t mask) {
    if constexpr (Mode != mode::counted) return;
    c.executed[s] += 1;
    c.active[s] += static_cast<unsigned>(std::popcount(mask));
  };
  const auto shared = [&](const vector_u32& index, std::uint32_t offset, const vector_u32& active, std::uint32_t mask) {
    if constexpr (Mode == mode::plain) return;
    std::uint32_t outside = 0;
    for (unsigned l = 0; l < lanes; ++l) outside |= active.of[l] & (index.of[l] + offset >= block_size ? ~0u : 0u);
    if (outside != 0) out_of_bounds(block_size);
    if constexpr (Mode == mode::counted) {
      std::uint64_t address[lanes];
      for (unsigned l = 0; l < lanes; ++l) address[l] = std::uint64_t{index.of[l] + offset} * 4;
      c.conflicts += emulator::observers::count_bank_conflicts({address, mask, 4});
      ++c.shared_accesses;
    }
  };
  const auto global = [&](std::uint64_t first, std::uint64_t size, std::uint32_t mask) {
    if constexpr (Mode == mode::plain) return;
    const std::uint64_t last = first + lanes - 1 - static_cast<unsigned>(std::countl_zero(mask));
    if (last >= size) out_of_bounds(last);
    if constexpr (Mode == mode::counted) {
      std::uint64_t address[lanes];
      for (unsigned l = 0; l < lanes; ++l) address[l] = (first + l) * 4;
      c.sectors += emulator::observers::count_sectors({address, mask, 4});
      ++c.requests;
    }
  };

  for (unsigned w = 0; w < warps; ++w) {
    const std::uint64_t first = std::uint64_t{block} * block_size + w * lanes;
    const std::uint64_t left = first < n ? n - first : 0;
    const std::uint32_t mask = left >= lanes ? ~0u : (1u << left) - 1;
    count(entry, ~0u);
    if (mask != 0) global(first, n, mask);
    vector_u32 tid;
    for (unsigned l = 0; l < lanes; ++l) tid.of[l] = w * lanes + l;
    vector_u32 all;
    for (unsigned l = 0; l < lanes; ++l) all.of[l] = ~0u;
    shared(tid, 0, all, ~0u);
    for (unsigned l = 0; l < lanes; ++l) tile[w * lanes + l] = l < left ? in[first + l] : 0;
  }
  for (std::uint32_t stride = 1; stride < block_size; stride *= 2) {
    for (unsigned w = 0; w < warps; ++w) {
      vector_u32 tid, partner, own, active;
      std::uint32_t mask = 0;
      for (unsigned l = 0; l < lanes; ++l) tid.of[l] = w * lanes + l;
      vector_u32 rest;
      remainder_by_uniform(tid, 2 * stride, rest);
      for (unsigned l = 0; l < lanes; ++l) active.of[l] = rest.of[l] == 0 ? ~0u : 0u;
      for (unsigned l = 0; l < lanes; ++l) mask |= active.of[l] & (1u << l);
      count(step_head, ~0u);
      if (mask != 0) {
        count(step_body, mask);
        shared(tid, stride, active, mask);
        shared(tid, 0, active, mask);
        shared(tid, 0, active, mask);
        // Gathers under the mask; the sum; a scatter.
        const std::int32_t* const far = tile + w * lanes + stride;
        for (unsigned l = 0; l < lanes; ++l) {
          partner.of[l] = active.of[l] != 0 ? static_cast<std::uint32_t>(far[l]) : 0;
          own.of[l] = static_cast<std::uint32_t>(tile[tid.of[l]]);
        }
        for (unsigned l = 0; l < lanes; ++l) tile[w * lanes + l] = static_cast<std::int32_t>(own.of[l] + partner.of[l]);
      }
      count(step_end, ~0u);
    }
  }
  count(result, 1);
  global(block, blocks, 1);
  partials[block] = tile[0];
}

template <mode Mode>
std::int32_t reduce(const std::vector<std::int32_t>& values, std::vector<std::int32_t>& a, std::vector<std::int32_t>& b,
                    counts& c) {
  const std::int32_t* from = values.data();
  std::int32_t* to = a.data();
  std::uint64_t n = values.size();
  do {
    const std::uint64_t blocks = (n + block_size - 1) / block_size;
    for (std::uint32_t k = 0; k < blocks; ++k) run_block<Mode>(from, to, n, blocks, k, c);
    n = blocks;
    from = to;
    to = to == a.data() ? b.data() : a.data();
  } while (n > 1);
  return *from;
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string wanted = argv[1];
  const std::size_t count = std::strtoul(argv[2], nullptr, 10);
  std::vector<std::int32_t> values(count), a((count + block_size - 1) / block_size), b(a.size());
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int32_t>(i * 2654435761u % 2001u) - 1000;
    expected += static_cast<std::uint32_t>(values[i]);
  }
  counts c;
  const auto run = [&] {
    if (wanted == "counted") return reduce<mode::counted>(values, a, b, c);
    if (wanted == "checked") return reduce<mode::checked>(values, a, b, c);
    return reduce<mode::plain>(values, a, b, c);
  };
  for (long round = -1; round < std::strtol(argv[3], nullptr, 10); ++round) {
    const double begin = cpu_ms();
    const std::int32_t sum = run();
    if (round >= 0) std::printf("%.4f\n", cpu_ms() - begin);
    if (sum != static_cast<std::int32_t>(expected)) return 1;
  }
  std::uint64_t executed = 0;
  for (unsigned s = 0; s < stretches; ++s) executed += c.executed[s] * instructions_of[s];
  if (executed != 0) {
    std::fprintf(stderr, "%llu warp instructions, %llu sectors, %llu conflicts\n",
                 static_cast<unsigned long long>(executed), static_cast<unsigned long long>(c.sectors),
                 static_cast<unsigned long long>(c.conflicts));
  }
  return 0;
}
