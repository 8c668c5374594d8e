#include "emulator/runtime/graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/conditional_nodes.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"

namespace emulator::runtime {
namespace {

graph_work* find_in(std::vector<graph_work>& list, const graph_node* node) {
  for (graph_work& work : list) {
    if (work.node == node) return &work;
    for (const auto& body : work.bodies)
      if (graph_work* const found = find_in(*body, node)) return found;
  }
  return nullptr;
}

/// Lists the work of a conditional node's bodies.
bool list_bodies(graph_work& work) {
  for (cudaGraph_t body : work.branches->bodies) {
    const graph* const found = graph_table::instance().find(body);
    work.bodies.push_back(std::make_shared<std::vector<graph_work>>());
    if (found == nullptr || !list_work(*found, *work.bodies.back())) return false;
  }
  return true;
}

/// Executes one node's work after `clock`, and sets `clock` to the time after it.
cudaError_t run_one(const graph_work& work, work_clock& clock) {
  if (work.branches != nullptr) return run_branches(work, clock);
  if (work.child != nullptr) return run_list(*work.child, work_clock(clock), clock);
  if (!work.run) return cudaSuccess;
  if (work.type != cudaGraphNodeTypeHost) {
    return on_emulator<after_fault::refused>([&] {
      return stream_order::instance().run_node({work.place, work.device, work.what, work.where}, clock, work.run);
    });
  }
  const cudaError_t error = on_emulator<after_fault::refused>([&clock] {
    // The function runs after everything that precedes the node, and other host threads can learn from it that this has
    // ended.
    stream_order::instance().host_waited_for(clock);
    return cudaSuccess;
  });
  return error != cudaSuccess ? error : work.run();
}

}  // namespace

graph_node* graph::add(graph_work work, std::vector<graph_node*> after) {
  return nodes.emplace_back(std::make_unique<graph_node>(graph_node{std::move(work), std::move(after)})).get();
}

bool graph::contains(const graph_node* node) const {
  return std::ranges::any_of(nodes, [&](const auto& one) { return one.get() == node; });
}

std::vector<graph_node*> graph::ordered() const {
  std::vector<graph_node*> order;
  std::set<const graph_node*> done;
  // Each pass takes the nodes that have become ready. Captured graphs need one pass, because their nodes were added in
  // order.
  for (bool progress = true; progress && order.size() < nodes.size();) {
    progress = false;
    for (const auto& node : nodes) {
      const bool is_free =
          std::ranges::all_of(node->after, [&](const graph_node* before) { return done.count(before) != 0; });
      if (!is_free || !done.insert(node.get()).second) continue;
      order.push_back(node.get());
      progress = true;
    }
  }
  return order;
}

std::unique_ptr<graph> graph::clone() const {
  auto copy = std::make_unique<graph>();
  std::map<const graph_node*, graph_node*> copy_of;
  for (const auto& node : nodes) copy_of[node.get()] = copy->add(node->work, node->after);
  for (const auto& node : copy->nodes) {
    for (graph_node*& before : node->after) before = copy_of.at(before);
  }
  return copy;
}

graph_work* executable_graph::find(const graph_node* node) {
  return find_in(steps, node);
}

graph* graph_table::owner_of(cudaGraphNode_t handle) {
  for (const auto& entry : graphs_) {
    if (entry.second->contains(node_of(handle))) return entry.second.get();
  }
  return nullptr;
}

bool graph_table::destroy(cudaGraph_t handle) {
  const graph* const found = find(handle);
  if (found == nullptr) return false;
  for (const auto& node : found->nodes) {
    if (node->work.branches == nullptr) continue;
    for (cudaGraph_t body : node->work.branches->bodies) static_cast<void>(destroy(body));
  }
  return graphs_.destroy(handle);
}

bool graph_table::is_instantiated(const graph_node* node) {
  return std::ranges::any_of(executables_, [node](const auto& entry) { return entry.second->find(node) != nullptr; });
}

void graph_table::clear() {
  graphs_.clear();
  executables_.clear();
}

void note_origin(graph_work& work) {
  const call_in_progress* const call = call_in_progress::innermost();
  if (call == nullptr) return;
  work.where = call->stack();
  work.what = work.kernel != nullptr     ? work.kernel->what()
              : work.branches != nullptr ? "the conditional node"
                                         : call->name();
}

bool list_work(const graph& from, std::vector<graph_work>& into) {
  const std::vector<graph_node*> order = from.ordered();
  std::map<const graph_node*, std::size_t> place_of;
  for (graph_node* node : order) {
    graph_work work = node->work;
    work.after.clear();
    work.node = node;
    if (work.branches != nullptr && !list_bodies(work)) return false;
    for (const graph_node* before : node->after) work.after.push_back(place_of.at(before));
    place_of.emplace(node, into.size());
    into.push_back(std::move(work));
  }
  return order.size() == from.nodes.size();
}

void number_work(graph_work& work) {
  work.place = timeline::instance().next_id();
  for (auto& body : work.bodies) {
    body = std::make_shared<std::vector<graph_work>>(*body);
    for (graph_work& one : *body) number_work(one);
  }
  if (work.child == nullptr) return;
  work.child = std::make_shared<std::vector<graph_work>>(*work.child);
  for (graph_work& one : *work.child) number_work(one);
}

cudaError_t run_list(const std::vector<graph_work>& list, const work_clock& begin, work_clock& end) {
  std::vector<work_clock> ends;
  for (const graph_work& work : list) {
    work_clock after = begin;
    for (const std::size_t before : work.after) after.join(ends.at(before));
    ends.push_back(after);
    const memory::on_device owner(work.device);
    const cudaError_t error = work.enabled ? run_one(work, ends.back()) : cudaSuccess;
    end.join(ends.back());
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t run_work(const std::vector<graph_work>& list, cudaStream_t stream) {
  work_clock begin;
  static_cast<void>(on_emulator<after_fault::allowed>([&] {
    for_each_condition(list, &condition::begin_launch);
    if (const stream_record* const in = timeline::instance().find(stream))
      begin = stream_order::instance().begin_graph(*in);
    return cudaSuccess;
  }));
  work_clock end = begin;
  const cudaError_t error = run_list(list, begin, end);
  static_cast<void>(on_emulator<after_fault::allowed>([&] {
    for_each_condition(list, &condition::end_launch);
    if (const stream_record* const in = timeline::instance().find(stream)) stream_order::instance().end_graph(*in, end);
    return cudaSuccess;
  }));
  return error;
}

}  // namespace emulator::runtime
