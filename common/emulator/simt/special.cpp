// Special registers (PTX ISA, "Special Registers").

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "emulator/simt/block.hpp"
#include "emulator/simt/lanes.hpp"
#include "emulator/simt/operations.hpp"

namespace emulator::simt {
namespace {

using ptx::scalar_type;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <typename T, typename F>
void write(warp& w, const op& o, F value_of_lane) {
  write_lanes(w.lanes<T>(o.dst), w.mask, [&](unsigned l) { return static_cast<T>(value_of_lane(l)); });
}

template <int Axis>
void tid(warp& w, const op& o) {
  const auto& dimensions = w.owner->launch->block;
  const u32 first = w.index * warp_size;
  if (Axis == 0 && dimensions[1] == 1 && dimensions[2] == 1) {
    write<u32>(w, o, [first](u32 l) { return first + l; });
    return;
  }
  u32 at[3] = {first % dimensions[0], first / dimensions[0] % dimensions[1], first / (dimensions[0] * dimensions[1])};
  if (dimensions[0] % warp_size == 0) {  // the whole warp is in one row
    write<u32>(w, o, [&](u32 l) { return at[Axis] + (Axis == 0 ? l : 0); });
    return;
  }
  u32 of_lane[warp_size];
  for (u32& own : of_lane) {
    own = at[Axis];
    if (++at[0] != dimensions[0]) continue;
    at[0] = 0;
    if (++at[1] != dimensions[1]) continue;
    at[1] = 0;
    ++at[2];
  }
  write<u32>(w, o, [&](u32 l) { return of_lane[l]; });
}

/// Writes `Value(warp)`, the same for all lanes.
template <typename T, auto Value>
void same(warp& w, const op& o) {
  write<T>(w, o, [v = Value(w)](u32) { return v; });
}
/// Writes `Value(lane)`.
template <auto Value>
void by_lane(warp& w, const op& o) {
  write<u32>(w, o, Value);
}
template <u32 Value>
void constant(warp& w, const op& o) {
  write<u32>(w, o, [](u32) { return Value; });
}
template <int Axis>
constexpr handler ntid = same<u32, [](const warp& w) { return w.owner->launch->block[Axis]; }>;
template <int Axis>
constexpr handler ctaid = same<u32, [](const warp& w) { return w.owner->identity.index[Axis]; }>;
template <int Axis>
constexpr handler nctaid = same<u32, [](const warp& w) { return w.owner->launch->grid[Axis]; }>;

template <int Axis>
constexpr handler cluster_nctaid = same<u32, [](const warp& w) { return w.owner->launch->cluster[Axis]; }>;
template <int Axis>
constexpr handler cluster_ctaid =
    same<u32, [](const warp& w) { return w.owner->identity.index[Axis] % w.owner->launch->cluster[Axis]; }>;
template <int Axis>
constexpr handler clusterid =
    same<u32, [](const warp& w) { return w.owner->identity.index[Axis] / w.owner->launch->cluster[Axis]; }>;
template <int Axis>
constexpr handler nclusterid =
    same<u32, [](const warp& w) { return w.owner->launch->grid[Axis] / w.owner->launch->cluster[Axis]; }>;

void is_explicit_cluster(warp& w, const op& o) {
  set_predicate(w, o.dst, w.owner->launch->explicit_cluster ? all_lanes : 0u);
}

/// A tick of the clock counts as a nanosecond.
u64 nanoseconds(const warp& w) {
  return w.owner->launch->begin_ns + w.clock;
}

struct entry {
  std::string_view name;
  handler run;
  scalar_type type = scalar_type::u32;
};

constexpr entry table[] = {
    {"%tid.x", tid<0>},
    {"%tid.y", tid<1>},
    {"%tid.z", tid<2>},
    {"%ntid.x", ntid<0>},
    {"%ntid.y", ntid<1>},
    {"%ntid.z", ntid<2>},
    {"%ctaid.x", ctaid<0>},
    {"%ctaid.y", ctaid<1>},
    {"%ctaid.z", ctaid<2>},
    {"%nctaid.x", nctaid<0>},
    {"%nctaid.y", nctaid<1>},
    {"%nctaid.z", nctaid<2>},
    {"%laneid", by_lane<[](u32 l) { return l; }>},
    {"%warpid", same<u32, [](const warp& w) { return w.index; }>},
    {"%nwarpid", same<u32, [](const warp& w) { return w.owner->launch->warp_count; }>},
    {"%smid", same<u32, [](const warp& w) { return w.owner->identity.linear % 132; }>},
    {"%nsmid", constant<132>},
    {"%gridid", same<u64, [](const warp& w) { return w.owner->launch->grid_id; }>, scalar_type::u64},
    {"%lanemask_eq", by_lane<[](u32 l) { return 1u << l; }>},
    {"%lanemask_lt", by_lane<[](u32 l) { return (1u << l) - 1; }>},
    {"%lanemask_le", by_lane<[](u32 l) { return (2u << l) - 1; }>},
    {"%lanemask_gt", by_lane<[](u32 l) { return ~((2u << l) - 1); }>},
    {"%lanemask_ge", by_lane<[](u32 l) { return ~((1u << l) - 1); }>},
    {"%clock", same<u32, [](const warp& w) { return w.clock; }>},
    {"%clock64", same<u64, [](const warp& w) { return w.clock; }>, scalar_type::u64},
    {"%globaltimer", same<u64, [](const warp& w) { return nanoseconds(w); }>, scalar_type::u64},
    {"%globaltimer_lo", same<u32, [](const warp& w) { return nanoseconds(w); }>},
    {"%globaltimer_hi", same<u32, [](const warp& w) { return (nanoseconds(w) >> 32); }>},
    {"%dynamic_smem_size", same<u32, [](const warp& w) { return w.owner->launch->dynamic_shared_bytes; }>},
    {"%total_smem_size",
     same<u32,
          [](const warp& w) { return w.owner->launch->shared_bytes - w.owner->launch->code->reserved_shared_bytes; }>},
    // Cooperative groups use the shared memory that the system reserves, which begins at the start of the block's
    // shared memory.
    {"%reserved_smem_offset_1", constant<0>},
    // In a launch without clusters, every block is a cluster of its own.
    {"%cluster_ctaid.x", cluster_ctaid<0>},
    {"%cluster_ctaid.y", cluster_ctaid<1>},
    {"%cluster_ctaid.z", cluster_ctaid<2>},
    {"%cluster_nctaid.x", cluster_nctaid<0>},
    {"%cluster_nctaid.y", cluster_nctaid<1>},
    {"%cluster_nctaid.z", cluster_nctaid<2>},
    {"%cluster_ctarank", same<u32, [](const warp& w) { return w.owner->cluster_rank; }>},
    {"%cluster_nctarank", same<u32, [](const warp& w) { return w.owner->launch->cluster_size; }>},
    {"%clusterid.x", clusterid<0>},
    {"%clusterid.y", clusterid<1>},
    {"%clusterid.z", clusterid<2>},
    {"%nclusterid.x", nclusterid<0>},
    {"%nclusterid.y", nclusterid<1>},
    {"%nclusterid.z", nclusterid<2>},
    {"%is_explicit_cluster", is_explicit_cluster, scalar_type::pred},
    // The address of a cooperative launch's workspace, in two halves; null in any other launch.
    {"%envreg1", same<u32, [](const warp& w) { return (w.owner->launch->workspace >> 32); }>},
    {"%envreg2", same<u32, [](const warp& w) { return w.owner->launch->workspace; }>},
};

}  // namespace

handler find_special(const std::string& name, ptx::scalar_type* type) {
  const entry* found = std::find_if(std::begin(table), std::end(table), [&](const entry& e) { return e.name == name; });
  if (found == std::end(table)) return nullptr;
  if (type != nullptr) *type = found->type;
  return found->run;
}

}  // namespace emulator::simt
