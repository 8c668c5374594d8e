// Special registers (PTX ISA, "Special Registers").

#include <chrono>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "emulator/simt/block.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename T, typename F>
void fill(warp& w, const op& o, F value_of_lane) {
  alignas(64) T t[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) t[l] = static_cast<T>(value_of_lane(l));
  blend(w.lanes<T>(o.dst), t, w.mask);
}

template <int Axis>
void tid(warp& w, const op& o) {
  const auto& dimensions = w.owner->launch->dimensions;
  const u32 first = w.index * warp_size;
  if (Axis == 0 && dimensions[1] == 1 && dimensions[2] == 1) {
    fill<u32>(w, o, [first](u32 l) { return first + l; });
    return;
  }
  fill<u32>(w, o, [&](u32 l) {
    const u32 linear = first + l;
    if (Axis == 0) return linear % dimensions[0];
    if (Axis == 1) return linear / dimensions[0] % dimensions[1];
    return linear / (dimensions[0] * dimensions[1]);
  });
}

template <int Axis>
void ntid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->dimensions[Axis]](u32) { return v; });
}
template <int Axis>
void ctaid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->identity.index[Axis]](u32) { return v; });
}
template <int Axis>
void nctaid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->grid[Axis]](u32) { return v; });
}
template <u32 Value>
void constant(warp& w, const op& o) {
  fill<u32>(w, o, [](u32) { return Value; });
}

void laneid(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return l; });
}
void warpid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.index](u32) { return v; });
}
void nwarpid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->warp_count](u32) { return v; });
}
void smid(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->identity.linear % 132](u32) { return v; });
}
void gridid(warp& w, const op& o) {
  fill<u64>(w, o, [v = w.owner->launch->grid_id](u32) { return v; });
}
void mask_eq(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return 1u << l; });
}
void mask_lt(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return (1u << l) - 1; });
}
void mask_le(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return (2u << l) - 1; });
}
void mask_gt(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return ~((2u << l) - 1); });
}
void mask_ge(warp& w, const op& o) {
  fill<u32>(w, o, [](u32 l) { return ~((1u << l) - 1); });
}
// The emulator has no cycles: its clock counts the block's executed warp instructions, so that it only ever rises.
void clock32(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->executed](u32) { return v; });
}
void clock64(warp& w, const op& o) {
  fill<u64>(w, o, [v = w.owner->executed](u32) { return v; });
}
u64 nanoseconds() {
  return static_cast<u64>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}
void globaltimer(warp& w, const op& o) {
  fill<u64>(w, o, [v = nanoseconds()](u32) { return v; });
}
void globaltimer_lo(warp& w, const op& o) {
  fill<u32>(w, o, [v = nanoseconds()](u32) { return v; });
}
void globaltimer_hi(warp& w, const op& o) {
  fill<u32>(w, o, [v = nanoseconds() >> 32](u32) { return v; });
}
void dynamic_shared(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->dynamic_shared_bytes](u32) { return v; });
}
void total_shared(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->shared_bytes](u32) { return v; });
}
void workspace_high(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->workspace >> 32](u32) { return v; });
}
void workspace_low(warp& w, const op& o) {
  fill<u32>(w, o, [v = w.owner->launch->workspace](u32) { return v; });
}

struct entry {
  handler run;
  scalar_type type;
};

const std::unordered_map<std::string, entry>& table() {
  static const std::unordered_map<std::string, entry> registers = {
      {"%tid.x", {tid<0>, scalar_type::u32}},
      {"%tid.y", {tid<1>, scalar_type::u32}},
      {"%tid.z", {tid<2>, scalar_type::u32}},
      {"%ntid.x", {ntid<0>, scalar_type::u32}},
      {"%ntid.y", {ntid<1>, scalar_type::u32}},
      {"%ntid.z", {ntid<2>, scalar_type::u32}},
      {"%ctaid.x", {ctaid<0>, scalar_type::u32}},
      {"%ctaid.y", {ctaid<1>, scalar_type::u32}},
      {"%ctaid.z", {ctaid<2>, scalar_type::u32}},
      {"%nctaid.x", {nctaid<0>, scalar_type::u32}},
      {"%nctaid.y", {nctaid<1>, scalar_type::u32}},
      {"%nctaid.z", {nctaid<2>, scalar_type::u32}},
      {"%laneid", {laneid, scalar_type::u32}},
      {"%warpid", {warpid, scalar_type::u32}},
      {"%nwarpid", {nwarpid, scalar_type::u32}},
      {"%smid", {smid, scalar_type::u32}},
      {"%nsmid", {constant<132>, scalar_type::u32}},
      {"%gridid", {gridid, scalar_type::u64}},
      {"%lanemask_eq", {mask_eq, scalar_type::u32}},
      {"%lanemask_lt", {mask_lt, scalar_type::u32}},
      {"%lanemask_le", {mask_le, scalar_type::u32}},
      {"%lanemask_gt", {mask_gt, scalar_type::u32}},
      {"%lanemask_ge", {mask_ge, scalar_type::u32}},
      {"%clock", {clock32, scalar_type::u32}},
      {"%clock64", {clock64, scalar_type::u64}},
      {"%globaltimer", {globaltimer, scalar_type::u64}},
      {"%globaltimer_lo", {globaltimer_lo, scalar_type::u32}},
      {"%globaltimer_hi", {globaltimer_hi, scalar_type::u32}},
      {"%dynamic_smem_size", {dynamic_shared, scalar_type::u32}},
      {"%total_smem_size", {total_shared, scalar_type::u32}},
      // Every block is a cluster of its own.
      {"%cluster_ctaid.x", {constant<0>, scalar_type::u32}},
      {"%cluster_ctaid.y", {constant<0>, scalar_type::u32}},
      {"%cluster_ctaid.z", {constant<0>, scalar_type::u32}},
      {"%cluster_nctaid.x", {constant<1>, scalar_type::u32}},
      {"%cluster_nctaid.y", {constant<1>, scalar_type::u32}},
      {"%cluster_nctaid.z", {constant<1>, scalar_type::u32}},
      {"%cluster_ctarank", {constant<0>, scalar_type::u32}},
      {"%cluster_nctarank", {constant<1>, scalar_type::u32}},
      {"%clusterid.x", {ctaid<0>, scalar_type::u32}},
      {"%clusterid.y", {ctaid<1>, scalar_type::u32}},
      {"%clusterid.z", {ctaid<2>, scalar_type::u32}},
      {"%nclusterid.x", {nctaid<0>, scalar_type::u32}},
      {"%nclusterid.y", {nctaid<1>, scalar_type::u32}},
      {"%nclusterid.z", {nctaid<2>, scalar_type::u32}},
      // The address of a cooperative launch's workspace, in two halves; null in any other launch.
      {"%envreg1", {workspace_high, scalar_type::u32}},
      {"%envreg2", {workspace_low, scalar_type::u32}},
  };
  return registers;
}

}  // namespace

handler find_special(const std::string& name, ptx::scalar_type* type) {
  const auto found = table().find(name);
  if (found == table().end()) return nullptr;
  if (type != nullptr) *type = found->second.type;
  return found->second.run;
}

}  // namespace emulator::simt
