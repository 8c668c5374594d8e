// Decoding of moves: `mov` in all its forms, and operations on generic addresses.

#include <algorithm>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

namespace {

/// Returns the beginning of a space's generic addresses.
std::uint64_t window_of(state_space space) {
  switch (space) {
    case state_space::shared:
      return shared_window;
    case state_space::local:
      return local_window;
    case state_space::param:
      return param_window;
    default:
      return 0;
  }
}

}  // namespace

bool decoder::decode_move(instance& f, const ptx::instruction& i) {
  if (i.opcode == "cvta") return decode_address_conversion(f, i), true;
  if (i.opcode == "isspacep") return decode_address_test(f, i), true;
  if (i.opcode == "mapa" || i.opcode == "getctarank") return decode_cluster_address(f, i), true;
  if (i.opcode != "mov" || i.modifiers.empty()) return false;
  const scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
  const operand& d = operand_of(i, 0);
  const operand& s = operand_of(i, 1);
  if (s.what == operand::kind::special && s.name != "WARP_SZ") return decode_special_read(f, i), true;
  if (s.what == operand::kind::vector || d.what == operand::kind::vector) return decode_packing(f, i, type), true;
  op& o = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  const unsigned bytes = std::max(2u, ptx::size_bytes(type));
  o.dst = destination(f, d, type);
  o.a = s.what == operand::kind::special ? constant(bytes, warp_size) : source(f, s, type);  // WARP_SZ
  o.run = find_move(type == scalar_type::pred ? 1 : bytes);
  o.roles |= role_copy;
  if (o.run == nullptr || o.dst == no_slot || type == scalar_type::none) throw unsupported("mov of this width");
  return true;
}

void decoder::decode_address_conversion(instance& f, const ptx::instruction& i) {
  const std::uint64_t window = window_of(space_of(i));
  op& o = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  o.dst = destination(f, operand_of(i, 0), scalar_type::u64);
  o.a = source(f, operand_of(i, 1), scalar_type::u64);
  o.run = find_move(8);
  if (window == 0) return;
  o.run = add_u64;
  o.b = constant(8, i.has("to") ? std::uint64_t{0} - window : window);
}

void decoder::decode_address_test(instance& f, const ptx::instruction& i) {
  const state_space space = space_of(i);
  if (space == state_space::constant)
    throw unsupported("isspacep.const: the emulator keeps constant memory in the global window");
  // The window's number is the top byte, which is shifted down and then compared; it is 0 for global memory. The
  // block's own shared memory is the first part of the shared window, in which addresses have no rank.
  const unsigned down = space == state_space::shared && !i.has("shared::cluster") ? cluster_rank_at : 56;
  const slot top = new_register(scalar_type::u64);
  op& shift = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  shift.run = shift_right_u64;
  shift.dst = top;
  shift.a = source(f, operand_of(i, 1), scalar_type::u64);
  shift.b = constant(4, down);
  op& compare = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  compare.run = equal_u64;
  compare.dst = destination(f, operand_of(i, 0), scalar_type::pred);
  compare.a = top;
  compare.b = constant(8, window_of(space) >> down);
}

/// `mapa`: the same address in a different block of the cluster. `getctarank`: the block that an address belongs to.
void decoder::decode_cluster_address(instance& f, const ptx::instruction& i) {
  if (i.modifiers.empty()) throw unsupported("an address without a width");
  const scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
  const bool maps = i.opcode == "mapa", wide = type == scalar_type::u64;
  if (!wide && type != scalar_type::u32) throw unsupported("an address of this width");
  program_.knows_clusters = true;
  op& o = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  o.dst = destination(f, operand_of(i, 0), maps && wide ? scalar_type::u64 : scalar_type::u32);
  o.a = source(f, operand_of(i, 1), type);
  if (maps) o.b = source(f, operand_of(i, 2), scalar_type::u32);
  o.run = find_cluster_address(maps, wide);
  if (o.dst == no_slot) throw unsupported("a result that is discarded");
}

void decoder::decode_special_read(instance& f, const ptx::instruction& i) {
  const std::string& name = operand_of(i, 1).name;
  const operand& d = operand_of(i, 0);
  scalar_type type = scalar_type::none;
  const handler reader = find_special(name, &type);
  if (reader == nullptr) throw unsupported("the emulator does not know the special register " + name);
  if (type != scalar_type::pred && ptx::size_bytes(type) != register_bytes(f, d))
    throw unsupported("the special register " + name + " read with a different width");
  op& o = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  o.run = reader;
  o.dst = destination(f, d, type);
  if (name.starts_with("%clock") || name.starts_with("%globaltimer"))
    o.sub = reads_clock, program_.facts.reads_clock = true;
}

void decoder::decode_packing(instance& f, const ptx::instruction& i, scalar_type type) {
  const operand& d = operand_of(i, 0);
  const operand& s = operand_of(i, 1);
  const bool packs = s.what == operand::kind::vector;
  const operand& parts = packs ? s : d;
  const unsigned whole = ptx::size_bytes(type);
  const unsigned part = whole / static_cast<unsigned>(std::max<std::size_t>(1, parts.elements.size()));
  op& o = emit(f, i, op_kind::arithmetic, instruction_class::class_none);
  o.run = packs ? find_pack(whole, part) : find_unpack(whole, part);
  if (o.run == nullptr || part * parts.elements.size() != whole) throw unsupported("this form of mov with a vector");
  o.imm = static_cast<std::int32_t>(parts.elements.size());
  if (packs)
    o.dst = destination(f, d, type);
  else
    o.a = source(f, s, type);
  add_vector(o, f, parts, part == 4 ? scalar_type::b32 : scalar_type::b16, !packs);
}

}  // namespace emulator::simt
