#include "emulator/jit/native_code.hpp"

#include "emulator/jit/emitter.hpp"

namespace emulator::simt {
namespace {

using asmjit::CodeHolder;
using asmjit::JitAllocator;
using asmjit::JitRuntime;

/// Memory for code, which is mapped twice: for writing and for execution.
JitRuntime& runtime() {
  static JitRuntime* const one = [] {
    JitAllocator::CreateParams wanted;
    wanted.options = asmjit::JitAllocatorOptions::kUseDualMapping;
    return new JitRuntime(&wanted);  // never destroyed, because kernels may run until the program ends
  }();
  return *one;
}

/// Remembers that an instruction could not be encoded.
class failure : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { failed = true; }
  bool failed = false;
};

}  // namespace

native_form::~native_form() {
  if (code != nullptr) runtime().release(const_cast<std::byte*>(code));
}

native_kernel::native_kernel(const program& p) : program_(p) {}

native_kernel::~native_kernel() {
  for (const auto& f : forms_) delete f.load();
}

std::optional<vector_width> native_kernel::widest() {
  static const std::optional<vector_width> width = [] {
    const auto& has = asmjit::CpuInfo::host().features().x86();
    const bool scalar = has.hasBMI() && has.hasBMI2() && has.hasLZCNT() && has.hasPOPCNT();
    std::optional<vector_width> found;
    if (scalar && has.hasAVX2() && has.hasFMA()) found = vector_width::bytes_32;
    if (scalar && has.hasAVX512_F() && has.hasAVX512_BW() && has.hasAVX512_DQ() && has.hasAVX512_VL())
      found = vector_width::bytes_64;
    return found;
  }();
  return width;
}

void native_kernel::worked(const form& f, std::uint64_t instructions, std::uint64_t enough) {
  const unsigned k = index(f);
  if (tried_[k].load(std::memory_order_relaxed)) return;
  if (worked_[k].fetch_add(instructions, std::memory_order_relaxed) + instructions >= enough) make(f);
}

void native_kernel::make(const form& wanted) {
  const unsigned k = index(wanted);
  const std::scoped_lock lock(mutex_);
  if (tried_[k]) return;
  tried_[k] = true;
  CodeHolder code;
  failure errors;
  code.init(runtime().environment());
  code.setErrorHandler(&errors);
  native::emitter e(program_, code, wanted);
  e.write();
  void* made = nullptr;
  if (errors.failed || runtime().add(&made, &code) != asmjit::kErrorOk) return;
  auto f = std::make_unique<native_form>();
  f->code = static_cast<const std::byte*>(made);
  const auto at = [&](const asmjit::Label& l) { return static_cast<std::uint32_t>(code.labelOffset(l)); };
  f->enter = reinterpret_cast<std::uint32_t (*)(native_state*, const std::byte*)>(
      reinterpret_cast<std::uintptr_t>(made) + at(e.prologue()));
  f->entries.resize(e.entries().size());
  for (std::size_t pc = 0; pc < f->entries.size(); ++pc)
    f->entries[pc] = e.entries()[pc].isValid() ? at(e.entries()[pc]) : 0;
  f->compared = e.take_compared();
  forms_[k].store(f.release(), std::memory_order_release);
}

}  // namespace emulator::simt
