// Conditions of graphs that kernels set. A condition is a word of global memory to which its handle points. As with any
// other word, setting it can conflict with accesses by other threads of the kernel, by other kernels, or by the node
// that reads it.

#include <fmt/format.h>

#include <atomic>

#include "emulator/memory/address_space.hpp"
#include "emulator/simt/access_request.hpp"

namespace emulator::simt {
namespace {

/// Returns why `handle` isn't a valid condition, or an empty string if it is one.
std::string why_no_condition(memory::global_memory& memory, std::uint64_t handle) {
  const memory::allocation* const in = memory.find(handle);
  if (in != nullptr && in->begin == handle && in->condition != memory::condition_state::none)
    return in->condition == memory::condition_state::in_launch ? "" : "its graph is not running";
  if (memory.classify(handle) == memory::address_class::freed) return "its graph has been destroyed";
  return fmt::format("it is {:#x}", handle);
}

}  // namespace

bool memory_unit::set_condition(block& b, warp& w, const op& o, std::uint32_t pc, const std::uint64_t* handles,
                                const std::uint32_t* values) {
  request r(observers::access_kind::store, ptx::state_space::global, pc, w.mask, sizeof(std::uint32_t));
  set_addresses<std::uint64_t>(r.address, w.mask, [handles](unsigned l) { return handles[l]; });
  for (const unsigned l : lanes_in(w.mask)) {
    if (std::string why = why_no_condition(b.launch->space->memory, handles[l]); !why.empty())
      return fail(b, w, r, observers::fault_kind::bad_condition, l, std::move(why));
  }
  if (!check(b, w, r)) return false;
  observe(b, w, o, r);
  if (noted_) note_before(b, w, o, r);
  for (const unsigned l : lanes_in(w.mask))
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(handles[l])).store(values[l], std::memory_order_relaxed);
  if (noted_) note_after(b, w, r);
  if (observer_ != nullptr && observer_->wants_results()) tell_values(b, w, o, r);
  return true;
}

}  // namespace emulator::simt
