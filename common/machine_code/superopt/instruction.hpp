#pragma once
/// \file
/// The instruction set of the search: operations of a warp of 32 lanes on 32-bit registers, named as in the machine
/// code.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace superopt {

inline constexpr unsigned warp_size = 32;
/// The registers are r0 to r15. A thread on a GPU has up to 255, but programs of this size do not need them.
inline constexpr unsigned register_count = 16;
/// The register that reads as zero: `rz`, or r255 in machine code.
inline constexpr std::uint8_t zero_register = register_count;
inline constexpr unsigned max_instructions = 48;

enum class opcode : std::uint8_t {
  shfl_down,  ///< d[lane] = a[lane + k]; a's own value if lane + k is beyond the warp. 0 <= k < 32
  shfl_bfly,  ///< d[lane] = a[lane xor k]
  shfl_idx,   ///< d[lane] = a[k]
  iadd,       ///< d = a + b, modulo 2^32
  iadd3,      ///< d = a + b + c
  lop3,       ///< d = any bitwise function of a, b and c, given by a truth table of 8 bits
  imnmx,      ///< d = minimum or maximum of a and b, signed or unsigned
  sel,        ///< d = a in the lanes of a constant mask, else b (a predicate holds the mask)
  mov,        ///< d = a
  redux       ///< d[lane] = the reduction of a over all 32 lanes
};
inline constexpr unsigned opcode_count = 10;

/// The kind of an instruction's immediate, which determines its possible values.
enum class immediate_kind : std::uint8_t { none, lane, truth_table, minmax, lane_mask, reduction };
inline constexpr unsigned immediate_kind_count = 6;

enum class minmax : std::uint8_t { min_signed, max_signed, min_unsigned, max_unsigned };
enum class reduction : std::uint8_t {
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bit_and,
  bit_or,
  bit_xor
};

/// A group of instructions that have the same latency.
enum class family : std::uint8_t { shfl, iadd, iadd3, lop3, imnmx, sel, mov, redux };
inline constexpr unsigned family_count = 8;

struct opcode_facts {
  std::string_view name;  ///< "SHFL.DOWN"
  unsigned sources;       ///< Registers read.
  immediate_kind immediate;
  family unit;
};

inline constexpr std::array<opcode_facts, opcode_count> all_opcode_facts{{
    {"SHFL.DOWN", 1, immediate_kind::lane, family::shfl},
    {"SHFL.BFLY", 1, immediate_kind::lane, family::shfl},
    {"SHFL.IDX", 1, immediate_kind::lane, family::shfl},
    {"IADD", 2, immediate_kind::none, family::iadd},
    {"IADD3", 3, immediate_kind::none, family::iadd3},
    {"LOP3", 3, immediate_kind::truth_table, family::lop3},
    {"IMNMX", 2, immediate_kind::minmax, family::imnmx},
    {"SEL", 2, immediate_kind::lane_mask, family::sel},
    {"MOV", 1, immediate_kind::none, family::mov},
    {"REDUX", 1, immediate_kind::reduction, family::redux},
}};
[[nodiscard]] constexpr const opcode_facts& facts_of(opcode op) {
  return all_opcode_facts[static_cast<std::size_t>(op)];
}
/// Returns the family's name in a cost table, such as "SHFL" or "IADD3".
[[nodiscard]] std::string_view name_of(family unit);
/// Returns the opcode with a name such as "SHFL.DOWN", in upper or lower case.
[[nodiscard]] std::optional<opcode> opcode_named(std::string_view name);
/// Returns the number of values of an immediate of this kind.
[[nodiscard]] std::uint64_t values_of(immediate_kind kind);
/// Returns true if the sources can be exchanged in any way.
[[nodiscard]] bool commutes(opcode op);

struct instruction {
  opcode op = opcode::mov;
  std::uint8_t destination = 0;
  std::array<std::uint8_t, 3> sources{zero_register, zero_register, zero_register};
  std::uint32_t immediate = 0;

  [[nodiscard]] unsigned source_count() const { return facts_of(op).sources; }
  friend bool operator==(const instruction&, const instruction&) = default;
};

/// A sequence of instructions. It has a fixed capacity, so that copying a candidate does not allocate.
class program {
 public:
  program() = default;
  program(std::initializer_list<instruction> code) {
    for (const instruction& i : code) push_back(i);
  }
  [[nodiscard]] unsigned size() const { return size_; }
  [[nodiscard]] bool full() const { return size_ == max_instructions; }
  [[nodiscard]] instruction& operator[](unsigned k) { return code_[k]; }
  [[nodiscard]] const instruction& operator[](unsigned k) const { return code_[k]; }
  [[nodiscard]] const instruction* begin() const { return code_.data(); }
  [[nodiscard]] const instruction* end() const { return code_.data() + size_; }
  /// Inserts an instruction. The program must not be full().
  void insert(unsigned at, const instruction& i) {
    std::copy_backward(code_.begin() + at, code_.begin() + size_, code_.begin() + size_ + 1);
    code_[at] = i;
    ++size_;
  }
  void erase(unsigned at) {
    std::copy(code_.begin() + at + 1, code_.begin() + size_, code_.begin() + at);
    --size_;
  }
  void push_back(const instruction& i) { insert(size_, i); }
  void pop_back() { --size_; }
  /// Copies only the instructions that exist, not the whole capacity.
  program(const program& other) : size_(other.size_) { std::copy(other.begin(), other.end(), code_.begin()); }
  program& operator=(const program& other) {
    size_ = other.size_;
    std::copy(other.begin(), other.end(), code_.begin());
    return *this;
  }
  ~program() = default;
  friend bool operator==(const program& a, const program& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<instruction, max_instructions> code_{};
  unsigned size_ = 0;
};

}  // namespace superopt
