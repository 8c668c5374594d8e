#pragma once
/// \file
/// What writes a program's machine code: registers of the program in the processor's vector registers, as far as a
/// straight stretch goes; jumps between stretches; ways out. Recipes (recipes.cpp) say what an operation becomes.
/// With AVX-512 64 bytes at a time, which are 16 lanes of a 32-bit register, and else, with AVX2, 32: what that lacks
/// is in avx2.cpp.

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

/// The two middle quarters of a vector register change places (vpermq): behind instructions that work on each half by
/// itself.
constexpr int middle_quarters = 0xd8;
/// Of each half of two registers the first and the third number of four bytes (vshufps).
constexpr int every_other = 0x88;

/// For AVX2 refuses every instruction that needs more: then there is no code, instead of one that ends the program.
class careful_assembler final : public x86::Assembler {
 public:
  careful_assembler(asmjit::CodeHolder* code, bool only_avx2) : x86::Assembler(code), only_avx2_(only_avx2) {}
  asmjit::Error _emit(asmjit::InstId instruction, const asmjit::Operand_& first, const asmjit::Operand_& second,
                      const asmjit::Operand_& third, const asmjit::Operand_* others) override;

 private:
  bool only_avx2_;
};

/// Writes the code of one operation; `argument` is the recipe's own. Returns false, and has written nothing, where it
/// does not know this form: then the operation's handler is called.
struct recipe {
  bool (*write)(emitter&, const op&, std::uint32_t argument) = nullptr;
  std::uint32_t argument = 0;
};

/// Returns the recipe for what `run` does, or null.
[[nodiscard]] const recipe* find_recipe(handler run);

class emitter {
  /// Values are cached in the registers 4 to 31; with AVX2 in 5 to 15.
  static constexpr unsigned kept = 28, kept_predicates = 4;
  struct cached {
    slot base = no_slot;  ///< Of the register; none: free.
    std::uint8_t part = 0;
    std::uint8_t lane_bytes = 0;
    bool changed = false;
    std::uint32_t used = 0;  ///< By the operation of this number last.
  };
  struct cached_predicate {
    slot base = no_slot;
    bool changed = false;
    std::uint32_t used = 0;
  };

 public:
  emitter(const program& p, asmjit::CodeHolder& code, const native_kernel::form& wanted);

  /// Writes everything. Returns, by pc, where the code can be entered: labels, 0 for none.
  void write();
  [[nodiscard]] const std::vector<asmjit::Label>& entries() const { return entry_; }
  [[nodiscard]] asmjit::Label prologue() const { return prologue_; }
  /// What the code has the interpreter do again: it points there.
  [[nodiscard]] std::deque<compared_stretch> take_compared() { return std::move(compared_); }

  careful_assembler a;

  // For recipes. A register of `lane_bytes` has parts of a vector register each, numbered from 0.
  [[nodiscard]] unsigned parts(unsigned lane_bytes) const { return warp_size * lane_bytes / vector_bytes_; }
  [[nodiscard]] unsigned vector_bytes() const { return vector_bytes_; }
  /// AVX-512, with its 32 registers and its masks.
  [[nodiscard]] bool has_masks() const { return vector_bytes_ == 64; }
  /// Does `write(part)` for each part. What one part has read or written may be gone when the next one's turn comes.
  template <typename Write>
  void each_part(unsigned lane_bytes, const Write& write_part) {
    for (unsigned part = 0; part < parts(lane_bytes); ++part) {
      ++number_;
      write_part(part);
    }
  }
  /// The vector register that holds part `part` of a register.
  x86::Vec read(slot s, unsigned lane_bytes, unsigned part);
  /// Likewise, or where a constant lies in memory: for an instruction's last operand.
  asmjit::Operand read_or_constant(slot s, unsigned lane_bytes, unsigned part);
  /// The vector register if the part is in one, else where it lies in memory: good up to the next `read` or `write`.
  asmjit::Operand wherever_it_is(slot s, unsigned lane_bytes, unsigned part);
  /// The vector register for the new value; it may be the one of the old value.
  x86::Vec write(slot s, unsigned lane_bytes, unsigned part);
  /// A predicate, a bit for each lane; rubbish for lanes that do not run.
  x86::Gp read_predicate(slot s);
  x86::Gp write_predicate(slot s);
  /// Vector registers that a recipe may use as it likes: 0 to 2, and 3 and 4 between two calls of `read` or `write`.
  [[nodiscard]] x86::Vec scratch(unsigned k) const { return vector(k); }

  // Instructions that only AVX-512 has as such. Registers 2 to 4 may be used on the way.
  void copy(const asmjit::Operand& to, const asmjit::Operand& from);
  void zero(const x86::Vec& to) { a.vpxor(to.xmm(), to.xmm(), to.xmm()); }
  /// One of two or of one operand, by AVX-512's number of it. `to` may be one of the operands.
  void emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x, const asmjit::Operand& y);
  void emit(std::uint32_t instruction, const x86::Vec& to, const x86::Vec& x);
  void bit_not(const x86::Vec& to, const x86::Vec& x);
  /// An arithmetic shift of 64 bits each, by a number or by a register's.
  void shift_keeping_sign(const x86::Vec& to, const x86::Vec& x, const asmjit::Operand& by);
  /// Any function of three bits, by its table as lop3 has it. `to` is none of the operands, nor register 3 or 4.
  void bit_function(const x86::Vec& to, const x86::Vec& x, const x86::Vec& y, const asmjit::Operand& z,
                    std::uint32_t function);
  /// The lower or the upper half of a register's lanes, each twice as wide. \param how  the instruction
  void extend(std::uint32_t how, const x86::Vec& to, const x86::Vec& from, bool upper);
  /// The lanes of two registers, each half as wide; `to_bytes` is what is left of one. Uses registers 0 and 1.
  void shorten(const x86::Vec& to, const x86::Vec& low, const x86::Vec& high, unsigned to_bytes);
  /// A general register's number in all lanes.
  void spread(const x86::Vec& to, const x86::Gp& from, bool eight_bytes);
  /// Puts `instead` where a comparison of single precision holds. \param how  the processor's number of it
  void replace_where(const x86::Vec& to, const asmjit::Operand& instead, const x86::Vec& x, const x86::Vec& y,
                     unsigned how);
  /// off |= x ^ y, of lanes that run. Uses register 1, too.
  void add_difference(const x86::Vec& off, const x86::Vec& x, const asmjit::Operand& y, unsigned lane_bytes,
                      unsigned part);
  void jump_unless_zero(const x86::Vec& off, asmjit::Label to);
  /// AVX2 only: all bits of the lanes whose bit is set in a general register.
  void lanes_by_bits(const x86::Vec& to, const x86::Gp& bits, unsigned lane_bytes, unsigned part);
  /// Lanes from anywhere in a register of four bytes, for all of its parts. Uses registers 0 to 4; the results are in
  /// the first of them.
  void permute(slot s, const std::array<std::uint32_t, warp_size>& from);
  /// Sets eax: for which lanes a comparison holds. Uses registers 0 to 4.
  void compare(std::uint32_t instruction, unsigned how, slot x, slot y, unsigned bytes);
  /// What a constant register holds; nothing of other registers.
  [[nodiscard]] std::optional<std::uint64_t> constant(slot s, unsigned lane_bytes) const;
  [[nodiscard]] bool is_constant(slot s) const { return s < program_.register_begin; }
  /// What a 32-bit operand of `o` is known to hold: a constant, also one that was moved to a register before in the
  /// same stretch, as compilers do for operands of shuffles.
  [[nodiscard]] std::optional<std::uint32_t> known(const op& o, slot s);
  void broadcast(const x86::Vec& to, slot s, unsigned lane_bytes);
  /// A vector that holds `value` in each four bytes, or eight.
  x86::Mem four_bytes(std::uint32_t value);
  x86::Mem eight_bytes(std::uint64_t value);
  x86::Mem pooled(const std::vector<std::uint64_t>& words);
  /// The numbers of a part's lanes, of 32 bits each.
  x86::Mem lane_numbers(unsigned part) { return lane_offsets(part, 1, false); }
  /// The same times `bytes`, as numbers of 32 or 64 bits.
  x86::Mem lane_offsets(unsigned part, unsigned bytes, bool wide);
  [[nodiscard]] static x86::Mem in_state(std::size_t offset, unsigned bytes = 8) {
    return x86::ptr(state(), static_cast<std::int32_t>(offset), bytes);
  }
  [[nodiscard]] static x86::Mem in_split(std::size_t member, unsigned bytes) {
    return in_state(offsetof(native_state, split) + member, bytes);
  }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] static x86::Gp state() { return x86::r12; }
  [[nodiscard]] static x86::Gp lanes() { return x86::r13d; }
  /// Which values stand in the processor's registers.
  struct values {
    std::array<cached, kept> registers;
    std::array<cached_predicate, kept_predicates> predicates;
  };
  [[nodiscard]] values values_now() const;
  /// Calls the operation's handler, out of line, where `slow` is jumped to, with these values in the registers; what it
  /// wrote is in the registers again at `back`, where the values are those of now.
  void slow_way(const op& o, asmjit::Label slow, const values& at_slow, asmjit::Label back);
  /// Jumps there where a number of double precision among these registers' is none. Uses registers 0 to 2.
  void jump_if_nan(std::span<const slot> registers, asmjit::Label to);

 private:
  [[nodiscard]] unsigned kept_here() const { return has_masks() ? kept : 11; }
  [[nodiscard]] x86::Vec vector(unsigned k) const {
    return has_masks() ? static_cast<x86::Vec>(x86::zmm(k)) : static_cast<x86::Vec>(x86::ymm(k));
  }
  [[nodiscard]] x86::Vec value_register(unsigned k) const { return vector(k + (has_masks() ? 4 : 5)); }
  void live_before(std::uint32_t block);
  /// The number of a register's place in the file, for sets of those that are live; nothing for constants.
  [[nodiscard]] std::optional<std::size_t> place_number(slot s) const {
    return is_constant(s) ? std::nullopt : std::optional<std::size_t>(s / 64);
  }
  [[nodiscard]] static bool is_live(const register_set& live, slot s) { return live.has(s / 64); }
  void write_block(std::uint32_t begin, std::uint32_t end);
  /// How an operation is carried out.
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
  // Registers that keep their meaning throughout, beside rbx (the register file), r12 (the state) and r13 (the lanes).
  [[nodiscard]] static x86::Gp count() { return x86::r14; }  ///< Warp instructions.
  [[nodiscard]] static x86::Gp edges() { return x86::rbp; }
  /// Of `block_observer::edges` at a program counter: how often, and for how many lanes.
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
    std::uint32_t uncounted = 0;  ///< Operations that have been counted but are not carried out.
  };
  /// Where another split goes on: at a meeting point, or where lanes part.
  struct call_out {
    asmjit::Label label;
    std::uint32_t pc = 0;
    bool meets = false;
  };
  /// What is written apart from the straight way.
  struct detour {
    asmjit::Label begin, back;
    const op* of = nullptr;
    values before, behind;
    std::uint32_t pending = 0;
    bool masks_ready = false;  ///< They are at `back`.
    bool full = false;
    std::uint32_t narrowed_from = no_pc;
    std::uint32_t to_tell = 0;    ///< How many operations behind this one are to be told of when the loop has done it.
    std::function<void()> write;  ///< Its code; null: the operation is carried out by a call.
  };
  void take(const values& v);
  void reload();
  void write_detour(const detour& d);
  void add_detour(asmjit::Label begin, asmjit::Label back, const op& o, const values& before, const values& behind,
                  std::function<void()> write);
  [[nodiscard]] bool skips_few(std::uint32_t pc) const;
  void write_narrowed(std::uint32_t pc);

  /// An access that is carried out in line, while its code is written (accesses.cpp, moved_data.cpp).
  struct access {
    const op* o = nullptr;
    std::uint32_t pc = 0;
    unsigned bytes = 4;          ///< A lane's.
    unsigned address_bytes = 4;  ///< Of an address register.
    bool loads = false;
    std::uint32_t told = 0;                     ///< What `tell` is to know beside how the lanes lie.
    asmjit::Operand address[8];                 ///< By part: in a register, or where it lies in memory.
    x86::Vec data[8];                           ///< By element and part.
    bool wanted[4] = {true, true, true, true};  ///< By element.
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
  program shape_;  ///< Code and vectors alone, for those who visit registers.
  bool watched_;
  bool follows_;  ///< Each operation is told of.
  bool full_;
  bool compares_;
  unsigned vector_bytes_;
  flow_graph flow_;
  std::vector<block_liveness> liveness_;
  std::vector<register_set> live_;           ///< By operation of the block at hand: before it.
  std::vector<register_set> live_of_block_;  ///< `live_` of the block around, while lanes are few.
  std::uint32_t narrowed_from_ = no_pc;      ///< The branch over which the other lanes jumped.
  std::vector<bool> meets_;                  ///< By pc: lanes may meet others there.
  std::vector<asmjit::Label> entry_;
  std::vector<asmjit::Label> label_;
  asmjit::Label prologue_, epilogue_, left_, resume_;
  std::vector<way_out> ways_out_;
  std::deque<detour> detours_;
  std::deque<compared_stretch> compared_;
  std::set<slot> named_;  ///< All registers of the program, and where the file ends: where each begins.
  std::vector<call_out> calls_;
  std::map<std::pair<unsigned, std::uint64_t>, asmjit::Label> numbers_;
  std::map<std::vector<std::uint64_t>, asmjit::Label> pool_;  ///< What it holds, a vector each.
  std::array<cached, kept> cached_;
  std::array<cached_predicate, kept_predicates> predicates_;
  bool masks_ready_ = false;
  std::uint32_t number_ = 0;   ///< Of the operation at hand, or of its part.
  std::uint32_t pending_ = 0;  ///< Operations that have not been counted yet.
  std::uint32_t block_begin_ = 0;
};

}  // namespace emulator::simt::native
