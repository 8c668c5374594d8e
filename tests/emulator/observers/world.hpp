#pragma once
/// \file
/// A made-up kernel and its events. Each call reports one event to an observer, as the interpreter would.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/explain/launch_findings.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observers/block_observer.hpp"
#include "emulator/observers/launch_observation.hpp"

namespace world {

using namespace emulator;
using namespace emulator::observers;
using namespace emulator::explain;
using ptx::state_space;

inline constexpr std::uint32_t all = 0xffffffffu;

/// The instructions of the made-up kernel. Each is in its own line, whose number is 10 times its value plus 10.
enum pc : std::uint32_t {
  load_shared,         // line 10
  store_shared,        // line 20
  load_shared_again,   // line 30
  store_shared_again,  // line 40
  add_shared,          // line 50, atomic
  load_global,         // line 60
  store_global,        // line 70
  red_global,          // line 80
  load_local,          // line 90
  store_local,         // line 100
  block_barrier,       // line 110
  lane_barrier,        // line 120
  jump,                // line 130
  shuffle,             // line 140
  combine,             // line 150
  fence_block,         // line 160
  exchange_shared,     // line 170
  announce,            // line 180
  nowhere,             // no line
  strong_store,        // line 200
  strong_load,         // line 210
  plain_arithmetic,    // line 220
  pc_count
};

inline constexpr std::uint32_t line_of(std::uint32_t at) {
  return 10 * at + 10;
}

inline kernel_facts make_facts() {
  kernel_facts k;
  k.mangled = "_Z6reducePKiPi";
  k.demangled = "reduce(int const*, int*)";
  k.files = {"/src/reduce.cuh"};
  const auto shared = static_cast<std::uint32_t>(class_shared);
  struct row {
    std::uint32_t classes;
    const char* mnemonic;
    std::uint8_t element_bytes = 0;
    int ordering = ordering_none;
  };
  const std::array<row, pc_count> rows = {{
      {class_load | shared, "ld.shared.u32", 4},
      {class_store | shared, "st.shared.u32", 4},
      {class_load | shared, "ld.shared.u32", 4},
      {class_store | shared, "st.shared.u32", 4},
      {class_atomic | shared, "atom.shared.add.u32", 4},
      {class_load | class_global, "ld.global.u32", 4},
      {class_store | class_global, "st.global.u32", 4},
      {class_reduction | class_global, "red.global.add.u32", 4},
      {class_load | class_local, "ld.local.u32", 4},
      {class_store | class_local, "st.local.u32", 4},
      {class_barrier, "bar.sync"},
      {class_warp_barrier, "bar.warp.sync"},
      {class_branch, "bra"},
      {class_shuffle, "shfl.sync.down.b32"},
      {class_combine, "add.s32"},
      {class_fence, "membar.cta", 0, ordering_block_only},
      {class_atomic | class_exchange | shared, "atom.shared.exch.b32", 4},
      {class_barrier | class_announcement, "barrier.cta.arrive", 0, ordering_block_only},
      {class_none, "mov.u32"},
      {class_store | shared, "st.release.cta.shared.u32", 4, ordering_release | ordering_block_only},
      {class_load | shared, "ld.acquire.cta.shared.u32", 4, ordering_acquire | ordering_block_only},
      {class_none, "mul.lo.s32"},
  }};
  for (std::uint32_t at = 0; at < pc_count; ++at) {
    instruction_facts i;
    i.classes = rows[at].classes;
    i.mnemonic = rows[at].mnemonic;
    i.element_bytes = rows[at].element_bytes;
    i.ordering = static_cast<std::uint8_t>(rows[at].ordering);
    i.ptx_line = at + 1;
    i.file = at == nowhere ? -1 : 0;
    i.line = at == nowhere ? 0 : line_of(at);
    k.instructions.push_back(i);
  }
  k.shared.push_back({"reduce(int const*, int*)::tile", 0, 512, 1});
  k.shared.push_back({"reduce(int const*, int*)::flags", 512, 64, 1});
  k.static_shared_bytes = 576;
  return k;
}

/// Global memory, shared by all tests of one program.
inline memory::global_memory& memory_of_tests() {
  static memory::address_space space;
  return space.memory;
}

/// One launch of the made-up kernel, with one observer.
class launch {
 public:
  explicit launch(const options& watched = {}, std::uint32_t threads = 64, std::uint32_t shared_bytes = 4096)
      : facts(make_facts()),
        observation(facts, watched, memory_of_tests()),
        threads_(threads),
        shared_bytes_(shared_bytes) {
    observer.emplace(observation);
    begin(0);
  }

  void begin(std::uint64_t linear) {
    block_identity id;
    id.index[0] = static_cast<std::uint32_t>(linear);
    id.linear = linear;
    id.thread_count = threads_;
    id.warp_count = (threads_ + 31) / 32;
    id.dimensions[0] = threads_;
    id.shared_bytes = shared_bytes_;
    observer->begin_block(id);
  }

  using address_of = std::function<std::uint64_t(unsigned lane)>;

  /// Reports an access. Lanes outside `mask` get meaningless addresses, which the interpreter may also pass.
  void access(std::uint32_t at, std::uint32_t warp, std::uint32_t mask, const address_of& address, unsigned bytes = 4,
              const std::function<std::uint64_t(unsigned lane)>& value = {}, bool is_volatile = false) {
    std::uint64_t addresses[32];
    std::uint64_t values[32];
    for (unsigned l = 0; l < 32; ++l) {
      addresses[l] = (mask >> l & 1u) != 0 ? address(l) : 0xdeadbeefdeadbee0u + l * 13;
      values[l] = value ? value(l) : l;
    }
    const std::uint32_t classes = facts.instructions[at].classes;
    memory_event e;
    e.pc = at;
    e.space = (classes & class_shared) != 0   ? state_space::shared
              : (classes & class_global) != 0 ? state_space::global
                                              : state_space::local;
    e.access = (classes & class_load) != 0     ? access_kind::load
               : (classes & class_store) != 0  ? access_kind::store
               : (classes & class_atomic) != 0 ? access_kind::atomic
                                               : access_kind::reduction;
    e.mask = mask;
    e.bytes_per_lane = static_cast<std::uint8_t>(bytes);
    e.is_volatile = is_volatile;
    e.is_strong =
        is_volatile || at == strong_store || at == strong_load || (classes & (class_atomic | class_reduction));
    e.addresses = addresses;
    e.values = e.access == access_kind::store ? values : nullptr;
    observer->access(warp, e);
  }

  /// Lets all threads of the block wait at a barrier.
  void sync() {
    std::vector<std::uint32_t> masks;
    for (std::uint32_t begin = 0; begin < threads_; begin += 32) {
      masks.push_back(threads_ - begin >= 32 ? all : (1u << (threads_ - begin)) - 1);
    }
    sync(masks);
  }
  void sync(const std::vector<std::uint32_t>& masks, std::uint32_t barrier = 0) {
    for (std::uint32_t w = 0; w < masks.size(); ++w) {
      if (masks[w] != 0) observer->barrier_arrive(w, block_barrier, masks[w], masks[w], barrier);
    }
    observer->barrier_opens(barrier, masks, true);
  }
  void syncwarp(std::uint32_t warp, std::uint32_t mask = all) { observer->warp_barrier(warp, lane_barrier, mask); }
  void fence(std::uint32_t warp, std::uint32_t mask = all) { observer->fence(warp, fence_block, mask, 0); }

  /// Ends the observer and returns what it saw.
  launch_report report() {
    observer.reset();
    launch_report r;
    fill(r, observation, naming(facts, {}, memory_of_tests()));
    return r;
  }
  std::vector<finding> findings() { return report().findings; }

  kernel_facts facts;
  launch_observation observation;
  std::optional<block_observer> observer;

 private:
  std::uint32_t threads_;
  std::uint32_t shared_bytes_;
};

/// Returns options with racecheck as the only check.
inline options races_only() {
  options o;
  o.counters = o.initcheck = o.synccheck = false;
  return o;
}

/// Returns an address function that gives every lane the address of word `index`.
inline launch::address_of word(std::uint64_t index) {
  return [index](unsigned) { return 4 * index; };
}
/// Returns an address function that gives lane l the address of word l + offset.
inline launch::address_of own_word(std::int64_t offset = 0) {
  return [offset](unsigned l) { return static_cast<std::uint64_t>(4 * (static_cast<std::int64_t>(l) + offset)); };
}

}  // namespace world
