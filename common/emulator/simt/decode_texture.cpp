// Decoding of texture fetches, surface loads and stores, and queries of both.

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;

namespace {

constexpr std::size_t max_coordinates = 4;

/// Returns the object and, if there are any, the coordinates of `[object, {x, y}]`.
const std::vector<operand>& texture_operands(const operand& address, bool has_coordinates) {
  if (address.what != operand::kind::address || address.elements.size() != (has_coordinates ? 2u : 1u))
    throw unsupported("an object with a separate sampler");
  if (address.elements[0].what != operand::kind::reg) throw unsupported("a texture or surface reference by its name");
  if (address.offset != 0) throw unsupported("an object with an offset");
  return address.elements;
}

/// Sets dimensions and layers for `.2d`, `.a1d`, …; throws for other shapes.
void set_geometry(texture_settings& s, const ptx::instruction& i) {
  struct shape {
    unsigned dimensions;
    bool layered;
  };
  static constexpr named<shape> names[] = {
      {"1d", {1, false}}, {"2d", {2, false}}, {"3d", {3, false}}, {"a1d", {1, true}}, {"a2d", {2, true}}};
  const shape* found = find_modifier(names, i);
  if (found == nullptr)
    throw unsupported("cube textures are not emulated; textures of 1, 2 or 3 dimensions are, layered or not");
  s.dimensions = found->dimensions;
  s.layered = found->layered;
}

}  // namespace

/// Adds `max_coordinates` registers of a vector; missing ones are zero.
void decoder::add_coordinates(const instance& f, const operand& vector, unsigned wanted) {
  if (vector.what != operand::kind::vector || vector.elements.size() < wanted ||
      vector.elements.size() > max_coordinates)
    throw unsupported("this number of coordinates");
  for (std::size_t k = 0; k < max_coordinates; ++k)
    program_.vector_registers.push_back(k < wanted ? source(f, vector.elements[k], scalar_type::b32) : constant(4, 0));
}

bool decoder::decode_texture(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n == "tex")
    decode_fetch(f, i);
  else if (n == "suld" || n == "sust")
    decode_surface_access(f, i);
  else if (n == "txq" || n == "suq")
    decode_texture_query(f, i);
  else
    return false;
  return true;
}

void decoder::decode_fetch(instance& f, const ptx::instruction& i) {
  texture_settings s;
  set_geometry(s, i);
  if (i.has("grad")) throw unsupported("a fetch with derivatives");
  if (i.modifiers.size() < 2 || !i.has("v4")) throw unsupported("a fetch of this form");
  const scalar_type result = ptx::parse_scalar_type(i.modifiers[i.modifiers.size() - 2]);
  const scalar_type coordinates = ptx::parse_scalar_type(i.modifiers.back());
  s.integer_coordinates = coordinates == scalar_type::s32;
  s.real_result = result == scalar_type::f32;
  if ((!s.integer_coordinates && coordinates != scalar_type::f32) || ptx::size_bytes(result) != 4)
    throw unsupported("a fetch of this type");
  if (i.operands.size() > (i.has("level") ? 3u : 2u)) throw unsupported("a fetch with an offset or a depth to compare");
  const operand& to = operand_of(i, 0);
  if (to.what != operand::kind::vector || to.elements.size() != max_coordinates)
    throw unsupported("a fetch that does not return four elements");
  const std::vector<operand>& from = texture_operands(operand_of(i, 1), true);
  op& o = emit(f, i, op_kind::texture, instruction_class::class_none);
  o.a = source(f, from[0], scalar_type::u64);
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  add_coordinates(f, from[1], s.dimensions + (s.layered ? 1u : 0u));
  for (const operand& e : to.elements) program_.vector_registers.push_back(destination(f, e, scalar_type::b32));
  o.element_count = max_coordinates;
  o.element_bytes = 4;
  o.roles |= role_vector_read | role_vector_written;
  o.imm = s.packed();
}

void decoder::decode_surface_access(instance& f, const ptx::instruction& i) {
  static constexpr named<surface_edge> edges[] = {
      {"trap", surface_edge::trap}, {"clamp", surface_edge::clamp}, {"zero", surface_edge::zero}};
  static constexpr named<scalar_type> types[] = {
      {"b8", scalar_type::b8}, {"b16", scalar_type::b16}, {"b32", scalar_type::b32}, {"b64", scalar_type::b64}};
  const bool load = i.opcode == "suld";
  if (!i.has("b")) throw unsupported("an access to a surface that converts");
  texture_settings s;
  set_geometry(s, i);
  const surface_edge* edge = find_modifier(edges, i);
  const scalar_type* type = find_modifier(types, i);
  if (type == nullptr) throw unsupported("an access to a surface of this type");
  s.operation = load ? texture_operation::surface_load : texture_operation::surface_store;
  s.edge = edge == nullptr ? surface_edge::trap : *edge;
  const operand& values = operand_of(i, load ? 0 : 1);
  const std::size_t count = values.what == operand::kind::vector ? values.elements.size() : 1;
  if (count == 0 || count > 4) throw unsupported("an access to a surface of this many elements");
  s.elements = static_cast<unsigned>(count);
  const std::vector<operand>& at = texture_operands(operand_of(i, load ? 1 : 0), true);
  op& o = emit(f, i, op_kind::texture, instruction_class::class_none);
  o.a = source(f, at[0], scalar_type::u64);
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  add_coordinates(f, at[1], s.dimensions + (s.layered ? 1u : 0u));
  o.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(*type));
  o.register_bytes = static_cast<std::uint8_t>(std::max(2u, ptx::size_bytes(*type)));
  for (unsigned k = 0; k < 4; ++k) {
    const operand& e = values.what == operand::kind::vector ? values.elements[std::min(k, s.elements - 1u)] : values;
    if (load)
      program_.vector_registers.push_back(k < s.elements ? destination(f, e, *type) : no_slot);
    else
      program_.vector_registers.push_back(source(f, e, *type));
  }
  o.element_count = load ? 4 : 8;
  o.roles |= load ? role_vector_read | role_vector_written : role_vector_read;
  o.imm = s.packed();
}

void decoder::decode_texture_query(instance& f, const ptx::instruction& i) {
  static constexpr named<texture_question> questions[] = {
      {"width", texture_question::width}, {"height", texture_question::height}, {"depth", texture_question::depth}};
  const texture_question* question = find_modifier(questions, i);
  if (question == nullptr || i.has("level")) throw unsupported("a question other than width, height and depth");
  texture_settings s;
  s.operation = texture_operation::query;
  s.question = *question;
  s.asks_surface = i.opcode == "suq";
  op& o = emit(f, i, op_kind::texture, instruction_class::class_none);
  o.a = source(f, texture_operands(operand_of(i, 1), false)[0], scalar_type::u64);
  o.dst = destination(f, operand_of(i, 0), scalar_type::b32);
  o.imm = s.packed();
}

}  // namespace emulator::simt
