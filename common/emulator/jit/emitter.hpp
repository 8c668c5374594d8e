#pragma once
/// \file
/// Generates a program's machine code. Within straight-line code, registers of the program are cached in the
/// processor's vector registers. The code jumps between basic blocks, and exits to the interpreter. Recipes
/// (recipes.cpp) define the code of each operation. With AVX-512, the code processes 64 bytes at a time, which are 16
/// lanes of a 32-bit register. With AVX2, it processes 32 bytes at a time. Substitutes for instructions that AVX2
/// doesn't have are in avx2.cpp.

#include <asmjit/x86.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "emulator/jit/native_code.hpp"
#include "emulator/simt/liveness.hpp"
#include "emulator/simt/program.hpp"

namespace emulator::simt::native {

namespace x86 = asmjit::x86;

class emitter;

/// Swaps the two middle quarters of a vector register (vpermq); needed after instructions that work on each half
/// separately.
constexpr int middle_quarters = 0xd8;
/// Selects the first and third 4-byte element in each half of two registers (vshufps).
constexpr int every_other = 0x88;

/// Rejects every instruction that needs more than AVX2 if only AVX2 is allowed, so that no code is generated, rather
/// than code that would crash the program.
class careful_assembler final : public x86::Assembler {
 public:
  careful_assembler(asmjit::CodeHolder* code, bool only_avx2) : x86::Assembler(code), only_avx2_(only_avx2) {}
  asmjit::Error _emit(asmjit::InstId instruction, const asmjit::Operand_& first, const asmjit::Operand_& second,
                      const asmjit::Operand_& third, const asmjit::Operand_* others) override;

 private:
  bool only_avx2_;
};

/// Writes the code of one operation; `argument` is passed to the recipe. Returns false and writes nothing if the recipe
/// doesn't support this form; then the operation's handler is called.
struct recipe {
  bool (*write)(emitter&, const op&, std::uint32_t argument) = nullptr;
  std::uint32_t argument = 0;
};

/// Returns the recipe for the operation that the handler `run` executes, or null.
[[nodiscard]] const recipe* find_recipe(handler run);

class emitter {
  /// Values are cached in the registers 4 to 31, with AVX2 in 5 to 15.
  static constexpr unsigned kept = 28, kept_predicates = 4;
  struct cached {
    slot base = no_slot;  ///< The program's register; no_slot: free.
    std::uint8_t part = 0;
    std::uint8_t lane_bytes = 0;
    bool changed = false;
    std::uint32_t used = 0;  ///< Number of the operation that used it last.
  };
  struct cached_predicate {
    slot base = no_slot;
    bool changed = false;
    std::uint32_t used = 0;
  };

 public:
  emitter(const program& p, asmjit::CodeHolder& code, const native_kernel::form& wanted);

  /// Writes all of the code.
  void write();
  [[nodiscard]] const std::vector<asmjit::Label>& entries() const { return entry_; }
  [[nodiscard]] asmjit::Label prologue() const { return prologue_; }
  /// Returns the sections that the interpreter repeats for comparison. The code contains pointers to them.
  [[nodiscard]] std::deque<compared_stretch> take_compared() { return std::move(compared_); }

  careful_assembler a;

  // For recipes. A register with `lane_bytes` per lane consists of parts that fill one vector register each, numbered
  // from 0.
  [[nodiscard]] unsigned parts(unsigned lane_bytes) const { return warp_size * lane_bytes / vector_bytes_; }
  [[nodiscard]] unsigned vector_bytes() const { return vector_bytes_; }
  /// Returns true for AVX-512, which has 32 vector registers and mask registers.
  [[nodiscard]] bool has_masks() const { return vector_bytes_ == 64; }
  /// Calls `write_part(part)` for each part. Vector registers that one part has read or written may be reused by the
  /// next.
  template <typename Write>
  void each_part(unsigned lane_bytes, const Write& write_part) {
    for (unsigned part = 0; part < parts(lane_bytes); ++part) {
      ++number_;
      write_part(part);
    }
  }
  /// Returns the vector register that holds part `part` of a register.
  x86::Vec read(slot s, unsigned lane_bytes, unsigned part);
  /// Returns the vector register or, for a constant, its address in memory. Used for an instruction's last operand.
  asmjit::Operand read_or_constant(slot s, unsigned lane_bytes, unsigned part);
  /// Returns the vector register if the part is in one, else its address in memory. Valid until the next `read` or
  /// `write`.
  asmjit::Operand wherever_it_is(slot s, unsigned lane_bytes, unsigned part);
  /// Returns the vector register for the new value, which may be the register that holds the old value.
  x86::Vec write(slot s, unsigned lane_bytes, unsigned part);
  /// Returns a predicate, one bit per lane; the bits of inactive lanes are undefined.
  x86::Gp read_predicate(slot s);
  x86::Gp write_predicate(slot s);
  /// Vector registers that a recipe may use freely: 0 to 2, and also 3 and 4 between two calls of `read` or `write`.
  [[nodiscard]] x86::Vec scratch(unsigned k) const { return vector(k); }

  // Instructions that exist as such only in AVX-512. They may use registers 2 to 4.
  void copy(const asmjit::Operand& to, const asmjit::Operand& from);
  void zero(const x86::Vec& to) { a.vpxor(to.xmm(), to.xmm(), to.xmm()); }
  /// Emits an instruction with one or two operands, given by its AVX-512 number. `to` may be one of the operands.
  void emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x, const asmjit::Operand& y);
  void emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x);
  void bit_not(const x86::Vec& to, const x86::Vec& x);
  /// Emits an arithmetic shift of 64-bit elements, by an immediate or by a register.
  void shift_keeping_sign(const x86::Vec& to, const x86::Vec& x, const asmjit::Operand& by);
  /// Emits any function of three bits, given by its table as in lop3. `to` must not be one of the operands, nor
  /// register 3 or 4.
  void bit_function(const x86::Vec& to, const x86::Vec& x, const x86::Vec& y, const asmjit::Operand& z,
                    std::uint32_t function);
  /// Widens the lower or upper half of a register's lanes to twice their width. \param how  the instruction
  void extend(std::uint32_t how, const x86::Vec& to, const x86::Vec& from, bool upper);
  /// Narrows the lanes of two registers to half their width; `to_bytes` is the new width. Uses registers 0 and 1.
  void shorten(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high, unsigned to_bytes);
  /// Copies a general register's value to all lanes.
  void spread(const x86::Vec& to, const x86::Gp& from, bool eight_bytes);
  /// Copies `instead` to the lanes for which a single-precision comparison is true. \param how  the processor's number
  /// for the comparison
  void replace_where(const x86::Vec& to, const asmjit::Operand& instead, const x86::Vec& x, const x86::Vec& y,
                     unsigned how);
  /// Sets off |= x ^ y in the active lanes. Also uses registers 1 and 4.
  void add_difference(const x86::Vec& off, const x86::Vec& x, const asmjit::Operand& y, unsigned lane_bytes,
                      unsigned part);
  void jump_unless_zero(const x86::Vec& off, asmjit::Label to);
  /// AVX2 only: sets all bits of the lanes whose bit is set in a general register.
  void lanes_by_bits(const x86::Vec& to, const x86::Gp& bits, unsigned lane_bytes, unsigned part);
  /// Permutes the 4-byte lanes of a register arbitrarily, across all of its parts. Uses registers 0 to 4; the results
  /// are in the first of them.
  void permute(slot s, const std::array<std::uint32_t, warp_size>& from);
  /// Sets eax to the lanes for which a comparison is true. Uses registers 0 to 4.
  void compare(std::uint32_t instruction, unsigned how, slot x, slot y, unsigned bytes);
  /// Returns the value of a constant register; nullopt for other registers.
  [[nodiscard]] std::optional<std::uint64_t> constant(slot s, unsigned lane_bytes) const;
  [[nodiscard]] bool is_constant(slot s) const { return s < program_.register_begin; }
  /// Returns the value of a 32-bit operand of `o` if it is known: it is a constant, or a register to which a constant
  /// was moved earlier in the same basic block, as compilers do for operands of shuffles.
  [[nodiscard]] std::optional<std::uint32_t> known(const op& o, slot s);
  void broadcast(const x86::Vec& to, slot s, unsigned lane_bytes);
  /// Return the address of a vector that holds `value` in every 4 or 8 bytes.
  x86::Mem four_bytes(std::uint32_t value);
  x86::Mem eight_bytes(std::uint64_t value);
  x86::Mem pooled(const std::vector<std::uint64_t>& words);
  /// Returns the address of a vector with the numbers of a part's lanes, 32 bits each.
  x86::Mem lane_numbers(unsigned part) { return lane_offsets(part, 1, false); }
  /// Returns the address of a vector with these numbers multiplied by `bytes`, in 32 or 64 bits.
  x86::Mem lane_offsets(unsigned part, unsigned bytes, bool wide);
  [[nodiscard]] static x86::Mem in_state(std::size_t offset, unsigned bytes = 8) {
    return x86::ptr(state(), static_cast<std::int32_t>(offset), bytes);
  }
  [[nodiscard]] static x86::Mem in_active(std::size_t member, unsigned bytes) {
    return in_state(offsetof(native_state, active) + member, bytes);
  }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] static x86::Gp state() { return x86::r12; }
  [[nodiscard]] static x86::Gp lanes() { return x86::r13d; }
  /// The values that are in the processor's registers.
  struct values {
    std::array<cached, kept> registers;
    std::array<cached_predicate, kept_predicates> predicates;
  };
  [[nodiscard]] values values_now() const;
  /// Calls the operation's handler out of line at the label `slow`, when the values `at_slow` are in the registers.
  /// Then loads its results and jumps to `back`, with the same values in the registers as at the time of this call.
  void slow_way(const op& o, asmjit::Label slow, const values& at_slow, asmjit::Label back);
  /// Jumps if an active lane of these double-precision registers is a NaN. Uses registers 0 to 2.
  void jump_if_nan(std::span<const slot> registers, asmjit::Label to);

 private:
  [[nodiscard]] unsigned kept_here() const { return has_masks() ? kept : 11; }
  [[nodiscard]] x86::Vec vector(unsigned k) const {
    return has_masks() ? static_cast<x86::Vec>(x86::zmm(k)) : static_cast<x86::Vec>(x86::ymm(k));
  }
  [[nodiscard]] x86::Vec value_register(unsigned k) const { return vector(k + (has_masks() ? 4 : 5)); }
  void live_before(std::uint32_t block);
  /// Returns the number of a register's place in the file, for sets of live registers; nullopt for constants.
  [[nodiscard]] std::optional<std::size_t> place_number(slot s) const {
    return is_constant(s) ? std::nullopt : std::optional<std::size_t>(s / 64);
  }
  [[nodiscard]] static bool is_live(const register_set& live, slot s) { return live.has(s / 64); }
  void write_block(std::uint32_t begin, std::uint32_t end);
  /// The ways to execute an operation.
  enum class way : std::uint8_t { in_line, access, branch, by_loop };
  [[nodiscard]] way way_of(std::uint32_t pc);
  [[nodiscard]] bool stays_together(const op& o);
  void write_operations(std::uint32_t begin, std::uint32_t end);
  void write_operation(std::uint32_t pc);
  void begin_compared(std::uint32_t pc);
  void end_compared(std::uint32_t begin, std::uint32_t end);
  void write_plain(std::uint32_t pc);
  void write_warp_barrier(std::uint32_t pc);
  [[nodiscard]] std::uint32_t count_to_tell(std::uint32_t pc, std::uint32_t end);
  [[nodiscard]] std::uint32_t count_to_tell_behind(std::uint32_t pc);
  void tell_from(std::uint32_t pc, std::uint32_t count);
  void write_branch(std::uint32_t pc);
  void write_parameter(const op& o, std::uint32_t at);
  [[nodiscard]] std::optional<std::uint32_t> parameter_at(const op& o) const;
  void write_prologue();
  void call_loop(std::uint32_t pc);
  void call_with_state(std::size_t member);
  void call_handler(const op& o);
  void settle_count(std::uint32_t more = 0);
  template <typename F>
  void save_where(F wanted);
  void save(const register_set& live);
  void save_all();
  void save_part(unsigned k);
  void save_register(slot base);
  void save_predicate(unsigned k);
  void forget();
  template <typename Entries>
  [[nodiscard]] unsigned oldest_of(const Entries& entries, unsigned count) const;
  [[nodiscard]] unsigned place_of(slot s, unsigned part) const;
  unsigned place_for();
  x86::KReg lanes_of(unsigned lane_bytes, unsigned part);
  [[nodiscard]] static x86::Mem in_file(slot s, unsigned offset, unsigned bytes) {
    return x86::ptr(x86::rbx, static_cast<std::int32_t>(s + offset), bytes);
  }
  [[nodiscard]] x86::Mem part_in_file(slot s, unsigned part) const {
    return in_file(s, vector_bytes_ * part, vector_bytes_);
  }
  x86::Mem one_number(std::uint64_t value, unsigned bytes);
  // Registers that keep their meaning throughout, in addition to rbx (the register file), r12 (the state) and r13 (the
  // lanes).
  [[nodiscard]] static x86::Gp count() { return x86::r14; }  ///< Warp instructions.
  [[nodiscard]] static x86::Gp edges() { return x86::rbp; }
  /// The members of `block_observer::edges` for a program counter: `edge::executed` and `edge::lanes`.
  [[nodiscard]] static x86::Mem times_at(std::uint32_t pc) {
    return x86::qword_ptr(edges(), static_cast<std::int32_t>(pc * 16));
  }
  [[nodiscard]] static x86::Mem lanes_at(std::uint32_t pc) {
    return x86::qword_ptr(edges(), static_cast<std::int32_t>(pc * 16 + 8));
  }
  asmjit::Label leave_at(std::uint32_t pc, std::uint32_t uncounted);

  struct way_out {
    asmjit::Label label;
    std::uint32_t pc = 0;
    std::uint32_t uncounted = 0;  ///< Operations that have been counted but are not executed.
  };
  /// A call to the interpreter to continue with a different path: at a reconvergence point, or after a divergent
  /// branch.
  struct call_out {
    asmjit::Label label;
    std::uint32_t pc = 0;
    bool meets = false;
  };
  /// Code that is written out of line.
  struct detour {
    asmjit::Label begin, back;
    const op* of = nullptr;
    values before, behind;
    std::uint32_t pending = 0;
    bool masks_ready = false;  ///< The lane masks have to be set at `back`.
    bool full = false;
    std::uint32_t narrowed_from = no_pc;
    std::uint32_t to_tell = 0;    ///< Number of operations after this one that are reported when the interpreter has
                                  ///< executed it.
    std::function<void()> write;  ///< Writes its code; null: the operation is executed by a call.
  };
  void take(const values& v);
  void reload();
  void write_detour(const detour& d);
  void add_detour(asmjit::Label begin, asmjit::Label back, const op& o, const values& before, const values& behind,
                  std::function<void()> write);
  [[nodiscard]] bool skips_few(std::uint32_t pc) const;
  void write_narrowed(std::uint32_t pc);

  /// An access that is executed inline, while its code is generated (accesses.cpp, moved_data.cpp).
  struct access {
    const op* o = nullptr;
    std::uint32_t pc = 0;
    unsigned bytes = 4;          ///< Per lane.
    unsigned address_bytes = 4;  ///< Size of an address register.
    bool loads = false;
    std::uint32_t told = 0;                     ///< The argument of `tell` that doesn't depend on the lanes' addresses.
    asmjit::Operand address[8];                 ///< For each part: a register, or an address in memory.
    x86::Vec data[8];                           ///< Indexed by element and part.
    bool wanted[4] = {true, true, true, true};  ///< Indexed by element.
    unsigned elements = 1;
    asmjit::Label slow, back, one;

    [[nodiscard]] unsigned shift() const { return static_cast<unsigned>(std::countr_zero(bytes)); }
    [[nodiscard]] bool wide() const { return address_bytes == 8; }
  };
  [[nodiscard]] bool knows_access(const op& o) const;
  void write_access(std::uint32_t pc);
  void take_data(access& x);
  void take_vectors_apart(const access& x);
  void take_vectors_apart_with_masks(const access& x);
  void find_base(const access& x, const x86::Vec& same, const x86::Vec& base);
  void find_base_with_masks(const access& x, const x86::Vec& same, const x86::Vec& base);
  void find_row(access& x);
  void find_place(const access& x);
  void carry_access(access& x, bool one);
  void move_data(access& x, bool one);

  const program& program_;
  program shape_;  ///< Only the code, the vectors and the branch tables, for functions that visit registers.
  bool watched_;
  bool follows_;  ///< Each operation is reported to the observer.
  bool full_;
  bool compares_;
  unsigned vector_bytes_;
  flow_graph flow_;
  std::vector<block_liveness> liveness_;
  std::vector<register_set> live_;           ///< Live registers before each operation of the current block.
  std::vector<register_set> live_of_block_;  ///< `live_` of the enclosing block, while only some lanes run.
  std::uint32_t narrowed_from_ = no_pc;      ///< The branch with which the other lanes skipped these operations.
  std::vector<bool> meets_;                  ///< For each pc: lanes may reconverge there.
  std::vector<asmjit::Label> entry_;
  std::vector<asmjit::Label> label_;
  asmjit::Label prologue_, epilogue_, left_, resume_;
  std::vector<way_out> ways_out_;
  std::deque<detour> detours_;
  std::deque<compared_stretch> compared_;
  std::set<slot> named_;  ///< The beginnings of all registers of the program, and the end of the register file.
  std::vector<call_out> calls_;
  std::map<std::pair<unsigned, std::uint64_t>, asmjit::Label> numbers_;
  std::map<std::vector<std::uint64_t>, asmjit::Label> pool_;  ///< Vectors in the code's constant pool.
  std::array<cached, kept> cached_;
  std::array<cached_predicate, kept_predicates> predicates_;
  bool masks_ready_ = false;
  std::uint32_t number_ = 0;   ///< Number of the current operation, or of its part.
  std::uint32_t pending_ = 0;  ///< Operations that are not counted yet.
  std::uint32_t block_begin_ = 0;
};

}  // namespace emulator::simt::native
