#pragma once
/// \file
/// How copies and fills take their turn where that is not the stream's (in_stream): the host waits for them.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/runtime/waiting_work.hpp"

namespace emulator::runtime {

/// A copy from or to ordinary memory of the host goes through memory of the runtime's: the host waits for the stream.
inline void wait_for_staging(cudaStream_t stream, std::initializer_list<const void*> ends) {
  const stream_record* found = timeline::instance().find(stream);
  if (found == nullptr || !waiting_work::instance().any()) return;
  for (const void* end : ends) {
    if (emulator::memory::global_memory::instance().find(reinterpret_cast<std::uintptr_t>(end)) != nullptr) continue;
    waiting_work::instance().finish_stream(*found);
  }
}

/// Copies or fills where the host waits for it.
template <typename Work>
cudaError_t at_once(const char* call, Work&& work) {
  const cudaError_t error = refuse_legacy_while_capturing(call);
  if (error != cudaSuccess) return error;
  // The host does not wait for fills of memory that it cannot touch; copies are taken to be over when the call returns.
  const bool host_waits = !std::string_view(call).starts_with("cudaMemset");
  const stream_record& stream = *timeline::instance().find(cudaStream_t{});
  waiting_work::instance().finish_stream(stream);
  if (const cudaError_t fault = device::instance().sticky_error(); fault != cudaSuccess) return fault;
  const cudaError_t done = stream_order::instance().run(stream, host_waits, work);
  waiting_work::instance().go_on();
  return done;
}

}  // namespace emulator::runtime
