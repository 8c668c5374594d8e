#include "emulator/observers/counting.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "emulator/observers/counters.hpp"

namespace emulator::observers {
namespace {

void add_to(counter_values& values, counter which, std::uint64_t amount) {
  values[static_cast<std::size_t>(which)] += amount;
}

/// The counters of instruction classes. They count warp instructions that have an active lane.
constexpr std::pair<std::uint32_t, counter> class_counters[] = {
    {class_barrier, counter::barriers},
    {class_warp_barrier, counter::warp_barriers},
    {class_fence, counter::fences},
    {class_shuffle, counter::shuffles},
    {class_warp_reduce, counter::warp_reductions},
    {class_vote, counter::votes},
    {class_branch, counter::branches},
    {class_loop_branch, counter::loop_branches},
    {class_combine, counter::combines},
    {class_divide, counter::integer_divides},
};

/// Adds the memory counters of an instruction of `classes`.
void add_accesses(std::uint32_t classes, const access_activity& a, counter_values& values) {
  struct row {
    std::uint32_t classes;
    counter requests, sectors, shared, conflicts, local;
    counter ideal;  ///< For atomics, which have no ideal, the distinct sectors.
  };
  static constexpr row rows[] = {
      {class_load, counter::global_load_requests, counter::global_load_sectors, counter::shared_loads,
       counter::shared_load_bank_conflicts, counter::local_loads, counter::global_load_ideal_sectors},
      {class_store, counter::global_store_requests, counter::global_store_sectors, counter::shared_stores,
       counter::shared_store_bank_conflicts, counter::local_stores, counter::global_store_ideal_sectors},
      {class_atomic, counter::global_atomic_requests, counter::global_atomic_sectors, counter::shared_atomics,
       counter::shared_atomic_bank_conflicts, counter::local_atomics, counter::global_atomic_distinct_sectors},
      {class_reduction, counter::global_reduction_requests, counter::global_reduction_sectors, counter::shared_atomics,
       counter::shared_atomic_bank_conflicts, counter::local_atomics, counter::global_atomic_distinct_sectors},
  };
  for (const row& r : rows) {
    if ((classes & r.classes) == 0) continue;
    add_to(values, r.requests, a.global_requests);
    add_to(values, r.sectors, a.global_sectors);
    add_to(values, r.ideal, a.global_ideal_sectors);
    // The writes of cp.async to shared memory don't count as loads, although the instruction is one.
    if ((classes & class_global) == 0) {
      add_to(values, r.shared, a.shared_accesses);
      add_to(values, r.conflicts, a.shared_conflicts);
    }
    add_to(values, r.local, a.local_accesses);
    break;
  }
  if ((classes & class_load) != 0) {
    add_to(values, counter::local_load_sectors, a.local_sectors);
    add_to(values, counter::constant_loads, a.constant_accesses);
  } else if ((classes & class_store) != 0) {
    add_to(values, counter::local_store_sectors, a.local_sectors);
  }
  if ((classes & (class_load | class_store)) != 0) {
    add_to(values, counter::shared_bank_conflicts, a.shared_conflicts);
  }
}

/// Keeps the costlier of two examples; on a tie, that of the lowest-numbered block.
template <typename Example>
void keep_worse(unsigned& kept_cost, Example& kept, unsigned cost, const Example& example) {
  if (cost < kept_cost || (cost == kept_cost && (cost == 0 || example.block >= kept.block))) return;
  kept_cost = cost;
  kept = example;
}

/// Returns the values by name. Zeroes are left out unless `all` is true.
counter_map named(const counter_values& values, bool all) {
  static const std::vector<counter_facts> by_name = [] {
    std::vector<counter_facts> sorted(counter_table().begin(), counter_table().end());
    std::sort(sorted.begin(), sorted.end(),
              [](const counter_facts& a, const counter_facts& b) { return a.name < b.name; });
    return sorted;
  }();
  counter_map result;
  for (const counter_facts& facts : by_name) {
    const std::uint64_t value = values[static_cast<std::size_t>(facts.which)];
    if (all || value != 0) result.emplace_hint(result.end(), facts.name, value);
  }
  return result;
}

}  // namespace

void activity::add(const activity& other) {
  for (std::size_t k = 0; k < instructions.size(); ++k) {
    instructions[k].executed += other.instructions[k].executed;
    instructions[k].lanes += other.instructions[k].lanes;
    instructions[k].idle += other.instructions[k].idle;
    instructions[k].special += other.instructions[k].special;
  }
  for (std::size_t k = 0; k < accesses.size(); ++k) {
    access_activity& to = accesses[k];
    const access_activity& from = other.accesses[k];
    // Blocks are added in increasing order, so the example does not depend on the number of host threads.
    keep_worse(to.worst_conflicts, examples[k].conflict, from.worst_conflicts, other.examples[k].conflict);
    keep_worse(to.worst_excess, examples[k].request, from.worst_excess, other.examples[k].request);
    to.global_requests += from.global_requests;
    to.global_sectors += from.global_sectors;
    to.global_ideal_sectors += from.global_ideal_sectors;
    to.shared_accesses += from.shared_accesses;
    to.shared_conflicts += from.shared_conflicts;
    to.local_accesses += from.local_accesses;
    to.local_sectors += from.local_sectors;
    to.constant_accesses += from.constant_accesses;
  }
  blocks += other.blocks;
  warps += other.warps;
  busiest_block = std::max(busiest_block, other.busiest_block);
}

counting::counting(block_context& context)
    : observer(context),
      counts_(context.launch.watched().counters),
      slots_(context.launch.access_slots().data()),
      counted_(context.facts.instructions.size(), context.launch.access_count()),
      edges_(counted_.instructions.size() + 1) {}

void counting::flush(of_launch& launch) {
  edge sum;
  for (std::size_t pc = 0; pc < counted_.instructions.size(); ++pc) {
    sum.executed += edges_[pc].executed;
    sum.lanes += edges_[pc].lanes;
    counted_.instructions[pc].executed += sum.executed;
    counted_.instructions[pc].lanes += sum.lanes;
  }
  launch.add(counted_);
  std::fill(edges_.begin(), edges_.end(), edge{});
  counted_.clear();
}

void counting::access_elsewhere(std::uint32_t, const memory_event& event, const access_shape& shape) {
  access_activity& here = counted_.accesses[slots_[event.pc]];
  if (event.space != ptx::state_space::local) {
    ++here.constant_accesses;
  } else if (counts_) {
    ++here.local_accesses;
    here.local_sectors += count_local_sectors(lane_addresses(event, shape));
  }
}

void counting::count_global(access_activity& here, const memory_event& event, const lane_addresses& a) {
  const unsigned sectors = count_sectors(a);
  if (is_update(event.access)) {
    ++here.global_requests;
    here.global_sectors += count_atomic_sectors(a);
    here.global_ideal_sectors += sectors;
    return;
  }
  const unsigned ideal = ideal_sectors(event.mask, event.bytes_per_lane, sectors);
  ++here.global_requests;
  here.global_sectors += sectors;
  here.global_ideal_sectors += ideal;
  if (sectors - ideal > here.worst_excess) [[unlikely]] {
    here.worst_excess = sectors - ideal;
    request_example& kept = counted_.examples[slots_[event.pc]].request;
    kept = explain_request(event.addresses, event.mask, event.bytes_per_lane);
    kept.block = context_.block.linear;
  }
}

void counting::count_conflicts(access_activity& here, const memory_event& event, unsigned conflicts) {
  here.shared_conflicts += conflicts;
  if (conflicts <= here.worst_conflicts) return;
  here.worst_conflicts = conflicts;
  conflict_example& kept = counted_.examples[slots_[event.pc]].conflict;
  kept = explain_conflict(event.addresses, event.mask, event.bytes_per_lane);
  kept.block = context_.block.linear;
}

counting::of_launch::of_launch(launch_observation& launch)
    : launch_part(launch), total_(launch.facts().instructions.size(), launch.access_count()) {}

/// Adds all counts at `pc`.
void counting::of_launch::count_at(std::uint32_t pc, counter_values& into) const {
  const instruction_activity& a = total_.instructions[pc];
  const std::uint32_t classes = launch_.facts().instructions[pc].classes;
  add_to(into, counter::warp_instructions, a.executed);
  add_to(into, counter::thread_instructions, a.lanes);
  for (const auto& [flag, which] : class_counters) {
    if ((classes & flag) != 0) add_to(into, which, a.executed - a.idle);
  }
  if ((classes & class_branch) != 0) add_to(into, counter::divergent_branches, a.special);
  if ((classes & class_barrier) != 0) add_to(into, counter::block_barriers, a.special);
  const std::uint32_t slot = launch_.access_slots()[pc];
  if (slot == launch_observation::no_access) return;
  const access_activity& accesses = total_.accesses[slot];
  add_accesses(classes, accesses, into);
  if ((classes & (class_atomic | class_reduction)) != 0 && accesses.global_requests == a.executed - a.idle) {
    add_to(into, counter::global_atomic_operations, a.lanes);
  }
}

/// Sets a line's worst accesses and the counts of its instructions with few lanes.
void counting::of_launch::attach_examples(std::span<const std::uint32_t> pcs, line_report& line) const {
  const auto executed = [this](std::uint32_t pc) {
    return total_.instructions[pc].executed - total_.instructions[pc].idle;
  };
  // Returns true if the average of `one` is below that of `other`, without dividing.
  const auto narrower = [&](std::uint32_t one, std::uint32_t other) {
    return total_.instructions[one].lanes * executed(other) < total_.instructions[other].lanes * executed(one);
  };
  std::uint32_t widest = pcs.front();
  for (const std::uint32_t pc : pcs) {
    if (executed(widest) == 0 || (executed(pc) != 0 && narrower(widest, pc))) widest = pc;
  }
  unsigned conflicts = 0, excess = 0;
  for (const std::uint32_t pc : pcs) {
    if (executed(pc) != 0 && narrower(pc, widest)) {
      line.partial_executed += executed(pc);
      line.partial_lanes += total_.instructions[pc].lanes;
    }
    const std::uint32_t slot = launch_.access_slots()[pc];
    if (slot == launch_observation::no_access) continue;
    const access_activity& a = total_.accesses[slot];
    const access_examples& e = total_.examples[slot];
    keep_worse(conflicts, line.worst_conflict, a.worst_conflicts, e.conflict);
    keep_worse(excess, line.worst_request, a.worst_excess, e.request);
  }
}

void counting::of_launch::fill(launch_report& report) const {
  if (!launch_.watched().counters) return;
  const std::vector<std::uint32_t>& line_of = launch_.line_numbers();
  const std::vector<std::uint32_t>& pc_of_line = launch_.pc_of_line();
  std::vector<counter_values> by_line(pc_of_line.size(), counter_values{});
  std::vector<std::vector<std::uint32_t>> pcs(pc_of_line.size());
  for (std::uint32_t pc = 0; pc < line_of.size(); ++pc) {
    count_at(pc, by_line[line_of[pc]]);
    pcs[line_of[pc]].push_back(pc);
  }
  counter_values total{};
  add_to(total, counter::blocks, total_.blocks);
  add_to(total, counter::warps, total_.warps);
  report.lines.clear();
  for (std::size_t number = 0; number < by_line.size(); ++number) {
    for (std::size_t k = 0; k < counter_count; ++k) total[k] += by_line[number][k];
    line_report line;
    line.counters = named(by_line[number], false);
    if (line.counters.empty()) continue;
    const instruction_facts& i = launch_.facts().instructions[pc_of_line[number]];
    if (i.file >= 0 && i.line != 0) {
      line.file = launch_.facts().files[static_cast<std::size_t>(i.file)];
      line.line = i.line;
    }
    attach_examples(pcs[number], line);
    report.lines.push_back(std::move(line));
  }
  report.counters = named(total, true);
  report.busiest_block = total_.busiest_block;
}

}  // namespace emulator::observers
