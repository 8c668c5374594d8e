// Launches: blocks are distributed to the host's threads; if they wait for each other, they take turns on one thread.
// Long because distributing blocks, setting them aside and detecting deadlocks have to be read together.

#include "emulator/simt/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>

#include "emulator/explain/launch_findings.hpp"
#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/simt/launch_state.hpp"
#include "emulator/simt/other_order.hpp"
#include "emulator/simt/run_clusters.hpp"
#include "emulator/simt/waiting_blocks.hpp"

namespace emulator::simt {
namespace {

using observers::block_identity;
using observers::fault_kind;

std::atomic<std::uint64_t> total_executed{0};
std::atomic<std::uint64_t> launches{0};
/// Clock ticks of all launches so far. The count doesn't begin at 0, because no GPU's clock does.
std::atomic<std::uint64_t> ticks{1'000'000'000};

/// The default limit of warp instructions per block. A kernel that ends may run for minutes, but a block that never
/// ends is stopped after seconds.
constexpr std::uint64_t default_instruction_limit = 500'000'000;

/// Length of a warp's turn if kernels wait for each other. It is short because a cycle is only detected after some
/// turns.
constexpr std::uint64_t pausing_slice = 512;

/// Warp instructions that other orders may execute in total even if the launch is very short.
constexpr std::uint64_t orders_for_nothing = 16'000'000;

launch_constants make_constants(const program& p, const launch_shape& shape, void* const* arguments,
                                const options& watched) {
  launch_constants c{shape, watched, &p, &p.owner->space(), std::vector<std::byte>(p.parameter_bytes)};
  c.thread_count = shape.block[0] * shape.block[1] * shape.block[2];
  c.warp_count = (c.thread_count + warp_size - 1) / warp_size;
  c.cluster_size = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
  c.shared_bytes = p.reserved_shared_bytes + p.static_shared_bytes + shape.dynamic_shared_bytes;
  if (!p.local_objects.empty() && p.local_objects[0].begin == 0) c.first_local_bytes = p.local_objects[0].end;
  c.local_bytes = p.local_bytes + (p.routines.empty() ? 0 : shape.stack_bytes);
  c.grid_id = ++launches;
  c.begin_ns = ticks.load(std::memory_order_relaxed);
  if (watched.native_after != options::never_native && watched.shortcuts && p.native) {
    c.native = p.native.get();
    c.native_width = watched.native_bytes < 64 ? vector_width::bytes_32 : *native_kernel::widest();
  }
  c.instruction_limit = watched.max_instructions == 0 ? default_instruction_limit : watched.max_instructions;
  for (std::size_t k = 0; k < p.parameter_offsets.size(); ++k) {
    std::memcpy(c.parameters.data() + p.parameter_offsets[k], arguments[k], p.parameter_sizes[k]);
  }
  return c;
}

/// Returns the words of the parameters that may be pointers, including those inside structs.
std::vector<explain::parameter_word> wide_parameters(const program& p, const launch_constants& c) {
  std::vector<explain::parameter_word> words;
  for (std::size_t k = 0; k < p.parameter_offsets.size(); ++k) {
    for (std::size_t at = 0; at + 8 <= p.parameter_sizes[k]; at += 8) {
      explain::parameter_word word{k, 0, p.parameter_sizes[k] != 8};
      std::memcpy(&word.value, c.parameters.data() + p.parameter_offsets[k] + at, 8);
      words.push_back(word);
    }
  }
  return words;
}

/// Returns the number of the block that starts as the k-th.
template <bool Watched>
std::uint64_t number_of(const launch_state<Watched>& d, std::uint64_t k) {
  return d.constants->order == nullptr ? k : d.constants->order->block_at(k, d.block_count);
}

/// Runs blocks until none is left, or until blocks that wait for others take all the room. Blocks are started in
/// ascending order, and each is either finished or set aside.
template <bool Watched>
void work(launch_state<Watched>& d) {
  if (has_clusters(*d.constants)) {
    total_executed.fetch_add(run_clusters(d), std::memory_order_relaxed);
    return;
  }
  std::unique_ptr<resident<Watched>> here;
  std::uint64_t executed = 0;
  const std::uint64_t slice = d.where != pausing::never ? alone_where_others_come
                              : d.block_count > 1       ? alone_at_most
                                                        : ~std::uint64_t{0} >> 1;
  while (!d.stopped.load(std::memory_order_relaxed)) {
    if (d.waiting_count.load(std::memory_order_relaxed) >= d.fit_at_once) break;
    const std::uint64_t linear = d.next.fetch_add(1, std::memory_order_relaxed);
    if (linear >= d.block_count) break;
    if (linear % blocks_between_looks == 0 && linear != 0) [[unlikely]]
      d.tell_progress(linear);
    if (here == nullptr) here = std::make_unique<resident<Watched>>(d.observation);
    here->start(*d.constants, number_of(d, linear));
    const turn t = here->runner->run(here->b, slice, true);
    if (t == turn::stalled || t == turn::more) {
      const std::scoped_lock lock(d.mutex);
      d.waiting.push_back(std::move(here));
      d.waiting_count.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    here->end();
    executed += here->b.executed;
    if (t == turn::faulted) d.keep(here->b.fault);
  }
  total_executed.fetch_add(executed, std::memory_order_relaxed);
}

/// Runs blocks in turns, so that they can wait for each other; starts more of them if there is room. Returns true if
/// the launch has ended, and false if it pauses until memory is changed from outside.
/// \param blocks  in ascending order; they share one change counter
template <bool Watched>
bool take_turns(launch_state<Watched>& d, std::vector<std::unique_ptr<resident<Watched>>>& blocks,
                bool until_deadlock) {
  d.seen.clear();
  d.still_runs = false;
  d.changes->last = {};
  std::uint64_t ran = 0;
  while (!d.stopped) {
    std::uint64_t left = 0;
    for (auto& r : blocks) left += r->done ? 0 : 1;
    const std::uint64_t together = has_clusters(*d.constants) ? d.constants->cluster_size : 1;
    while ((left + together <= d.fit_at_once || left == 0) && d.next < d.block_count) {
      for (std::uint64_t k = 0; k < together; ++k) {
        blocks.push_back(std::make_unique<resident<Watched>>(d.observation));
        blocks.back()->runner->share_changes(*d.changes);
        if (!has_clusters(*d.constants)) blocks.back()->start(*d.constants, number_of(d, d.next++));
      }
      const std::span<const std::unique_ptr<resident<Watched>>> more(
          blocks.end() - static_cast<std::ptrdiff_t>(together), blocks.end());
      if (has_clusters(*d.constants)) start_cluster<Watched>(d, more, d.next.fetch_add(together));
      for (const auto& r : more) r->b.passed = d.passed;
      left += together;
    }
    if (left == 0) break;
    bool all_stand = true;
    for (auto& r : blocks) {
      if (r->done) continue;
      const std::uint64_t before = r->b.executed;
      const turn t = r->runner->run(r->b, cooperative_slice, until_deadlock);
      ran += r->b.executed - before;
      if (t == turn::more || t == turn::stalled) continue;
      all_stand = false;
      r->end();
      if (t == turn::faulted) d.keep(r->b.fault);
    }
    for (auto& r : blocks) all_stand = all_stand && (r->done || r->runner->makes_no_progress(r->b));
    all_stand = all_stand && noted_all_along<Watched>(blocks);
    if (d.where != pausing::never && !d.stopped) {
      if (all_stand) d.seen = looks_outside(d, blocks);
      if (!all_stand && ran > patience_with_looks) see_whether_it_looks(d, blocks);
    }
    const bool pauses = !d.seen.empty();
    if (all_stand && !d.stopped && !pauses && !let_time_pass<Watched>(d, blocks)) store_deadlock<Watched>(d, blocks);
    if (until_deadlock) {  // blocks that have ended need not be stored
      for (auto& r : blocks) d.executed += r->done ? r->b.executed : 0;
      std::erase_if(blocks, [](const auto& r) { return r->done; });
    }
    if (pauses) return false;
  }
  for (const auto& r : blocks) d.executed += r->b.executed;
  total_executed.fetch_add(d.executed, std::memory_order_relaxed);
  return true;
}

/// Runs all blocks that don't have to wait for others. Blocks that do are left in `d.waiting`, in ascending order.
template <bool Watched>
void run_grid(launch_state<Watched>& d, unsigned host_threads) {
  const unsigned wanted = host_threads != 0 ? host_threads : std::max(1u, std::thread::hardware_concurrency());
  // Starting a thread takes as long as executing a few hundred blocks.
  const std::uint64_t warps = d.block_count * d.constants->warp_count;
  const auto threads =
      static_cast<unsigned>(std::min<std::uint64_t>({wanted, d.block_count, std::max<std::uint64_t>(1, warps / 64)}));
  const auto guarded = [&] {
    try {
      work<Watched>(d);
    } catch (...) {
      const std::scoped_lock lock(d.mutex);
      d.error = std::current_exception();
      d.stopped = true;
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (unsigned k = 1; k < threads; ++k) helpers.emplace_back(guarded);
  } catch (const std::system_error&) {
    // The system can't start more threads: the existing ones do the work.
  }
  guarded();
  for (std::thread& t : helpers) t.join();
  if (d.error) std::rethrow_exception(d.error);
  if (d.stopped || d.waiting.empty()) return;
  std::sort(d.waiting.begin(), d.waiting.end(),
            [](const auto& a, const auto& b) { return a->b.identity.linear < b->b.identity.linear; });
  d.next = std::min<std::uint64_t>(d.next, d.block_count);
  for (auto& r : d.waiting) r->runner->share_changes(*d.changes);
}

void describe_shape(launch_report& report, const program& p, const launch_shape& shape) {
  report.kernel = p.facts.demangled;
  report.mangled = p.facts.mangled;
  report.file = p.facts.file;
  std::copy_n(shape.grid, 3, report.grid);
  std::copy_n(shape.block, 3, report.block);
  report.static_shared_bytes = p.static_shared_bytes;
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.cooperative = shape.cooperative;
  report.registers_per_thread = p.facts.registers_per_thread;
}

/// Records changes of memory while launches pause. Only one launch runs at a time.
change_note& changes_of_all() {
  static change_note changes;
  return changes;
}

template <bool Watched>
class running_launch final : public launch_under_way {
 public:
  running_launch(kernel& kernel, const launch_shape& shape, void* const* arguments, const options& watched,
                 launch_report* report, pausing where)
      : program_(kernel.code()),
        report_(report),
        constants_(make_constants(program_, shape, arguments, watched)),
        where_(where) {
    if (where == pausing::for_others && !shape.cooperative) constants_.warp_slice = pausing_slice;
    const std::uint64_t blocks = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
    const bool has_room = shape.blocks_at_once == 0 || shape.cooperative;
    set_up(d_, observation_, constants_, blocks, has_room ? blocks : shape.blocks_at_once, changes_of_all());
    // If blocks pass data to each other, they run one after the other, so that counts are the same in every run. They
    // also do so if memory may be freed between the check of an access and the access itself.
    const bool in_turn = program_.frees || (Watched && observation_->blocks_meet());
    host_threads_ = in_turn || watched.orders != 0 ? 1 : watched.host_threads;
    if (watched.orders != 0 && report != nullptr) begin_orders();
    if (!shape.cooperative) return;
    auto& memory = constants_.space->memory;
    constants_.workspace = memory.allocate(64, memory::origin::module_variable, "the grid's barrier");
    memory.mark_initialized(constants_.workspace, 64);
  }
  ~running_launch() override {
    if (constants_.workspace != 0) constants_.space->memory.free(constants_.workspace);
  }

  bool resume(bool may_pause) override {
    d_.where = may_pause ? where_ : pausing::never;
    const std::uint64_t before = warp_instructions_executed();
    for (const auto& r : d_.waiting) r->runner->forget_allocations();
    if (!std::exchange(begun_, true) && !constants_.cooperative) run_grid<Watched>(d_, host_threads_);
    const bool in_turns = constants_.cooperative || !d_.waiting.empty();
    const bool over = d_.stopped || !in_turns || take_turns<Watched>(d_, d_.waiting, !constants_.cooperative);
    executed_ += warp_instructions_executed() - before;
    if (!over && usual_) without_orders("it waited for the host or another kernel");
    if (!over && !d_.still_runs) allow_for_waiting();
    return over;
  }

  [[nodiscard]] bool sees_the_same() const override {
    return std::all_of(d_.seen.begin(), d_.seen.end(), [this](const seen_word& w) {
      return word_at(constants_.space->memory, w.address, w.bytes) == w.value;
    });
  }

  [[nodiscard]] bool still_runs() const override { return d_.still_runs; }

  launch_outcome end() override {
    d_.waiting.clear();  // destroys the observers, which adds what they have seen to the observation
    ticks.fetch_add(executed_ + d_.passed, std::memory_order_relaxed);
    launch_outcome outcome;
    outcome.fault = d_.first_fault.kind;
    std::optional<finding> words;
    if (outcome.fault != fault_kind::none) {
      words = words_for(d_);
      outcome.message = words->message;
      if (!words->detail.empty()) outcome.message += "\n" + words->detail;
    }
    std::fflush(stdout);
    if (report_ == nullptr) return outcome;
    describe_shape(*report_, program_, constants_);
    report_->completed = outcome.fault == fault_kind::none;
    if (observation_) explain::fill(*report_, *observation_, names());
    if (usual_) run_other_orders(outcome.fault);
    if (words && outcome.fault != fault_kind::unsupported) report_->findings.insert(report_->findings.begin(), *words);
    // A deadlock cannot be pinned to one place in one block, so the trace gets no fault for it.
    if (observation_) {
      const observers::fault* const stopped_by = words && !d_.grid_deadlock ? &d_.first_fault : nullptr;
      explain::write_trace(*report_, *observation_, names(), stopped_by);
    }
    return outcome;
  }

 private:
  /// Sets up the state that the host threads of a launch share, and the observation, if anything is observed.
  void set_up(launch_state<Watched>& d, std::optional<observers::launch_observation>& observation,
              const launch_constants& c, std::uint64_t blocks, std::uint64_t fit_at_once, change_note& changes) const {
    if constexpr (Watched) {
      observation.emplace(program_.facts, c.watched, c.space->memory);
      observation->set_grid(c.grid);
      d.observation = &*observation;
    }
    d.constants = &c;
    d.block_count = blocks;
    d.fit_at_once = fit_at_once;
    d.changes = &changes;
  }
  [[nodiscard]] explain::naming names() const {
    return {program_.facts, wide_parameters(program_, constants_), constants_.space->memory};
  }
  [[nodiscard]] finding words_for(const launch_state<Watched>& d) const {
    return d.grid_deadlock ? explain::describe(names(), *d.grid_deadlock) : explain::describe(names(), d.first_fault);
  }

  /// Called if the launch won't be run in other orders.
  void without_orders(std::string why) {
    report_->without_orders = "none, because " + std::move(why);
    constants_.order = nullptr;
    usual_.reset();
    for (const auto& r : d_.waiting) r->runner->forget_order();
  }

  /// Starts to record what the launch changes and what its threads learn, so that other orders can be compared with it.
  void begin_orders() {
    const auto& code = program_.code;
    const bool has_heap = std::any_of(code.begin(), code.end(), [](const op& o) {
      const auto sub = static_cast<system_call_kind>(o.sub);
      return o.kind == op_kind::system_call && (sub == system_call_kind::allocate || sub == system_call_kind::release);
    });
    if (has_heap) return without_orders("it calls malloc() or free(), whose addresses depend on the order");
    if (program_.facts.launches_kernels) return without_orders("it launches kernels");
    if (has_clusters(constants_)) return without_orders("its blocks form clusters, which only run in the usual order");
    usual_.emplace(saved_, order_choices{}, room(), true);
    constants_.order = &*usual_;
  }
  [[nodiscard]] std::uint64_t room() const {
    return constants_.room != 0 && !constants_.cooperative ? std::min(constants_.room, d_.block_count) : d_.block_count;
  }

  void run_other_orders(fault_kind fault) {
    if (fault != fault_kind::none) return without_orders("it did not end well in the usual one");
    const std::uint64_t executed = total_executed.load();
    const orders_plan plan{.count = constants_.watched.orders,
                           .seed = constants_.watched.orders_seed,
                           .blocks = d_.block_count,
                           .warps = constants_.warp_count,
                           .room = room(),
                           .max_instructions = orders_for_nothing + 2 * executed_ * constants_.watched.orders,
                           .lanes_part = constants_.thread_count % warp_size == 0 && !needs_whole_warps()};
    try_orders(
        plan, *constants_.space, saved_, *usual_, [this](other_order& order) { return run_in(order); }, names(),
        *report_);
    total_executed = executed;
  }

  /// Returns true if the kernel has instructions that all lanes of a warp have to execute together, without a member
  /// mask. `bar.arrive` counts as one of them, because the lanes that an order holds back would not have arrived yet
  /// when the others wait elsewhere.
  [[nodiscard]] bool needs_whole_warps() const {
    return std::any_of(program_.code.begin(), program_.code.end(), [](const op& o) {
      return o.kind == op_kind::matrix ||
             (o.kind == op_kind::barrier && static_cast<barrier_operation>(o.sub) == barrier_operation::arrive);
    });
  }

  /// Runs the launch once more, observed only by the checks.
  order_outcome run_in(other_order& order) {
    launch_constants constants = constants_;
    constants.order = &order;
    constants.touched = nullptr;
    constants.instruction_limit = std::min(constants.instruction_limit, orders_for_nothing / 16 + 2 * executed_);
    const std::uint64_t before = total_executed.load();
    constants.watched.counters = false;
    constants.watched.trace_path.clear();
    std::optional<observers::launch_observation> observation;
    change_note changes;
    launch_state<Watched> d;
    set_up(d, observation, constants, d_.block_count, room(), changes);
    if (!constants_.cooperative) run_grid<Watched>(d, 1);
    if (!d.stopped && (constants_.cooperative || !d.waiting.empty()))
      static_cast<void>(take_turns<Watched>(d, d.waiting, !constants_.cooperative));
    d.waiting.clear();
    order_outcome outcome;
    outcome.executed = total_executed.load() - before;
    outcome.ended = d.first_fault.kind != fault_kind::instruction_limit;
    launch_report seen;
    if (observation) explain::fill(seen, *observation, names());
    outcome.findings = std::move(seen.findings);
    if (outcome.ended && d.first_fault.kind != fault_kind::none) outcome.findings.push_back(words_for(d));
    return outcome;
  }

  /// Raises the instruction limit by what waiting blocks have executed, because waiting must not use it up.
  void allow_for_waiting() {
    std::uint64_t now = 0;
    for (const auto& r : d_.waiting) now += r->b.executed;
    if (now > waited_) constants_.instruction_limit += now - waited_;
    waited_ = now;
  }

  const program& program_;
  launch_report* const report_;
  launch_constants constants_;
  std::uint64_t executed_ = 0;
  std::uint64_t waited_ = 0;  ///< Warp instructions of the waiting blocks when the launch last paused.
  const pausing where_;
  std::optional<observers::launch_observation> observation_;
  unsigned host_threads_ = 0;
  launch_state<Watched> d_;
  bool begun_ = false;
  memory::saved_pages saved_;
  std::optional<other_order> usual_;  ///< The usual order, if other orders will be tried.
};

}  // namespace

std::unique_ptr<launch_under_way> begin_launch(kernel& kernel, const launch_shape& shape, void* const* arguments,
                                               const options& watched, launch_report* report, pausing where) {
  const bool watch = report != nullptr && (watched.counters || watched.memcheck || watched.initcheck ||
                                           watched.racecheck || watched.synccheck);
  if (watch) return std::make_unique<running_launch<true>>(kernel, shape, arguments, watched, report, where);
  return std::make_unique<running_launch<false>>(kernel, shape, arguments, watched, report, where);
}

launch_outcome launch(kernel& kernel, const launch_shape& shape, void* const* arguments, const options& watched,
                      launch_report* report) {
  const auto one = begin_launch(kernel, shape, arguments, watched, report, pausing::never);
  static_cast<void>(one->resume(false));
  return one->end();
}

std::uint64_t warp_instructions_executed() {
  return total_executed.load(std::memory_order_relaxed);
}

std::uint64_t changes_noted() {
  return changes_of_all().count;
}

void note_change_from_outside() {
  changes_of_all().changed();
}

}  // namespace emulator::simt
