#pragma once
/// \file
/// A kernel as the interpreter runs it: PTX decoded into one dense array of operations over a register file whose
/// registers hold 32 lanes side by side.

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
/// Where the addresses of device functions lie; function k of a module has `function_window + 16 * (k + 1)`.
inline constexpr std::uint64_t function_window = 0x0400'0000'0000'0000u;
inline constexpr std::uint64_t window_mask = 0xff00'0000'0000'0000u;

/// Addresses in the shared memory of a cluster (`.shared::cluster`): those of the block's own begin with 0, those of
/// the block of rank r with (r + 1) << cluster_rank_at.
inline constexpr unsigned cluster_rank_at = 24;
inline constexpr std::uint64_t cluster_offset_mask = (std::uint64_t{1} << cluster_rank_at) - 1;

class module;
class native_kernel;
struct op;
struct warp;

/// Carries out an operation for the lanes in `warp.mask`. Registers only: no memory, no control flow.
using handler = void (*)(warp&, const op&);

/// What the interpreter's loop has to do for an operation.
enum class op_kind : std::uint8_t {
  arithmetic,       ///< `run` does all.
  branch,           ///< `bra`, perhaps under a guard.
  branch_table,     ///< `brx.idx`.
  call,             ///< A call that cannot be inlined: recursion, or through a pointer.
  call_return,      ///< The end of a function that is called so.
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
  async_copy,      ///< `cp.async`: `a` is where to, `b` and `reconvergence` (an offset) where from, `c` how many bytes.
  trap,
  system_call,  ///< A function of the system: see `system_call_kind`.
  texture,      ///< `tex`, `suld`, `sust`, `txq`, `suq`: `a` is the object, `imm` a `texture_settings`.
  matrix,       ///< `wmma`, `mma`, `ldmatrix` and their like, for all 32 lanes: `reconvergence` is the index of its
                ///< `matrix_form`, `c` holds all lanes as a member mask, and `run` does all where it is set.
  unsupported,  ///< Decoded only far enough to name it, should it ever be executed.
};

enum class barrier_operation : std::uint8_t { sync, arrive, reduce_popc, reduce_and, reduce_or };

/// What is done to a barrier object in shared memory.
/// `expect_tx` and `complete_tx` count bytes; `arrive_expect` expects bytes and arrives.
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

/// `cp.async` itself; its `commit_group`, `wait_group` (`op::imm`: how many groups may be left) and `wait_all`; and its
/// `mbarrier.arrive` (`a`: the address), by which a barrier object comes to stand for the copies.
/// `bulk_…`: `cp.async.bulk`: `a` is where to, `b` where from, `c` how many bytes, `imm` the slot of the barrier
/// object's address; `register_bytes` says which of the addresses have 64 bits (`bulk_wide`).
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
/// What a surface access beyond the edge does.
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
  unsigned elements : 3 = 1;    ///< Of a surface access.
  unsigned unused : 17 = 0;

  [[nodiscard]] std::int32_t packed() const { return std::bit_cast<std::int32_t>(*this); }
  [[nodiscard]] static texture_settings unpacked(std::int32_t word) { return std::bit_cast<texture_settings>(word); }
};

/// Which 16-bit floating-point numbers, and how many of them in a register.
enum class half_kind : std::uint8_t { none, f16, f16x2, bf16, bf16x2 };

/// `op::sub` of arithmetic that reads the clock, for which the count of instructions has to be up to date.
inline constexpr std::uint8_t reads_clock = 1;

enum class system_call_kind : std::uint8_t {
  print,
  assert_fail,
  allocate,
  release,
  set_condition,
  // Those of kernels that launch kernels; `get_parameter_buffer` is the first.
  get_parameter_buffer,
  launch_kernel,
  take_error,
  peek_at_error,
  create_stream,
  destroy_stream,
  get_device
};

/// What an operation does with its registers beyond `dst`, `a`, `b`, `c` and `guard`. Flags. With a vector that is read
/// and one that is written, as long as each other, the second stands behind the first.
enum slot_role : std::uint8_t {
  role_none = 0,
  role_target = 1,          ///< `op::target` is a second destination.
  role_imm = 2,             ///< `op::imm` is a fourth source.
  role_vector_written = 4,  ///< `op::target` says where its destinations stand in `program::vector_registers` …
  role_vector_read = 8,     ///< … or its sources.
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
  slot guard = no_slot;                 ///< Predicate register, or none.
  std::uint32_t target = no_pc;         ///< Branch target; index into a side table where `kind` has one.
  std::uint32_t reconvergence = no_pc;  ///< Of a branch: where its two sides meet again.
  std::int32_t imm = 0;                 ///< Address offset or a handler's own constant.
  op_kind kind = op_kind::arithmetic;
  bool simple = false;  ///< A load or store that machine code may carry out in line.
  bool guard_negated = false;
  ptx::state_space space = ptx::state_space::generic;
  std::uint8_t element_bytes = 0;    ///< Memory: bytes of one element …
  std::uint8_t element_count = 1;    ///< … and how many a lane moves (1, 2, 4, 8).
  std::uint8_t register_bytes = 0;   ///< Memory: width of the registers.
  std::uint8_t flags = 0;            ///< `op_flags`.
  half_kind half = half_kind::none;  ///< Atomic add on 16-bit floating-point numbers.
  std::uint8_t sub = 0;              ///< `barrier_operation`, `atomic_operation`, `object_operation`, `copy_operation`,
                                     ///< `system_call_kind` or `reads_clock`.
  std::uint8_t roles = role_none;    ///< `slot_role`; of interest while decoding.
  /// From here on, so many operations are arithmetic without a guard, and not on the clock: nothing to do but `run`.
  std::uint16_t plain_run = 0;
};

enum op_flags : std::uint8_t {
  flag_sign_extend = 1,  ///< Load: extend with the sign.
  flag_address_64 = 2,   ///< The address register has 64 bits (else 32, zero-extended).
  flag_strong = 4,       ///< relaxed, acquire, release, volatile: ordered by the memory model.
  flag_volatile = 8,
  flag_no_result = 16,  ///< Atomic: `red`, or the result is thrown away.
  flag_float = 32,      ///< Atomic on f32 or f64.
  flag_signed = 64,     ///< Atomic min and max.
  flag_aligned = 128,   ///< Barrier: all threads of the warp must arrive together.
};

/// Of the operations that lanes carry out together, shfl alone has three sources.
[[nodiscard]] inline bool is_shuffle(const op& o) {
  return o.c != no_slot && o.b != no_slot;
}

/// The register with the member mask of such an operation; none for `activemask`, which waits for nobody.
[[nodiscard]] inline slot member_slot(const op& o) {
  if (o.kind == op_kind::warp_barrier) return o.a;
  if (o.kind == op_kind::matrix) return o.c;
  // A shuffle's members stand in `imm`; the others leave `c` free.
  return is_shuffle(o) ? static_cast<slot>(o.imm) : o.c;
}

/// One part of a register file's constant pool: `bytes` per lane, the same for all lanes.
struct pooled_constant {
  slot at = 0;
  std::uint8_t bytes = 4;
  std::uint64_t value = 0;
};

/// A place of the register file that holds registers of one size.
struct register_place {
  slot at = 0;
  std::uint8_t bytes = 4;  ///< A lane's; 0: predicates.
};

/// A function that stands in the program once and is called. Its `.param` and `.local` variables lie in a frame, whose
/// place in local memory the frame pointer says; the first bytes are its parameters, then its results.
struct routine {
  std::uint32_t entry = no_pc;
  std::uint64_t frame_bytes = 0;
};

/// A parameter or a result of a call: where it lies in the caller's frame (in local memory where the kernel calls) and
/// in the callee's.
struct passed_value {
  std::uint32_t caller = 0, callee = 0, bytes = 0;
};

/// What a call passes; `op::target` of a call is the index of one.
struct call_signature {
  std::vector<passed_value> arguments, results;
  std::uint64_t bytes = 0;  ///< From the begin of the callee's frame to the end of what is passed.
};

/// What a declaration takes of a kernel's local memory: bytes [begin, end).
struct local_object {
  std::uint64_t begin = 0, end = 0;
};

/// A decoded kernel.
struct program {
  std::vector<op> code;
  std::vector<slot> vector_registers;  ///< Registers of vector accesses; `op::dst` or `op::b` says where they begin.
  std::vector<matrix_form> matrix_forms;
  std::vector<std::vector<std::uint32_t>> tables;  ///< Branch targets of `brx.idx`.
  std::vector<pooled_constant> constants;
  std::uint32_t register_begin = 0;  ///< The pool lies in front of it; registers behind.
  std::uint32_t file_bytes = 0;      ///< Of one warp, pool included.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t reserved_shared_bytes =
      0;                          ///< In front of it, where the kernel asks for the system's: see special.cpp.
  std::uint64_t local_bytes = 0;  ///< Per thread, call parameters included, the stack of calls not; a multiple of 4.
  /// Of the kernel's own local memory, in rising order; what lies between them, and behind the last, is padding.
  std::vector<local_object> local_objects;
  std::vector<std::uint64_t> parameter_offsets;
  std::vector<std::uint64_t> parameter_sizes;
  std::uint64_t parameter_bytes = 0;
  std::vector<routine> routines;
  std::vector<std::uint32_t> routine_of_function;  ///< By the function's number in the module; no_pc: none.
  std::vector<call_signature> calls;
  std::vector<register_place> places;  ///< What a call saves; filled where there are calls.
  std::vector<register_place> unset;   ///< Registers that some way through the kernel reads before it has set them.
  slot frame_pointer = no_slot;        ///< 64 bits: offset of the frame in local memory.
  bool frees = false;                  ///< Calls free().
  /// Lanes may see what others, or they themselves, have not set since the block began: registers begin as zeroes.
  bool sees_unset = false;
  bool knows_clusters = false;                   ///< Has instructions by which the blocks of a cluster meet.
  module* owner = nullptr;                       ///< Where the kernels are that it may launch.
  std::vector<std::string> unsupported_reasons;  ///< By `op::target` of `unsupported` operations.
  observers::kernel_facts facts;
  std::shared_ptr<native_kernel> native;  ///< Its machine code; null where there is none on this processor.
};

}  // namespace emulator::simt
