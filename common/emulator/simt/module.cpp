// Modules: their variables are allocated in device memory, their kernels are decoded on first use.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <cxxabi.h>

#include "emulator/jit/native_code.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/simt/decoder.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::simt {
namespace {

/// Returns a C++ name as it is in the source, or `name` if it isn't mangled.
std::string demangled(const std::string& name) {
  // A name that isn't mangled could be mistaken for a mangled type: "x" is "long long".
  if (name.rfind("_Z", 0) != 0) return name;
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

}  // namespace

kernel::kernel(module& owner, ptx::function& function) : owner_(owner), function_(function) {}

kernel::~kernel() = default;

const program& kernel::code() {
  const std::scoped_lock lock(owner_.mutex_);
  if (program_) return *program_;
  ptx::parse_body(owner_.text_, function_);
  program_ = std::make_unique<program>(decode(owner_, function_));
  observers::kernel_facts& facts = program_->facts;
  facts.demangled = demangled(function_.name);
  for (observers::shared_variable& s : facts.shared) s.name = demangled(s.name);
  facts.registers_per_thread = registers_;
  facts.machine_local_bytes = machine_local_bytes_;
  // Calls that are not inlined save registers in places that machine code doesn't know.
  if (native_kernel::widest() && program_->routines.empty())
    program_->native = std::make_shared<native_kernel>(*program_);
  return *program_;
}

const observers::kernel_facts& kernel::facts() {
  return code().facts;
}

void kernel::set_machine_needs(std::uint32_t registers, std::uint32_t local_bytes) {
  registers_ = registers;
  machine_local_bytes_ = local_bytes;
  if (!program_) return;
  program_->facts.registers_per_thread = registers;
  program_->facts.machine_local_bytes = local_bytes;
}

module::~module() {
  auto& memory = space_.memory;
  for (const auto& [name, v] : variables_) memory.free(v.address);
}

void module::place_variables() {
  auto& memory = space_.memory;
  for (const ptx::variable& v : text_.variables) {
    if (v.space != ptx::state_space::global && v.space != ptx::state_space::constant) continue;
    if (v.is_extern)
      throw unsupported("the variable " + demangled(v.name) +
                        " is declared extern, and no source file that was linked with this one defines it: compile "
                        "and link all with nvcc -rdc=true");
    const std::uint64_t size = std::max<std::uint64_t>(1, v.size_bytes());
    const std::uintptr_t address = memory.allocate(size, memory::origin::module_variable, demangled(v.name));
    if (address == 0) throw unsupported("there is no device memory left for the variable " + demangled(v.name));
    if (!v.initial.empty())
      std::memcpy(reinterpret_cast<void*>(address), v.initial.data(), std::min<std::uint64_t>(size, v.initial.size()));
    memory.mark_initialized(address, size);
    variables_[v.name] = {demangled(v.name), address, size, v.space == ptx::state_space::constant};
  }
  for (const ptx::variable& v : text_.variables) {
    for (const auto& r : v.relocations) {
      const auto target = variables_.find(r.symbol);
      const auto self = variables_.find(v.name);
      const auto address = target != variables_.end() ? std::optional<std::uint64_t>(target->second.address)
                                                      : function_address(r.symbol);
      if (!address || self == variables_.end()) continue;
      const std::uint64_t value = (*address + static_cast<std::uint64_t>(r.addend)) >> r.shift_bits;
      const std::size_t bytes = std::min<std::size_t>(r.size_bytes, sizeof value);
      if (r.byte_offset + bytes <= self->second.size_bytes)
        std::memcpy(reinterpret_cast<void*>(self->second.address + r.byte_offset), &value, bytes);
    }
  }
  for (auto& [name, v] : variables_) {
    if (!v.constant) continue;
    if (memory::allocation* a = memory.find(v.address)) a->read_only = true;
  }
}

std::optional<std::uint64_t> module::function_address(const std::string& name) const {
  const auto found = text_.function_index.find(name);
  if (found == text_.function_index.end()) return {};
  return function_window + 16 * (found->second + 1);
}

std::vector<std::pair<std::uint32_t, ptx::function*>> module::functions_with_address() {
  std::vector<std::pair<std::uint32_t, ptx::function*>> found;
  const auto note = [&](const std::string& name) {
    const auto at = text_.function_index.find(name);
    if (at == text_.function_index.end() || text_.functions[at->second].is_entry) return;
    ptx::function& f = text_.functions[at->second];
    const std::pair<std::uint32_t, ptx::function*> entry{static_cast<std::uint32_t>(at->second), &f};
    if (f.has_body && std::find(found.begin(), found.end(), entry) == found.end()) found.push_back(entry);
  };
  for (const ptx::variable& v : text_.variables) {
    for (const auto& r : v.relocations) note(r.symbol);
  }
  for (ptx::function& f : text_.functions) {
    if (!f.has_body) continue;
    ptx::parse_body(text_, f);
    for (const ptx::instruction& i : f.instructions) {
      if (i.opcode != "mov") continue;
      for (const ptx::operand& o : i.operands) {
        if (o.what == ptx::operand::kind::symbol) note(o.name);
      }
    }
  }
  for (const auto& [number, f] : found) ptx::parse_body(text_, *f);
  return found;
}

ptx::function* module::find_function(const std::string& name) {
  const auto found = text_.function_index.find(name);
  if (found == text_.function_index.end()) return nullptr;
  ptx::function& f = text_.functions[found->second];
  if (f.has_body) ptx::parse_body(text_, f);
  return &f;
}

kernel* module::find_kernel(const std::string& mangled) {
  const auto found = text_.function_index.find(mangled);
  if (found == text_.function_index.end() || !text_.functions[found->second].is_entry) return nullptr;
  const std::scoped_lock lock(mutex_);
  return &kernels_.try_emplace(mangled, *this, text_.functions[found->second]).first->second;
}

kernel* module::kernel_at(std::uint64_t address) {
  const std::uint64_t number = (address - function_window) / 16 - 1;
  if ((address & window_mask) != function_window || number >= text_.functions.size()) return nullptr;
  const ptx::function& f = text_.functions[number];
  return f.is_entry ? find_kernel(f.name) : nullptr;
}

const placed_variable* module::find_variable(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

std::unique_ptr<module> module::load(std::string ptx_text, memory::address_space& space) {
  return std::make_unique<module>(ptx::parse_module(std::move(ptx_text)), space);
}

std::unique_ptr<module> module::load(std::vector<std::string> ptx_texts, memory::address_space& space) {
  std::vector<ptx::module> units;
  for (std::string& text : ptx_texts) units.push_back(ptx::parse_module(std::move(text)));
  return std::make_unique<module>(ptx::link(std::move(units)), space);
}

}  // namespace emulator::simt
