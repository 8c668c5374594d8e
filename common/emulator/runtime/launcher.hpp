#pragma once
/// \file
/// A kernel launch on the emulated device, from the API call to the report.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/registry.hpp"

namespace emulator::runtime {

struct launch_request {
  const void* function = nullptr;  ///< Host stub or kernel handle.
  dim3 grid;
  dim3 block;
  void** arguments = nullptr;  ///< One pointer per parameter.
  std::size_t dynamic_shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};   ///< Blocks of a cluster, as given by the launch; all 0: not given.
  bool by_kernel = false;  ///< It was launched by a kernel, which has ended by now.
  bool may_pause = false;  ///< If the kernel has to wait for other work, the call returns, and waiting_work resumes it.
};

/// Runs a kernel to its end, or until it pauses. As with the real runtime, a fault of the kernel isn't an error of this
/// call: it becomes the device's sticky error, which the next call returns. \return why the kernel was not run, or
/// cudaSuccess if it was
[[nodiscard]] cudaError_t launch_on_emulator(const launch_request& request);

/// Returns the kernel to run for a host stub's address or a handle: the registered one, or its replacement while
/// kernels are rewritten. Returns null if none is registered, or if the rewritten kernel cannot be compiled.
/// (rewritten.cpp)
[[nodiscard]] function_record* kernel_to_run(const void* host_function_or_handle);

/// Returns the additional bytes of dynamic shared memory for a launch on the GPU while an experiment halves the number
/// of resident blocks; otherwise 0. (rewritten.cpp)
[[nodiscard]] std::size_t extra_shared_bytes(const function_record& kernel, unsigned threads_per_block,
                                             std::size_t dynamic_shared_bytes);

/// A launch to be executed later, with copies of its arguments.
class kept_launch {
 public:
  /// \param sizes_bytes  sizes of the arguments that `request` points to
  kept_launch(const launch_request& request, const std::vector<std::uint64_t>& sizes_bytes, std::string what);
  kept_launch(const kept_launch&) = delete;
  kept_launch& operator=(const kept_launch&) = delete;
  /// Returns the launch, without a stream. Its arguments are the copies.
  [[nodiscard]] const launch_request& request() const { return request_; }
  /// "kernel add(int*)"
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  launch_request request_;
  std::string what_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<void*> pointers_;
};

/// Checks a launch and stores it, without its stream. \return as launch_on_emulator()
[[nodiscard]] cudaError_t keep_launch(const launch_request& request, std::shared_ptr<const kept_launch>& kept);

/// Returns the facts about the kernel of a stored launch, or null if it can no longer be run.
[[nodiscard]] const observers::kernel_facts* facts_of(const kept_launch& kept);

/// Launches into the request's stream: runs the kernel or, if the stream is captured, stores it in the graph.
[[nodiscard]] cudaError_t launch_in_stream(const launch_request& request);

}  // namespace emulator::runtime
