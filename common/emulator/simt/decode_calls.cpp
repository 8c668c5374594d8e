// Decoding of calls. A call is inlined, so that its instructions are counted at the call, unless it is recursive or the
// callee isn't known yet (a function pointer). The code of such functions follows that of the kernel and is called.

#include <algorithm>
#include <array>

#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {

using observers::instruction_class;
using ptx::operand;
using ptx::scalar_type;

/// A function of the system, with the bytes of its arguments and its result, as the CUDA headers declare it.
struct system_function {
  std::string_view name;
  system_call_kind kind;
  std::array<std::uint64_t, 5> arguments;
  std::uint64_t result;
};

namespace {

constexpr system_function system_functions[] = {
    {"vprintf", system_call_kind::print, {8, 8}, 4},
    {"__assertfail", system_call_kind::assert_fail, {8, 8, 4, 8, 8}, 0},
    {"malloc", system_call_kind::allocate, {8}, 8},
    {"free", system_call_kind::release, {8}, 0},
    {"cudaGraphSetConditional", system_call_kind::set_condition, {8, 4}, 0},
    {"__cudaCDP2GetParameterBufferV2", system_call_kind::get_parameter_buffer, {8, 12, 12, 4}, 8},
    {"__cudaCDP2LaunchDeviceV2", system_call_kind::launch_kernel, {8, 8}, 4},
    {"__cudaCDP2LaunchDeviceV2_ptsz", system_call_kind::launch_kernel, {8, 8}, 4},
    {"__cudaCDP2GetLastError", system_call_kind::take_error, {}, 4},
    {"__cudaCDP2PeekAtLastError", system_call_kind::peek_at_error, {}, 4},
    {"__cudaCDP2StreamCreateWithFlags", system_call_kind::create_stream, {8, 4}, 4},
    {"__cudaCDP2StreamDestroy", system_call_kind::destroy_stream, {8}, 4},
    {"__cudaCDP2GetDevice", system_call_kind::get_device, {8}, 4},
};

/// Limits up to which calls are inlined: the nesting depth, and the total number of operations. Calls beyond them are
/// treated as recursive ones. If each function calls the next one twice, the code doubles with every level.
constexpr std::size_t deepest_inlining = 256, max_inlined = std::size_t{1} << 18;

}  // namespace

void decoder::decode_call(instance& f, const ptx::instruction& i) {
  // call (results), name, (arguments), prototype  where either list may be missing; only a call by pointer has a
  // prototype.
  const operand* name = nullptr;
  const operand* results = nullptr;
  const operand* arguments = nullptr;
  for (const operand& o : i.operands) {
    if (o.what == operand::kind::list)
      (name == nullptr ? results : arguments) = &o;
    else if (name == nullptr)
      name = &o;
  }
  if (name != nullptr && name->what == operand::kind::reg) return call_routine(f, i, *name, results, arguments);
  if (name == nullptr || name->what != operand::kind::symbol) throw unsupported("this form of a call");
  for (const system_function& known : system_functions) {
    if (name->name == known.name) return decode_system_call(f, i, known, results, arguments);
  }
  ptx::function* callee = module_.find_function(name->name);
  if (callee == nullptr || !callee->has_body)
    throw unsupported("a call of " + name->name +
                      ", which has no body in the program's PTX: if another file or a library defines it, compile "
                      "that with -rdc=true and --no-compress, too");
  if (std::find(call_stack_.begin(), call_stack_.end(), callee) != call_stack_.end() ||
      call_stack_.size() >= deepest_inlining || program_.code.size() + callee->instructions.size() > max_inlined)
    return call_routine(f, i, *name, results, arguments);
  if (i.guard) throw unsupported("a call under a predicate");
  inline_call(f, *callee, results, arguments);
}

/// Returns the size of the `.param` variable `name` of the current function; 0 if there is none.
std::uint64_t decoder::passed_bytes(const instance& f, const std::string& name) const {
  if (!f.hidden.contains(name)) return 0;
  for (const auto* list : {&f.body->variables, &f.body->parameters, &f.body->results}) {
    for (const ptx::variable& v : *list) {
      if (v.name == name) return v.size_bytes();
    }
  }
  return 0;
}

void decoder::inline_call(instance& f, ptx::function& callee, const operand* results, const operand* arguments) {
  instance g;
  g.body = &callee;
  const auto bind = [&](const operand* given, const std::vector<ptx::variable>& wanted) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (given == nullptr || k >= given->elements.size() || !f.hidden.contains(given->elements[k].name) ||
          passed_bytes(f, given->elements[k].name) < wanted[k].size_bytes())
        throw unsupported("a call whose arguments do not fit");
      g.hidden[wanted[k].name] = f.hidden.at(given->elements[k].name);
    }
  };
  bind(arguments, callee.parameters);
  bind(results, callee.results);
  call_stack_.push_back(&callee);
  try {
    decode_function(g);
  } catch (...) {
    call_stack_.pop_back();
    throw;
  }
  call_stack_.pop_back();
}

void decoder::decode_system_call(instance& f, const ptx::instruction& i, const system_function& called,
                                 const operand* results, const operand* arguments) {
  std::vector<std::uint32_t> storage;  // hidden local offsets of the arguments, then of the result
  const auto add = [&](const operand* list, std::size_t k, std::uint64_t bytes) {
    if (list == nullptr || k >= list->elements.size() || passed_bytes(f, list->elements[k].name) < bytes)
      throw unsupported("a call whose arguments do not fit");
    storage.push_back(static_cast<std::uint32_t>(f.hidden.at(list->elements[k].name)));
  };
  for (std::size_t k = 0; k < called.arguments.size() && called.arguments[k] != 0; ++k)
    add(arguments, k, called.arguments[k]);
  const bool needs_result =
      called.kind == system_call_kind::allocate || called.kind == system_call_kind::get_parameter_buffer;
  const bool may_ignore_result = !needs_result && results == nullptr;
  if (called.result != 0 && !may_ignore_result) add(results, 0, called.result);
  // Setting a condition is a store to its word.
  const bool stores = called.kind == system_call_kind::set_condition;
  op& o =
      emit(f, i, op_kind::system_call,
           stores ? instruction_class::class_store | instruction_class::class_global : instruction_class::class_call);
  if (stores) last_facts().element_bytes = 4;
  o.sub = static_cast<std::uint8_t>(called.kind);
  if (called.kind == system_call_kind::release) program_.frees = true;
  if (called.kind == system_call_kind::launch_kernel) program_.facts.launches_kernels = true;
  if (stores) program_.facts.sets_conditions = true;
  if (in_routine_) o.b = program_.frame_pointer;
  o.target = static_cast<std::uint32_t>(program_.tables.size());
  program_.tables.push_back(std::move(storage));
}

std::uint32_t decoder::routine_number(ptx::function& f) {
  const auto known = std::find(routines_.begin(), routines_.end(), &f);
  const auto number = static_cast<std::uint32_t>(known - routines_.begin());
  if (known == routines_.end()) routines_.push_back(&f);
  return number;
}

/// Turns all functions that a pointer may point to into routines.
void decoder::number_functions() {
  if (!program_.routine_of_function.empty()) return;
  program_.routine_of_function.assign(module_.text().functions.size(), no_pc);
  for (const auto& [number, function] : module_.functions_with_address())
    program_.routine_of_function.at(number) = routine_number(*function);
}

void decoder::call_routine(instance& f, const ptx::instruction& i, const operand& callee, const operand* results,
                           const operand* arguments) {
  if (program_.frame_pointer == no_slot) program_.frame_pointer = new_register(scalar_type::u64);
  // The callee's frame begins with the passed values, each placed as by hidden_storage().
  call_signature signature;
  std::uint64_t at = 0;
  const auto pass = [&](const operand* list, std::vector<passed_value>& to) {
    if (list == nullptr) return;
    for (const operand& e : list->elements) {
      const auto variable = std::find_if(f.body->variables.begin(), f.body->variables.end(),
                                         [&](const ptx::variable& v) { return v.name == e.name; });
      if (variable == f.body->variables.end() || !f.hidden.contains(e.name))
        throw unsupported("a call whose arguments do not fit");
      const auto bytes = (std::max<std::uint64_t>(variable->size_bytes(), 4) + 3) / 4 * 4;
      to.push_back({static_cast<std::uint32_t>(f.hidden.at(e.name)), static_cast<std::uint32_t>(at),
                    static_cast<std::uint32_t>(bytes)});
      at = (at + bytes + 15) / 16 * 16;
    }
  };
  pass(arguments, signature.arguments);
  pass(results, signature.results);
  signature.bytes = at;
  op& o = emit(f, i, op_kind::call, instruction_class::class_call);
  o.dst = program_.frame_pointer;
  if (in_routine_) o.b = program_.frame_pointer;
  o.target = static_cast<std::uint32_t>(program_.calls.size());
  program_.calls.push_back(std::move(signature));
  open_calls_.push_back(next_pc() - 1);
  if (callee.what == operand::kind::reg) {
    o.a = source(f, callee, scalar_type::u64);
    number_functions();
  } else {
    ptx::function* function = module_.find_function(callee.name);
    o.reconvergence = routine_number(*function);
    const bool goes_back = std::find(call_stack_.begin(), call_stack_.end(), function) != call_stack_.end();
    if (goes_back) program_.facts.instructions.back().classes |= instruction_class::class_loop_branch;
  }
}

/// Decodes the routines after the kernel, including those that they call, and sets the frame size of each call.
void decoder::decode_routines() {
  const std::uint64_t kernel_bytes = (program_.local_bytes + 15) / 16 * 16;
  const auto close_calls = [&](std::uint64_t frame_bytes) {
    for (const std::uint32_t pc : open_calls_) program_.code[pc].imm = static_cast<std::int32_t>(frame_bytes);
    open_calls_.clear();
  };
  close_calls(kernel_bytes);
  in_routine_ = true;
  for (std::size_t k = 0; k < routines_.size(); ++k) {  // `routines_` grows in the loop
    instance g;
    g.body = routines_[k];
    program_.local_bytes = 0;
    for (const ptx::variable& v : g.body->parameters) g.hidden[v.name] = hidden_storage(v);
    for (const ptx::variable& v : g.body->results) g.hidden[v.name] = hidden_storage(v);
    check_local();
    const std::uint32_t entry = next_pc();
    call_stack_.assign(1, g.body);
    decode_function(g);
    emit_extra("ret", op_kind::call_return, instruction_class::class_branch).a = program_.frame_pointer;
    const std::uint64_t frame_bytes = (program_.local_bytes + 15) / 16 * 16;
    program_.routines.push_back({entry, frame_bytes});
    close_calls(frame_bytes);
  }
  in_routine_ = false;
  program_.facts.local_bytes = kernel_bytes;
  program_.local_bytes = kernel_bytes;
}

/// Computes the addresses of a routine's variables that are used, and puts them in registers, because they aren't
/// constants.
void decoder::take_addresses(instance& f) {
  for (const ptx::instruction& i : f.body->instructions) {
    if (i.opcode == "call") continue;
    for (const operand& o : i.operands) {
      if (o.what != operand::kind::symbol || f.addresses.contains(o.name)) continue;
      const auto own = f.variables.find(o.name);
      const auto hidden = f.hidden.find(o.name);
      const bool local = own != f.variables.end() && own->second.space == ptx::state_space::local;
      if (!local && hidden == f.hidden.end()) continue;
      const slot at = f.addresses[o.name] = new_register(scalar_type::u64);
      op& sum = emit_extra("add.u64", op_kind::arithmetic, instruction_class::class_none);
      sum.run = add_u64;
      sum.dst = at;
      sum.a = program_.frame_pointer;
      sum.b = constant(8, local ? own->second.address : hidden->second);
    }
  }
}

}  // namespace emulator::simt
