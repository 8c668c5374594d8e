#pragma once
/// \file
/// The decoder's working state. decode.cpp walks over the instructions; each of the other decode_*.cpp files handles
/// one group of them.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/simt/operations.hpp"
#include "emulator/simt/program.hpp"
#include "emulator/simt/source_lines.hpp"

namespace emulator::simt {

class module;

/// The place of a module's symbol.
struct symbol_place {
  ptx::state_space space = ptx::state_space::global;
  std::uint64_t address = 0;  ///< In its state space.
};

/// Decodes the kernel `entry` and every device function that it calls into one program.
/// \throws unsupported  if the program as a whole can't be run; single instructions that are not implemented become
/// operations that report this if they are executed
[[nodiscard]] program decode(module& owner, ptx::function& entry);

/// Returns operand `k`. \throws unsupported  if there are fewer operands
[[nodiscard]] const ptx::operand& operand_of(const ptx::instruction& i, std::size_t k);
/// Returns the last operand. \throws unsupported  if there is none
[[nodiscard]] const ptx::operand& last_operand(const ptx::instruction& i);

/// Sets `op::reconvergence` of every branch to its immediate post-dominator.
void find_reconvergence(program& p);

/// Returns the number of registers in the vector that an operation reads, and in the one that it writes.
[[nodiscard]] inline unsigned vector_length(const op& o) {
  return o.kind == op_kind::arithmetic ? static_cast<unsigned>(o.imm) : o.element_count;
}

/// Calls `f(slot&, written)` for every register and constant that `o`, of `p`, reads or writes.
template <typename F>
void for_each_slot(program& p, op& o, F f) {
  const auto visit = [&f](slot& s, bool written) {
    if (s != no_slot) f(s, written);
  };
  for (slot* s : {&o.a, &o.b, &o.c, &o.guard}) visit(*s, false);
  if ((o.roles & role_imm) != 0) {
    auto s = static_cast<slot>(o.imm);
    visit(s, false);
    o.imm = static_cast<std::int32_t>(s);
  }
  std::size_t at = o.target;
  for (const slot_role role : {role_vector_read, role_vector_written}) {
    if ((o.roles & role) == 0) continue;
    for (unsigned k = 0; k < vector_length(o); ++k) visit(p.vector_registers[at++], role == role_vector_written);
  }
  visit(o.dst, true);
  if ((o.roles & role_target) != 0) visit(o.target, true);
}

/// Returns the number of bytes that a register takes in a warp's register file.
/// \param lane_bytes  bytes per lane; 0: a predicate, which has one bit per lane
[[nodiscard]] constexpr std::uint32_t place_bytes(std::uint8_t lane_bytes) {
  return lane_bytes == 0 ? 64 : warp_size * lane_bytes;
}

/// A name, for example of a modifier, and its value.
template <typename T>
struct named {
  std::string_view name;
  T value;
};

/// Returns the first of `table` whose name is among the modifiers, or null.
template <typename T, std::size_t Count>
[[nodiscard]] const T* find_modifier(const named<T> (&table)[Count], const ptx::instruction& i) {
  for (const named<T>& row : table) {
    if (i.has(row.name)) return &row.value;
  }
  return nullptr;
}

/// Returns the state space that the modifiers name; generic if they don't name one.
[[nodiscard]] ptx::state_space space_of(const ptx::instruction& i);
/// Returns the `instruction_class` of accesses to `space`.
[[nodiscard]] std::uint32_t space_class(ptx::state_space space);
/// Returns true if `o` is an ordinary load or store in a state space in which accesses can be contiguous, and machine
/// code may execute it inline.
[[nodiscard]] bool is_simple(const op& o);

/// States whether a register may be wider than the instruction's type. Only loads, stores and conversions allow
/// that (PTX ISA, "Operand Size Exceeding Instruction-Type Size").
enum class register_width : std::uint8_t { exact, or_wider };

/// While decoding, a slot is a register's number, or a constant's place with this bit set.
inline constexpr slot constant_bit = 0x80000000u;

struct system_function;

class decoder {
 public:
  decoder(module& owner, ptx::function& entry);
  program run();

 private:
  /// One inlined copy of a function.
  struct instance {
    ptx::function* body = nullptr;
    std::vector<slot> registers;                              ///< Indexed by PTX register number.
    std::unordered_map<std::string, std::uint64_t> hidden;    ///< `.param` variables: their offset in local memory.
    std::unordered_map<std::string, symbol_place> variables;  ///< `.shared` and `.local` variables of the body.
    std::unordered_map<std::string, slot> addresses;  ///< In a routine: registers that hold its variables' addresses.
    std::vector<std::uint32_t> pc_of;                 ///< For each instruction: the pc at which its code begins.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jumps;  ///< (pc, label) to be patched.
    std::vector<std::uint32_t> returns;                          ///< pcs of each `ret` that became a jump to the end.
  };

  void decode_function(instance& f);
  void decode_instruction(instance& f, const ptx::instruction& i);
  // Each of these returns false if the instruction isn't in its group.
  bool decode_control(instance& f, const ptx::instruction& i);
  bool decode_barrier(instance& f, const ptx::instruction& i);
  bool decode_memory(instance& f, const ptx::instruction& i);
  bool decode_move(instance& f, const ptx::instruction& i);
  bool decode_arithmetic(instance& f, const ptx::instruction& i);
  bool decode_video(instance& f, const ptx::instruction& i);
  bool decode_texture(instance& f, const ptx::instruction& i);
  bool decode_matrix(instance& f, const ptx::instruction& i);

  void decode_access(instance& f, const ptx::instruction& i, bool load);
  void decode_fence(instance& f, const ptx::instruction& i);
  void decode_copy_arrival(instance& f, const ptx::instruction& i);
  void decode_async_copy(instance& f, const ptx::instruction& i);
  void decode_bulk_copy(instance& f, const ptx::instruction& i);
  slot bulk_address(instance& f, const ptx::operand& address, bool& wide);
  void decode_barrier_object(instance& f, const ptx::instruction& i);
  void decode_atomic(instance& f, const ptx::instruction& i);
  void decode_fetch(instance& f, const ptx::instruction& i);
  void decode_surface_access(instance& f, const ptx::instruction& i);
  void decode_texture_query(instance& f, const ptx::instruction& i);
  op& emit_matrix(const instance& f, const ptx::instruction& i, matrix_form form, std::uint32_t classes);
  void decode_multiply(instance& f, const ptx::instruction& i);
  void decode_matrix_access(instance& f, const ptx::instruction& i);
  void decode_matrix_rows(instance& f, const ptx::instruction& i);
  void decode_matrix_transpose(instance& f, const ptx::instruction& i);
  void add_fragment(const instance& f, const ptx::operand& registers, const fragment& of, bool written);
  void add_coordinates(const instance& f, const ptx::operand& vector, unsigned wanted);
  void set_sources(instance& f, const ptx::instruction& i, const operation& found, op& o);
  void decode_address_conversion(instance& f, const ptx::instruction& i);
  void decode_address_test(instance& f, const ptx::instruction& i);
  void decode_cluster_address(instance& f, const ptx::instruction& i);
  void decode_cluster_barrier(instance& f, const ptx::instruction& i);
  void decode_special_read(instance& f, const ptx::instruction& i);
  void decode_packing(instance& f, const ptx::instruction& i, ptx::scalar_type type);
  void decode_call(instance& f, const ptx::instruction& i);
  void inline_call(instance& f, ptx::function& callee, const ptx::operand* results, const ptx::operand* arguments);
  [[nodiscard]] std::uint64_t passed_bytes(const instance& f, const std::string& name) const;
  void decode_system_call(instance& f, const ptx::instruction& i, const system_function& called,
                          const ptx::operand* results, const ptx::operand* arguments);
  void call_routine(instance& f, const ptx::instruction& i, const ptx::operand& callee, const ptx::operand* results,
                    const ptx::operand* arguments);
  std::uint32_t routine_number(ptx::function& f);
  void number_functions();
  void decode_routines();
  void take_addresses(instance& f);
  void unsupported_operation(const instance& f, const ptx::instruction& i, const std::string& why);

  // Emission.
  op& emit(const instance& f, const ptx::instruction& i, op_kind kind, std::uint32_t classes);
  /// Emits an operation that isn't in the PTX text.
  op& emit_extra(std::string_view mnemonic, op_kind kind, std::uint32_t classes);
  op& append(op_kind kind, observers::instruction_facts facts);
  /// Returns the facts of the operation emitted last.
  [[nodiscard]] observers::instruction_facts& last_facts() { return program_.facts.instructions.back(); }
  /// Returns the program counter of the operation emitted next.
  [[nodiscard]] std::uint32_t next_pc() const { return static_cast<std::uint32_t>(program_.code.size()); }
  void set_address(instance& f, op& o, const ptx::operand& address);
  void add_vector(op& o, const instance& f, const ptx::operand& operand, ptx::scalar_type type, bool written);
  void set_atomic_vector(op& o, const instance& f, const ptx::instruction& i, ptx::scalar_type type);
  void set_accessed_vector(op& o, const instance& f, const ptx::instruction& i, const ptx::operand& operand,
                           ptx::scalar_type type);

  // Operands.
  slot new_register(ptx::scalar_type type);
  slot constant(unsigned bytes, std::uint64_t value);
  /// Returns the slot that an instruction reads as `type`. \throws unsupported  if the operand doesn't have that width
  slot source(const instance& f, const ptx::operand& operand, ptx::scalar_type type,
              register_width width = register_width::exact);
  /// Returns the slot that an instruction writes as `type`; no_slot for `_`. \throws unsupported  likewise
  slot destination(const instance& f, const ptx::operand& operand, ptx::scalar_type type,
                   register_width width = register_width::exact) const;
  slot register_of(const instance& f, const ptx::operand& operand, ptx::scalar_type type, register_width width) const;
  [[nodiscard]] unsigned register_bytes(const instance& f, const ptx::operand& operand) const;
  /// Returns the place of a variable. If it belongs to the module, also records that the kernel uses it.
  [[nodiscard]] symbol_place place_of(const instance& f, const std::string& name);
  [[nodiscard]] std::optional<std::size_t> kernel_parameter(const instance& f, const std::string& name) const;

  void layout_parameters();
  void layout_variables(instance& f);
  std::uint64_t hidden_storage(const ptx::variable& v);
  void check_local() const;
  void layout_shared();
  void move_behind_reserved();
  void find_shared(ptx::function& f, std::vector<const ptx::variable*>& dynamic, std::vector<ptx::function*>& reached);
  void place_shared(const ptx::variable& v);
  void add_shared(const ptx::variable& v, std::uint64_t offset);
  /// Turns atomics whose result is not used into reductions, as ptxas does (`atom` becomes RED), except exchanges
  /// and compare-and-swaps.
  void find_reductions();
  /// Gives registers and constants their places in the register file. Registers whose lifetimes do not overlap share a
  /// place, so that a warp's file stays in the cache. Before that, marks what is known about values, for example which
  /// instructions are steps of a reduction.
  void allocate_registers();
  void find_narrow_indices();

  module& module_;
  ptx::function& entry_;
  program program_;
  std::map<std::pair<unsigned, std::uint64_t>, slot> constants_;
  std::uint32_t constant_bytes_ = 0;
  std::vector<std::uint8_t> register_lane_bytes_;  ///< Indexed by register; 0: a predicate.
  std::uint32_t register_bytes_ = 0;               ///< Size of all registers.
  bool in_routine_ = false;                        ///< Local memory is relative to the frame pointer.
  std::vector<ptx::function*> routines_;           ///< Indexed by the routine's number; decoded after the kernel.
  std::vector<std::uint32_t> open_calls_;  ///< pcs of calls in the current function, whose frame size isn't known yet.
  std::uint64_t shared_bytes_ = 0;
  std::unordered_map<std::string, symbol_place> module_shared_;
  std::vector<ptx::function*> call_stack_;
  std::vector<std::pair<std::size_t, ptx::function*>> pending_tables_;  ///< Branch tables that still hold labels.
  source_lines lines_;
};

}  // namespace emulator::simt
