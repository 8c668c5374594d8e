#include "emulator/runtime/timeline.hpp"

#include <memory>

#include "emulator/runtime/current_call.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "emulator/runtime/stream_order.hpp"

namespace emulator::runtime {

timeline::timeline() {
  for (int d = 0; d < memory::max_devices; ++d) {
    // The default stream of device 0 has the same number as in a program with one device. The numbers of created
    // streams start at 3.
    const unsigned long long beyond = d == 0 ? 0 : ~0ull - memory::max_devices + static_cast<unsigned>(d);
    default_streams_[d] = {0, 0, beyond, {}, d, false};
  }
}

cudaStream_t timeline::create_stream(unsigned flags, int priority) {
  return streams_.add(
      std::make_unique<stream_record>(stream_record{flags, priority, ++next_id_, {}, memory::current_device(), false}));
}

stream_record* timeline::find(cudaStream_t handle) {
  const call_in_progress* const call = call_in_progress::innermost();
  if (handle == nullptr && call != nullptr && call->has_default_stream_per_thread()) handle = cudaStreamPerThread;
  if (handle == nullptr || handle == cudaStreamLegacy) return &default_streams_[memory::current_device()];
  if (handle != cudaStreamPerThread) return streams_.find(handle);
  const int d = memory::current_device();
  const auto [own, made] = per_thread_streams_.try_emplace({d, std::this_thread::get_id()});
  if (made) {
    // The first such stream of device 0 has the same number as in a program with one thread.
    const bool first = d == 0 && per_thread_streams_.size() == 1;
    own->second = {cudaStreamNonBlocking, 0, first ? 2 : ++next_id_, {}, d, /*per_thread=*/true};
    stream_order::instance().stream_made();  // those of other threads run concurrently
  }
  return &own->second;
}

std::vector<stream_record*> timeline::streams() {
  std::vector<stream_record*> all;
  for (int d = 0; d < process_memory().devices.count(); ++d) {
    all.push_back(&default_streams_[d]);
  }
  for (auto& [of, own] : per_thread_streams_) all.push_back(&own);
  for (const auto& entry : streams_) all.push_back(entry.second.get());
  return all;
}

cudaEvent_t timeline::create_event(unsigned flags) {
  return events_.add(std::make_unique<event_record>(event_record{flags, memory::current_device()}));
}

void timeline::clear() {
  for (stream_record& s : default_streams_) s.captured = {};
  for (auto& [of, own] : per_thread_streams_) own.captured = {};
  streams_.clear();
  events_.clear();
}

void timeline::clear_device(int number) {
  default_streams_[number].captured = {};
  for (auto& [of, own] : per_thread_streams_)
    if (of.first == number) own.captured = {};
  const auto is_its = [=](const auto& record) { return record.device == number; };
  streams_.erase_if(is_its);
  events_.erase_if(is_its);
}

}  // namespace emulator::runtime
