#pragma once
/// \file
/// The parsed form of a PTX module: declarations, functions and instructions as in the text, with nothing resolved yet.
/// `simt/` decodes a function of this form into something executable. This file also has the operations on whole
/// modules: linking several, renaming the names of a unit, extracting one kernel, and finding indices that are too
/// narrow.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emulator::ptx {

/// The state space of a variable or an access (PTX ISA, "State Spaces").
enum class state_space : std::uint8_t { generic, global, shared, local, constant, param, reg };

/// A fundamental type of PTX (PTX ISA, "Fundamental Types").
enum class scalar_type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
};

/// Returns the size of `type` in bytes; 1 for `pred`, 0 for `none`.
[[nodiscard]] unsigned size_bytes(scalar_type type);

/// Returns the type that a modifier such as "u32" names, or `none`.
[[nodiscard]] scalar_type parse_scalar_type(std::string_view name);

/// A line of the CUDA source, with the chain of calls that were inlined there.
struct source_location {
  std::uint32_t file = 0;        ///< Number of the `.file` directive; 0 if unknown.
  std::uint32_t line = 0;        ///< 1-based; 0 if unknown.
  std::uint32_t column = 0;      ///< 1-based; 0 if unknown.
  std::int32_t inlined_at = -1;  ///< Index into `function::locations` of the call site, or -1.
};

/// One operand of an instruction.
struct operand {
  enum class kind : std::uint8_t {
    none,
    /// `%r1`, and `!%p1` with `negated`; `index` is the register's number in `function::registers`. For `%r1.b0` (video
    /// instructions), `name` is "b0".
    reg,
    special,  ///< `%tid.x`; `name` is the whole name.
    integer,  ///< `42`, `0x2a`, `-1`, and `WARP_SZ`; `bits` is the two's complement value.
    float32,  ///< `0f3F800000`; `bits` are the 32 bits.
    float64,  ///< `0d3FF0000000000000`, and decimal literals; `bits` are the 64 bits.
    symbol,   ///< A variable, function or parameter by `name`, with an optional `+offset`.
    /// `[…]`: `elements[0]` is the base (reg, symbol or integer), and `offset` is added to it. For `[map, {x, y}]` of
    /// texture fetches and tensor copies, the operands after the commas are the other elements.
    address,
    vector,  ///< `{a, b}`: `elements`.
    pair,    ///< `%r1|%p1`: `elements[0]`, `elements[1]`.
    label,   ///< A branch target; `index` is the label's number in `function::labels`.
    list,    ///< `(a, b)` of a call: `elements`.
    sink,    ///< `_`: the result is discarded.
  };
  kind what = kind::none;
  bool negated = false;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;
  std::int64_t offset = 0;
  std::string name = {};
  std::vector<operand> elements = {};
};

/// One instruction, split at the dots: `@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+8];`
struct instruction {
  std::string opcode;                  ///< "ld".
  std::vector<std::string> modifiers;  ///< {"global", "v2", "u32"}; a "::" doesn't split: "shared::cta".
  std::optional<std::uint32_t> guard;  ///< Register of the guard predicate.
  bool guard_negated = false;
  std::vector<operand> operands;  ///< In text order; the lists of `call` stay lists: `(r), f, (a), prototype`.
  std::int32_t location = -1;     ///< Index into `function::locations`, or -1.
  std::uint32_t ptx_line = 0;     ///< 1-based line in the PTX text.

  /// Returns true if `modifier` is one of the modifiers.
  [[nodiscard]] bool has(std::string_view modifier) const;
  /// Returns opcode and modifiers joined with dots, as in the text.
  [[nodiscard]] std::string mnemonic() const;
};

/// A virtual register, as `.reg .b32 %r<22>;` declares 22 of them.
struct register_declaration {
  std::string name;
  scalar_type type = scalar_type::none;
};

/// A variable at module scope or in a function, or a parameter.
struct variable {
  std::string name;
  state_space space = state_space::global;
  scalar_type type = scalar_type::b8;
  std::uint64_t element_count = 1;  ///< 1 for a scalar; 0 for an unsized `extern` array.
  std::uint32_t alignment = 1;      ///< In bytes; that of the type if the text gives none.
  bool is_extern = false;
  bool is_local = false;  ///< At module scope: not visible to other files of the program.
  bool is_array = false;
  bool is_managed = false;  ///< `.attribute(.managed)`.
  /// Initial bytes. The user of this struct pads them with zeroes to the variable's size. Empty if there is no
  /// initialiser.
  std::vector<std::uint8_t> initial;
  /// A place in `initial` where an address has to be stored once it is known (`generic(name)+offset`).
  struct relocation {
    std::uint64_t byte_offset = 0;
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;         ///< The generic address, not the one inside the state space.
    std::uint8_t size_bytes = 8;  ///< The number of bytes of the address to store: 8, or 1 for `0xFF00(name)`.
    std::uint8_t shift_bits = 0;  ///< The address is shifted right by this many bits before it is stored.
  };
  std::vector<relocation> relocations;

  [[nodiscard]] std::uint64_t size_bytes() const;
};

/// Returns the byte offset of each parameter of a kernel, which is the first offset after the previous parameter that
/// fits its alignment.
/// \param end_bytes  receives the end of the last parameter
[[nodiscard]] std::vector<std::uint64_t> parameter_offsets(const std::vector<variable>& parameters,
                                                           std::uint64_t& end_bytes);

/// The names and file numbers that one file of a linked program has in the whole program (see `link`).
struct unit_names {
  std::uint32_t first_file = 0;  ///< Offset that is added to its `.file` numbers.
  std::unordered_map<std::string, std::string> renamed;
};

/// The result of parse_body().
struct function_body {
  std::vector<register_declaration> registers;
  /// Local, shared and call-parameter variables declared in the body. If nested blocks `{}` reuse a name, the first one
  /// keeps it, and later ones are called `name@2`, `name@3` … here and in the operands. Labels likewise.
  std::vector<variable> variables;
  std::vector<instruction> instructions;
  std::vector<std::string> labels;
  /// For each label, the index of the instruction that follows it (instructions.size() at the end).
  std::vector<std::uint32_t> label_targets;
  std::vector<std::vector<std::uint32_t>>
      branch_tables;  ///< For `brx.idx`: labels by table; the operand is a `symbol` whose `index` is the table.
  std::vector<source_location> locations;
};

/// A kernel (`.entry`) or a device function (`.func`).
struct function : function_body {
  std::string name;  ///< Mangled, as in the text.
  bool is_entry = false;
  bool is_local = false;  ///< Not visible to other files of the program.
  bool has_body = false;  ///< False for a declaration such as `vprintf`'s.
  std::vector<variable> parameters;
  std::vector<variable> results;                  ///< Return parameters of a `.func`.
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< `.maxntid`; 0 if not given.
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< `.reqntid`; 0 if not given.
  std::uint32_t min_blocks_per_multiprocessor = 0;
  std::uint32_t max_registers = 0;                ///< `.maxnreg`; 0 if not given.
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< `.reqnctapercluster`; 0 if not given.
  std::uint32_t max_cluster_blocks = 0;           ///< `.maxclusterrank`; 0 if not given.
  bool explicit_cluster = false;                  ///< `.explicitcluster`: can only be launched with clusters.

  bool parsed = false;  ///< parse_body() has been called; the function_body is empty until then.

  std::shared_ptr<const unit_names> unit;  ///< Null unless the function belongs to a linked program.

  std::size_t body_begin = 0, body_end = 0;  ///< Byte range of the body in the module's text, braces excluded.
  std::uint32_t body_line = 0;               ///< PTX line of `body_begin`.
};

/// A module: its text, and an index of it.
struct module {
  std::string text;
  unsigned version_major = 0, version_minor = 0;  ///< PTX version.
  std::string target;                             ///< "sm_90".
  std::vector<variable> variables;
  std::vector<function> functions;
  std::unordered_map<std::uint32_t, std::string>
      files;  ///< Indexed by the number of the `.file` directive; paths as in the text.
  std::unordered_map<std::string, std::size_t>
      function_index;  ///< Indexed by mangled name; a definition wins over a declaration.
};

/// The error for text that isn't valid PTX or that this parser doesn't know.
class parse_error : public std::runtime_error {
 public:
  parse_error(std::uint32_t line, const std::string& message);
  [[nodiscard]] std::uint32_t line() const { return line_; }

 private:
  std::uint32_t line_;
};

/// Indexes a module: parses everything at module scope and skips function bodies, in one pass over the text.
/// \throws parse_error  with the line, if the text is malformed or truncated
[[nodiscard]] module parse_module(std::string text);

/// Parses the body of `f`, a function of `m`. Does nothing if it has been parsed before.
/// \throws parse_error  with the line, if the body is malformed or truncated
void parse_body(const module& m, function& f);

/// Combines the modules of several files, as nvlink does with their machine code. A file's local names stay separate
/// and are renamed if two files use the same one. An `.extern` declaration refers to the definition in a different
/// file. If there is none, it stays a declaration.
[[nodiscard]] module link(std::vector<module> units);

/// Renames the symbols in a function's body, which has just been parsed, and renumbers its files, as the linked program
/// requires.
void apply_unit(function& f);

/// Returns the PTX lines of accesses to global memory whose address depends on a 32-bit product of a block index and a
/// number of threads (or on a sum with such a product) that is widened only afterwards. 32 bits are enough for the
/// product if there are fewer than 2^32 threads, but kernels with a 64-bit count allow more. It is correct to add the
/// product to a row index (%ctaid.y or %ctaid.z) in 64 bits, because then it only counts the elements of one row.
[[nodiscard]] std::vector<std::uint32_t> narrow_indices(const function& kernel);

/// Returns a module's text without the bodies and declarations of all kernels but one. Variables and functions stay.
/// \param mangled  the kernel's name
/// \throws parse_error  if the module has no such kernel
[[nodiscard]] std::string only_kernel(std::string_view module, std::string_view mangled);

}  // namespace emulator::ptx
