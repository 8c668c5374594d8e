// Decoding of arithmetic, and of operations that the lanes of a warp execute together.

#include <algorithm>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;

namespace {

/// Returns true if the operation may be a step of a reduction.
bool may_combine(std::string_view opcode) {
  static constexpr std::string_view names[] = {"add", "min", "max", "mul", "fma", "mad", "and", "or", "xor"};
  return std::find(std::begin(names), std::end(names), opcode) != std::end(names);
}

operation find_operation(const ptx::instruction& i) {
  for (const auto find : {find_integer, find_bits, find_floating, find_compare, find_conversion, find_half}) {
    if (const operation found = find(i)) return found;
  }
  return find_collective(i);
}

}  // namespace

bool decoder::decode_arithmetic(instance& f, const ptx::instruction& i) {
  const operation found = find_operation(i);
  if (!found) return false;
  const bool collective = (found.classes & collective_classes) != 0;
  std::uint32_t classes = found.classes;
  if (!collective && may_combine(i.opcode)) classes |= instruction_class::class_combine;
  op& o = emit(f, i, collective ? op_kind::collective : op_kind::arithmetic, classes);
  o.run = found.run;
  o.imm = found.imm;
  const operand& d = operand_of(i, 0);
  const bool conversion = i.opcode == "cvt";
  const register_width width = conversion ? register_width::or_wider : register_width::exact;
  o.dst = destination(f, d.what == operand::kind::pair ? d.elements[0] : d, found.dst, width);
  if (d.what == operand::kind::pair && d.elements[1].what != operand::kind::sink) {
    o.target = destination(f, d.elements[1], scalar_type::pred);
    o.roles |= role_target;
  }
  if (o.dst == no_slot && i.opcode != "elect") throw unsupported("a result that is discarded");
  set_sources(f, i, found, o);
  if (conversion) {
    const operand& s = operand_of(i, 1);
    const unsigned read = s.what == operand::kind::reg ? register_bytes(f, s) : std::max(2u, ptx::size_bytes(found.a));
    o.element_bytes = static_cast<std::uint8_t>(read);
    o.register_bytes = static_cast<std::uint8_t>(register_bytes(f, d));
    o.roles |= role_copy;
  }
  return true;
}

bool decoder::decode_video(instance& f, const ptx::instruction& i) {
  const video_form form = find_video(i);
  if (!form) return false;
  const auto whole = [&i](std::size_t k) {
    operand o = operand_of(i, k);
    if (o.what == operand::kind::reg) o.name.clear();  // the form says which part is used
    return o;
  };
  op& o = emit(f, i, op_kind::arithmetic, may_combine(i.opcode) ? instruction_class::class_combine : 0u);
  o.run = form.run;
  o.imm = form.imm;
  o.reconvergence = form.more;
  o.dst = destination(f, whole(0), scalar_type::b32);
  if (o.dst == no_slot) throw unsupported("a result that is discarded");
  o.a = source(f, whole(1), scalar_type::b32);
  o.b = source(f, whole(2), scalar_type::b32);
  if (form.sources == 3) o.c = source(f, whole(3), scalar_type::b32);
  return true;
}

void decoder::set_sources(instance& f, const ptx::instruction& i, const operation& found, op& o) {
  const register_width width = i.opcode == "cvt" ? register_width::or_wider : register_width::exact;
  std::size_t next = 1;
  const auto take = [&](scalar_type type) {
    return type == scalar_type::none ? no_slot : source(f, operand_of(i, next++), type, width);
  };
  o.a = take(found.a);
  o.b = take(found.b);
  o.c = take(found.c);
  const bool inserts = i.opcode == "bfi";
  const bool has_members = o.kind == op_kind::collective && i.opcode != "activemask";
  if (!inserts && !has_members) return;
  // The length of a bit field and the member mask are the last operands; the mask is read before the operation runs.
  const slot last = source(f, inserts ? operand_of(i, 4) : last_operand(i), scalar_type::u32);
  if (o.c == no_slot) {
    o.c = last;
  } else {
    o.imm = static_cast<std::int32_t>(last);
    o.roles |= role_imm;
  }
}

}  // namespace emulator::simt
