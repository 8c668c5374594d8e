// What machine code needs of memory: where it is, and who wants to know of accesses that the code carries out itself.

#include "emulator/simt/memory_access.hpp"
#include "emulator/simt/native/native_code.hpp"

namespace emulator::simt {

using observers::access_shape;
using observers::simple_access;

void memory_unit::prepare(const block& b, native_state& s) const {
  static const recent_allocation none[2];
  s.shared = b.shared.get();
  for (const bool loads : {false, true}) {
    const bool simply = goes_unnoted(loads) && b.launch->watched.shortcuts;
    s.shared_limit[loads ? 1 : 0] = simply ? b.launch->shared_bytes : 0;
    s.recent[loads ? 1 : 0] = simply ? recent_ : none;
  }
}

bool memory_unit::tell(const native_state& s, const op& o, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
                       memory::allocation* in) {
  const bool one = (how & tell_one) != 0;
  simple_access access;
  access.warp = s.of->index;
  access.pc = pc;
  access.mask = s.row.mask;
  access.bytes = std::uint32_t{o.element_bytes} * o.element_count;
  access.loads = o.kind == op_kind::load;
  access.in_shared = (how & tell_shared) != 0;
  access.shape.what = one ? access_shape::pattern::one : access_shape::pattern::row;
  access.shape.first = s.row.first;
  access.shape.last = s.row.first + s.row.span - 1;
  access.shape.gapless = s.row.gapless;
  access.shape.base = one ? begin : begin - std::uint64_t{s.row.first} * access.bytes;
  access.begin = begin;
  access.end = begin + std::uint64_t{one ? 1 : s.row.span} * access.bytes;
  access.in = in;
  if ((how & tell_followed) != 0) return observer_->simple_and_run(access, how / tell_behind);
  return observer_->simple(access);
}

}  // namespace emulator::simt
