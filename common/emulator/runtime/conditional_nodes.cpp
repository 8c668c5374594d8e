#include "emulator/runtime/conditional_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::runtime {
namespace {

/// cudaGraphCondTypeSwitch, added in CUDA 12.8.
constexpr auto switch_node = static_cast<cudaGraphConditionalNodeType>(2);

/// The number of iterations after which a loop counts as endless.
constexpr std::uint64_t max_turns = 1'000'000;
/// The number of warp instructions of all iterations together after which a loop counts as endless, unless
/// --max-instructions sets a limit.
constexpr std::uint64_t max_instructions = 500'000'000;

void forget_value(memory::allocation& word) {
  word.written_unobserved = false;
  if (std::uint64_t* const bits = process_memory().memory.initialized_bits(word)) bits[0] &= ~std::uint64_t{0xf};
}

/// Returns the condition of a handle that was made for the graph or for a graph that contains it in a body.
std::shared_ptr<condition> find_condition(const graph& from, cudaGraphConditionalHandle handle) {
  for (const graph* in = &from; in != nullptr; in = in->parent) {
    for (const auto& one : in->conditions)
      if (one->handle() == handle) return one;
  }
  return nullptr;
}

bool has_such_size(cudaGraphConditionalNodeType type, unsigned size) {
  if (type == cudaGraphCondTypeIf) return size == 1 || size == 2;
  return type == cudaGraphCondTypeWhile ? size == 1 : type == switch_node && size >= 1;
}

/// Returns true if a body may contain a node of this type.
bool may_be_in_body(cudaGraphNodeType type) {
  static constexpr cudaGraphNodeType allowed[] = {cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy,
                                                  cudaGraphNodeTypeMemset, cudaGraphNodeTypeGraph,
                                                  cudaGraphNodeTypeEmpty,  cudaGraphNodeTypeConditional};
  return std::ranges::find(allowed, type) != std::end(allowed);
}

/// Returns why some of a body's work, including that of child graphs, is not allowed there; null if all of it is.
const char* refused_in_body(const std::vector<graph_work>& list) {
  for (const graph_work& work : list) {
    if (!may_be_in_body(work.type))
      return "cudaGraphInstantiate: a conditional node's body has a node that is not allowed there: kernels, copies, "
             "fills, empty nodes, child graphs and conditional nodes are allowed, host functions, events and memory "
             "are not";
    if (const auto* const facts = work.kernel == nullptr ? nullptr : facts_of(*work.kernel);
        facts != nullptr && facts->launches_kernels)
      return "cudaGraphInstantiate: a conditional node's body has a kernel that launches kernels, which is not allowed "
             "there";
    if (const char* const why = work.child == nullptr ? nullptr : refused_in_body(*work.child)) return why;
    for (const auto& body : work.bodies)
      if (const char* const why = refused_in_body(*body)) return why;
  }
  return nullptr;
}

void report(const graph_work& work, finding_kind kind, std::string message, const char* cure) {
  device::instance().add_call_finding(
      {.what = {.kind = kind, .message = std::move(message), .cure = cure}, .where = work.where});
}

/// Reads the node's condition, as a piece of work that is ordered after `clock`.
unsigned look(const graph_work& work, work_clock& clock) {
  unsigned value = 0;
  static_cast<void>(
      stream_order::instance().run_node({work.place, work.device, work.what, work.where}, clock, [&work, &value] {
        memory::touched_bytes* const touched = stream_order::instance().touched();
        if (const memory::allocation* const word = work.branches->by->word(); touched != nullptr && word != nullptr)
          touched->note(*word, word->begin, sizeof(unsigned), memory::touch::read);
        bool is_set = false;
        value = work.branches->by->read(is_set);
        if (!is_set && device::instance().current_options().initcheck) {
          report(work, finding_kind::condition_without_value,
                 "A conditional node decides by a condition that has no value in this launch of its graph: it has no "
                 "default, and no kernel before the node has called cudaGraphSetConditional.",
                 "Create the handle with a default value and cudaGraphCondAssignDefault, or let a kernel before "
                 "the node set it in each launch.");
        }
        return cudaSuccess;
      }));
  return value;
}

/// Returns the body that the value selects; null if none.
const std::vector<graph_work>* chosen_body(const graph_work& work, unsigned value) {
  const std::size_t which = work.branches->type == switch_node ? value : (value == 0 ? 1 : 0);
  return which < work.bodies.size() ? work.bodies[which].get() : nullptr;
}

/// The abilities of the kernels in a loop's body, including nested bodies.
struct abilities {
  bool set_conditions = false, read_clock = false;
};

abilities abilities_of(const std::vector<graph_work>& list) {
  abilities all;
  const auto add = [&all](const abilities& more) {
    all.set_conditions = all.set_conditions || more.set_conditions;
    all.read_clock = all.read_clock || more.read_clock;
  };
  for (const graph_work& work : list) {
    if (work.kernel != nullptr) {
      // An unknown kernel may do anything.
      const observers::kernel_facts* const facts = facts_of(*work.kernel);
      add({facts == nullptr || facts->sets_conditions, facts == nullptr || facts->reads_clock});
    }
    if (work.child != nullptr) add(abilities_of(*work.child));
    for (const auto& body : work.bodies) add(abilities_of(*body));
  }
  return all;
}

/// Watches the iterations of a loop.
class loop_watch {
 public:
  explicit loop_watch(const graph_work& loop)
      : loop_(loop), able_(abilities_of(*loop.bodies.front())), begun_at_(simt::warp_instructions_executed()) {
    const std::uint64_t given = device::instance().current_options().max_instructions;
    most_ = given != 0 ? given : max_instructions;
  }

  void turn_begins() {
    ++turns_;
    // Only in iterations 2, 4, 8 …, because a hash of all memory takes time.
    compares_ = turns_ > 1 && std::has_single_bit(turns_) && !able_.read_clock;
    if (compares_) before_ = process_memory().memory.fingerprint();
  }

  /// Returns why the loop, whose condition is not 0 after this iteration, is endless; an empty string if it may end.
  [[nodiscard]] std::string why_endless() const {
    if (!able_.set_conditions) return "no kernel in its body calls cudaGraphSetConditional";
    if (compares_ && before_ == process_memory().memory.fingerprint())
      return fmt::format("iteration {} changed nothing in memory, so all further iterations will do the same", turns_);
    const std::uint64_t executed = simt::warp_instructions_executed() - begun_at_;
    if (turns_ >= max_turns || executed > most_)
      return fmt::format("after {} iterations and {} warp instructions, its condition is still not 0", turns_,
                         executed);
    return {};
  }

  void tell(const std::string& why) const {
    const std::string words = fmt::format("An endless loop: the while node never ends: {}", why);
    report(loop_, finding_kind::endless_while_node, words + ".",
           "Let a kernel in the body call cudaGraphSetConditional(handle, 0) to end the loop, and check what it "
           "compares. To allow more iterations, use --max-instructions.");
    announce_once(words);
    device::instance().set_sticky_error(cudaErrorLaunchTimeout);
  }

 private:
  const graph_work& loop_;
  abilities able_;
  std::uint64_t begun_at_, most_ = 0, turns_ = 0, before_ = 0;
  bool compares_ = false;
};

cudaError_t run_loop(const graph_work& work, work_clock& clock) {
  const auto locked = [](const auto& body) { return on_emulator<after_fault::refused>(body); };
  std::unique_ptr<loop_watch> watch;
  for (;;) {
    bool again = false;
    const cudaError_t looked = locked([&] {
      again = look(work, clock) != 0;
      if (again && watch == nullptr)
        watch = std::make_unique<loop_watch>(work);
      else if (again)
        if (const std::string why = watch->why_endless(); !why.empty()) {
          watch->tell(why);
          again = false;
        }
      if (again) watch->turn_begins();
      return cudaSuccess;
    });
    if (looked != cudaSuccess || !again) return looked;
    const work_clock begin = clock;
    if (const cudaError_t error = run_list(*work.bodies.front(), begin, clock); error != cudaSuccess) return error;
  }
}

}  // namespace

condition::condition(unsigned default_value, bool has_default)
    : address_(
          process_memory().memory.allocate(sizeof(unsigned), memory::origin::module_variable, "condition of a graph")),
      default_value_(default_value),
      has_default_(has_default) {
  if (address_ == 0) throw std::bad_alloc();
  memory::allocation* const made = process_memory().memory.find(address_);
  made->condition = memory::condition_state::idle;
  serial_ = made->serial;
}

condition::~condition() {
  if (word() != nullptr) static_cast<void>(process_memory().memory.free(address_));
}

memory::allocation* condition::word() const {
  memory::allocation* const there = process_memory().memory.find(address_);
  return there != nullptr && there->serial == serial_ ? there : nullptr;
}

void condition::begin_launch() const {
  memory::allocation* const there = word();
  if (there == nullptr) return;
  there->condition = memory::condition_state::in_launch;
  forget_value(*there);
  if (!has_default_) return;
  std::memcpy(reinterpret_cast<void*>(address_), &default_value_, sizeof default_value_);
  process_memory().memory.mark_initialized(address_, sizeof default_value_);
}

void condition::end_launch() const {
  if (memory::allocation* const there = word()) there->condition = memory::condition_state::idle;
}

unsigned condition::read(bool& is_set) const {
  memory::allocation* const there = word();
  is_set = false;
  if (there == nullptr) return 0;
  const std::uint64_t* const bits = process_memory().memory.initialized_bits(*there);
  is_set = there->written_unobserved || bits == nullptr || (bits[0] & 0xf) != 0;
  unsigned value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address_), sizeof value);
  return value;
}

cudaError_t make_condition(graph& of, unsigned default_value, unsigned flags, cudaGraphConditionalHandle& handle) {
  if ((flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault)) != 0) return cudaErrorInvalidValue;
  try {
    of.conditions.push_back(std::make_shared<condition>(default_value, flags == cudaGraphCondAssignDefault));
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  }
  handle = of.conditions.back()->handle();
  return cudaSuccess;
}

cudaError_t branching_work(graph& into, cudaConditionalNodeParams& given, graph_work& work) {
  if (!has_such_size(given.type, given.size)) {
    explain(
        "cudaGraphAddNode: a conditional node must have 1 or 2 bodies (if), 1 (while), or at least 1 (switch): check "
        "its type and size");
    return cudaErrorInvalidValue;
  }
  std::shared_ptr<condition> by = find_condition(into, given.handle);
  if (by == nullptr || by->has_node) {
    explain(
        by == nullptr
            ? "cudaGraphAddNode: the conditional node's handle does not belong to this graph: create it with "
              "cudaGraphConditionalHandleCreate for the graph that the node is added to"
            : "cudaGraphAddNode: the handle is used by a conditional node already: create one handle for each node");
    return cudaErrorInvalidValue;
  }
  by->has_node = true;
  auto made = std::make_shared<branching>();
  made->by = std::move(by);
  made->type = given.type;
  for (unsigned k = 0; k < given.size; ++k) {
    auto body = std::make_unique<graph>();
    body->parent = &into;
    made->bodies.push_back(graph_table::instance().add(std::move(body)));
  }
  given.phGraph_out = made->bodies.data();
  work.type = cudaGraphNodeTypeConditional;
  work.branches = std::move(made);
  return cudaSuccess;
}

cudaError_t check_branches(const graph& which) {
  if (which.parent != nullptr) {
    explain(
        "cudaGraphInstantiate: a body of a conditional node cannot be instantiated alone: instantiate the graph with "
        "that node");
    return cudaErrorNotSupported;
  }
  std::vector<graph_work> list;
  if (!list_work(which, list)) return cudaErrorInvalidValue;
  for (const graph_work& work : list) {
    if (work.branches == nullptr) continue;
    if (graph_table::instance().is_instantiated(work.node)) {
      explain("a graph with conditional nodes can have only one executable graph at a time: destroy the first one");
      return cudaErrorNotSupported;
    }
    for (const auto& body : work.bodies) {
      const char* const why = refused_in_body(*body);
      if (why == nullptr) continue;
      explain(why);
      return cudaErrorInvalidValue;
    }
  }
  return cudaSuccess;
}

void for_each_condition(const std::vector<graph_work>& list, void (condition::*act)() const) {
  for (const graph_work& work : list) {
    if (work.branches != nullptr) (*work.branches->by.*act)();
    for (const auto& body : work.bodies) for_each_condition(*body, act);
  }
}

cudaGraphExecUpdateResult compare_branches(const graph_work& old, const graph_work& changed) {
  if (old.branches == nullptr) return cudaGraphExecUpdateSuccess;
  if (old.branches->type != changed.branches->type || old.bodies.size() != changed.bodies.size())
    return cudaGraphExecUpdateErrorNotSupported;
  for (std::size_t k = 0; k < old.bodies.size(); ++k) {
    const std::vector<graph_work>&mine = *old.bodies[k], &theirs = *changed.bodies[k];
    if (mine.size() != theirs.size()) return cudaGraphExecUpdateErrorTopologyChanged;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      if (mine[i].type != theirs[i].type) return cudaGraphExecUpdateErrorNodeTypeChanged;
      const cudaGraphExecUpdateResult inner = compare_branches(mine[i], theirs[i]);
      if (inner != cudaGraphExecUpdateSuccess) return inner;
    }
  }
  return cudaGraphExecUpdateSuccess;
}

cudaError_t run_branches(const graph_work& work, work_clock& clock) {
  if (work.branches->type == cudaGraphCondTypeWhile) return run_loop(work, clock);
  const std::vector<graph_work>* body = nullptr;
  const cudaError_t looked = on_emulator<after_fault::refused>([&] {
    body = chosen_body(work, look(work, clock));
    return cudaSuccess;
  });
  if (looked != cudaSuccess || body == nullptr) return looked;
  const work_clock begin = clock;
  return run_list(*body, begin, clock);
}

}  // namespace emulator::runtime
