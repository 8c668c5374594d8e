#pragma once
/// \file
/// Conditional nodes of graphs: bodies that a launch runs or leaves out, once or again and again, as a condition says
/// that kernels set.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/runtime/graph.hpp"

namespace emulator::memory {
struct allocation;
}

namespace emulator::runtime {

/// The value behind a handle: a word of device memory, whose address is the handle. It has a value, and kernels may set
/// it, only as long as its graph runs. Lives as long as the graph and its executable one.
class condition {
 public:
  /// \throws std::bad_alloc  where there is no device memory left
  condition(unsigned default_value, bool has_default);
  ~condition();
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  [[nodiscard]] std::uintptr_t handle() const { return address_; }
  /// Gives it the default value, or, where it has none, none.
  void begin_launch() const;
  void end_launch() const;
  /// Returns the value. \param is_set  receives whether it has one
  [[nodiscard]] unsigned read(bool& is_set) const;

  /// Returns the word; null once cudaDeviceReset has taken it away.
  [[nodiscard]] memory::allocation* word() const;

  bool has_node = false;  ///< It is one node's at most.

 private:
  std::uintptr_t address_;
  std::uint64_t serial_ = 0;  ///< Of the allocation: another one may stand at its address.
  unsigned default_value_;
  bool has_default_;
};

/// What a conditional node decides by, and between.
struct branching {
  std::shared_ptr<condition> by;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<cudaGraph_t> bodies;  ///< The array that the program is given.
};

/// Makes a handle for nodes of the graph and of its bodies.
[[nodiscard]] cudaError_t make_condition(graph& of, unsigned default_value, unsigned flags,
                                         cudaGraphConditionalHandle& handle);

/// Makes a node's work, and empty graphs for its bodies, of which it tells `given`.
[[nodiscard]] cudaError_t branching_work(graph& into, cudaConditionalNodeParams& given, graph_work& work);

/// Refuses, in words, to make an executable graph of what may not be one: a body alone, a second one of a graph with
/// conditional nodes, bodies with nodes that none may have.
[[nodiscard]] cudaError_t check_branches(const graph& which);

/// Lets all conditions of a launch begin, or end; those in bodies among them.
void for_each_condition(const std::vector<graph_work>& list, void (condition::*act)() const);

/// Compares the bodies of two nodes for cudaGraphExecUpdate.
[[nodiscard]] cudaGraphExecUpdateResult compare_branches(const graph_work& old, const graph_work& changed);

/// Carries out the node's bodies behind `clock`, which receives what comes after all of them.
[[nodiscard]] cudaError_t run_branches(const graph_work& work, work_clock& clock);

}  // namespace emulator::runtime
