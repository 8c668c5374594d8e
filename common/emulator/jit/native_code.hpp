#pragma once
/// \file
/// A kernel as machine code. It executes plain operations, ordinary accesses and branches as the interpreter's loop
/// does, but keeps registers of the program in the processor's registers. All other operations are executed by the
/// loop, one at a time. docs/decisions/007 explains why, and how much faster it is.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "emulator/simt/program.hpp"

namespace emulator::memory {
struct allocation;
}

namespace emulator::simt {

struct block;
struct recent_allocation;
class native_form;
struct compared_stretch;

/// The lanes of a warp that run.
struct running_lanes {
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;   ///< Not 0.
  std::uint32_t first = 0;  ///< The lowest of them.
  std::uint32_t span = 0;   ///< From that lane to the highest one, both included.
  bool gapless = false;     ///< All lanes in this range run.
};

/// The state that the machine code works on, and its result when it returns. The offsets of these members are part of
/// the code.
struct alignas(64) native_state {
  std::byte* file = nullptr;    ///< The warp's register file.
  void* edges = nullptr;        ///< `block_observer::edges`; null: there is no observer.
  void* divergences = nullptr;  ///< `block_observer::divergences`.
  static constexpr std::uint32_t divergence_bytes = 32;
  std::uint64_t executed = 0;  ///< The block's warp instructions.
  std::uint64_t limit = 0;     ///< When it is reached, the interpreter's loop executes backward jumps.
  // Indexed by the kind of access: 0 stores, 1 loads.
  std::uint64_t shared_limit[2] = {};       ///< Bytes of the block's shared memory that can be accessed without a call.
  const recent_allocation* recent[2] = {};  ///< Two allocations each.
  std::byte* shared = nullptr;
  const std::byte* parameters = nullptr;  ///< The kernel's parameters.
  const std::uint32_t* dimensions = nullptr;
  const std::uint32_t* grid = nullptr;
  const std::uint32_t* block_index = nullptr;

  // The current path.
  std::uint32_t pc = 0;              ///< Set when the code returns: the pc at which the loop continues.
  std::uint32_t reconvergence = 0;   ///< The pc at which the lanes reconverge with others.
  std::uint64_t lanes = 0;           ///< Number of active lanes.
  running_lanes active;              ///< The active lanes.
  std::uint32_t outer = 0;           ///< All lanes of the path, while some of them wait a few operations later.
  std::uint32_t* running = nullptr;  ///< `warp::mask`.

  warp* of = nullptr;
  block* in = nullptr;
  void* loop = nullptr;              ///< The interpreter.
  const native_form* forms[2] = {};  ///< The code for some lanes, and for all 32.

  // Functions that the code calls. Each returns the address at which the code continues, or null if it has to return.
  // If it returns null, it has set `pc`, or it has set `ended` because no lanes can continue here.
  /// Executes the operation at `pc` as the loop does. Returns `here` if the same lanes continue after it.
  const std::byte* (*carry_out)(native_state&, std::uint32_t pc) = nullptr;
  /// Executes a `bar.sync` of all threads at barrier `barrier`.
  const std::byte* (*wait)(native_state&, std::uint32_t pc, std::uint32_t barrier) = nullptr;
  /// Does the same as `carry_out`, but first makes the path diverge at `branch`, where the lanes of `outer` that don't
  /// run have jumped.
  const std::byte* (*carry_out_apart)(native_state&, std::uint32_t pc, std::uint32_t branch) = nullptr;
  /// Reports `count` operations, starting at `pc`, that are about to be executed. Used if each operation is reported.
  void (*attend)(native_state&, std::uint32_t pc, std::uint32_t count) = nullptr;
  /// `memory_unit::tell`.
  void (*tell)(native_state&, const op*, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
               memory::allocation* in) = nullptr;
  /// Reports a `bar.warp.sync` of all lanes to the observer.
  void (*meet_in_warp)(native_state&, std::uint32_t pc) = nullptr;
  /// Called when the path has reached `pc`, where its lanes reconverge with others.
  const std::byte* (*meet)(native_state&) = nullptr;
  /// Called when the lanes `taken` of the path jump at `pc` and the others don't.
  const std::byte* (*part)(native_state&, std::uint32_t pc, std::uint32_t taken) = nullptr;
  /// Called before and after each section that is compared with the interpreter. `compare_end` ends the program if the
  /// results differ.
  void (*compare_begin)(native_state&) = nullptr;
  void (*compare_end)(native_state&, const compared_stretch&) = nullptr;
  bool ended = false;
  bool attended = false;  ///< The branch at `pc`, which the loop has to execute, has been reported already.

  /// Makes these lanes the current path.
  void enter(std::uint32_t lanes_of_path) {
    active.mask = lanes_of_path;
    active.first = static_cast<std::uint32_t>(std::countr_zero(active.mask));
    active.span = warp_size - static_cast<std::uint32_t>(std::countl_zero(active.mask)) - active.first;
    const std::uint32_t run = active.mask >> active.first;
    active.gapless = (run & (run + 1)) == 0;
    lanes = static_cast<std::uint64_t>(std::popcount(active.mask));
  }
  inline static const std::byte* const here = reinterpret_cast<const std::byte*>(1);
};

/// Argument of `native_state::tell`: the pattern and the state space of the access. If each operation is reported, it
/// also contains the number of operations after the access to report, multiplied by `tell_behind`.
enum tell_how : std::uint32_t { tell_one = 1, tell_shared = 2, tell_followed = 4, tell_behind = 8 };

/// A section that the interpreter repeats to compare the results: plain operations from `begin` to `end`, and the bytes
/// of the register file that they write and that are read later.
struct compared_stretch {
  struct bytes {
    std::uint32_t begin = 0, size = 0;
  };
  std::uint32_t begin = 0, end = 0;
  std::vector<bytes> written;
};

/// The number of bytes of a register that machine code processes at a time: with AVX2, or with AVX-512.
enum class vector_width : std::uint8_t { bytes_32, bytes_64 };

/// The observers of a launch.
enum class watching : std::uint8_t {
  nobody,
  observer,
  path  ///< An observer that follows each instruction, to find the block's critical path.
};

/// Machine code of a program, either for warps with all 32 lanes active or for any number of lanes.
class native_form {
 public:
  native_form() = default;
  ~native_form();
  native_form(const native_form&) = delete;
  native_form& operator=(const native_form&) = delete;
  /// Returns the address at which the code can be entered to continue at `pc`, or null if it can't.
  [[nodiscard]] const std::byte* entry(std::uint32_t pc) const {
    return entries[pc] == 0 ? nullptr : code + entries[pc];
  }
  /// Runs the code from that address. Returns the pc of an operation that the loop has to execute.
  std::uint32_t run(native_state& s, const std::byte* from) const { return enter(&s, from); }

  std::uint32_t (*enter)(native_state*, const std::byte*) = nullptr;
  const std::byte* code = nullptr;
  std::vector<std::uint32_t> entries;  ///< For each pc: offset in the code; 0: no entry.
  std::deque<compared_stretch> compared;
};

/// Machine code for one program, generated when it is worth the time. Safe to use from several threads.
class native_kernel {
 public:
  explicit native_kernel(const program& p);
  ~native_kernel();
  native_kernel(const native_kernel&) = delete;
  native_kernel& operator=(const native_kernel&) = delete;

  /// Returns the widest vectors that this processor supports; nullopt if no machine code can be generated for it.
  [[nodiscard]] static std::optional<vector_width> widest();

  /// A kind of code for the program. `full`: for a warp with all 32 lanes active, else for any number of lanes.
  struct form {
    vector_width width = vector_width::bytes_64;
    watching who = watching::nobody;
    bool full = false;
    bool compares = false;  ///< The interpreter repeats each section of plain operations, and the results are compared.
  };
  /// Returns the code, or null if it hasn't been generated or can't be.
  [[nodiscard]] const native_form* ready(const form& f) const {
    return forms_[index(f)].load(std::memory_order_acquire);
  }
  /// Called when the loop has executed this many warp instructions itself; generates the code if the total is at least
  /// `enough`.
  void worked(const form& f, std::uint64_t instructions, std::uint64_t enough);

 private:
  void make(const form& f);
  static constexpr unsigned form_count = 24;
  static unsigned index(const form& f) {
    return 12 * static_cast<unsigned>(f.width) + 4 * static_cast<unsigned>(f.who) + (f.full ? 2u : 0u) +
           (f.compares ? 1u : 0u);
  }

  const program& program_;
  std::array<std::atomic<const native_form*>, form_count> forms_{};
  std::array<std::atomic<std::uint64_t>, form_count> worked_{};
  std::array<std::atomic<bool>, form_count> tried_{};
  std::mutex mutex_;
};

}  // namespace emulator::simt
