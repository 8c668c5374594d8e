#pragma once
/// \file
/// CUDA graphs of the emulated device: work that is written down once and carried out as often as a program likes. The
/// device does one thing at a time, so an executable graph is a list in an order that respects the dependencies.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/only_one.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/handle_table.hpp"
#include "emulator/runtime/launcher.hpp"

namespace emulator::runtime {

class condition;
struct branching;
struct graph_node;
class work_clock;

/// What one node does.
struct graph_work {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> run;                ///< Empty where there is nothing to do.
  std::shared_ptr<const kept_launch> kernel;       ///< Of a kernel node: for who asks for its parameters.
  std::shared_ptr<std::vector<graph_work>> child;  ///< Of a child graph's node: that graph's work, in order.
  int device = memory::current_device();           ///< On which it is done: that was current when it was written down.
  call_stack where = {};                           ///< The call that did so.
  std::string what = {};                           ///< "kernel add(int*)", or that call.
  std::uint64_t place = 0;                         ///< In an executable graph: its own number in the order of streams.
  bool enabled = true;                             ///< In an executable graph; else nothing is done in its turn.
  std::uintptr_t memory = 0;                       ///< That it brings or frees: where the memory begins.
  std::vector<std::size_t> after = {};             ///< In a list: the places of those that come before it.
  std::shared_ptr<const branching> branches = {};  ///< Of a conditional node.
  /// In a list, of a conditional node: the work of its bodies, each in order.
  std::vector<std::shared_ptr<std::vector<graph_work>>> bodies = {};
  const graph_node* node = nullptr;  ///< In a list: whose work it is; that node may be gone.
};

/// Returns the work of a kernel node.
[[nodiscard]] inline graph_work kernel_work(std::shared_ptr<const kept_launch> kept) {
  return {cudaGraphNodeTypeKernel, [kept] { return launch_on_emulator(kept->request()); }, kept, nullptr};
}

/// Fills in what a node's work is known by: the call in progress.
void note_origin(graph_work& work);

struct graph_node {
  graph_work work;
  std::vector<graph_node*> after;  ///< What must be done before: nodes of the same graph.
};

/// A graph as the program builds or captures it. Its address is the handle; so are the nodes' addresses.
struct graph {
  std::vector<std::unique_ptr<graph_node>> nodes;
  std::vector<std::shared_ptr<condition>> conditions;  ///< For its conditional nodes, and those of its bodies.
  const graph* parent = nullptr;                       ///< Of a body of a conditional node: the graph with that node.

  graph_node* add(graph_work work, std::vector<graph_node*> after);
  [[nodiscard]] bool contains(const graph_node* node) const;
  /// Returns the nodes so that each stands behind those it depends on, else as they were added; fewer than all where
  /// dependencies form a circle.
  [[nodiscard]] std::vector<graph_node*> ordered() const;
  /// Returns a graph with the same nodes.
  [[nodiscard]] std::unique_ptr<graph> clone() const;
};

/// A graph made ready to run: a copy, which later changes to the graph do not reach.
struct executable_graph {
  std::vector<graph_work> steps;
  bool frees_on_launch = false;  ///< What is left of the last launch's memory.

  /// Returns the copy of a node, also of one in a body, or null.
  [[nodiscard]] graph_work* find(const graph_node* node);
};

/// The live graphs and executable graphs; their addresses are the handles. Used under the device's mutex.
class graph_table {
 public:
  static graph_table& instance() { return only_one<graph_table>(); }

  cudaGraph_t add(std::unique_ptr<graph> made) { return graphs_.add(std::move(made)); }
  /// Returns the graph, or null where the handle is none.
  [[nodiscard]] graph* find(cudaGraph_t handle) { return graphs_.find(handle); }
  /// Returns the graph that a node belongs to, or null where the handle is no node.
  [[nodiscard]] graph* owner_of(cudaGraphNode_t handle);
  /// Destroys a graph, with the bodies of its conditional nodes. Returns false where the handle is none.
  [[nodiscard]] bool destroy(cudaGraph_t handle);

  cudaGraphExec_t add(std::unique_ptr<executable_graph> made) { return executables_.add(std::move(made)); }
  [[nodiscard]] executable_graph* find(cudaGraphExec_t handle) { return executables_.find(handle); }
  [[nodiscard]] bool destroy(cudaGraphExec_t handle) { return executables_.destroy(handle); }

  /// Says whether an executable graph has a copy of the node.
  [[nodiscard]] bool is_instantiated(const graph_node* node);

  void clear();

 private:
  handle_table<graph, cudaGraph_t> graphs_;
  handle_table<executable_graph, cudaGraphExec_t> executables_;
};

[[nodiscard]] inline graph_node* node_of(cudaGraphNode_t handle) {
  return reinterpret_cast<graph_node*>(handle);
}
[[nodiscard]] inline cudaGraphNode_t handle_of(graph_node* node) {
  return reinterpret_cast<cudaGraphNode_t>(node);
}

/// Returns the work of a graph's nodes in order. \return false where dependencies form a circle
[[nodiscard]] bool list_work(const graph& from, std::vector<graph_work>& into);

/// Gives each piece of work a number of its own, child graphs' among them.
void number_work(graph_work& work);

/// Carries out a list behind `begin`, and adds to `end` what comes behind all of it. The lock as below.
[[nodiscard]] cudaError_t run_list(const std::vector<graph_work>& list, const work_clock& begin, work_clock& end);

/// Carries out work in order until something fails. Host functions are called outside of the device's lock, which the
/// caller must not hold.
/// \param stream  into which the graph was launched, for the order of streams
[[nodiscard]] cudaError_t run_work(const std::vector<graph_work>& list, cudaStream_t stream);

}  // namespace emulator::runtime
