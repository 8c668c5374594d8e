#pragma once
/// \file
/// Streams and events of the emulated device. Work is executed immediately, unless a kernel waits for other work
/// (waiting_work.hpp). An event is a point in the host's time.

#include <cuda_runtime_api.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/memory/devices.hpp"
#include "emulator/runtime/capture.hpp"
#include "emulator/runtime/handle_table.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

struct stream_record {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  capture_point captured;
  int device = 0;           ///< The current device when it was made.
  bool per_thread = false;  ///< The default stream of a host thread.

  /// Returns true if it and the legacy default stream wait for each other. A per-thread stream does, whatever its flags
  /// are.
  [[nodiscard]] bool blocks() const { return per_thread || (flags & cudaStreamNonBlocking) == 0; }
};

struct event_record {
  unsigned flags = 0;
  int device = 0;
  std::optional<std::chrono::steady_clock::time_point> recorded = {};
  capture_point captured = {};
  std::uint64_t waits = 0;  ///< The ticket of the last recording if it was queued (waiting_work.hpp); otherwise 0.
};

/// The live streams and events; their addresses are the handles. Used under the device's mutex.
class timeline {
 public:
  static timeline& instance() { return singleton<timeline>(); }
  timeline();

  cudaStream_t create_stream(unsigned flags, int priority);
  /// Returns the stream, or null if the handle is invalid. Default streams (0, legacy, per thread) always exist.
  [[nodiscard]] stream_record* find(cudaStream_t handle);
  [[nodiscard]] bool destroy(cudaStream_t handle) { return streams_.destroy(handle); }
  [[nodiscard]] bool is_legacy(const stream_record& stream) const {
    return &stream == &default_streams_[stream.device];
  }
  /// Returns all streams, including the default ones.
  [[nodiscard]] std::vector<stream_record*> streams();
  [[nodiscard]] unsigned long long next_id() { return ++next_id_; }

  cudaEvent_t create_event(unsigned flags);
  [[nodiscard]] event_record* find(cudaEvent_t handle) { return events_.find(handle); }
  [[nodiscard]] bool destroy(cudaEvent_t handle) { return events_.destroy(handle); }

  void clear();
  /// Removes the streams and events of one device.
  void clear_device(int number);

 private:
  /// Each device has its own.
  std::array<stream_record, memory::max_devices> default_streams_;
  /// Each device has one for each host thread that has used it.
  std::map<std::pair<int, std::thread::id>, stream_record> per_thread_streams_;
  unsigned long long next_id_ = 2;
  handle_table<stream_record, cudaStream_t> streams_;
  handle_table<event_record, cudaEvent_t> events_;
};

}  // namespace emulator::runtime
