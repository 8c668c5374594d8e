#include "emulator/runtime/timeline.hpp"

#include <memory>
#include <utility>

namespace emulator::runtime {

timeline& timeline::instance() {
  static auto* here = new timeline;
  return *here;
}

timeline::timeline() {
  for (int d = 0; d < memory::most_devices; ++d) {
    // Device 0 keeps the numbers that a program with one device knows; those of made streams count up from 3.
    const unsigned long long beyond = d == 0 ? 0 : ~0ull - 2 * memory::most_devices + 2 * static_cast<unsigned>(d);
    default_streams_[d] = {0, 0, beyond, {}, d};
    per_thread_streams_[d] = {cudaStreamNonBlocking, 0, d == 0 ? 2 : beyond + 1, {}, d};
  }
}

cudaStream_t timeline::create_stream(unsigned flags, int priority) {
  return streams_.add(
      std::make_unique<stream_record>(stream_record{flags, priority, ++next_id_, {}, memory::devices::current()}));
}

stream_record* timeline::find(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &default_streams_[memory::devices::current()];
  if (handle == cudaStreamPerThread) return &per_thread_streams_[memory::devices::current()];
  return streams_.find(handle);
}

bool timeline::destroy(cudaStream_t handle) {
  return streams_.destroy(handle);
}

std::vector<stream_record*> timeline::streams() {
  std::vector<stream_record*> all;
  for (int d = 0; d < memory::devices::instance().count(); ++d) {
    all.push_back(&default_streams_[d]);
    all.push_back(&per_thread_streams_[d]);
  }
  for (const auto& entry : streams_) all.push_back(entry.second.get());
  return all;
}

cudaEvent_t timeline::create_event(unsigned flags) {
  auto made = std::make_unique<event_record>();
  made->flags = flags;
  made->device = memory::devices::current();
  return events_.add(std::move(made));
}

event_record* timeline::find(cudaEvent_t handle) {
  return events_.find(handle);
}

bool timeline::destroy(cudaEvent_t handle) {
  return events_.destroy(handle);
}

void timeline::clear() {
  for (auto* defaults : {&default_streams_, &per_thread_streams_})
    for (stream_record& s : *defaults) s.captured = {};
  streams_.clear();
  events_.clear();
}

void timeline::clear_device(int number) {
  default_streams_[number].captured = per_thread_streams_[number].captured = {};
  std::vector<cudaStream_t> streams;
  for (const auto& [key, record] : streams_)
    if (record->device == number) streams.push_back(reinterpret_cast<cudaStream_t>(record.get()));
  for (cudaStream_t s : streams) static_cast<void>(streams_.destroy(s));
  std::vector<cudaEvent_t> events;
  for (const auto& [key, record] : events_)
    if (record->device == number) events.push_back(reinterpret_cast<cudaEvent_t>(record.get()));
  for (cudaEvent_t e : events) static_cast<void>(events_.destroy(e));
}

}  // namespace emulator::runtime
