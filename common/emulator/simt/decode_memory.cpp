// Decoding of loads, stores, atomics, copies and fences, and the layout of addresses.

#include <algorithm>
#include <unordered_set>

#include "emulator/simt/by_type.hpp"
#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

state_space space_of(const ptx::instruction& i) {
  static constexpr named<state_space> names[] = {
      {"global", state_space::global},         {"shared", state_space::shared},
      {"shared::cta", state_space::shared},    {"local", state_space::local},
      {"const", state_space::constant},        {"param", state_space::param},
      {"param::entry", state_space::param},    {"param::func", state_space::param},
      {"shared::cluster", state_space::shared}};
  const state_space* found = find_modifier(names, i);
  return found == nullptr ? state_space::generic : *found;
}

std::uint32_t space_class(state_space space) {
  switch (space) {
    case state_space::global:
      return instruction_class::class_global;
    case state_space::shared:
      return instruction_class::class_shared;
    case state_space::local:
      return instruction_class::class_local;
    case state_space::constant:
      return instruction_class::class_constant;
    case state_space::param:
      return instruction_class::class_parameter;
    default:
      return instruction_class::class_generic;
  }
}

bool is_simple(const op& o) {
  if ((o.kind != op_kind::load && o.kind != op_kind::store) || (o.flags & (flag_strong | flag_volatile)) != 0)
    return false;
  if (o.space != state_space::shared && o.space != state_space::global && o.space != state_space::generic) return false;
  if (o.element_bytes > 8) return false;
  if (o.element_bytes < 4 ? o.element_count != 1 : o.register_bytes != o.element_bytes) return false;
  if (o.element_count == 1) return o.kind == op_kind::store || o.dst != no_slot;
  return o.element_bytes * o.element_count <= 16;
}

namespace {

/// Returns the number of elements that the modifiers name: `.v2`, `.v4`, `.v8`; 0 if they don't name one.
std::size_t vector_elements(const ptx::instruction& i) {
  static constexpr named<std::size_t> names[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};
  const std::size_t* found = find_modifier(names, i);
  return found == nullptr ? 0 : *found;
}

std::uint8_t order_flags(const ptx::instruction& i) {
  if (i.has("volatile") || i.has("mmio")) return flag_volatile | flag_strong;
  return i.has("relaxed") || i.has("acquire") || i.has("release") ? flag_strong : 0;
}

half_kind half_of(scalar_type t) {
  return t == scalar_type::f16      ? half_kind::f16
         : t == scalar_type::f16x2  ? half_kind::f16x2
         : t == scalar_type::bf16   ? half_kind::bf16
         : t == scalar_type::bf16x2 ? half_kind::bf16x2
                                    : half_kind::none;
}

}  // namespace

void decoder::set_address(instance& f, op& o, const operand& address) {
  if (address.what != operand::kind::address || address.elements.empty())
    throw unsupported("an address form that the emulator does not know");
  const operand& base = address.elements[0];
  const auto offset =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) + static_cast<std::uint64_t>(base.offset));
  if (base.what == operand::kind::reg) {
    const bool wide = register_bytes(f, base) == 8;
    o.a = source(f, base, wide ? scalar_type::u64 : scalar_type::u32);
    if (wide) o.flags |= flag_address_64;
    if (offset != static_cast<std::int32_t>(offset)) throw unsupported("an address offset beyond 32 bits");
    o.imm = static_cast<std::int32_t>(offset);
    return;
  }
  std::uint64_t value = static_cast<std::uint64_t>(offset);
  if (base.what == operand::kind::integer) {
    value += base.bits;
  } else {
    const symbol_place at = place_of(f, base.name);
    value += at.address;
    if (in_routine_ && at.space == state_space::local) {
      o.a = program_.frame_pointer;
      o.imm = static_cast<std::int32_t>(value);
      o.flags |= flag_address_64;
      if (o.space == state_space::generic) o.space = state_space::local;
      return;
    }
    // A generic access to a named variable needs the variable's generic address.
    if (o.space == state_space::generic) o.space = at.space;
  }
  o.a = constant(8, value);
  o.flags |= flag_address_64;
}

void decoder::add_vector(op& o, const instance& f, const operand& operands, scalar_type type, bool written) {
  o.target = static_cast<std::uint32_t>(program_.vector_registers.size());
  for (const operand& e : operands.elements)
    program_.vector_registers.push_back(written ? destination(f, e, type) : source(f, e, type));
  o.roles |= written ? role_vector_written : role_vector_read;
}

/// Sets the registers of a load or store of several elements; all must have the same width.
void decoder::set_accessed_vector(op& o, const instance& f, const ptx::instruction& i, const operand& value,
                                  scalar_type type) {
  const std::size_t count = value.elements.size();
  if (count != vector_elements(i) || count * o.element_bytes > 32) throw unsupported("a vector of this many elements");
  o.element_count = static_cast<std::uint8_t>(count);
  unsigned width = 0;
  for (const operand& e : value.elements) {
    const unsigned own = register_bytes(f, e);
    if (own != 0 && width != 0 && own != width) throw unsupported("a vector of registers that differ in width");
    if (own != 0) width = own;
  }
  // Constants in a vector are as wide as the registers in it.
  const scalar_type in_register = width == 0   ? type
                                  : width == 2 ? scalar_type::b16
                                  : width == 4 ? scalar_type::b32
                                               : scalar_type::b64;
  if (width != 0 && width < ptx::size_bytes(type)) throw unsupported("a vector of registers that are too narrow");
  add_vector(o, f, value, in_register, o.kind != op_kind::store);
  o.register_bytes = static_cast<std::uint8_t>(width != 0 ? width : std::max(2u, ptx::size_bytes(type)));
}

bool decoder::decode_memory(instance& f, const ptx::instruction& i) {
  // These have no effect that a program can see.
  static constexpr std::string_view hints[] = {"prefetch",       "prefetchu", "discard", "applypriority",
                                               "griddepcontrol", "nanosleep", "pmevent"};
  const std::string& n = i.opcode;
  const bool load = n == "ld" || n == "ldu";
  if (n == "atom" || n == "red")
    decode_atomic(f, i);
  else if (n == "mbarrier" && !i.has("pending_count"))
    decode_barrier_object(f, i);
  else if (n == "cp")
    decode_async_copy(f, i);
  else if (n == "membar" || n == "fence")
    decode_fence(f, i);
  else if (std::find(std::begin(hints), std::end(hints), n) != std::end(hints))
    emit(f, i, op_kind::fence, instruction_class::class_none).imm = -1;
  else if ((load || n == "st") && !i.modifiers.empty())
    decode_access(f, i, load);
  else
    return false;
  return true;
}

void decoder::decode_fence(instance& f, const ptx::instruction& i) {
  op& o = emit(f, i, op_kind::fence, instruction_class::class_fence);
  if (i.has("proxy") || i.has("proxy::async") || i.has("mbarrier_init")) {
    // A proxy fence does nothing here, because the waits for copies already order them, and a new mbarrier is visible
    // to all threads at once.
    last_facts().classes = instruction_class::class_none;
    o.imm = -1;
    return;
  }
  o.imm = i.has("cta") ? 0 : i.has("sys") ? 2 : 1;
}

void decoder::decode_access(instance& f, const ptx::instruction& i, bool load) {
  if (i.has("async") || i.has("bulk")) throw unsupported("asynchronous stores are not emulated: use cp.async.bulk");
  const scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
  if (type == scalar_type::none || type == scalar_type::pred || ptx::size_bytes(type) > 8)
    throw unsupported("an access of this type");
  const operand& value = load ? operand_of(i, 0) : operand_of(i, 1);
  const operand& address = load ? operand_of(i, 1) : operand_of(i, 0);
  state_space space = space_of(i);
  const bool kernel_parameter_load =
      load && space == state_space::param &&
      (address.elements.empty() || (address.elements[0].what != operand::kind::symbol && f.body == &entry_) ||
       kernel_parameter(f, address.elements[0].name).has_value());
  std::uint32_t classes = space_class(space) | (load ? instruction_class::class_load : instruction_class::class_store);
  op& o = emit(f, i, kernel_parameter_load ? op_kind::parameter_load : load ? op_kind::load : op_kind::store, classes);
  o.space = space;
  o.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
  o.flags = order_flags(i) | static_cast<std::uint8_t>(is_signed(type) ? flag_sign_extend : 0);
  set_address(f, o, address);
  if (value.what == operand::kind::vector) {
    set_accessed_vector(o, f, i, value, type);
    return;
  }
  if (vector_elements(i) != 0) throw unsupported("a vector that is not in braces");
  if (load)
    o.dst = destination(f, value, type, register_width::or_wider);
  else
    o.b = source(f, value, type, register_width::or_wider);
  o.register_bytes = static_cast<std::uint8_t>(value.what == operand::kind::reg ? register_bytes(f, value)
                                                                                : std::max(2u, ptx::size_bytes(type)));
}

/// Sets the registers of an atomic on a vector: the operands, followed by the results.
void decoder::set_atomic_vector(op& o, const instance& f, const ptx::instruction& i, scalar_type type) {
  const bool red = i.opcode == "red";
  const operand& added = operand_of(i, red ? 1 : 2);
  const std::size_t count = added.elements.size();
  const bool known = i.has("add") && (type == scalar_type::f32 || o.half != half_kind::none);
  if (added.what != operand::kind::vector || count != vector_elements(i) || count * o.element_bytes > 16 || !known)
    throw unsupported("this atomic operation on a vector");
  if (o.space == state_space::shared) throw unsupported("an atomic on a vector in shared memory");
  o.element_count = static_cast<std::uint8_t>(count);
  add_vector(o, f, added, type, false);
  const bool has_result = (o.flags & flag_no_result) == 0;
  if (has_result && operand_of(i, 0).elements.size() != count) throw unsupported("a vector of this many elements");
  for (std::size_t k = 0; k < count; ++k)
    program_.vector_registers.push_back(has_result ? destination(f, i.operands[0].elements[k], type) : no_slot);
  o.roles |= role_vector_written;
}

void decoder::decode_atomic(instance& f, const ptx::instruction& i) {
  static constexpr named<atomic_operation> names[] = {
      {"add", atomic_operation::add},     {"min", atomic_operation::min},
      {"max", atomic_operation::max},     {"inc", atomic_operation::inc},
      {"dec", atomic_operation::dec},     {"exch", atomic_operation::exchange},
      {"and", atomic_operation::bit_and}, {"cas", atomic_operation::compare_and_swap},
      {"or", atomic_operation::bit_or},   {"xor", atomic_operation::bit_xor}};
  if (i.modifiers.empty()) throw unsupported("an atomic operation without a type");
  if (i.has("async")) throw unsupported("asynchronous reductions are not emulated: use atomics");
  const scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
  const unsigned bytes = ptx::size_bytes(type);
  const half_kind half = half_of(type);
  const atomic_operation* found = find_modifier(names, i);
  const bool sixteen = bytes == 2 && (half != half_kind::none || i.has("cas"));
  if (found == nullptr || (bytes != 4 && bytes != 8 && !sixteen) || (half != half_kind::none && !i.has("add")))
    throw unsupported("this atomic operation or its type");
  const bool red = i.opcode == "red";
  const bool thrown_away = red || operand_of(i, 0).what == operand::kind::sink;
  const state_space space = space_of(i);
  op& o =
      emit(f, i, op_kind::atomic,
           space_class(space) | (thrown_away ? instruction_class::class_reduction : instruction_class::class_atomic));
  if (*found == atomic_operation::exchange) last_facts().classes |= instruction_class::class_exchange;
  o.space = space;
  o.sub = static_cast<std::uint8_t>(*found);
  o.half = half;
  o.element_bytes = o.register_bytes = static_cast<std::uint8_t>(bytes);
  o.flags = static_cast<std::uint8_t>(flag_strong | (thrown_away ? flag_no_result : 0) |
                                      (type == scalar_type::f32 || type == scalar_type::f64 ? flag_float : 0) |
                                      (is_signed(type) ? flag_signed : 0));
  const std::size_t first = red ? 0 : 1;
  set_address(f, o, operand_of(i, first));
  if (vector_elements(i) != 0) return set_atomic_vector(o, f, i, type);
  if (!thrown_away) o.dst = destination(f, i.operands[0], type);
  o.b = source(f, operand_of(i, first + 1), type);
  if (*found == atomic_operation::compare_and_swap) o.c = source(f, operand_of(i, first + 2), type);
}

/// `cp.async.mbarrier.arrive`: the thread arrives at once, but its bytes arrive after a thread has waited for that
/// phase. Without `noinc`, the barrier also expects one more arrival, so its count doesn't change.
void decoder::decode_copy_arrival(instance& f, const ptx::instruction& i) {
  op& hand_over = emit(f, i, op_kind::async_copy, instruction_class::class_none);
  hand_over.sub = static_cast<std::uint8_t>(copy_operation::hand_over);
  hand_over.space = space_of(i);
  set_address(f, hand_over, operand_of(i, 0));
  if (!i.has("noinc")) return;
  op& o = emit(f, i, op_kind::barrier_object, space_class(space_of(i)) | instruction_class::class_reduction);
  o.space = space_of(i);
  o.sub = static_cast<std::uint8_t>(object_operation::arrive);
  o.element_bytes = 8;
  o.register_bytes = 4;
  o.flags |= flag_strong;
  set_address(f, o, operand_of(i, 0));
  o.b = constant(4, 1);
  last_facts().ordering |= observers::ordering_release;
}

void decoder::decode_async_copy(instance& f, const ptx::instruction& i) {
  if (i.has("async") && i.has("mbarrier")) return decode_copy_arrival(f, i);
  if (i.has("tensor")) throw unsupported("copies by tensor maps are not emulated: copy by cp.async.bulk");
  if (i.has("multicast::cluster")) throw unsupported("a copy into several blocks at once is not emulated");
  if (i.has("reduce")) throw unsupported("reductions by bulk copies are not emulated: use atomics");
  if (i.has("bulk") && i.has("prefetch")) {
    emit(f, i, op_kind::fence, instruction_class::class_none).imm = -1;
    return;
  }
  if (i.has("async") && i.has("bulk")) return decode_bulk_copy(f, i);
  if (!i.has("async") || i.has("bulk") || i.has("L2::cache_hint") || i.has("shared::cluster"))
    throw unsupported("this asynchronous copy is not emulated; cp.async of 4, 8 or 16 bytes and cp.async.bulk are");
  const bool waits = i.has("wait_group"), waits_for_all = i.has("wait_all"), commits = i.has("commit_group");
  if (waits || waits_for_all || commits) {
    op& o = emit(f, i, op_kind::async_copy, instruction_class::class_none);
    o.sub = static_cast<std::uint8_t>(waits     ? copy_operation::wait
                                      : commits ? copy_operation::commit
                                                : copy_operation::commit_and_wait);
    if (waits) o.imm = static_cast<std::int32_t>(operand_of(i, 0).bits);
    return;
  }
  const std::uint64_t bytes = operand_of(i, 2).bits;
  if (operand_of(i, 2).what != operand::kind::integer || (bytes != 4 && bytes != 8 && bytes != 16) ||
      i.operands.size() > 4 || !i.has("global"))
    throw unsupported("a copy of this form");
  op& o = emit(f, i, op_kind::async_copy, instruction_class::class_load | instruction_class::class_global);
  o.sub = static_cast<std::uint8_t>(copy_operation::copy);
  o.space = state_space::global;
  o.element_bytes = static_cast<std::uint8_t>(bytes);
  op source;
  source.space = state_space::global;
  set_address(f, source, operand_of(i, 1));
  if ((source.flags & flag_address_64) == 0) throw unsupported("a global address of 32 bits");
  o.b = source.a;
  o.reconvergence = static_cast<std::uint32_t>(source.imm);
  source.space = state_space::shared;
  source.flags = 0;
  set_address(f, source, operand_of(i, 0));
  o.a = source.a;
  o.imm = source.imm;
  o.flags = source.flags;
  if (i.operands.size() == 4) o.c = this->source(f, i.operands[3], scalar_type::u32);
}

/// Returns the register that holds an address of a bulk copy. \param wide  set to true if the address has 64 bits
slot decoder::bulk_address(instance& f, const operand& address, bool& wide) {
  op o;
  o.space = state_space::shared;
  set_address(f, o, address);
  if (o.imm != 0) throw unsupported("a bulk copy whose address is a register and an offset");
  wide = (o.flags & flag_address_64) != 0;
  return o.a;
}

void decoder::decode_bulk_copy(instance& f, const ptx::instruction& i) {
  const bool waits = i.has("wait_group"), commits = i.has("commit_group");
  op& o = emit(f, i, op_kind::async_copy, instruction_class::class_none);
  if (waits || commits) {
    const bool read = i.has("read");
    o.sub = static_cast<std::uint8_t>(commits ? copy_operation::bulk_commit
                                      : read  ? copy_operation::bulk_wait_read
                                              : copy_operation::bulk_wait);
    if (waits) o.imm = static_cast<std::int32_t>(operand_of(i, 0).bits);
    return;
  }
  const bool to_global = i.has("bulk_group"), from_global = !to_global && i.has("global");
  const bool counted = i.has("mbarrier::complete_tx::bytes");
  if (to_global == counted || (!to_global && !from_global && !i.has("shared::cta")))
    throw unsupported("a bulk copy of this form");
  o.sub = static_cast<std::uint8_t>(to_global     ? copy_operation::bulk_to_global
                                    : from_global ? copy_operation::bulk_from_global
                                                  : copy_operation::bulk_from_shared);
  bool wide_to = false, wide_from = false, wide_object = false;
  o.a = bulk_address(f, operand_of(i, 0), wide_to);
  o.b = bulk_address(f, operand_of(i, 1), wide_from);
  o.c = source(f, operand_of(i, 2), scalar_type::u32);
  if (counted) {
    o.imm = static_cast<std::int32_t>(bulk_address(f, operand_of(i, 3), wide_object));
    o.roles |= role_imm;
  }
  o.register_bytes = static_cast<std::uint8_t>((wide_to ? bulk_wide_to : 0) | (wide_from ? bulk_wide_from : 0) |
                                               (wide_object ? bulk_wide_object : 0));
}

void decoder::find_reductions() {
  std::unordered_set<slot> read;
  for (op& o : program_.code) {
    for_each_slot(program_, o, [&](slot s, bool written) {
      if (!written) read.insert(s);
    });
  }
  for (std::size_t pc = 0; pc < program_.code.size(); ++pc) {
    op& o = program_.code[pc];
    const auto operation = static_cast<atomic_operation>(o.sub);
    if (o.kind != op_kind::atomic || (o.flags & flag_no_result) != 0 || read.contains(o.dst) ||
        operation == atomic_operation::exchange || operation == atomic_operation::compare_and_swap)
      continue;
    if (o.element_count > 1) {
      const auto results = program_.vector_registers.begin() + o.target + o.element_count;
      if (std::any_of(results, results + o.element_count, [&](slot s) { return read.contains(s); })) continue;
      std::fill_n(results, o.element_count, no_slot);
    }
    o.dst = no_slot;
    o.flags |= flag_no_result;
    std::uint32_t& classes = program_.facts.instructions[pc].classes;
    classes = (classes & ~std::uint32_t{instruction_class::class_atomic}) | instruction_class::class_reduction;
  }
}

}  // namespace emulator::simt
