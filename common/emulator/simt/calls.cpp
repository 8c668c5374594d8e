// Calls of functions that are not inlined. Lanes that call the same function together get a join point, at which they
// reconverge when they return. Their registers are saved until then, so that the function can use the same ones.

#include <algorithm>
#include <cstring>

#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/lanes.hpp"

namespace emulator::simt {

using observers::fault_kind;

namespace {

/// Copies words within a lane's local memory; all three numbers are multiples of 4.
void copy_in_local(block& b, const warp& w, unsigned lane, std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  for (std::uint32_t k = 0; k < bytes; k += 4)
    std::memcpy(b.local_byte(w, to + k, lane), b.local_byte(w, from + k, lane), 4);
}

/// Restores the registers of the lanes in `mask` from `kept`.
void restore(warp& w, const program& p, const std::vector<std::byte>& kept, std::uint32_t mask) {
  for (const register_place& place : p.places) {
    std::byte* const to = w.file + place.at;
    const std::byte* const from = kept.data() + (place.at - p.register_begin);
    if (place.bytes == 0) {
      std::uint32_t old = 0;
      std::memcpy(&old, from, sizeof old);
      std::uint32_t& now = w.predicate(place.at);
      now = (now & ~mask) | (old & mask);
      continue;
    }
    for (const unsigned l : lanes_in(mask)) {
      const std::size_t at = l * place.bytes;
      std::memcpy(to + at, from + at, place.bytes);
    }
  }
}

/// Saves the registers for the lanes of join point `of`, and returns the index of the call record.
std::int32_t keep(warp& w, const program& p, std::int32_t of, std::uint32_t pc) {
  std::size_t k = 0;
  for (; k < w.calls.size(); ++k) {
    const join_point& f = w.join_points[static_cast<std::size_t>(w.calls[k].join)];
    if (f.pc == no_pc || f.call != static_cast<std::int32_t>(k)) break;  // those lanes have returned or exited
  }
  if (k == w.calls.size()) w.calls.emplace_back();
  call_record& record = w.calls[k];
  record.join = of;
  record.pc = pc;
  record.file.assign(w.file + p.register_begin, w.file + p.file_bytes);
  return static_cast<std::int32_t>(k);
}

}  // namespace

/// Lets the lanes of `w.mask` call a function, or several functions if they call through a pointer.
template <bool Watched>
bool interpreter<Watched>::call(block& b, warp& w, const op& o, std::uint32_t pc) {
  const program& p = *b.launch->code;
  const path before = w.paths[w.current];
  const std::uint32_t lanes = w.mask;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parties;  // routine, lanes
  for (const unsigned l : lanes_in(lanes)) {
    std::uint32_t callee = o.reconvergence;
    if (o.a != no_slot) {
      const std::uint64_t number = (w.lanes<std::uint64_t>(o.a)[l] - function_window) / 16 - 1;
      callee = number < p.routine_of_function.size() ? p.routine_of_function[number] : no_pc;
    }
    w.mask = 1u << l;
    if (callee == no_pc) return stop(b, w, pc, fault_kind::trap, "a call through a pointer that leads to no function");
    const std::uint64_t frame = (o.b == no_slot ? 0 : w.lanes<std::uint64_t>(o.b)[l]) + static_cast<unsigned>(o.imm);
    const std::uint64_t needed = std::max(p.routines[callee].frame_bytes, p.calls[o.target].bytes);
    if (frame + needed > b.launch->local_bytes)
      return stop(b, w, pc, fault_kind::trap,
                  "stack overflow: the recursion is too deep (cudaDeviceSetLimit(cudaLimitStackSize, …) makes "
                  "the stack larger)");
    const auto same = std::find_if(parties.begin(), parties.end(), [&](const auto& x) { return x.first == callee; });
    if (same == parties.end())
      parties.emplace_back(callee, 1u << l);
    else
      same->second |= 1u << l;
  }
  std::int32_t join = before.join;
  if (parties.size() > 1 || lanes != before.mask) {  // lanes whose guard is false wait after the call
    const std::uint32_t others = before.mask & ~lanes;
    join =
        new_join_point(w, join_point{.pc = pc + 1, .expected = before.mask, .arrived = others, .parent = before.join});
  }
  bool first = true;
  for (const auto& [callee, mask] : parties) {
    const std::int32_t at = new_join_point(w, join_point{.pc = pc + 1, .expected = mask, .parent = join});
    w.join_points[static_cast<std::size_t>(at)].call = keep(w, p, at, pc);
    std::uint64_t* const frames = w.lanes<std::uint64_t>(p.frame_pointer);
    for (const unsigned l : lanes_in(mask)) {
      const std::uint64_t from = o.b == no_slot ? 0 : frames[l];
      frames[l] = from + static_cast<unsigned>(o.imm);
      for (const passed_value& v : p.calls[o.target].arguments)
        copy_in_local(b, w, l, from + v.caller, frames[l] + v.callee, v.bytes);
    }
    path called = ready_path(mask, p.routines[callee].entry, at);
    called.turns = before.turns;
    if (first)
      w.paths[w.current] = called;
    else
      w.paths.push_back(called);
    first = false;
  }
  return false;
}

/// Called when the current path has reached the end of a function: restores its lanes' registers and copies the
/// results.
template <bool Watched>
bool interpreter<Watched>::return_from_call(block& b, warp& w, const op&, std::uint32_t pc) {
  const program& p = *b.launch->code;
  path& s = w.paths[w.current];
  // These lanes won't arrive at join points inside the function, so those must not wait for them.
  while (s.join >= 0 && w.join_points[static_cast<std::size_t>(s.join)].call < 0) {
    join_point& left = w.join_points[static_cast<std::size_t>(s.join)];
    left.expected &= ~s.mask;
    s.join = left.parent;
  }
  if (s.join < 0) return stop(b, w, pc, fault_kind::trap, "a function returns without having been called");
  join_point& f = w.join_points[static_cast<std::size_t>(s.join)];
  const call_record& record = w.calls[static_cast<std::size_t>(f.call)];
  const op& call = p.code[record.pc];
  const auto* kept = reinterpret_cast<const std::uint64_t*>(record.file.data() + (p.frame_pointer - p.register_begin));
  const std::uint64_t* const frames = w.lanes<std::uint64_t>(p.frame_pointer);
  for (const unsigned l : lanes_in(s.mask)) {
    const std::uint64_t to = call.b == no_slot ? 0 : kept[l];
    for (const passed_value& v : p.calls[call.target].results)
      copy_in_local(b, w, l, frames[l] + v.callee, to + v.caller, v.bytes);
  }
  restore(w, p, record.file, s.mask);
  arrive_at_frame(w);
  return false;
}

EMULATOR_OF_BOTH(bool, call(block&, warp&, const op&, std::uint32_t));
EMULATOR_OF_BOTH(bool, return_from_call(block&, warp&, const op&, std::uint32_t));

}  // namespace emulator::simt
