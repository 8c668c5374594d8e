#pragma once
/// \file
/// A kernel as the interpreter runs it: PTX decoded into one dense array of operations. They work on a register file in
/// which each register holds the values of 32 lanes side by side.

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/observers/event.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/simt/matrix_form.hpp"
#include "emulator/warp_size.hpp"

namespace emulator::simt {

inline constexpr std::uint32_t all_lanes = 0xffffffffu;
using observers::lanes_in;
inline constexpr std::uint32_t no_pc = 0xffffffffu;

/// Generic addresses of shared, local and parameter memory. The bases are not canonical x86-64 addresses, so that no
/// host or device pointer can be mistaken for one.
inline constexpr std::uint64_t shared_window = 0x0100'0000'0000'0000u;
inline constexpr std::uint64_t local_window = 0x0200'0000'0000'0000u;
inline constexpr std::uint64_t param_window = 0x0300'0000'0000'0000u;
/// Base of the addresses of device functions; function k of a module has `function_window + 16 * (k + 1)`.
inline constexpr std::uint64_t function_window = 0x0400'0000'0000'0000u;
inline constexpr std::uint64_t window_mask = 0xff00'0000'0000'0000u;

/// Addresses in the shared memory of a cluster (`.shared::cluster`): the upper bits are 0 for the block's own memory,
/// and (r + 1) << cluster_rank_at for the block of rank r.
inline constexpr unsigned cluster_rank_at = 24;
inline constexpr std::uint64_t cluster_offset_mask = (std::uint64_t{1} << cluster_rank_at) - 1;

class module;
class native_kernel;
struct op;
struct warp;

/// Executes an operation for the lanes in `warp.mask`. It touches registers only: no memory, no control flow.
using handler = void (*)(warp&, const op&);

/// The work of the interpreter's loop for an operation.
enum class op_kind : std::uint8_t {
  arithmetic,       ///< `run` does everything.
  branch,           ///< `bra`, perhaps under a guard.
  branch_table,     ///< `brx.idx`.
  call,             ///< A call that cannot be inlined: recursion, or through a pointer.
  call_return,      ///< The end of a function that is called this way.
  exit,             ///< `ret` of the kernel, `exit`.
  barrier,          ///< `bar.sync`, `bar.arrive`, `bar.red` and their `barrier` spellings.
  cluster_barrier,  ///< `barrier.cluster`; `sub` is 1 for `.wait`.
  warp_barrier,     ///< `bar.warp.sync`.
  collective,       ///< `shfl`, `vote`, `match`, `redux`, `elect`: waits for the member mask, then `run`.
  load,
  store,
  atomic,
  parameter_load,  ///< `ld.param` of a kernel parameter: the same value for every lane.
  fence,
  barrier_object,  ///< `mbarrier`.
  async_copy,      ///< `cp.async`: `a` is the destination, `b` and `reconvergence` (an offset) the source, `c` the
                   ///< size.
  trap,
  system_call,  ///< A function of the system: see `system_call_kind`.
  texture,      ///< `tex`, `suld`, `sust`, `txq`, `suq`: `a` is the object, `imm` a `texture_settings`.
  matrix,       ///< `wmma`, `mma`, `ldmatrix` and similar, for all 32 lanes: `reconvergence` is the index of its
                ///< `matrix_form`, `c` holds all lanes as a member mask, and `run` does everything if it is set.
  unsupported,  ///< Decoded only far enough to name it if it is ever executed.
};

enum class barrier_operation : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or };

/// Operations on a barrier object in shared memory. `expect_tx` and `complete_tx` count bytes; `arrive_expect` expects
/// bytes and arrives.
enum class object_operation : std::uint8_t {
  init,
  invalidate,
  arrive,
  arrive_drop,
  expect_tx,
  complete_tx,
  arrive_expect,
  wait_state,
  wait_parity
};

/// `cp.async` itself; its `commit_group`, `wait_group` (`op::imm`: the number of groups that may still be pending) and
/// `wait_all`; and its `mbarrier.arrive` (`a`: the address), after which a barrier object tracks the copies. `bulk_…`:
/// `cp.async.bulk`: `a` is the destination, `b` the source, `c` the number of bytes, `imm` the slot of the barrier
/// object's address; `register_bytes` has a flag (`bulk_wide`) for each address that has 64 bits.
enum class copy_operation : std::uint8_t {
  copy,
  commit,
  wait,
  commit_and_wait,
  hand_over,
  bulk_from_global,
  bulk_from_shared,
  bulk_to_global,
  bulk_commit,
  bulk_wait,
  bulk_wait_read
};
enum bulk_wide : std::uint8_t { bulk_wide_to = 1, bulk_wide_from = 2, bulk_wide_object = 4 };

enum class atomic_operation : std::uint8_t {
  add,
  min,
  max,
  inc,
  dec,
  exchange,
  compare_and_swap,
  bit_and,
  bit_or,
  bit_xor
};

enum class texture_operation : std::uint8_t { fetch, surface_load, surface_store, query };
/// The behaviour of a surface access that is out of range.
enum class surface_edge : std::uint8_t { trap, clamp, zero };
enum class texture_question : std::uint8_t { width, height, depth };

/// `op::imm` of an instruction on textures or surfaces.
struct texture_settings {
  texture_operation operation : 2 = texture_operation::fetch;
  surface_edge edge : 2 = surface_edge::trap;
  texture_question question : 2 = texture_question::width;
  bool layered : 1 = false;
  bool integer_coordinates : 1 = false;
  bool real_result : 1 = false;
  bool asks_surface : 1 = false;
  unsigned dimensions : 2 = 1;  ///< Layers not counted.
  unsigned elements : 3 = 1;    ///< For a surface access.
  unsigned unused : 17 = 0;

  [[nodiscard]] std::int32_t packed() const { return std::bit_cast<std::int32_t>(*this); }
  [[nodiscard]] static texture_settings unpacked(std::int32_t word) { return std::bit_cast<texture_settings>(word); }
};

/// The format of 16-bit floating-point numbers, and how many of them a register holds.
enum class half_kind : std::uint8_t { none, f16, f16x2, bf16, bf16x2 };

/// `op::sub` of arithmetic that reads the clock. The count of instructions has to be up to date before it runs.
inline constexpr std::uint8_t reads_clock = 1;

enum class system_call_kind : std::uint8_t {
  print,
  assert_fail,
  allocate,
  release,
  set_condition,
  // Called by kernels that launch kernels; `get_parameter_buffer` is the first of these.
  get_parameter_buffer,
  launch_kernel,
  take_error,
  peek_at_error,
  create_stream,
  destroy_stream,
  get_device
};

/// Flags for what an operation does with its registers beyond `dst`, `a`, `b`, `c` and `guard`. If an operation reads
/// one vector and writes another, both have the same length, and the one that is written follows the one that is read.
enum slot_role : std::uint8_t {
  role_none = 0,
  role_target = 1,          ///< `op::target` is a second destination.
  role_imm = 2,             ///< `op::imm` is a fourth source.
  role_vector_written = 4,  ///< `op::target` is the index of its destinations in `program::vector_registers` …
  role_vector_read = 8,     ///< … or of its sources.
  role_copy = 16,           ///< The result is `a`, moved or converted.
};

/// Byte offset of a register (32 lanes side by side) in a warp's register file.
using slot = std::uint32_t;
inline constexpr slot no_slot = 0xffffffffu;

/// A decoded operation. It fills one cache line.
struct alignas(64) op {
  handler run = nullptr;
  slot dst = no_slot;
  slot a = no_slot;
  slot b = no_slot;
  slot c = no_slot;
  slot guard = no_slot;                 ///< Predicate register, or `no_slot`.
  std::uint32_t target = no_pc;         ///< Branch target, or index into a side table if `kind` has one.
  std::uint32_t reconvergence = no_pc;  ///< For a branch: the pc at which its two sides reconverge.
  std::int32_t imm = 0;                 ///< Address offset or a handler's own constant.
  op_kind kind = op_kind::arithmetic;
  bool simple = false;  ///< A load or store that machine code may execute inline.
  bool guard_negated = false;
  ptx::state_space space = ptx::state_space::generic;
  std::uint8_t element_bytes = 0;    ///< Memory: bytes of one element …
  std::uint8_t element_count = 1;    ///< … and how many a lane moves (1, 2, 4, 8).
  std::uint8_t register_bytes = 0;   ///< Memory: width of the registers.
  std::uint8_t flags = 0;            ///< `op_flags`.
  half_kind half = half_kind::none;  ///< Atomic add on 16-bit floating-point numbers.
  std::uint8_t sub = 0;              ///< `barrier_operation`, `atomic_operation`, `object_operation`, `copy_operation`,
                                     ///< `system_call_kind` or `reads_clock`.
  std::uint8_t roles = role_none;    ///< `slot_role`; used only while decoding.
  /// This many operations, beginning with this one, are unguarded arithmetic that doesn't read the clock, so that it is
  /// enough to call `run` for each of them.
  std::uint16_t plain_run = 0;
};

enum op_flags : std::uint8_t {
  flag_sign_extend = 1,  ///< Load: extend with the sign.
  flag_address_64 = 2,   ///< The address register has 64 bits (else 32, zero-extended).
  flag_strong = 4,       ///< relaxed, acquire, release, volatile: ordered by the memory model.
  flag_volatile = 8,
  flag_no_result = 16,  ///< Atomic: `red`, or the result is discarded.
  flag_float = 32,      ///< Atomic on f32 or f64.
  flag_signed = 64,     ///< Atomic min and max.
  flag_aligned = 128,   ///< Barrier: all threads of the warp must arrive together.
};

/// `shfl` is the only collective operation that has three sources.
[[nodiscard]] inline bool is_shuffle(const op& o) {
  return o.c != no_slot && o.b != no_slot;
}

/// Returns the register with the member mask of a collective operation; `no_slot` for `activemask`, which doesn't wait.
[[nodiscard]] inline slot member_slot(const op& o) {
  if (o.kind == op_kind::warp_barrier) return o.a;
  if (o.kind == op_kind::matrix) return o.c;
  // A shuffle's members are in `imm`; the others don't use `c`.
  return is_shuffle(o) ? static_cast<slot>(o.imm) : o.c;
}

/// One entry of a register file's constant pool: `bytes` per lane, with the same value in all lanes.
struct pooled_constant {
  slot at = 0;
  std::uint8_t bytes = 4;
  std::uint64_t value = 0;
};

/// A place in the register file for registers of one size.
struct register_place {
  slot at = 0;
  std::uint8_t bytes = 4;  ///< Per lane; 0: predicates.
};

/// A function that is called instead of inlined, so that the program has its code once. Its `.param` and `.local`
/// variables are in a frame: first the parameters, then the results, then the rest. The frame pointer holds the frame's
/// offset in local memory.
struct routine {
  std::uint32_t entry = no_pc;
  std::uint64_t frame_bytes = 0;
};

/// A parameter or a result of a call: its offset in the caller's frame (in local memory if the kernel is the caller)
/// and in the callee's.
struct passed_value {
  std::uint32_t caller = 0, callee = 0, bytes = 0;
};

/// The arguments and results of a call; `op::target` of a call is the index of one.
struct call_signature {
  std::vector<passed_value> arguments, results;
  std::uint64_t bytes = 0;  ///< From the beginning of the callee's frame to the end of the passed values.
};

/// The part of a kernel's local memory that a declaration takes: bytes [begin, end).
struct local_object {
  std::uint64_t begin = 0, end = 0;
};

/// A decoded kernel.
struct program {
  std::vector<op> code;
  std::vector<slot> vector_registers;  ///< Registers of vector accesses; `op::target` is the index of the first.
  std::vector<matrix_form> matrix_forms;
  std::vector<std::vector<std::uint32_t>> tables;  ///< Branch targets of `brx.idx`.
  std::vector<pooled_constant> constants;
  std::uint32_t register_begin = 0;  ///< The constant pool is before it, the registers follow.
  std::uint32_t file_bytes = 0;      ///< Size of one warp's register file, including the pool.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t reserved_shared_bytes = 0;  ///< Before the static variables, if the kernel uses the system's shared
                                            ///< memory: see special.cpp.
  std::uint64_t local_bytes = 0;  ///< Per thread, including call parameters, but not the call stack; a multiple of 4.
  /// The kernel's own local variables, in ascending order; the bytes between and after them are padding.
  std::vector<local_object> local_objects;
  std::vector<std::uint64_t> parameter_offsets;
  std::vector<std::uint64_t> parameter_sizes;
  std::uint64_t parameter_bytes = 0;
  std::vector<routine> routines;
  std::vector<std::uint32_t> routine_of_function;  ///< Indexed by the function's number in the module; no_pc if it
                                                   ///< isn't one of the routines.
  std::vector<call_signature> calls;
  std::vector<register_place> places;  ///< The places that a call saves; filled only if there are calls.
  std::vector<register_place> unset;   ///< Registers that some path through the kernel reads before it writes them.
  slot frame_pointer = no_slot;        ///< 64 bits: offset of the frame in local memory.
  bool frees = false;                  ///< Calls free().
  /// Lanes may read registers, their own or other lanes', that have not been written in this block. Therefore registers
  /// are set to zero when a block starts.
  bool sees_unset = false;
  bool knows_clusters = false;                   ///< Has instructions that use the cluster: its barrier, `mapa` or
                                                 ///< `getctarank`.
  module* owner = nullptr;                       ///< The module with the kernels that this one may launch.
  std::vector<std::string> unsupported_reasons;  ///< Indexed by `op::target` of `unsupported` operations.
  observers::kernel_facts facts;
  std::shared_ptr<native_kernel> native;  ///< Its machine code; null if there is none for this processor.
};

}  // namespace emulator::simt
