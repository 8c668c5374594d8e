#include "emulator/runtime/child_launches.hpp"

#include <algorithm>
#include <stdexcept>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/launch_rules.hpp"
#include "emulator/runtime/launcher.hpp"
#include "emulator/runtime/modules.hpp"
#include "emulator/runtime/process_memory.hpp"

namespace emulator::runtime {
namespace {

// The predefined streams of every grid.
constexpr std::uint64_t of_the_block = 0, tail = 3, fire_and_forget = 4;

}  // namespace

child_launches::~child_launches() {
  for (const auto& [parameters, one] : prepared_) static_cast<void>(process_memory().memory.free(parameters));
  for (const auto& [parameters, one] : asked_for_) static_cast<void>(process_memory().memory.free(parameters));
}

std::uint64_t child_launches::prepare(simt::kernel& what, const simt::launch_shape& shape, std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  const std::string& name = what.declaration().name;
  const auto function = std::find_if(module_.functions.begin(), module_.functions.end(),
                                     [&](const function_record* f) { return name == f->device_name; });
  cudaError_t error = function == module_.functions.end() ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  try {
    simt::launch_shape checked = shape;
    if (error == cudaSuccess)
      error = check_launch(device::instance().facts(), needs_of(**function, what), dim3(0, 0, 0), checked).error;
  } catch (const std::runtime_error&) {
    // If the emulator doesn't support the kernel, that is reported when it is about to run.
  }
  std::uint64_t size_bytes = 0;
  static_cast<void>(ptx::parameter_offsets(what.declaration().parameters, size_bytes));
  // At least one byte, because the address also identifies the launch.
  const std::uintptr_t at =
      error != cudaSuccess ? 0 : process_memory().memory.allocate(size_bytes + 16, memory::origin::heap);
  if (at == 0) {
    errors_[thread] = error != cudaSuccess ? error : cudaErrorMemoryAllocation;
    return 0;
  }
  prepared_[at] = {*function, shape, 0, false};
  return at;
}

std::uint32_t child_launches::launch(std::uint64_t parameters, std::uint64_t stream, std::uint64_t block) {
  const std::lock_guard lock(mutex_);
  const auto found = prepared_.find(parameters);
  const bool is_known =
      stream == of_the_block || stream == tail || stream == fire_and_forget || streams_.contains(stream);
  if (found == prepared_.end()) return cudaErrorInvalidValue;
  if (!is_known) return cudaErrorInvalidResourceHandle;
  wanted one = found->second;
  prepared_.erase(found);
  one.block = block;
  one.is_tail = stream == tail;
  asked_for_.emplace_back(parameters, one);
  return cudaSuccess;
}

std::uint32_t child_launches::last_error(std::uint64_t thread, bool takes) {
  const std::lock_guard lock(mutex_);
  const auto found = errors_.find(thread);
  if (found == errors_.end()) return cudaSuccess;
  const cudaError_t error = found->second;
  if (takes) errors_.erase(found);
  return error;
}

std::uint64_t child_launches::create_stream() {
  const std::lock_guard lock(mutex_);
  streams_.insert(++last_stream_);
  return last_stream_;
}

std::uint32_t child_launches::destroy_stream(std::uint64_t stream) {
  const std::lock_guard lock(mutex_);
  return streams_.erase(stream) != 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

void child_launches::run_one(std::uint64_t parameters, const wanted& one) {
  simt::kernel* const kernel = load_kernel(*one.function).what;
  if (kernel == nullptr) return;
  std::vector<void*> arguments;
  std::uint64_t end_bytes = 0;
  for (const std::uint64_t offset : ptx::parameter_offsets(kernel->declaration().parameters, end_bytes))
    arguments.push_back(reinterpret_cast<void*>(parameters + offset));
  launch_request request;
  request.function = one.function;
  request.grid = dim3(one.shape.grid[0], one.shape.grid[1], one.shape.grid[2]);
  request.block = dim3(one.shape.block[0], one.shape.block[1], one.shape.block[2]);
  request.arguments = arguments.data();
  request.dynamic_shared_bytes = one.shape.dynamic_shared_bytes;
  request.by_kernel = true;
  static_cast<void>(device::instance().remember(launch_on_emulator(request)));
}

void child_launches::run() {
  // Blocks run in any order on several host threads, but the requests of each block are in order.
  std::stable_sort(asked_for_.begin(), asked_for_.end(), [](const auto& a, const auto& b) {
    return a.second.is_tail != b.second.is_tail ? b.second.is_tail : a.second.block < b.second.block;
  });
  for (const auto& [parameters, one] : asked_for_) {
    if (device::instance().sticky_error() != cudaSuccess) return;
    run_one(parameters, one);
  }
}

}  // namespace emulator::runtime
