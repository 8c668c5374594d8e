// Decoding of operations on matrices: `wmma`, `mma`, `ldmatrix`, `stmatrix`, `movmatrix`.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

namespace {

/// Parses "m16n8k16".
std::optional<matrix_shape> parse_shape(std::string_view text) {
  matrix_shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const auto& [letter, size] : {std::pair{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}) {
    if (at == end || *at != letter) return {};
    const auto [next, error] = std::from_chars(at + 1, end, *size);
    if (error != std::errc{}) return {};
    at = next;
  }
  return at == end ? std::optional(shape) : std::nullopt;
}

matrix_shape shape_of(const ptx::instruction& i) {
  for (const std::string& modifier : i.modifiers) {
    if (const auto shape = parse_shape(modifier)) return *shape;
  }
  throw unsupported("matrices of this shape");
}

/// Returns the types among the modifiers, in their order: those of D, A, B and C.
std::vector<scalar_type> types_of(const ptx::instruction& i) {
  std::vector<scalar_type> types;
  for (const std::string& modifier : i.modifiers) {
    if (const scalar_type type = ptx::parse_scalar_type(modifier); type != scalar_type::none) types.push_back(type);
  }
  return types;
}

void refuse_what_is_missing(const ptx::instruction& i) {
  static constexpr std::string_view types[] = {"s4",   "u4",   "b1", "e4m3",  "e5m2",      "e3m2",
                                               "e2m3", "e2m1", "b8", "b8x16", "b6x16_p32", "b4x16_p64"};
  for (const std::string_view type : types) {
    if (i.has(type))
      throw unsupported("matrices of " + std::string(type) +
                        " are not emulated; those of f16, bf16, tf32, f64, s8 and u8 are");
  }
  if (i.has("sp") || i.has("sp::ordered_metadata")) throw unsupported("sparse matrices");
  if (!i.has("sync") || !i.has("aligned")) throw unsupported("an operation on matrices without .sync.aligned");
}

bool is_wide(scalar_type type) {
  return type == scalar_type::f32 || type == scalar_type::s32 || type == scalar_type::f64;
}

scalar_type register_type(scalar_type type) {
  return is_wide(type) ? type : scalar_type::b32;
}

/// Returns the types of `mma` and `wmma.mma`; the latter names only two if the factors are halves.
std::array<scalar_type, 4> multiplied_types(const ptx::instruction& i) {
  const std::vector<scalar_type> types = types_of(i);
  if (i.opcode == "wmma" && types.size() == 2) return {types[0], scalar_type::f16, scalar_type::f16, types[1]};
  if (types.size() != 4) throw unsupported("these types");
  return {types[0], types[1], types[2], types[3]};
}

/// Returns true if products of factors of the first type can be added to sums of the second.
bool fit(scalar_type factor, scalar_type sum) {
  switch (factor) {
    case scalar_type::f16:
      return sum == scalar_type::f16 || sum == scalar_type::f32;
    case scalar_type::bf16:
    case scalar_type::tf32:
      return sum == scalar_type::f32;
    case scalar_type::s8:
    case scalar_type::u8:
      return sum == scalar_type::s32;
    default:
      return factor == scalar_type::f64 && sum == scalar_type::f64;
  }
}

}  // namespace

op& decoder::emit_matrix(const instance& f, const ptx::instruction& i, matrix_form form, std::uint32_t classes) {
  op& o = emit(f, i, op_kind::matrix, classes);
  o.reconvergence = static_cast<std::uint32_t>(program_.matrix_forms.size());
  o.c = constant(4, ~std::uint64_t{0});
  program_.matrix_forms.push_back(std::move(form));
  return o;
}

void decoder::add_fragment(const instance& f, const operand& registers, const fragment& of, bool written) {
  const bool one = registers.what != operand::kind::vector;
  if ((one ? 1 : registers.elements.size()) != of.registers)
    throw unsupported("a fragment of this many registers: it has " + std::to_string(of.registers));
  for (unsigned k = 0; k < of.registers; ++k) {
    const operand& e = one ? registers : registers.elements[k];
    const scalar_type type = register_type(of.type);
    program_.vector_registers.push_back(written ? destination(f, e, type) : source(f, e, type));
  }
}

void decoder::decode_multiply(instance& f, const ptx::instruction& i) {
  const bool is_wmma = i.opcode == "wmma";
  const matrix_shape shape = shape_of(i);
  const auto [d, a, b, c] = multiplied_types(i);
  const bool bytes = (a == scalar_type::s8 || a == scalar_type::u8) && (b == scalar_type::s8 || b == scalar_type::u8);
  if (!fit(a, d) || !fit(a, c) || (a != b && (!bytes || is_wmma)) || (!is_wmma && c != d))
    throw unsupported("these types together");
  if (shape == matrix_shape{8, 8, 4} && a == scalar_type::f16)
    throw unsupported("products of 8 x 8 x 4 halves, which are Volta's: m16n8k8 and m16n8k16 are emulated");
  matrix_form form;
  const auto fragment_of = is_wmma ? wmma_fragment : mma_fragment;
  form.a = fragment_of(matrix_role::a, shape, a);
  form.b = fragment_of(matrix_role::b, shape, b);
  form.c = fragment_of(matrix_role::accumulator, shape, c);
  form.d = fragment_of(matrix_role::accumulator, shape, d);
  form.saturates = i.has("satfinite");
  if (form.saturates && !bytes) throw unsupported(".satfinite with floating-point numbers");
  form.mode = read_modifiers(i, 0).mode;
  // For tf32, `wmma` adds four products in one step; in all other cases, all products are added in one step.
  form.step = is_wmma && a == scalar_type::tf32 ? 4 : shape.k;
  const unsigned read = form.a.registers + form.b.registers + form.c.registers, written = form.d.registers;
  op& o = emit_matrix(f, i, std::move(form), instruction_class::class_none);
  const matrix_form& made = program_.matrix_forms.back();
  o.run = run_multiply;
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  add_fragment(f, operand_of(i, 1), made.a, false);
  add_fragment(f, operand_of(i, 2), made.b, false);
  add_fragment(f, operand_of(i, 3), made.c, false);
  add_fragment(f, operand_of(i, 0), made.d, true);
  program_.vector_registers.resize(program_.vector_registers.size() + read - written, no_slot);
  o.element_count = static_cast<std::uint8_t>(read);
  o.roles = role_vector_read | role_vector_written;
}

void decoder::decode_matrix_access(instance& f, const ptx::instruction& i) {
  const bool load = i.has("load");
  const std::vector<scalar_type> types = types_of(i);
  if (types.size() != 1) throw unsupported("this type");
  const matrix_role role = i.has("a") ? matrix_role::a : i.has("b") ? matrix_role::b : matrix_role::accumulator;
  matrix_form form;
  form.operation = load ? matrix_operation::load : matrix_operation::store;
  form.d = wmma_fragment(role, shape_of(i), types[0]);
  form.by_columns = i.has("col");
  form.is_factor = role != matrix_role::accumulator;
  const state_space space = space_of(i);
  if (space != state_space::generic && space != state_space::global && space != state_space::shared)
    throw unsupported("a matrix in this state space");
  const unsigned line = form.by_columns ? form.d.rows : form.d.columns;
  op& o = emit_matrix(f, i, std::move(form),
                      space_class(space) | (load ? instruction_class::class_load : instruction_class::class_store));
  const fragment& made = program_.matrix_forms.back().d;
  observers::instruction_facts& facts = last_facts();
  facts.element_bytes = static_cast<std::uint8_t>(made.element_bytes);
  facts.is_real = is_wide(made.type) && made.type != scalar_type::s32;
  o.space = space;
  set_address(f, o, operand_of(i, load ? 1 : 0));
  o.b = i.operands.size() > 2 ? source(f, i.operands[2], scalar_type::u32) : constant(4, line);
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  add_fragment(f, operand_of(i, load ? 0 : 1), made, load);
  o.element_count = static_cast<std::uint8_t>(made.registers);
  o.roles = load ? role_vector_written : role_vector_read;
}

void decoder::decode_matrix_rows(instance& f, const ptx::instruction& i) {
  static constexpr named<unsigned> counts[] = {{"x1", 1}, {"x2", 2}, {"x4", 4}};
  const bool load = i.opcode == "ldmatrix";
  const unsigned* count = find_modifier(counts, i);
  if (!i.has("m8n8") || !i.has("b16") || count == nullptr)
    throw unsupported("matrices of this shape: those of 8 x 8 elements of 16 bits are emulated");
  const state_space space = space_of(i);
  if (space != state_space::generic && space != state_space::shared) throw unsupported("a matrix in this state space");
  matrix_form form;
  form.operation = load ? matrix_operation::load_rows : matrix_operation::store_rows;
  form.matrices = form.d.registers = *count;
  form.is_transposed = i.has("trans");
  const fragment registers = form.d;
  op& o = emit_matrix(f, i, std::move(form),
                      space_class(space) | (load ? instruction_class::class_load : instruction_class::class_store));
  last_facts().element_bytes = 2;
  o.space = space;
  set_address(f, o, operand_of(i, load ? 1 : 0));
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  add_fragment(f, operand_of(i, load ? 0 : 1), registers, load);
  o.element_count = static_cast<std::uint8_t>(*count);
  o.roles = load ? role_vector_written : role_vector_read;
}

void decoder::decode_matrix_transpose(instance& f, const ptx::instruction& i) {
  if (!i.has("m8n8") || !i.has("trans") || !i.has("b16")) throw unsupported("a matrix of this shape");
  matrix_form form;
  form.operation = matrix_operation::transpose;
  op& o = emit_matrix(f, i, std::move(form), instruction_class::class_none);
  o.run = run_transpose;
  o.dst = destination(f, operand_of(i, 0), scalar_type::b32);
  o.a = source(f, operand_of(i, 1), scalar_type::b32);
}

bool decoder::decode_matrix(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  const bool is_rows = n == "ldmatrix" || n == "stmatrix";
  if (n != "wmma" && n != "mma" && n != "movmatrix" && !is_rows) return false;
  refuse_what_is_missing(i);
  if (is_rows)
    decode_matrix_rows(f, i);
  else if (n == "movmatrix")
    decode_matrix_transpose(f, i);
  else if (n == "wmma" && !i.has("mma"))
    decode_matrix_access(f, i);
  else
    decode_multiply(f, i);
  return true;
}

}  // namespace emulator::simt
