#pragma once
/// \file
/// The data of events; the events themselves are in observer.hpp. The interpreter is compiled twice: once without
/// observers, and once with `block_observer`, which receives the events.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/warp_size.hpp"

namespace emulator::memory {
struct allocation;
}

namespace emulator::observers {

struct access_shape;

/// Iterates over the lanes of a mask, the lowest one first: `for (const unsigned l : lanes_in(mask))`.
class lanes_in {
 public:
  [[gnu::always_inline]] explicit lanes_in(std::uint32_t mask) : mask_(mask) {}
  struct iterator {
    std::uint32_t rest;
    [[gnu::always_inline]] unsigned operator*() const { return static_cast<unsigned>(std::countr_zero(rest)); }
    [[gnu::always_inline]] void operator++() { rest &= rest - 1; }
    [[gnu::always_inline]] bool operator!=(const iterator& other) const { return rest != other.rest; }
  };
  [[nodiscard, gnu::always_inline]] iterator begin() const { return {mask_}; }
  [[nodiscard, gnu::always_inline]] iterator end() const { return {0}; }

 private:
  std::uint32_t mask_;
};

/// The classes of an instruction that the counters distinguish. Flags, set by the decoder.
enum instruction_class : std::uint32_t {
  class_none = 0,
  class_branch = 1u << 0,
  class_barrier = 1u << 1,       ///< `bar.sync`, `barrier.sync`, `bar.red` …: a barrier of the block.
  class_warp_barrier = 1u << 2,  ///< `bar.warp.sync`.
  class_shuffle = 1u << 3,       ///< `shfl.sync`.
  class_warp_reduce = 1u << 4,   ///< `redux.sync`.
  class_vote = 1u << 5,          ///< `vote.sync`, `match.sync`, `activemask`.
  class_load = 1u << 6,
  class_store = 1u << 7,
  class_atomic = 1u << 8,     ///< `atom`: returns the old value.
  class_reduction = 1u << 9,  ///< `red`, and `atom` if its result isn't used.
  class_fence = 1u << 10,
  class_global = 1u << 11,
  class_shared = 1u << 12,
  class_local = 1u << 13,
  class_constant = 1u << 14,
  class_generic = 1u << 15,    ///< The state space is known only when the instruction runs.
  class_combine = 1u << 16,    ///< Arithmetic on a value from shared memory or another lane: one step of a reduction.
  class_divide = 1u << 17,     ///< Integer division or remainder.
  class_parameter = 1u << 18,  ///< `ld.param`: free on the hardware (an operand in the constant bank).
  class_call = 1u << 19,
  class_exit = 1u << 20,
  class_loop_branch = 1u << 21,      ///< A branch or a call to the same or an earlier instruction.
  class_announcement = 1u << 22,     ///< A barrier that doesn't wait: `bar.arrive`.
  class_copy = 1u << 24,             ///< Moves or converts a register: not a separate instruction on most hardware.
  class_exchange = 1u << 23,         ///< An atomic whose new value does not depend on the old one.
  class_passed_on = 1u << 25,        ///< A load whose value is only stored, and not used otherwise.
  class_cluster_barrier = 1u << 26,  ///< `barrier.cluster.arrive` and `.wait`.
  class_barrier_object = 1u << 27,   ///< Operations on an `mbarrier`: init, arrivals, waits.
};

/// The memory model's view of an instruction ("ld.acquire.gpu"). Flags, set by the decoder.
enum memory_ordering : std::uint8_t {
  ordering_none = 0,
  ordering_relaxed = 1,     ///< `.relaxed`, `.volatile`: sees the writes of other threads, but orders nothing.
  ordering_acquire = 2,     ///< `.acquire`, `.acq_rel`.
  ordering_release = 4,     ///< `.release`, `.acq_rel`.
  ordering_block_only = 8,  ///< Scope `.cta`: an ordinary access as far as other blocks are concerned.
};

/// One instruction of a kernel, by program counter.
struct instruction_facts {
  std::uint32_t classes = class_none;
  std::uint8_t ordering = ordering_none;
  /// Size of the instruction's type: 4 for "ld.shared.v4.u32". 0 if it has none, and for a shuffle of half a value.
  std::uint8_t element_bytes = 0;
  bool is_real = false;         ///< The type is f32 or f64. A shuffle has no type, so the use of its result decides.
  std::int32_t file = -1;       ///< Index into `kernel_facts::files`; -1 if unknown.
  std::uint32_t line = 0;       ///< Line in that file: the innermost one that isn't in the CUDA toolkit.
  std::uint32_t home_line = 0;  ///< The line of the kernel's own file that it belongs to; 0 if there is none.
  std::uint32_t ptx_line = 0;
  std::string mnemonic;  ///< "ld.global.u32": for messages; must not be parsed.
};

/// A named array in shared memory, so that findings can name `tile[17]`.
struct shared_variable {
  std::string name;                 ///< Demangled.
  std::uint64_t offset = 0;         ///< Bytes from the start of the block's shared memory.
  std::uint64_t size_bytes = 0;     ///< 0 for the dynamic array, which reaches to the end.
  std::uint32_t element_bytes = 1;  ///< Size of an element if it is known; else 1.
};

/// A register that an instruction reads or writes. Registers are numbered separately for each kernel.
struct register_use {
  std::uint32_t number = 0;
  bool written = false;
};

/// Everything that is known about a kernel before it runs.
struct kernel_facts {
  std::string mangled;
  std::string demangled;
  std::string file;  ///< The source file of the kernel, as the compiler saw it; empty if unknown.
  std::vector<std::string> files;
  std::vector<instruction_facts>
      instructions;  ///< Indexed by program counter. The device functions that it calls follow its own code.
  std::vector<register_use> register_uses;  ///< All instructions' register uses; those of `pc` start at uses_begin[pc].
  std::vector<std::uint32_t> uses_begin;    ///< Indexed by program counter, with one more at the end.
  std::uint32_t register_count = 0;
  std::vector<shared_variable> shared;
  std::vector<std::uint64_t> variables;  ///< Addresses of the global and constant variables that its code names.
  /// Program counters of instructions that may read a register before it is written.
  std::vector<std::uint32_t> unset_reads;
  std::vector<std::uint32_t> narrow_indices;  ///< Program counters of accesses whose index is computed in 32 bits.
  std::uint64_t static_shared_bytes = 0;
  /// Bytes that the system reserves before the kernel's own shared memory. They are zero when a block begins.
  std::uint64_t reserved_shared_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< Per thread.
  /// The part of `local_bytes` that the kernel's own arrays and variables use; it comes first.
  std::uint64_t array_bytes = 0;
  std::uint32_t registers_per_thread = 0;  ///< From the machine code; 0 if there is none.
  /// From the machine code: bytes per thread of the private arrays that ptxas left in memory, and of spilled registers.
  std::optional<std::uint32_t> machine_local_bytes;
  bool sets_conditions = false;  ///< Calls cudaGraphSetConditional.
  bool reads_clock = false;
  bool launches_kernels = false;
};

enum class access_kind : std::uint8_t { load, store, atomic, reduction };

/// Returns true if the access both reads and writes.
[[nodiscard]] constexpr bool is_update(access_kind access) {
  return access == access_kind::atomic || access == access_kind::reduction;
}

/// The phases of an `mbarrier` that the lanes arrive in or wait for.
struct barrier_phases {
  std::uint32_t odd = 0;          ///< Lanes whose phase has an odd number.
  std::uint32_t completes = 0;    ///< Lanes whose arrival completes the phase.
  std::uint32_t still_waits = 0;  ///< Lanes that wait for an incomplete phase: nothing is ordered before them yet.
};

/// One warp instruction that reads or writes memory.
struct memory_event {
  std::uint32_t pc = 0;
  /// global, shared, local or constant: generic addresses have been resolved.
  ptx::state_space space = ptx::state_space::global;
  access_kind access = access_kind::load;
  std::uint32_t mask = 0;           ///< Active lanes; never 0.
  std::uint8_t bytes_per_lane = 4;  ///< 1 to 16: all elements of a vector access together.
  bool is_volatile = false;
  /// Relaxed, acquire, release, volatile or atomic, so it doesn't race with other strong accesses.
  bool is_strong = false;
  const barrier_phases* phases = nullptr;  ///< For an `mbarrier`'s arrivals and waits; else null.
  /// A store by a `cp.async` that began earlier. The event is sent after the thread has waited for the copy or has
  /// handed it over to an `mbarrier`.
  bool ends_copy = false;
  /// With `ends_copy`: the copy was handed over to an `mbarrier`, and no thread has waited for that yet.
  bool still_in_flight = false;
  /// For each lane: device address (global, constant), offset in the block's shared memory (shared), or offset in the
  /// thread's local memory (local). Entries of lanes outside `mask` are undefined.
  const std::uint64_t* addresses = nullptr;
  /// For stores to shared memory if `block_observer::wants_values`: the first 8 bytes that each lane wrote; else null.
  const std::uint64_t* values = nullptr;
  const access_shape* shape = nullptr;  ///< `shape_of` the addresses if the sender knows it; else null.
  /// Global: the allocation that all lanes access, if the sender knows it; else null.
  memory::allocation* in = nullptr;
};

/// A `cp.async.bulk` by one thread.
struct bulk_event {
  std::uint32_t pc = 0;
  std::uint32_t thread = 0;                    ///< Index in the block.
  bool into_shared = false;                    ///< False: from shared to global memory.
  bool own = true;                             ///< A thread of this block accesses the block's own shared memory.
  std::uint64_t shared = 0;                    ///< Offset of the destination or the source.
  std::uint32_t bytes = 0;                     ///< A multiple of 16.
  std::uint64_t global = 0;                    ///< Device address of the source or the destination; 0: none.
  std::optional<std::uint64_t> shared_source;  ///< Copy from shared to shared memory: offset of the source.
  std::uint64_t object = 0;  ///< Into shared memory: the offset of the `mbarrier` that counts the bytes.
  bool odd = false;          ///< The `mbarrier`'s phase has an odd number.
  /// Cluster rank of the block in whose shared memory the destination and the `mbarrier` are.
  std::uint32_t owner = 0;
};

/// The values that one shuffle has moved, by lane. Entries of inactive lanes are undefined.
struct shuffle_event {
  const std::uint32_t* wanted = nullptr;  ///< The operand that selects the source lane.
  /// The lane whose value was read; the lane itself if the source lane doesn't exist.
  const std::uint32_t* giver = nullptr;
  const std::uint32_t* got = nullptr;  ///< The values; null if no observer wants them.
};

/// Identifies a block, and states its size.
struct block_identity {
  std::uint32_t index[3] = {0, 0, 0};
  std::uint64_t linear = 0;
  std::uint32_t thread_count = 0;
  std::uint32_t warp_count = 0;
  std::uint32_t dimensions[3] = {1, 1, 1};  ///< blockDim.
  std::uint64_t shared_bytes = 0;           ///< Static plus dynamic.
};

/// The reason why a kernel had to be stopped.
enum class fault_kind : std::uint8_t {
  none,
  out_of_bounds,
  misaligned,
  use_after_free,
  host_pointer,
  no_peer_access,  ///< Memory of another device to which this device has no access.
  null_pointer,
  read_only,
  wrong_space,  ///< An atomic on local memory, or a write to a kernel's parameters.
  trap,
  assertion,
  deadlock,
  grid_deadlock,  ///< No block of the grid can continue; described by explain/deadlock_text.hpp.
  instruction_limit,
  divergent_barrier,
  bad_member_mask,
  incomplete_warp,        ///< A matrix operation without all 32 lanes; `message` states which are missing.
  bad_matrix,             ///< A matrix at an invalid or misaligned address; `message` states why.
  bad_free,               ///< free() of a pointer that malloc() did not return.
  double_free,            ///< free() of memory that has been freed already.
  left_cluster,           ///< Shared memory of a block that has left the kernel.
  bad_bulk_copy,          ///< A size or an address that cp.async.bulk does not accept; `message` states which.
  cluster_protocol,       ///< A cluster's barrier: a second arrival, or a wait without one; `message` states which.
  bad_texture,            ///< Not a texture or surface object, or the wrong kind for this access; `message` states why.
  surface_out_of_bounds,  ///< `message` states where.
  bad_condition,          ///< cudaGraphSetConditional with an invalid handle; `message` states why.
  unsupported,
};

/// Lanes of a warp that wait in a deadlocked block.
struct waiting_lanes {
  enum class place : std::uint8_t { block_barrier, warp_operation, exited };

  place where = place::block_barrier;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;
  std::uint32_t pc = 0;
  std::uint32_t barrier = 0;  ///< block_barrier: its number.
  std::uint32_t missing = 0;  ///< warp_operation: lanes of its member mask that have not arrived.
};

/// A fault and its place. `message` is set if there is more to report, such as the text of an assertion.
struct fault {
  fault_kind kind = fault_kind::none;
  std::uint32_t pc = 0;
  block_identity block;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;     ///< Faulting lanes.
  std::uint64_t address = 0;  ///< Address of the first faulting lane.
  std::uint32_t bytes = 0;
  access_kind access = access_kind::load;
  ptx::state_space space = ptx::state_space::global;
  /// Linear number of the block whose shared memory was accessed, if it is another block of the cluster.
  std::optional<std::uint64_t> owner;
  std::string message;
  std::vector<waiting_lanes> waiting;  ///< deadlock: all warps of the block, in order; else empty.
};

}  // namespace emulator::observers
