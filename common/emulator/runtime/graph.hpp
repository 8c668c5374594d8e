#pragma once
/// \file
/// CUDA graphs of the emulated device: work that is recorded once and can be executed repeatedly. The device does one
/// thing at a time, so an executable graph is a list in an order that respects the dependencies.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/call_stack.hpp"
#include "emulator/runtime/handle_table.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

class condition;
struct branching;
struct graph_node;
class work_clock;

/// The work of one node.
struct graph_work {
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  std::function<cudaError_t()> run;           ///< Empty if there is nothing to do.
  std::shared_ptr<const kept_launch> kernel;  ///< Launch of a kernel node; also used by cudaGraphKernelNodeGetParams.
  std::shared_ptr<std::vector<graph_work>> child;  ///< For a child graph's node: the work of that graph, in order.
  /// The device it runs on: the one that was current when the node was created.
  int device = memory::current_device();
  call_stack where = {};  ///< The call that created it.
  std::string what = {};  ///< "kernel add(int*)", or the name of that call.
  /// In an executable graph: its own stream number for `stream_order`.
  std::uint64_t place = 0;
  bool enabled = true;  ///< In an executable graph: false if the node is skipped.
  /// Address of the memory that this node allocates or frees; otherwise 0.
  std::uintptr_t memory = 0;
  std::vector<std::size_t> after = {};             ///< In a list: the indices of the work that it depends on.
  std::shared_ptr<const branching> branches = {};  ///< For a conditional node: its condition and bodies.
  /// In a list, for a conditional node: the work of its bodies, each in order.
  std::vector<std::shared_ptr<std::vector<graph_work>>> bodies = {};
  const graph_node* node = nullptr;  ///< In a list: its node, which may no longer exist.
};

/// Returns the work of a kernel node.
[[nodiscard]] inline graph_work kernel_work(std::shared_ptr<const kept_launch> kept) {
  return {cudaGraphNodeTypeKernel, [kept] { return launch_on_emulator(kept->request()); }, kept, nullptr};
}

/// Stores where a node's work comes from: the call in progress.
void note_origin(graph_work& work);

struct graph_node {
  graph_work work;
  std::vector<graph_node*> after;  ///< The nodes of the same graph that it depends on.
};

/// A graph as the program builds or captures it. Its address is the handle, and so are the addresses of its nodes.
struct graph {
  std::vector<std::unique_ptr<graph_node>> nodes;
  std::vector<std::shared_ptr<condition>> conditions;  ///< For its conditional nodes, and those of its bodies.
  /// For the body of a conditional node: the graph that contains this node.
  const graph* parent = nullptr;

  graph_node* add(graph_work work, std::vector<graph_node*> after);
  [[nodiscard]] bool contains(const graph_node* node) const;
  /// Returns the nodes in an order in which each follows its dependencies, and otherwise in the order in which they
  /// were added. If there is a cycle, some nodes are missing.
  [[nodiscard]] std::vector<graph_node*> ordered() const;
  /// Returns a graph with the same nodes.
  [[nodiscard]] std::unique_ptr<graph> clone() const;
};

/// An instantiated graph: a copy that is not affected by later changes to the graph.
struct executable_graph {
  std::vector<graph_work> steps;
  bool frees_on_launch = false;  ///< A launch frees memory that is left from the previous one.

  /// Returns the copy of a node, which may be in a body, or null.
  [[nodiscard]] graph_work* find(const graph_node* node);
};

/// The live graphs and executable graphs; their addresses are the handles. Used under the device's mutex.
class graph_table {
 public:
  static graph_table& instance() { return singleton<graph_table>(); }

  cudaGraph_t add(std::unique_ptr<graph> made) { return graphs_.add(std::move(made)); }
  /// Returns the graph, or null if the handle is invalid.
  [[nodiscard]] graph* find(cudaGraph_t handle) { return graphs_.find(handle); }
  /// Returns the graph that a node belongs to, or null if the handle is invalid.
  [[nodiscard]] graph* owner_of(cudaGraphNode_t handle);
  /// Destroys a graph and the bodies of its conditional nodes. Returns false if the handle is invalid.
  [[nodiscard]] bool destroy(cudaGraph_t handle);

  cudaGraphExec_t add(std::unique_ptr<executable_graph> made) { return executables_.add(std::move(made)); }
  [[nodiscard]] executable_graph* find(cudaGraphExec_t handle) { return executables_.find(handle); }
  [[nodiscard]] bool destroy(cudaGraphExec_t handle) { return executables_.destroy(handle); }

  /// Returns true if an executable graph has a copy of the node.
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

/// Lists the work of a graph's nodes in order. \return false if there is a cycle of dependencies
[[nodiscard]] bool list_work(const graph& from, std::vector<graph_work>& into);

/// Numbers each piece of work, including the work in child graphs.
void number_work(graph_work& work);

/// Executes a list after `begin`, and joins the time at which all of it has ended to `end`. For the lock, see
/// `run_work`.
[[nodiscard]] cudaError_t run_list(const std::vector<graph_work>& list, const work_clock& begin, work_clock& end);

/// Executes work in order until it fails. Host functions are called without the device's lock, so the caller must not
/// hold it.
/// \param stream  the stream that the graph was launched into, for the order of streams
[[nodiscard]] cudaError_t run_work(const std::vector<graph_work>& list, cudaStream_t stream);

}  // namespace emulator::runtime
