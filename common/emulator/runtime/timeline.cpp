#include "emulator/runtime/timeline.hpp"

namespace emulator::runtime {

timeline& timeline::instance() {
  static auto* here = new timeline;
  return *here;
}

cudaStream_t timeline::create_stream(unsigned flags, int priority) {
  auto made = std::make_unique<stream_record>(stream_record{flags, priority, ++next_id_, {}});
  auto* handle = reinterpret_cast<cudaStream_t>(made.get());
  streams_.emplace(made.get(), std::move(made));
  return handle;
}

stream_record* timeline::find(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &default_stream_;
  if (handle == cudaStreamPerThread) return &per_thread_stream_;
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : found->second.get();
}

bool timeline::destroy(cudaStream_t handle) {
  return streams_.erase(handle) != 0;
}

std::vector<stream_record*> timeline::streams() {
  std::vector<stream_record*> all{&default_stream_, &per_thread_stream_};
  for (const auto& entry : streams_) all.push_back(entry.second.get());
  return all;
}

cudaEvent_t timeline::create_event(unsigned flags) {
  auto made = std::make_unique<event_record>();
  made->flags = flags;
  auto* handle = reinterpret_cast<cudaEvent_t>(made.get());
  events_.emplace(made.get(), std::move(made));
  return handle;
}

event_record* timeline::find(cudaEvent_t handle) {
  const auto found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second.get();
}

bool timeline::destroy(cudaEvent_t handle) {
  return events_.erase(handle) != 0;
}

void timeline::clear() {
  default_stream_.captured = per_thread_stream_.captured = {};
  streams_.clear();
  events_.clear();
}

}  // namespace emulator::runtime
