// Translates PTX instructions into operations: walks over a function, and decodes its variables and operands.
// Long because each kind of variable is placed differently.

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;
using ptx::state_space;

namespace {

/// The largest size of the virtual registers of a kernel and of everything that is inlined into it, in bytes for 32
/// lanes. It is less than the bit that marks constants.
constexpr std::uint32_t max_register_bytes = 1u << 30;
/// Shared memory of each block that the system reserves (cudaDevAttrReservedSharedMemoryPerBlock).
constexpr std::uint64_t system_shared_bytes = 1024;
/// Limits of the programming guide for a thread's local memory and for a kernel's parameters.
constexpr std::uint64_t max_local_bytes = 512 * 1024, max_parameter_bytes = 32764;

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

/// Returns the bits of a literal as a value of `type`.
std::uint64_t literal_bits(const operand& o, scalar_type type) {
  if (o.what == operand::kind::float64 && type == scalar_type::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits)));
  if (o.what == operand::kind::float32 && type == scalar_type::f64) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(o.bits))));
  }
  if (o.what == operand::kind::integer && type == scalar_type::f32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits)));
  if (o.what == operand::kind::integer && type == scalar_type::f64)
    return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits)));
  return o.bits;
}

std::uint8_t ordering_of(const ptx::instruction& i) {
  static constexpr named<std::uint8_t> names[] = {
      {"relaxed", observers::ordering_relaxed},
      {"volatile", observers::ordering_relaxed},
      {"acquire", observers::ordering_acquire},
      {"release", observers::ordering_release},
      {"acq_rel", observers::ordering_acquire | observers::ordering_release},
      {"cta", observers::ordering_block_only}};
  std::uint8_t flags = observers::ordering_none;
  // Local memory is only visible to its own thread, so a volatile variable there orders nothing.
  if (i.has("local")) return flags;
  for (const auto& [name, ordering] : names) {
    if (i.has(name)) flags |= ordering;
  }
  return flags;
}

}  // namespace

const operand& operand_of(const ptx::instruction& i, std::size_t k) {
  if (k >= i.operands.size()) throw unsupported("too few operands");
  return i.operands[k];
}

const operand& last_operand(const ptx::instruction& i) {
  return operand_of(i, i.operands.empty() ? 0 : i.operands.size() - 1);
}

decoder::decoder(module& owner, ptx::function& entry)
    : module_(owner), entry_(entry), lines_(owner.text().files, entry) {}

program decode(module& owner, ptx::function& entry) {
  return decoder(owner, entry).run();
}

program decoder::run() {
  program_.owner = &module_;
  program_.facts.mangled = entry_.name;
  program_.facts.file = lines_.home();
  layout_parameters();
  layout_shared();
  instance f;
  f.body = &entry_;
  call_stack_.push_back(&entry_);
  decode_function(f);
  emit_extra("exit", op_kind::exit, instruction_class::class_exit);
  decode_routines();
  find_reconvergence(program_);
  find_reductions();
  allocate_registers();
  find_narrow_indices();
  program_.sees_unset |= !program_.routines.empty();
  for (op& o : program_.code) {
    o.simple = is_simple(o);
    program_.sees_unset |= o.kind == op_kind::collective || o.kind == op_kind::matrix;
  }
  for (std::size_t k = program_.code.size(), run = 0; k-- > 0;) {
    op& o = program_.code[k];
    run = o.kind == op_kind::arithmetic && o.guard == no_slot && o.sub != reads_clock ? run + 1 : 0;
    o.plain_run = static_cast<std::uint16_t>(std::min<std::size_t>(run, 0xffffu));
  }
  return std::move(program_);
}

void decoder::find_narrow_indices() {
  const std::vector<std::uint32_t> lines = ptx::narrow_indices(entry_);
  auto& instructions = program_.facts.instructions;
  for (std::uint32_t pc = 0; pc < instructions.size(); ++pc)
    if (std::find(lines.begin(), lines.end(), instructions[pc].ptx_line) != lines.end() &&
        !stands_in_toolkit(program_.facts, pc))
      program_.facts.narrow_indices.push_back(pc);
}

void decoder::layout_parameters() {
  program_.parameter_offsets = ptx::parameter_offsets(entry_.parameters, program_.parameter_bytes);
  for (const ptx::variable& v : entry_.parameters) program_.parameter_sizes.push_back(v.size_bytes());
  if (program_.parameter_bytes > max_parameter_bytes)
    throw unsupported("a kernel with more than 32,764 bytes of parameters");
}

void decoder::add_shared(const ptx::variable& v, std::uint64_t offset) {
  program_.facts.shared.push_back(
      {.name = v.name, .offset = offset, .size_bytes = v.size_bytes(), .element_bytes = ptx::size_bytes(v.type)});
}

void decoder::place_shared(const ptx::variable& v) {
  if (module_shared_.contains(v.name)) return;
  shared_bytes_ = aligned(shared_bytes_, v.alignment);
  module_shared_[v.name] = {state_space::shared, shared_bytes_};
  add_shared(v, shared_bytes_);
  shared_bytes_ += v.size_bytes();
}

void decoder::find_shared(ptx::function& f, std::vector<const ptx::variable*>& dynamic,
                          std::vector<ptx::function*>& reached) {
  const auto note = [&](const ptx::variable& v) {
    if (v.space != state_space::shared) return;
    if (v.is_extern || v.element_count == 0)
      dynamic.push_back(&v);
    else
      place_shared(v);
  };
  const auto reach = [&](ptx::function& callee) {
    if (std::find(reached.begin(), reached.end(), &callee) == reached.end()) reached.push_back(&callee);
  };
  for (const ptx::variable& v : f.variables) note(v);
  std::function<void(const operand&)> visit = [&](const operand& o) {
    if (o.what == operand::kind::special && o.name == "%reserved_smem_offset_1")
      program_.reserved_shared_bytes = system_shared_bytes;
    if (o.what == operand::kind::symbol) {
      for (const ptx::variable& v : module_.text().variables) {
        if (v.space == state_space::shared && v.name == o.name) note(v);
      }
    }
    for (const operand& e : o.elements) visit(e);
  };
  for (const ptx::instruction& i : f.instructions) {
    for (const operand& o : i.operands) visit(o);
    if (i.opcode != "call") continue;
    for (const operand& o : i.operands) {
      if (o.what == operand::kind::reg) {
        for (const auto& [number, callee] : module_.functions_with_address()) reach(*callee);
      }
      if (o.what != operand::kind::symbol) continue;
      if (ptx::function* callee = module_.find_function(o.name)) reach(*callee);
    }
  }
}

void decoder::layout_shared() {
  std::vector<const ptx::variable*> dynamic;
  std::vector<ptx::function*> reached{&entry_};
  for (std::size_t k = 0; k < reached.size(); ++k) find_shared(*reached[k], dynamic, reached);  // `reached` grows
  move_behind_reserved();
  // Dynamic shared memory begins after all static variables; all dynamic variables have the same address.
  shared_bytes_ = dynamic.empty() ? aligned(shared_bytes_, 4) : aligned(shared_bytes_, 16);
  for (const ptx::variable* v : dynamic) {
    if (module_shared_.contains(v->name)) continue;
    module_shared_[v->name] = {state_space::shared, shared_bytes_};
    add_shared(*v, shared_bytes_);
  }
  program_.static_shared_bytes = shared_bytes_ - program_.reserved_shared_bytes;
  program_.facts.static_shared_bytes = program_.static_shared_bytes;
}

/// The system's reserved memory is before the kernel's variables if the kernel uses it.
void decoder::move_behind_reserved() {
  const std::uint64_t by = program_.reserved_shared_bytes;
  if (by == 0) return;
  program_.facts.reserved_shared_bytes = by;
  for (auto& [name, place] : module_shared_) place.address += by;
  for (observers::shared_variable& v : program_.facts.shared) v.offset += by;
  shared_bytes_ += by;
  program_.facts.shared.insert(program_.facts.shared.begin(),
                               {.name = "the system's reserved shared memory", .size_bytes = by, .element_bytes = 1});
}

void decoder::check_local() const {
  if (program_.local_bytes > max_local_bytes)
    throw unsupported("this function's variables need more than the 512 KiB of local memory that a thread may have");
}

std::uint64_t decoder::hidden_storage(const ptx::variable& v) {
  program_.local_bytes = aligned(program_.local_bytes, std::max<std::uint64_t>(v.alignment, 16));
  const std::uint64_t offset = program_.local_bytes;
  program_.local_bytes += aligned(std::max<std::uint64_t>(v.size_bytes(), 4), 4);
  if (!in_routine_) program_.local_objects.push_back({offset, program_.local_bytes});
  return offset;
}

void decoder::layout_variables(instance& f) {
  for (const ptx::variable& v : f.body->variables) {
    if (v.space == state_space::local) {
      program_.local_bytes = aligned(program_.local_bytes, std::max<std::uint64_t>(v.alignment, 4));
      f.variables[v.name] = {state_space::local, program_.local_bytes};
      if (!in_routine_) {
        program_.local_objects.push_back({program_.local_bytes, program_.local_bytes + v.size_bytes()});
        program_.facts.array_bytes = program_.local_objects.back().end;
      }
      program_.local_bytes += aligned(v.size_bytes(), 4);
    } else if (v.space == state_space::param) {
      f.hidden[v.name] = hidden_storage(v);
    }
    check_local();
  }
}

void decoder::decode_function(instance& f) {
  f.registers.reserve(f.body->registers.size());
  for (const ptx::register_declaration& r : f.body->registers) f.registers.push_back(new_register(r.type));
  layout_variables(f);
  if (in_routine_) take_addresses(f);
  f.pc_of.reserve(f.body->instructions.size() + 1);
  for (const ptx::instruction& i : f.body->instructions) {
    f.pc_of.push_back(next_pc());
    decode_instruction(f, i);
  }
  const std::uint32_t end = next_pc();
  f.pc_of.push_back(end);
  for (const auto& [pc, label] : f.jumps) {
    const std::uint32_t target = f.pc_of[f.body->label_targets[label]];
    program_.code[pc].target = target;
    if (target <= pc) program_.facts.instructions[pc].classes |= instruction_class::class_loop_branch;
  }
  std::erase_if(pending_tables_, [&](const auto& pending) {
    if (pending.second != f.body) return false;
    for (std::uint32_t& entry : program_.tables[pending.first]) entry = f.pc_of[f.body->label_targets[entry]];
    return true;
  });
  for (const std::uint32_t pc : f.returns) program_.code[pc].target = end;
}

slot decoder::new_register(scalar_type type) {
  if (register_bytes_ > max_register_bytes) throw unsupported("the kernel has too many registers");
  const unsigned bytes = type == scalar_type::pred ? 0 : std::max(2u, ptx::size_bytes(type));
  register_lane_bytes_.push_back(static_cast<std::uint8_t>(bytes));
  register_bytes_ += place_bytes(register_lane_bytes_.back());
  return static_cast<slot>(register_lane_bytes_.size() - 1);
}

slot decoder::constant(unsigned bytes, std::uint64_t value) {
  if (bytes > 8) throw unsupported("a constant of more than 64 bits");
  if (bytes < 8) value &= (std::uint64_t{1} << (8 * bytes)) - 1;
  const auto [found, added] = constants_.try_emplace({bytes, value}, constant_bytes_ | constant_bit);
  if (added) {
    program_.constants.push_back({constant_bytes_, static_cast<std::uint8_t>(bytes), value});
    constant_bytes_ += warp_size * std::max(2u, bytes);
  }
  return found->second;
}

std::optional<std::size_t> decoder::kernel_parameter(const instance& f, const std::string& name) const {
  if (f.body != &entry_) return {};
  for (std::size_t k = 0; k < entry_.parameters.size(); ++k) {
    if (entry_.parameters[k].name == name) return k;
  }
  return {};
}

symbol_place decoder::place_of(const instance& f, const std::string& name) {
  if (const auto own = f.variables.find(name); own != f.variables.end()) return own->second;
  if (const auto hidden = f.hidden.find(name); hidden != f.hidden.end()) return {state_space::local, hidden->second};
  if (const auto k = kernel_parameter(f, name)) return {state_space::param, program_.parameter_offsets[*k]};
  if (const auto shared = module_shared_.find(name); shared != module_shared_.end()) return shared->second;
  const placed_variable* const variable = module_.find_variable(name);
  const auto address =
      variable != nullptr ? std::optional<std::uint64_t>(variable->address) : module_.function_address(name);
  if (!address) throw unsupported("the symbol " + name + " is not a variable that the emulator knows");
  std::vector<std::uint64_t>& named = program_.facts.variables;
  if (std::find(named.begin(), named.end(), *address) == named.end()) named.push_back(*address);
  return {variable != nullptr && variable->constant ? state_space::constant : state_space::global, *address};
}

slot decoder::register_of(const instance& f, const operand& o, scalar_type type, register_width width) const {
  const ptx::register_declaration& declared = f.body->registers.at(o.index);
  if (!o.name.empty()) throw unsupported("a part of the register " + declared.name);
  const unsigned has = std::max(2u, ptx::size_bytes(declared.type)), wants = std::max(2u, ptx::size_bytes(type));
  const bool fits = has == wants || (width == register_width::or_wider && has > wants);
  if (type != scalar_type::none && (!fits || (declared.type == scalar_type::pred) != (type == scalar_type::pred)))
    throw unsupported("the register " + declared.name + " does not have the width that the instruction requires");
  return f.registers.at(o.index);
}

slot decoder::source(const instance& f, const operand& o, scalar_type type, register_width width) {
  switch (o.what) {
    case operand::kind::reg:
      return register_of(f, o, type, width);
    case operand::kind::integer:
    case operand::kind::float32:
    case operand::kind::float64:
      if (type == scalar_type::pred) return constant(4, o.bits != 0 ? ~std::uint64_t{0} : 0);
      return constant(std::max(2u, ptx::size_bytes(type)), literal_bits(o, type));
    case operand::kind::symbol: {
      if (type == scalar_type::pred) throw unsupported("a symbol as a predicate");
      if (const auto in_frame = f.addresses.find(o.name); in_frame != f.addresses.end() && o.offset == 0)
        return in_frame->second;
      const symbol_place at = place_of(f, o.name);
      if (in_routine_ && at.space == state_space::local)
        throw unsupported("an address with an offset into a variable of a called function");
      return constant(std::max(4u, ptx::size_bytes(type)), at.address + static_cast<std::uint64_t>(o.offset));
    }
    default:
      throw unsupported("an operand form that the emulator does not know");
  }
}

slot decoder::destination(const instance& f, const operand& o, scalar_type type, register_width width) const {
  if (o.what == operand::kind::sink) return no_slot;
  if (o.what != operand::kind::reg) throw unsupported("a destination that is not a register");
  return register_of(f, o, type, width);
}

unsigned decoder::register_bytes(const instance& f, const operand& o) const {
  if (o.what != operand::kind::reg) return 0;
  return std::max(2u, ptx::size_bytes(f.body->registers.at(o.index).type));
}

op& decoder::append(op_kind kind, observers::instruction_facts facts) {
  program_.facts.instructions.push_back(std::move(facts));
  op& o = program_.code.emplace_back();
  o.kind = kind;
  return o;
}

op& decoder::emit_extra(std::string_view mnemonic, op_kind kind, std::uint32_t classes) {
  observers::instruction_facts facts;
  facts.classes = classes;
  facts.mnemonic = mnemonic;
  lines_.repeat(facts);
  return append(kind, std::move(facts));
}

op& decoder::emit(const instance& f, const ptx::instruction& i, op_kind kind, std::uint32_t classes) {
  observers::instruction_facts facts;
  facts.classes = classes;
  facts.ordering = ordering_of(i);
  if (!i.modifiers.empty()) {
    const ptx::scalar_type type = ptx::parse_scalar_type(i.modifiers.back());
    facts.element_bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
    facts.is_real = type == ptx::scalar_type::f32 || type == ptx::scalar_type::f64;
  }
  facts.ptx_line = i.ptx_line;
  facts.mnemonic = i.mnemonic();
  lines_.locate(*f.body, i, facts, program_.facts.files);
  op& o = append(kind, std::move(facts));
  if (i.guard) {
    o.guard = f.registers.at(*i.guard);
    o.guard_negated = i.guard_negated;
  }
  return o;
}

void decoder::unsupported_operation(const instance& f, const ptx::instruction& i, const std::string& why) {
  op& o = emit(f, i, op_kind::unsupported, instruction_class::class_none);
  o.target = static_cast<std::uint32_t>(program_.unsupported_reasons.size());
  program_.unsupported_reasons.push_back(why);
}

void decoder::decode_instruction(instance& f, const ptx::instruction& i) {
  const std::size_t before = program_.code.size();
  try {
    if (decode_control(f, i) || decode_barrier(f, i) || decode_memory(f, i) || decode_move(f, i) ||
        decode_arithmetic(f, i) || decode_video(f, i) || decode_texture(f, i) || decode_matrix(f, i))
      return;
    unsupported_operation(f, i, i.mnemonic() + " is an instruction that it does not implement");
  } catch (const unsupported& e) {
    program_.code.resize(before);
    program_.facts.instructions.resize(before);
    std::erase_if(f.jumps, [before](const auto& jump) { return jump.first >= before; });
    std::erase_if(open_calls_, [before](std::uint32_t pc) { return pc >= before; });
    unsupported_operation(f, i, i.mnemonic() + ": " + e.what());
  }
}

}  // namespace emulator::simt
