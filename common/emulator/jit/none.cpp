// Used if there is no assembler: everything is interpreted.

#include "emulator/jit/native_code.hpp"

namespace emulator::simt {

native_form::~native_form() = default;
native_kernel::native_kernel(const program& p) : program_(p) {}
native_kernel::~native_kernel() = default;
std::optional<vector_width> native_kernel::widest() {
  return {};
}
void native_kernel::worked(const form&, std::uint64_t, std::uint64_t) {}
void native_kernel::make(const form&) {}

}  // namespace emulator::simt
