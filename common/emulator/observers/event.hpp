#pragma once
/// \file
/// The data that events carry. observer.hpp has the events. The interpreter is compiled twice: without observers, and
/// with `block_observer`, which takes the events.

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

/// The lanes of a mask, the lowest one first: `for (const unsigned l : lanes_in(mask))`.
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

/// What an instruction is, as far as a counter wants to know. Flags, set while decoding.
enum instruction_class : std::uint32_t {
  class_none = 0,
  class_branch = 1u << 0,
  class_barrier = 1u << 1,       ///< `bar.sync`, `barrier.sync`, `bar.red` …: all threads of the block.
  class_warp_barrier = 1u << 2,  ///< `bar.warp.sync`.
  class_shuffle = 1u << 3,       ///< `shfl.sync`.
  class_warp_reduce = 1u << 4,   ///< `redux.sync`.
  class_vote = 1u << 5,          ///< `vote.sync`, `match.sync`, `activemask`.
  class_load = 1u << 6,
  class_store = 1u << 7,
  class_atomic = 1u << 8,     ///< `atom`: returns the old value.
  class_reduction = 1u << 9,  ///< `red`, and `atom` with its result thrown away.
  class_fence = 1u << 10,
  class_global = 1u << 11,
  class_shared = 1u << 12,
  class_local = 1u << 13,
  class_constant = 1u << 14,
  class_generic = 1u << 15,  ///< The state space is known only when the instruction runs.
  class_combine =
      1u << 16,  ///< Arithmetic on a value that came from shared memory or from another lane: one step of a reduction.
  class_divide = 1u << 17,     ///< Integer division or remainder.
  class_parameter = 1u << 18,  ///< `ld.param`: free on the hardware (an operand in the constant bank).
  class_call = 1u << 19,
  class_exit = 1u << 20,
  class_loop_branch = 1u << 21,      ///< A branch or a call to an instruction that stands before it, or to itself.
  class_announcement = 1u << 22,     ///< Of the barriers, those that do not wait: `bar.arrive`.
  class_copy = 1u << 24,             ///< Moves or converts a register: no instruction of its own on most hardware.
  class_exchange = 1u << 23,         ///< Of the atomics, those whose new value does not depend on the old one.
  class_passed_on = 1u << 25,        ///< Of the loads, those whose value is stored, and nothing else is done with it.
  class_cluster_barrier = 1u << 26,  ///< `barrier.cluster.arrive` and `.wait`.
  class_barrier_object = 1u << 27,   ///< What is done with an `mbarrier`: init, arrivals, waits.
};

/// What the memory model makes of an instruction ("ld.acquire.gpu"). Flags, set while decoding.
enum memory_ordering : std::uint8_t {
  ordering_none = 0,
  ordering_relaxed = 1,     ///< `.relaxed`, `.volatile`: sees what other threads write, and orders nothing.
  ordering_acquire = 2,     ///< `.acquire`, `.acq_rel`.
  ordering_release = 4,     ///< `.release`, `.acq_rel`.
  ordering_block_only = 8,  ///< Scope `.cta`: for other blocks an access like any other.
};

/// One instruction of a kernel, by program counter.
struct instruction_facts {
  std::uint32_t classes = class_none;
  std::uint8_t ordering = ordering_none;
  /// Of the instruction's type: 4 for "ld.shared.v4.u32"; 0 where it has none, and for a shuffle of one half of a
  /// value.
  std::uint8_t element_bytes = 0;
  bool is_real = false;         ///< That type is f32 or f64. A shuffle, which has none: what is done with its result.
  std::int32_t file = -1;       ///< Index into `kernel_facts::files`; -1 where unknown.
  std::uint32_t line = 0;       ///< Line in that file; the innermost one that is not inside the CUDA toolkit.
  std::uint32_t home_line = 0;  ///< The line of the kernel's own file that it comes from; 0 where there is none.
  std::uint32_t ptx_line = 0;
  std::string mnemonic;  ///< "ld.global.u32": for messages, never to be taken apart.
};

/// A named array in shared memory, for findings that say `tile[17]`.
struct shared_variable {
  std::string name;                 ///< Demangled.
  std::uint64_t offset = 0;         ///< Bytes from the start of the block's shared memory.
  std::uint64_t size_bytes = 0;     ///< 0 for the dynamic array (it reaches to the end).
  std::uint32_t element_bytes = 1;  ///< Size of an element, where it is known; else 1.
};

/// A register that an instruction reads or writes, by a number of the kernel's own.
struct register_use {
  std::uint32_t number = 0;
  bool written = false;
};

/// All that is known about a kernel before it runs.
struct kernel_facts {
  std::string mangled;
  std::string demangled;
  std::string file;  ///< Where the kernel itself stands, as the compiler saw it; empty where unknown.
  std::vector<std::string> files;
  std::vector<instruction_facts>
      instructions;  ///< By program counter; device functions it calls stand behind its own code.
  std::vector<register_use> register_uses;  ///< Of all instructions, those at `pc` from uses_begin[pc] on.
  std::vector<std::uint32_t> uses_begin;    ///< By program counter, and one more.
  std::uint32_t register_count = 0;
  std::vector<shared_variable> shared;
  std::vector<std::uint64_t> variables;       ///< Addresses of the global and constant variables that its text names.
  std::vector<std::uint32_t> unset_reads;     ///< Program counters that may read a register which nothing has set.
  std::vector<std::uint32_t> narrow_indices;  ///< Those of accesses whose index is computed in 32 bits.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t reserved_shared_bytes = 0;  ///< The system's, in front of the kernel's own; zero when a block begins.
  std::uint64_t local_bytes = 0;            ///< Per thread.
  std::uint64_t array_bytes = 0;            ///< Of these, the kernel's own arrays and variables, which come first.
  std::uint32_t registers_per_thread = 0;   ///< From the machine code; 0 where there is none.
  /// From the machine code: the private arrays that ptxas left in memory, and what it spilled. Bytes per thread.
  std::optional<std::uint32_t> machine_local_bytes;
  bool sets_conditions = false;  ///< Calls cudaGraphSetConditional.
  bool reads_clock = false;
  bool launches_kernels = false;
};

enum class access_kind : std::uint8_t { load, store, atomic, reduction };

/// Says whether it reads and writes in one.
[[nodiscard]] constexpr bool is_update(access_kind access) {
  return access == access_kind::atomic || access == access_kind::reduction;
}

/// Which phase of an `mbarrier` each lane arrives in or waits for.
struct barrier_phases {
  std::uint32_t odd = 0;          ///< Lanes whose phase is an odd one.
  std::uint32_t completes = 0;    ///< Lanes whose arrival ends the phase.
  std::uint32_t still_waits = 0;  ///< Lanes that wait for a phase which is not over: they learn nothing yet.
};

/// One warp instruction that reads or writes memory.
struct memory_event {
  std::uint32_t pc = 0;
  ptx::state_space space = ptx::state_space::global;  ///< global, shared, local or constant: generic ones are resolved.
  access_kind access = access_kind::load;
  std::uint32_t mask = 0;           ///< Active lanes; never 0.
  std::uint8_t bytes_per_lane = 4;  ///< 1 to 16: all elements of a vector access together.
  bool is_volatile = false;
  bool is_strong = false;  ///< relaxed, acquire, release, volatile or atomic: ordered by the memory model, not a data
                           ///< race against another strong access.
  const barrier_phases* phases = nullptr;  ///< Of an `mbarrier`'s arrivals and waits; else null.
  /// Store: of a `cp.async` that began before, and whose thread has waited for it or let an `mbarrier` stand for it.
  bool ends_copy = false;
  bool still_in_flight = false;  ///< With `ends_copy`: an `mbarrier` stands for it, and nobody has waited for that.
  /// By lane: device address (global, constant), offset in the block's shared memory (shared), offset in the thread's
  /// local memory (local). Lanes outside `mask` hold rubbish.
  const std::uint64_t* addresses = nullptr;
  /// By lane, stores to shared memory only, where `block_observer::wants_values`: the first 8 bytes written; else null.
  const std::uint64_t* values = nullptr;
  const access_shape* shape = nullptr;  ///< `shape_of` the addresses, if the sender knows it.
  memory::allocation* in = nullptr;     ///< Global: the allocation that all lanes access, if the sender knows it.
};

/// A `cp.async.bulk` of one thread.
struct bulk_event {
  std::uint32_t pc = 0;
  std::uint32_t thread = 0;                    ///< In the block.
  bool into_shared = false;                    ///< Else from shared to global memory.
  bool own = true;                             ///< Of this block's own thread, in its own shared memory.
  std::uint64_t shared = 0;                    ///< Offset: where to, or where from.
  std::uint32_t bytes = 0;                     ///< A multiple of 16.
  std::uint64_t global = 0;                    ///< Device address: where from, or where to; 0: none.
  std::optional<std::uint64_t> shared_source;  ///< Into shared memory from shared memory: offset.
  std::uint64_t object = 0;  ///< Into shared memory: the offset of the `mbarrier` that counts the bytes.
  bool odd = false;          ///< Its phase is an odd one.
  std::uint32_t owner = 0;   ///< Rank in the cluster of the block in whose shared memory both lie.
};

/// What one shuffle has moved, by lane. Lanes that take no part hold rubbish.
struct shuffle_event {
  const std::uint32_t* wanted = nullptr;  ///< The operand that says from where.
  const std::uint32_t* giver = nullptr;   ///< The lane whose value was asked for: its own where there is no such lane.
  const std::uint32_t* got = nullptr;     ///< The values; null where nobody keeps them.
};

/// Which block is about to run.
struct block_identity {
  std::uint32_t index[3] = {0, 0, 0};
  std::uint64_t linear = 0;
  std::uint32_t thread_count = 0;
  std::uint32_t warp_count = 0;
  std::uint32_t dimensions[3] = {1, 1, 1};  ///< blockDim.
  std::uint64_t shared_bytes = 0;           ///< Static and dynamic together.
};

/// Why a kernel had to be stopped.
enum class fault_kind : std::uint8_t {
  none,
  out_of_bounds,
  misaligned,
  use_after_free,
  host_pointer,
  no_peer_access,  ///< Memory of another device, which this one was not given access to.
  null_pointer,
  read_only,
  wrong_space,  ///< An atomic on local memory, or a write to a kernel's parameters.
  trap,
  assertion,
  deadlock,
  standstill,  ///< No block of the grid can go on; described by explain/deadlock_text.hpp.
  instruction_limit,
  divergent_barrier,
  bad_member_mask,
  incomplete_warp,   ///< An operation on matrices without all 32 lanes; `message` says which are missing.
  bad_matrix,        ///< A matrix whose place in memory is none, or not as aligned as it must be; `message` says why.
  bad_free,          ///< free() of what malloc() did not give.
  double_free,       ///< free() of what has been freed.
  left_cluster,      ///< Shared memory of a block that has left the kernel.
  bad_bulk_copy,     ///< A size or an address that cp.async.bulk does not take; `message` says which.
  cluster_protocol,  ///< A cluster's barrier: arrived twice, or waited without having arrived; `message` says which.
  bad_texture,       ///< What is no texture or surface object, or not one for such an access; `message` says why.
  surface_out_of_bounds,  ///< `message` says where.
  bad_condition,          ///< cudaGraphSetConditional with what is no handle; `message` says why.
  unsupported,
};

/// The place and the words of a fault; `message` is filled by whoever knows more (assertion text, deadlock picture).
struct fault {
  fault_kind kind = fault_kind::none;
  std::uint32_t pc = 0;
  block_identity block;
  std::uint32_t warp = 0;
  std::uint32_t mask = 0;     ///< Lanes at fault.
  std::uint64_t address = 0;  ///< Of the first lane at fault.
  std::uint32_t bytes = 0;
  access_kind access = access_kind::load;
  ptx::state_space space = ptx::state_space::global;
  std::optional<std::uint64_t> owner;  ///< Shared memory of another block of the cluster: its linear number.
  std::string message;
};

}  // namespace emulator::observers
