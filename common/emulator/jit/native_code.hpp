#pragma once
/// \file
/// A kernel as machine code: what the interpreter's loop would do for plain operations, ordinary accesses and branches,
/// with registers of the program in the processor's. Everything else goes back to the loop, operation by operation.
/// docs/decisions/007 says why, and what it gained.

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

/// Which lanes of a warp run.
struct running_lanes {
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;   ///< Not 0.
  std::uint32_t first = 0;  ///< The lowest of them.
  std::uint32_t span = 0;   ///< From that lane to the highest one, both included.
  bool gapless = false;     ///< All these run.
};

/// What the machine code works on, and what it says when it hands back. Offsets of these members stand in the code.
struct alignas(64) native_state {
  std::byte* file = nullptr;    ///< The warp's register file.
  void* edges = nullptr;        ///< `block_observer::edges`; null: nobody watches.
  void* divergences = nullptr;  ///< `block_observer::divergences`.
  static constexpr std::uint32_t divergence_bytes = 32;
  std::uint64_t executed = 0;  ///< The block's warp instructions.
  std::uint64_t limit = 0;     ///< Behind it, a jump backwards is the loop's to make.
  // By what an access does: 0 stores, 1 loads.
  std::uint64_t shared_limit[2] = {};       ///< Bytes of the block's shared memory that may be accessed without a call.
  const recent_allocation* recent[2] = {};  ///< Two each.
  std::byte* shared = nullptr;
  const std::byte* parameters = nullptr;  ///< The kernel's.
  const std::uint32_t* dimensions = nullptr;
  const std::uint32_t* grid = nullptr;
  const std::uint32_t* block_index = nullptr;

  // The split at hand.
  std::uint32_t pc = 0;              ///< Set where the code is left: where the loop goes on.
  std::uint32_t meeting = 0;         ///< Where the lanes meet others.
  std::uint64_t lanes = 0;           ///< How many run.
  running_lanes split;               ///< Which they are.
  std::uint32_t outer = 0;           ///< While others wait a few operations further on: all of them together.
  std::uint32_t* running = nullptr;  ///< `warp::mask`.

  warp* of = nullptr;
  block* in = nullptr;
  void* loop = nullptr;              ///< The interpreter.
  const native_form* forms[2] = {};  ///< For some lanes, and for all.

  // What the code calls.
  // Each returns where the code goes on, or null where it has to be left: then `pc` is set, or nobody can go on
  // (`ended`).
  /// Carries out the operation at `pc` as the loop does. Returns `here` where the same lanes go on behind it.
  const std::byte* (*carry_out)(native_state&, std::uint32_t pc) = nullptr;
  /// The same for a `bar.sync` of all threads at this barrier.
  const std::byte* (*wait)(native_state&, std::uint32_t pc, std::uint32_t barrier) = nullptr;
  /// The same as `carry_out`, after the split has parted at `branch`, where those of `outer` that do not run have
  /// jumped.
  const std::byte* (*carry_out_apart)(native_state&, std::uint32_t pc, std::uint32_t branch) = nullptr;
  /// Tells of operations from `pc` on that are about to be carried out, where a block is followed.
  void (*attend)(native_state&, std::uint32_t pc, std::uint32_t count) = nullptr;
  /// `memory_unit::tell`.
  void (*tell)(native_state&, const op*, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
               memory::allocation* in) = nullptr;
  /// `bar.warp.sync` of all lanes: tells the observer.
  void (*meet_in_warp)(native_state&, std::uint32_t pc) = nullptr;
  /// The split has come to `pc`, where its lanes meet others.
  const std::byte* (*meet)(native_state&) = nullptr;
  /// `taken` of the split's lanes jump at `pc`, others do not.
  const std::byte* (*part)(native_state&, std::uint32_t pc, std::uint32_t taken) = nullptr;
  /// Where the two ways are compared: before and behind a stretch. The second ends the program where they differ.
  void (*compare_begin)(native_state&) = nullptr;
  void (*compare_end)(native_state&, const compared_stretch&) = nullptr;
  bool ended = false;
  bool attended = false;  ///< The branch at `pc`, which the loop is to carry out, has been told of.

  /// The split at hand is one of these lanes from now on.
  void enter(std::uint32_t lanes_of_split) {
    split.mask = lanes_of_split;
    split.first = static_cast<std::uint32_t>(std::countr_zero(split.mask));
    split.span = warp_size - static_cast<std::uint32_t>(std::countl_zero(split.mask)) - split.first;
    const std::uint32_t run = split.mask >> split.first;
    split.gapless = (run & (run + 1)) == 0;
    lanes = static_cast<std::uint64_t>(std::popcount(split.mask));
  }
  inline static const std::byte* const here = reinterpret_cast<const std::byte*>(1);
};

/// `native_state::tell`: how the lanes lie, and where. Of a block that is followed also how many operations behind the
/// access are to be told of, times `tell_behind`.
enum tell_how : std::uint32_t { tell_one = 1, tell_shared = 2, tell_followed = 4, tell_behind = 8 };

/// What the interpreter does again of machine code, where the two are compared: plain operations from `begin` to `end`,
/// and which bytes of the register file they have written that are wanted later.
struct compared_stretch {
  struct bytes {
    std::uint32_t begin = 0, size = 0;
  };
  std::uint32_t begin = 0, end = 0;
  std::vector<bytes> written;
};

/// How much of a register machine code works on at a time: with AVX2, or with AVX-512.
enum class vector_width : std::uint8_t { bytes_32, bytes_64 };

/// Who watches.
enum class watching : std::uint8_t {
  nobody,
  observer,
  path  ///< An observer that follows each instruction for the block's longest chain.
};

/// Machine code of a program: for warps all of whose 32 lanes run, or for any of them.
class native_form {
 public:
  native_form() = default;
  ~native_form();
  native_form(const native_form&) = delete;
  native_form& operator=(const native_form&) = delete;
  /// Where it is entered at `pc`; null: nowhere.
  [[nodiscard]] const std::byte* entry(std::uint32_t pc) const {
    return entries[pc] == 0 ? nullptr : code + entries[pc];
  }
  /// Runs from there. Returns where the loop has to carry out an operation itself.
  std::uint32_t run(native_state& s, const std::byte* from) const { return enter(&s, from); }

  std::uint32_t (*enter)(native_state*, const std::byte*) = nullptr;
  const std::byte* code = nullptr;
  std::vector<std::uint32_t> entries;  ///< By pc: offset in the code; 0: none.
  std::deque<compared_stretch> compared;
};

/// Machine code for one program, made when it pays. Safe to use from several threads.
class native_kernel {
 public:
  explicit native_kernel(const program& p);
  ~native_kernel();
  native_kernel(const native_kernel&) = delete;
  native_kernel& operator=(const native_kernel&) = delete;

  /// The most that this processor can work on at a time; nothing where no machine code can be made for it.
  [[nodiscard]] static std::optional<vector_width> widest();

  /// One kind of code for the program. `full`: for a warp all of whose 32 lanes run; else for any of them.
  struct form {
    vector_width width = vector_width::bytes_64;
    watching who = watching::nobody;
    bool full = false;
    bool compares = false;  ///< Each stretch of plain operations is done by the interpreter, too.
  };
  /// The code; null where it does not exist yet, or cannot.
  [[nodiscard]] const native_form* ready(const form& f) const {
    return forms_[index(f)].load(std::memory_order_acquire);
  }
  /// The loop has carried out so many warp instructions by itself: makes the code once there are `enough`.
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
