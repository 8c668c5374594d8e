#include "emulator/observers/launch_observation.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace emulator::observers {
namespace {

constexpr std::uint32_t memory_classes = class_load | class_store | class_atomic | class_reduction;

void add_to(counter_values& values, counter which, std::uint64_t amount) {
  values[static_cast<std::size_t>(which)] += amount;
}

/// The counters of an instruction class that count warp instructions with an active lane.
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

/// Says whether the instruction is a fence in itself.
bool passes_on(const instruction_facts& i) {
  return (i.ordering & (ordering_acquire | ordering_release)) != 0;
}

/// Says whether a thread may learn from the instruction what another block has done, or pass on what it did itself.
bool tells_of_others(const instruction_facts& i) {
  if ((i.ordering & ordering_block_only) != 0) return false;
  if (passes_on(i) || (i.classes & class_atomic) != 0) return true;
  return (i.classes & class_load) != 0 && (i.ordering & ordering_relaxed) != 0;
}

/// Adds the memory counters of an instruction of `classes`.
void add_accesses(std::uint32_t classes, const access_activity& a, counter_values& values) {
  struct row {
    std::uint32_t classes;
    counter requests, sectors, shared, conflicts, local;
    counter ideal;  ///< For atomics, where nothing is ideal, the distinct sectors.
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
    // What cp.async writes to shared memory is no load, though it stands with one.
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

/// Keeps the costlier of two examples; of equally bad ones the one of the lowest block.
template <typename Example>
void keep_worse(unsigned& kept_cost, Example& kept, unsigned cost, const Example& example) {
  if (cost < kept_cost || (cost == kept_cost && (cost == 0 || example.block >= kept.block))) return;
  kept_cost = cost;
  kept = example;
}

/// Names and values; without the zeroes where `all` is false.
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
    // Blocks are taken in rising order: what stays is the same, however many host threads there were.
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
    to.warps |= from.warps;
    to.repeated |= from.repeated;
    to.repeated_in_block |= from.repeated_in_block;
  }
  blocks += other.blocks;
  warps += other.warps;
  busiest_block = std::max(busiest_block, other.busiest_block);
}

launch_observation::launch_observation(const kernel_facts& facts, const options& watched)
    : facts_(facts), watched_(watched), found_(line_of_) {
  access_slots_.assign(facts.instructions.size(), no_access);
  for (std::size_t pc = 0; pc < facts.instructions.size(); ++pc) {
    const instruction_facts& i = facts.instructions[pc];
    if ((i.classes & memory_classes) != 0) access_slots_[pc] = access_count_++;
    has_fences_ |= (i.classes & class_fence) != 0;
    has_fences_ |= (i.classes & memory_classes) != 0 && passes_on(i);
    blocks_meet_ |= (i.classes & class_fence) != 0 && (i.ordering & ordering_block_only) == 0;
    blocks_meet_ |= (i.classes & (class_global | class_generic)) != 0 && tells_of_others(i);
    blocks_meet_ |= (i.classes & class_cluster_barrier) != 0;
  }
  if (watched.racecheck && blocks_meet_) order_.emplace();
  number_lines();
  total_ = empty_activity();
}

activity launch_observation::empty_activity() const {
  activity zeroes;
  zeroes.instructions.resize(facts_.instructions.size());
  zeroes.accesses.resize(access_count_);
  zeroes.examples.resize(access_count_);
  return zeroes;
}

/// Instructions without a line share number 0, if there are any.
void launch_observation::number_lines() {
  // Files in the order of their names; the same name may stand under several numbers.
  std::vector<std::string_view> names(facts_.files.begin(), facts_.files.end());
  std::sort(names.begin(), names.end());
  std::vector<std::uint64_t> rank_of_file;
  for (const std::string& name : facts_.files)
    rank_of_file.push_back(std::lower_bound(names.begin(), names.end(), name) - names.begin() + 1u);

  const std::size_t count = facts_.instructions.size();
  std::vector<std::uint64_t> place(count, 0);
  for (std::size_t pc = 0; pc < count; ++pc) {
    const instruction_facts& i = facts_.instructions[pc];
    if (i.file >= 0 && i.line != 0) place[pc] = rank_of_file[static_cast<std::size_t>(i.file)] << 32 | i.line;
  }
  std::vector<std::uint64_t> places = place;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  pc_of_line_.resize(places.size());
  line_of_.resize(count);
  for (std::size_t pc = count; pc-- > 0;) {
    const auto number = std::lower_bound(places.begin(), places.end(), place[pc]) - places.begin();
    line_of_[pc] = static_cast<std::uint32_t>(number);
    pc_of_line_[static_cast<std::size_t>(number)] = static_cast<std::uint32_t>(pc);
  }
}

void launch_observation::merge(const activity& counted, const incident_table& found) {
  const std::scoped_lock lock(mutex_);
  total_.add(counted);
  found_.merge(found);
}

void launch_observation::merge(const path_report& path) {
  const std::scoped_lock lock(mutex_);
  path_.blocks += path.blocks;
  path_.cycles += path.cycles;
  path_.waits += path.waits;
  path_.executed += path.executed;
  path_.issued += path.issued;
  path_.lines += path.lines;
  path_.sectors_near += path.sectors_near;
  path_.sectors_again += path.sectors_again;
  if (path.longest_cycles + path.longest_waits * watched_.latencies.global >
      path_.longest_cycles + path_.longest_waits * watched_.latencies.global) {
    path_.longest_cycles = path.longest_cycles;
    path_.longest_waits = path.longest_waits;
  }
  // Only one of those that are merged has followed the last block.
  path_.last_cycles += path.last_cycles;
  path_.last_waits += path.last_waits;
}

void launch_observation::merge(global_accesses accesses, const block_identity& block) {
  const std::scoped_lock lock(mutex_);
  const auto none = [](const global_accesses& of) { return of.rows.empty() && of.scattered.empty(); };
  if (!none(accesses)) some_block_ = block;  // else it may be of a host thread that had no block
  if (none(global_accesses_))
    std::swap(global_accesses_, accesses);
  else
    global_accesses_.append(accesses);
  leave_spare_room(std::move(accesses));
}

void launch_observation::merge(const std::vector<trace_event>& events, std::uint64_t left_out) {
  const std::scoped_lock lock(mutex_);
  left_out_ += left_out;
  trace_.insert(trace_.end(), events.begin(), events.end());
}

void launch_observation::set_grid(const std::uint32_t (&grid)[3]) {
  std::copy_n(grid, 3, grid_);
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  limits_ = log_limits::for_blocks(blocks);
  constexpr std::uint64_t followed_blocks = 8;
  blocks_ = blocks;
  every_ = std::max<std::uint64_t>(1, blocks / followed_blocks);
}

void launch_observation::finish() {
  const auto identify = [this](std::uint64_t linear) {
    block_identity block = some_block_;
    block.linear = linear;
    block.index[0] = static_cast<std::uint32_t>(linear % grid_[0]);
    block.index[1] = static_cast<std::uint32_t>(linear / grid_[0] % grid_[1]);
    block.index[2] = static_cast<std::uint32_t>(linear / grid_[0] / grid_[1]);
    return block;
  };
  find_global_races(global_accesses_, order(), identify, found_);
  leave_spare_room(std::exchange(global_accesses_, {}));
}

/// Adds all that was counted at `pc`.
void launch_observation::count_at(std::uint32_t pc, counter_values& into) const {
  const instruction_activity& a = total_.instructions[pc];
  const std::uint32_t classes = facts_.instructions[pc].classes;
  add_to(into, counter::warp_instructions, a.executed);
  add_to(into, counter::thread_instructions, a.lanes);
  for (const auto& [flag, which] : class_counters) {
    if ((classes & flag) != 0) add_to(into, which, a.executed - a.idle);
  }
  if ((classes & class_branch) != 0) add_to(into, counter::divergent_branches, a.special);
  if ((classes & class_barrier) != 0) add_to(into, counter::block_barriers, a.special);
  if (access_slots_[pc] == no_access) return;
  const access_activity& accesses = total_.accesses[access_slots_[pc]];
  add_accesses(classes, accesses, into);
  if ((classes & (class_atomic | class_reduction)) != 0 && accesses.global_requests == a.executed - a.idle) {
    add_to(into, counter::global_atomic_operations, a.lanes);
  }
}

/// Sets what a line shows of its worst accesses and of its instructions with few lanes.
void launch_observation::exemplify(std::span<const std::uint32_t> pcs, line_report& line) const {
  const auto executed = [this](std::uint32_t pc) {
    return total_.instructions[pc].executed - total_.instructions[pc].idle;
  };
  // Whether the average of one is below that of another, without division.
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
    if (access_slots_[pc] == no_access) continue;
    const access_activity& a = total_.accesses[access_slots_[pc]];
    const access_examples& e = total_.examples[access_slots_[pc]];
    keep_worse(conflicts, line.worst_conflict, a.worst_conflicts, e.conflict);
    keep_worse(excess, line.worst_request, a.worst_excess, e.request);
  }
}

void launch_observation::fill_counters(launch_report& report) const {
  report.file = facts_.file;
  if (!watched_.counters) return;
  std::vector<counter_values> by_line(pc_of_line_.size(), counter_values{});
  std::vector<std::vector<std::uint32_t>> pcs(pc_of_line_.size());
  for (std::uint32_t pc = 0; pc < line_of_.size(); ++pc) {
    count_at(pc, by_line[line_of_[pc]]);
    pcs[line_of_[pc]].push_back(pc);
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
    const instruction_facts& i = facts_.instructions[pc_of_line_[number]];
    if (i.file >= 0 && i.line != 0) {
      line.file = facts_.files[static_cast<std::size_t>(i.file)];
      line.line = i.line;
    }
    exemplify(pcs[number], line);
    report.lines.push_back(std::move(line));
  }
  report.counters = named(total, true);
  report.path = path_;
  report.busiest_block = total_.busiest_block;
}

}  // namespace emulator::observers
