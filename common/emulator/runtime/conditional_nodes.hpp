#pragma once
/// \file
/// Conditional nodes of graphs. A launch runs their bodies, skips them, or repeats them, depending on a condition that
/// kernels set.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/runtime/graph.hpp"

namespace emulator::memory {
struct allocation;
}

namespace emulator::runtime {

/// The value of a conditional handle. It is a word of device memory, and its address is the handle. It only has a
/// value, and kernels may only set it, while its graph runs. It lives as long as the graph and its executable graph.
class condition {
 public:
  /// \throws std::bad_alloc  if there is no device memory left
  condition(unsigned default_value, bool has_default);
  ~condition();
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  [[nodiscard]] std::uintptr_t handle() const { return address_; }
  /// Sets the default value if there is one; otherwise makes the value undefined.
  void begin_launch() const;
  void end_launch() const;
  /// Returns the value. \param is_set  receives true if it has a value
  [[nodiscard]] unsigned read(bool& is_set) const;

  /// Returns the word; null after cudaDeviceReset has freed it.
  [[nodiscard]] memory::allocation* word() const;

  bool has_node = false;  ///< A condition belongs to at most one node.

 private:
  std::uintptr_t address_;
  std::uint64_t serial_ = 0;  ///< Serial of the allocation, because its address may be reused.
  unsigned default_value_;
  bool has_default_;
};

/// The condition of a conditional node, and its bodies.
struct branching {
  std::shared_ptr<condition> by;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<cudaGraph_t> bodies;  ///< This array is also returned to the program.
};

/// Creates a handle for nodes of the graph and of its bodies.
[[nodiscard]] cudaError_t make_condition(graph& of, unsigned default_value, unsigned flags,
                                         cudaGraphConditionalHandle& handle);

/// Creates a node's work and empty graphs for its bodies, which it returns in `given`.
[[nodiscard]] cudaError_t branching_work(graph& into, cudaConditionalNodeParams& given, graph_work& work);

/// Refuses to instantiate graphs that CUDA does not allow and explains why: a body alone, a second instance of a graph
/// with conditional nodes, or bodies with nodes that must not be in one.
[[nodiscard]] cudaError_t check_branches(const graph& which);

/// Calls `act` for all conditions of a launch, including those in bodies.
void for_each_condition(const std::vector<graph_work>& list, void (condition::*act)() const);

/// Compares the bodies of two nodes for cudaGraphExecUpdate.
[[nodiscard]] cudaGraphExecUpdateResult compare_branches(const graph_work& old, const graph_work& changed);

/// Executes the node's bodies after `clock`, and sets `clock` to the time after all of them.
[[nodiscard]] cudaError_t run_branches(const graph_work& work, work_clock& clock);

}  // namespace emulator::runtime
