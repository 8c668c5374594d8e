// Prepares the data that machine code needs to execute memory accesses itself, and reports these accesses to the
// observer.

#include "emulator/jit/native_code.hpp"
#include "emulator/simt/memory_access.hpp"

namespace emulator::simt {

using observers::access_shape;

void memory_unit::prepare(const block& b, native_state& s) const {
  static const recent_allocation none[2];
  s.shared = b.shared.get();
  for (const bool loads : {false, true}) {
    const bool simply = needs_no_note(loads) && b.launch->watched.shortcuts;
    s.shared_limit[loads ? 1 : 0] = simply ? b.launch->shared_bytes : 0;
    s.recent[loads ? 1 : 0] = simply ? recent_ : none;
  }
}

void memory_unit::tell(const native_state& s, const op& o, std::uint64_t begin, std::uint32_t pc, std::uint32_t how,
                       memory::allocation* in) {
  const bool one = (how & tell_one) != 0;
  const std::uint64_t bytes = std::uint64_t{o.element_bytes} * o.element_count;
  access_shape shape;
  shape.what = one ? access_shape::pattern::one : access_shape::pattern::row;
  shape.first = s.active.first;
  shape.last = s.active.first + s.active.span - 1;
  shape.gapless = s.active.gapless;
  shape.base = one ? begin : begin - shape.first * bytes;
  shape.low = begin;
  shape.high = begin + (one ? 0 : (s.active.span - 1) * bytes);
  alignas(64) std::uint64_t addresses[warp_size];
  for (std::uint64_t l = 0; l < warp_size; ++l) addresses[l] = shape.base + (one ? 0 : l * bytes);
  const observers::memory_event event{
      .pc = pc,
      .space = (how & tell_shared) != 0 ? ptx::state_space::shared : ptx::state_space::global,
      .access = o.kind == op_kind::load ? observers::access_kind::load : observers::access_kind::store,
      .mask = s.active.mask,
      .bytes_per_lane = static_cast<std::uint8_t>(bytes),
      .addresses = addresses,
      .shape = &shape,
      .in = in};
  const bool is_followed = (how & tell_followed) != 0;
  if (is_followed) observer_->run(pc, 1, event.mask);
  observer_->access(s.of->index, event);
  const std::uint32_t behind = how / tell_behind;
  if (is_followed && behind != 0) observer_->run(pc + 1, behind, event.mask);
}

}  // namespace emulator::simt
