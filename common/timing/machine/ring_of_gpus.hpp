#pragma once
/// \file
/// GPUs that work together, each with a left and a right neighbour.

#include <vector>

#include <cuda_runtime_api.h>

#include "reductions/buffer.hpp"

namespace workbook::machine {

/// GPUs in a ring, each with a stream. Work that is enqueued in the streams between `begin` and `end` starts after the
/// earlier work in GPU 0's default stream, and later work in that stream waits for all of it. Every member function
/// that can fail throws a device_error. Outside of `begin` to `end`, GPU 0 is the current one.
class ring_of_gpus {
 public:
  /// \param gpus  at least two, all different
  explicit ring_of_gpus(std::vector<int> gpus);
  ~ring_of_gpus();
  ring_of_gpus(const ring_of_gpus&) = delete;
  ring_of_gpus& operator=(const ring_of_gpus&) = delete;

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(gpus_.size()); }
  [[nodiscard]] const std::vector<int>& gpus() const { return gpus_; }
  [[nodiscard]] int device(unsigned member) const { return gpus_[member]; }
  [[nodiscard]] cudaStream_t stream(unsigned member) const { return streams_[member]; }
  [[nodiscard]] unsigned left(unsigned member) const { return (member + size() - 1) % size(); }
  [[nodiscard]] unsigned right(unsigned member) const { return (member + 1) % size(); }
  /// Returns true if each GPU can access the memory of every other one.
  [[nodiscard]] bool peers() const { return peers_; }
  /// Makes the member's GPU the current one.
  void select(unsigned member) const { check(cudaSetDevice(gpus_[member])); }

  void begin();
  /// Makes each GPU wait for the work that has been enqueued on its neighbours so far.
  void meet();
  /// Makes the right neighbour wait for the work that has been enqueued on `member` so far.
  void tell_the_right(unsigned member);
  void end();

 private:
  void wait(unsigned member, unsigned other) { check(cudaStreamWaitEvent(streams_[member], done_[other], 0)); }
  void record(unsigned member);
  void record_all();

  std::vector<int> gpus_;
  bool peers_ = true;
  std::vector<cudaStream_t> streams_;
  std::vector<cudaEvent_t> done_;
  cudaEvent_t begun_ = nullptr;
};

}  // namespace workbook::machine
