// Decoding of arithmetic and moves.

#include <algorithm>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

bool decoder::decode_arithmetic(instance& f, const ptx::instruction& i) {
  operation found = find_integer(i);
  if (!found) found = find_bits(i);
  if (!found) found = find_floating(i);
  if (!found) found = find_compare(i);
  if (!found) found = find_conversion(i);
  if (!found) found = find_half(i);
  std::uint32_t classes = 0;
  op_kind kind = op_kind::arithmetic;
  if (!found) {
    found = find_collective(i);
    if (!found) return false;
    kind = op_kind::collective;
    const std::string& n = i.opcode;
    classes = n == "shfl"    ? instruction_class::class_shuffle
              : n == "redux" ? instruction_class::class_warp_reduce
                             : instruction_class::class_vote;
  }
  if (i.opcode == "div" || i.opcode == "rem") {
    if (found.dst != scalar_type::f32 && found.dst != scalar_type::f64) classes |= instruction_class::class_divide;
  }
  op& o = emit(f, i, kind, classes);
  o.run = found.run;
  o.imm = found.imm;
  const operand& d = operand_of(i, 0);
  const register_width width = i.opcode == "cvt" ? register_width::or_wider : register_width::exact;
  std::size_t next = 1;
  if (d.what == operand::kind::pair) {
    o.dst = destination(f, d.elements[0], found.dst, width);
    if (d.elements[1].what != operand::kind::sink) {
      o.target = destination(f, d.elements[1], scalar_type::pred);
      set_role(role_target);
    }
  } else {
    o.dst = destination(f, d, found.dst, width);
  }
  if (o.dst == no_slot && i.opcode != "elect") throw unsupported("a result that is thrown away");
  const auto take = [&](scalar_type type) {
    return type == scalar_type::none ? no_slot : source(f, operand_of(i, next++), type, width);
  };
  if (i.operands.size() <
      1u + (found.a != scalar_type::none) + (found.b != scalar_type::none) + (found.c != scalar_type::none)) {
    throw unsupported("too few operands");
  }
  if (i.opcode == "cvt") {
    o.element_bytes =
        static_cast<std::uint8_t>(i.operands[1].what == operand::kind::reg ? register_bytes(f, i.operands[1])
                                                                           : std::max(2u, ptx::size_bytes(found.a)));
    o.register_bytes = static_cast<std::uint8_t>(register_bytes(f, d));
  }
  o.a = take(found.a);
  o.b = take(found.b);
  o.c = take(found.c);
  if (i.opcode == "bfi") {
    o.imm = static_cast<std::int32_t>(source(f, operand_of(i, 4), scalar_type::u32));
    set_role(role_imm);
  }
  if (kind == op_kind::collective && i.opcode != "activemask") {
    // The member mask is the last operand; it is read before the operation runs.
    o.guard = o.guard;
    const slot members = source(f, last_operand(i), scalar_type::u32);
    if (o.c == no_slot)
      o.c = members;
    else {
      o.imm = static_cast<std::int32_t>(members);  // shfl: a, b and c are taken
      set_role(role_imm);
    }
  }
  return true;
}

bool decoder::decode_move(instance& f, const ptx::instruction& i) {
  const std::string& n = i.opcode;
  if (n == "cvta") {
    const bool to = i.has("to");
    std::uint64_t window = 0;
    if (i.has("shared") || i.has("shared::cta")) window = shared_window;
    if (i.has("local")) window = local_window;
    if (i.has("param") || i.has("param::entry")) window = param_window;
    op& o = emit(f, i, op_kind::arithmetic, 0);
    o.dst = destination(f, operand_of(i, 0), scalar_type::u64);
    o.a = source(f, operand_of(i, 1), scalar_type::u64);
    if (window == 0) {
      o.run = find_move(8);
    } else {
      o.b = constant(8, to ? std::uint64_t{0} - window : window);
      ptx::instruction add{.opcode = "add", .modifiers = {"u64"}, .guard = {}, .operands = {}};
      o.run = find_integer(add).run;
    }
    return true;
  }
  if (n == "isspacep") {
    std::uint64_t window = 0;
    if (i.has("shared") || i.has("shared::cta") || i.has("shared::cluster")) window = shared_window;
    if (i.has("local")) window = local_window;
    if (i.has("param") || i.has("param::entry")) window = param_window;
    if (i.has("const")) throw unsupported("isspacep.const: the emulator keeps constant memory in the global window");
    // The window's number is the top byte: shift it down, then compare (global: no window at all).
    const slot top = new_register(scalar_type::u64);
    op& shift = emit(f, i, op_kind::arithmetic, 0);
    shift.run = find_bits(ptx::instruction{.opcode = "shr", .modifiers = {"u64"}, .guard = {}, .operands = {}}).run;
    shift.dst = top;
    shift.a = source(f, operand_of(i, 1), scalar_type::u64);
    shift.b = constant(4, 56);
    op& compare = emit(f, i, op_kind::arithmetic, 0);
    compare.run =
        find_compare(ptx::instruction{.opcode = "setp", .modifiers = {"eq", "u64"}, .guard = {}, .operands = {}}).run;
    compare.dst = destination(f, operand_of(i, 0), scalar_type::pred);
    compare.a = top;
    compare.b = constant(8, window >> 56);
    return true;
  }
  if (n != "mov" || i.modifiers.empty()) return false;
  const scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
  const operand& d = operand_of(i, 0);
  const operand& s = operand_of(i, 1);
  if (s.what == operand::kind::special && s.name != "WARP_SZ") {
    scalar_type special = scalar_type::none;
    const handler reader = find_special(s.name, &special);
    if (reader == nullptr) throw unsupported("the emulator does not know the special register " + s.name);
    if (ptx::size_bytes(special) != register_bytes(f, d))
      throw unsupported("the special register " + s.name + " read at another width");
    op& o = emit(f, i, op_kind::arithmetic, 0);
    o.run = reader;
    o.dst = destination(f, d, special);
    if (s.name.starts_with("%clock")) o.sub = reads_clock;
    return true;
  }
  if (s.what == operand::kind::vector || d.what == operand::kind::vector) {
    const bool packs = s.what == operand::kind::vector;
    const operand& parts = packs ? s : d;
    const unsigned whole = ptx::size_bytes(type);
    const unsigned part = whole / static_cast<unsigned>(std::max<std::size_t>(1, parts.elements.size()));
    op& o = emit(f, i, op_kind::arithmetic, 0);
    o.run = packs ? find_pack(whole, part) : find_unpack(whole, part);
    if (o.run == nullptr || part * parts.elements.size() != whole) throw unsupported("this form of mov with a vector");
    o.imm = static_cast<std::int32_t>(parts.elements.size());
    if (packs)
      o.dst = destination(f, d, type);
    else
      o.a = source(f, s, type);
    add_vector(o, f, parts, part == 4 ? scalar_type::b32 : scalar_type::b16, !packs);
    return true;
  }
  op& o = emit(f, i, op_kind::arithmetic, 0);
  o.dst = destination(f, d, type);
  if (s.what == operand::kind::special)
    o.a = constant(std::max(2u, ptx::size_bytes(type)), warp_size);  // WARP_SZ
  else
    o.a = source(f, s, type);
  o.run = find_move(type == scalar_type::pred ? 1 : std::max(2u, ptx::size_bytes(type)));
  if (o.run == nullptr || o.dst == no_slot || type == scalar_type::none) throw unsupported("mov of this width");
  return true;
}

}  // namespace emulator::simt
