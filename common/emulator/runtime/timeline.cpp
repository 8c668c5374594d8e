#include "emulator/runtime/timeline.hpp"

#include <memory>
#include <utility>

namespace emulator::runtime {

timeline& timeline::instance() {
  static auto* here = new timeline;
  return *here;
}

cudaStream_t timeline::create_stream(unsigned flags, int priority) {
  return streams_.add(std::make_unique<stream_record>(stream_record{flags, priority, ++next_id_, {}}));
}

stream_record* timeline::find(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &default_stream_;
  if (handle == cudaStreamPerThread) return &per_thread_stream_;
  return streams_.find(handle);
}

bool timeline::destroy(cudaStream_t handle) {
  return streams_.destroy(handle);
}

std::vector<stream_record*> timeline::streams() {
  std::vector<stream_record*> all{&default_stream_, &per_thread_stream_};
  for (const auto& entry : streams_) all.push_back(entry.second.get());
  return all;
}

cudaEvent_t timeline::create_event(unsigned flags) {
  auto made = std::make_unique<event_record>();
  made->flags = flags;
  return events_.add(std::move(made));
}

event_record* timeline::find(cudaEvent_t handle) {
  return events_.find(handle);
}

bool timeline::destroy(cudaEvent_t handle) {
  return events_.destroy(handle);
}

void timeline::clear() {
  default_stream_.captured = per_thread_stream_.captured = {};
  streams_.clear();
  events_.clear();
}

}  // namespace emulator::runtime
