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
  dim3 cluster{0, 0, 0};   ///< Blocks of a cluster, as the launch asks for; all 0: it does not.
  bool by_kernel = false;  ///< A kernel launches it, which has ended by now.
  bool may_pause = false;  ///< Where it waits for what others do, the call returns, and waiting_work goes on with it.
};

/// Runs a kernel to its end, or until it pauses. A fault of the kernel itself is not this call's error: it becomes the
/// device's sticky error, which the next call returns, as with the real runtime. \return why the kernel was not run at
/// all; cudaSuccess where it was
[[nodiscard]] cudaError_t launch_on_emulator(const launch_request& request);

/// Returns the kernel to run for a host stub's address or a handle: as registered, or the one that takes its place
/// while kernels are rewritten. Null where nothing is registered, or where the rewritten kernel cannot be compiled.
/// (rewritten.cpp)
[[nodiscard]] function_record* kernel_to_run(const void* host_function_or_handle);

/// Returns the bytes of dynamic shared memory that a launch on the GPU asks for beyond its own while experiments want
/// half as many blocks resident; else 0. (rewritten.cpp)
[[nodiscard]] std::size_t extra_shared_bytes(const function_record& kernel, unsigned threads_per_block,
                                             std::size_t dynamic_shared_bytes);

/// A launch to be carried out later, with copies of its arguments.
class kept_launch {
 public:
  /// \param sizes_bytes  of the arguments that `request` points to
  kept_launch(const launch_request& request, const std::vector<std::uint64_t>& sizes_bytes, std::string what);
  kept_launch(const kept_launch&) = delete;
  kept_launch& operator=(const kept_launch&) = delete;
  /// The launch, in no stream; its arguments are the copies.
  [[nodiscard]] const launch_request& request() const { return request_; }
  /// "kernel add(int*)"
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  launch_request request_;
  std::string what_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<void*> pointers_;
};

/// Checks a launch and keeps it. Its stream is forgotten. \return as launch_on_emulator()
[[nodiscard]] cudaError_t keep_launch(const launch_request& request, std::shared_ptr<const kept_launch>& kept);

/// Returns what is known about the kernel of a kept launch; null where it cannot be run any more.
[[nodiscard]] const observers::kernel_facts* facts_of(const kept_launch& kept);

/// Launches into the request's stream: runs the kernel, or, where the stream is captured, keeps it for the graph.
[[nodiscard]] cudaError_t launch_in_stream(const launch_request& request);

}  // namespace emulator::runtime
