#pragma once
/// \file
/// Work of streams that is not over: kernels that wait for what others do, and what stands behind them. All else is
/// done when it is asked for. Used under the device's mutex.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>

#include "emulator/emulator.hpp"
#include "emulator/only_one.hpp"
#include "emulator/runtime/child_launches.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/simt/launch.hpp"

namespace emulator::runtime {

/// A kernel that pauses, with what its end needs.
struct paused_launch {
  std::unique_ptr<launch_report> report;  ///< Null where nobody wants one. Outlives the launch.
  std::unique_ptr<simt::launch_under_way> launch;
  std::string kernel;
  simt::launch_shape shape;
  stream_order::under_way order = nullptr;
  std::unique_ptr<child_launches> children = {};  ///< What it launches, when it has ended.
  std::string others_wait = {};  ///< A sentence, should it stand still: what waits beside it, and behind it.
};

class waiting_work {
 public:
  /// Names a piece of work; 0: none.
  using ticket = std::uint64_t;

  static waiting_work& instance() { return only_one<waiting_work>(); }

  [[nodiscard]] bool any() const { return !items_.empty(); }
  /// Says whether what the stream is asked for now has to wait for work that is not over.
  [[nodiscard]] bool comes_behind(const stream_record& stream) const;
  [[nodiscard]] bool is_over(ticket which) const;

  /// Keeps work of a stream for later; its error is remembered then.
  /// \param behind  more that it has to wait for; 0: nothing
  /// \param what    "kernel add(int*)"; empty: the call in progress
  ticket keep(const stream_record& stream, std::function<cudaError_t()> work, ticket behind = 0, std::string what = {});
  /// Keeps a kernel that pauses, the work in hand or new work of the stream.
  void keep(const stream_record& stream, paused_launch paused);

  /// Does what can be done now. \param thorough  also for kernels whose first lanes see what they have seen
  /// \return whether that was anything
  bool go_on(bool thorough = false);
  /// Goes on until nothing is left that the host waits for. What nobody can end is ended: it is a standstill, of which
  /// each kernel that waits is told.
  void finish_stream(const stream_record& stream);
  void finish_device(int number);
  void finish(ticket which);
  void finish_all();

 private:
  struct item {
    ticket number = 0;
    unsigned long long stream = 0;
    int device = 0;
    bool legacy = false, blocking = false;
    std::set<ticket> behind;  ///< Of those that are not over.
    std::function<cudaError_t()> work;
    std::unique_ptr<paused_launch> launch;
    std::string what;  ///< "kernel add(int*)", or the call.
  };
  item new_item(const stream_record& stream);
  [[nodiscard]] static bool relates(const stream_record& stream, const item& to);
  [[nodiscard]] bool is_over_now(item& one, bool may_pause);
  /// Says whether a kernel that stood still looks at a word that has changed since.
  [[nodiscard]] bool somebody_can_go_on() const;
  void remove(std::list<item>::iterator which);
  void finish_those(const std::function<bool(const item&)>& concerned);
  void end_standstill();
  void watch_host();
  void go_on_without_host();
  [[nodiscard]] std::string who_waits_beside(const item& one) const;

  std::list<item> items_;
  item* in_hand_ = nullptr;
  ticket last_ = 0;
  bool going_on_ = false;
};

/// Ends a launch that has run to its end: reports, findings, the device's error. (launcher.cpp)
/// \return cudaErrorNotSupported where the emulator cannot run the kernel
cudaError_t end_launch(paused_launch& ended);

}  // namespace emulator::runtime
