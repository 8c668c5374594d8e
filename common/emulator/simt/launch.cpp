// Launches: blocks dealt out to the host's threads, or, where they must all be in flight, taking turns on one.

#include "emulator/simt/launch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "emulator/memory/global_memory.hpp"
#include "emulator/observers/launch_observation.hpp"
#include "emulator/simt/interpreter.hpp"
#include "emulator/simt/module.hpp"

namespace emulator::simt {
namespace {

using observers::block_identity;
using observers::fault_kind;

std::atomic<std::uint64_t> total_executed{0};
std::atomic<std::uint64_t> launches{0};

/// Warp instructions that a block may execute by default: minutes of a kernel that ends, seconds of one that never
/// does.
constexpr std::uint64_t default_instruction_limit = 500'000'000;

/// Warp instructions a block of a cooperative launch runs before the next one has its turn.
constexpr std::uint64_t cooperative_slice = 20'000;

launch_constants make_constants(const program& p, const launch_shape& shape, void* const* arguments,
                                const options& watched) {
  launch_constants c;
  c.code = &p;
  std::copy_n(shape.grid, 3, c.grid);
  std::copy_n(shape.block, 3, c.dimensions);
  c.thread_count = shape.block[0] * shape.block[1] * shape.block[2];
  c.warp_count = (c.thread_count + warp_size - 1) / warp_size;
  c.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  c.shared_bytes = p.static_shared_bytes + shape.dynamic_shared_bytes;
  if (!p.local_objects.empty() && p.local_objects[0].begin == 0) c.first_local_bytes = p.local_objects[0].end;
  c.local_bytes = p.local_bytes + (p.routines.empty() ? 0 : shape.stack_bytes);
  c.grid_id = ++launches;
  c.unset_byte = watched.unset_byte;
  c.instruction_limit = watched.max_instructions == 0 ? default_instruction_limit : watched.max_instructions;
  c.parameters.resize(p.parameter_bytes);
  for (std::size_t k = 0; k < p.parameter_offsets.size(); ++k) {
    std::memcpy(c.parameters.data() + p.parameter_offsets[k], arguments[k], p.parameter_sizes[k]);
  }
  return c;
}

/// What may be pointers among the parameters, also inside of structs.
std::vector<observers::parameter_word> wide_parameters(const program& p, const launch_constants& c) {
  std::vector<observers::parameter_word> words;
  for (std::size_t k = 0; k < p.parameter_offsets.size(); ++k) {
    for (std::size_t at = 0; at + 8 <= p.parameter_sizes[k]; at += 8) {
      observers::parameter_word word{k, 0, p.parameter_sizes[k] != 8};
      std::memcpy(&word.value, c.parameters.data() + p.parameter_offsets[k] + at, 8);
      words.push_back(word);
    }
  }
  return words;
}

block_identity identify(const launch_constants& c, std::uint64_t linear) {
  block_identity id;
  id.linear = linear;
  id.index[0] = static_cast<std::uint32_t>(linear % c.grid[0]);
  id.index[1] = static_cast<std::uint32_t>(linear / c.grid[0] % c.grid[1]);
  id.index[2] = static_cast<std::uint32_t>(linear / c.grid[0] / c.grid[1]);
  id.thread_count = c.thread_count;
  id.warp_count = c.warp_count;
  std::copy_n(c.dimensions, 3, id.dimensions);
  id.shared_bytes = c.shared_bytes;
  return id;
}

/// What the host threads of one launch share.
struct deal {
  const launch_constants* constants = nullptr;
  std::uint64_t block_count = 0;
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  observers::fault first_fault;  ///< Of the lowest block that faulted: the same for any number of host threads.
  std::exception_ptr error;

  void keep(const observers::fault& f) {
    const std::scoped_lock lock(mutex);
    if (first_fault.kind == fault_kind::none || f.block.linear < first_fault.block.linear) first_fault = f;
    stopped = true;
  }
};

/// Runs blocks until none is left. Blocks are taken in rising order, and one that was taken is finished.
template <bool Watched>
void work(deal& d, observers::launch_observation* observation) {
  std::unique_ptr<observers::block_observer> observer;
  if constexpr (Watched) observer = std::make_unique<observers::block_observer>(*observation);
  interpreter<Watched> machine(observer.get());
  block b;
  std::uint64_t executed = 0;
  while (!d.stopped.load(std::memory_order_relaxed)) {
    const std::uint64_t linear = d.next.fetch_add(1, std::memory_order_relaxed);
    if (linear >= d.block_count) break;
    start_block(b, *d.constants, identify(*d.constants, linear));
    if constexpr (Watched) observer->begin_block(b.identity);
    turn t = turn::more;
    while (t == turn::more) t = machine.run(b, ~std::uint64_t{0} >> 1);
    if constexpr (Watched) observer->end_block();
    executed += b.executed;
    if (t == turn::faulted) d.keep(b.fault);
  }
  total_executed.fetch_add(executed, std::memory_order_relaxed);
}

template <bool Watched>
void run_grid(deal& d, observers::launch_observation* observation, unsigned host_threads) {
  const unsigned wanted = host_threads != 0 ? host_threads : std::max(1u, std::thread::hardware_concurrency());
  // Starting a thread costs as much as some hundred blocks' instructions.
  const std::uint64_t warps = d.block_count * d.constants->warp_count;
  const auto threads =
      static_cast<unsigned>(std::min<std::uint64_t>({wanted, d.block_count, std::max<std::uint64_t>(1, warps / 64)}));
  const auto guarded = [&] {
    try {
      work<Watched>(d, observation);
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
    // The system gives no more threads: those that there are do the work.
  }
  guarded();
  for (std::thread& t : helpers) t.join();
  if (d.error) std::rethrow_exception(d.error);
}

/// All blocks are in flight at once and take turns, so that they can wait for each other.
template <bool Watched>
void run_cooperative(deal& d, observers::launch_observation* observation) {
  struct resident {
    std::unique_ptr<observers::block_observer> observer;
    std::unique_ptr<interpreter<Watched>> machine;
    block b;
    bool done = false;
  };
  std::vector<resident> blocks(d.block_count);
  for (std::uint64_t k = 0; k < d.block_count; ++k) {
    resident& r = blocks[k];
    if constexpr (Watched) r.observer = std::make_unique<observers::block_observer>(*observation);
    r.machine = std::make_unique<interpreter<Watched>>(r.observer.get());
    start_block(r.b, *d.constants, identify(*d.constants, k));
    if constexpr (Watched) r.observer->begin_block(r.b.identity);
  }
  std::uint64_t left = d.block_count;
  while (left != 0 && !d.stopped) {
    for (resident& r : blocks) {
      if (r.done) continue;
      const turn t = r.machine->run(r.b, cooperative_slice);
      if (t == turn::more) continue;
      r.done = true;
      --left;
      if constexpr (Watched) r.observer->end_block();
      if (t == turn::faulted) d.keep(r.b.fault);
    }
  }
  std::uint64_t executed = 0;
  for (const resident& r : blocks) executed += r.b.executed;
  total_executed.fetch_add(executed, std::memory_order_relaxed);
}

void describe_shape(launch_report& report, const program& p, const launch_shape& shape) {
  report.kernel = p.facts.demangled;
  report.mangled = p.facts.mangled;
  std::copy_n(shape.grid, 3, report.grid);
  std::copy_n(shape.block, 3, report.block);
  report.static_shared_bytes = p.static_shared_bytes;
  report.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  report.registers_per_thread = p.facts.registers_per_thread;
}

}  // namespace

std::uint64_t warp_instructions_executed() {
  return total_executed.load(std::memory_order_relaxed);
}

launch_outcome launch(kernel& kernel, const launch_shape& shape, void* const* arguments, const options& watched,
                      launch_report* report) {
  const program& p = static_cast<decoded_kernel&>(kernel).code();
  launch_constants constants = make_constants(p, shape, arguments, watched);
  auto& memory = memory::global_memory::instance();
  if (shape.cooperative) {
    constants.workspace = memory.allocate(64, memory::origin::module_variable, "the grid's barrier");
    memory.mark_initialized(constants.workspace, 64);
  }
  const bool watch = report != nullptr && (watched.counters || watched.memcheck || watched.initcheck ||
                                           watched.racecheck || watched.synccheck);
  std::optional<observers::launch_observation> observation;
  if (watch) {
    observation.emplace(p.facts, watched);
    observation->set_grid(shape.grid);
    observation->set_parameters(wide_parameters(p, constants));
  }
  // Where blocks pass data on to each other, they run one after the other: counts stay the same in every run. So they
  // do where memory may go away between the check of an access and the access.
  const bool in_turn = p.frees || (watch && observation->blocks_meet());
  const unsigned host_threads = in_turn ? 1 : watched.host_threads;

  deal d;
  d.constants = &constants;
  d.block_count = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  if (shape.cooperative)
    watch ? run_cooperative<true>(d, &*observation) : run_cooperative<false>(d, nullptr);
  else
    watch ? run_grid<true>(d, &*observation, host_threads) : run_grid<false>(d, nullptr, host_threads);
  if (constants.workspace != 0) memory.free(constants.workspace);
  std::fflush(stdout);

  launch_outcome outcome;
  outcome.fault = d.first_fault.kind;
  std::optional<finding> words;
  if (outcome.fault != fault_kind::none) {
    words = observers::describe(observers::naming(p.facts, wide_parameters(p, constants)), d.first_fault);
    outcome.message = words->message;
    if (!words->detail.empty()) outcome.message += "\n" + words->detail;
  }
  if (report != nullptr) {
    describe_shape(*report, p, shape);
    report->completed = outcome.fault == fault_kind::none;
    if (observation) observation->fill(*report);
    if (words && outcome.fault != fault_kind::unsupported) report->findings.insert(report->findings.begin(), *words);
  }
  return outcome;
}

}  // namespace emulator::simt
