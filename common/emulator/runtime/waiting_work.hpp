#pragma once
/// \file
/// Unfinished work of streams: kernels that wait for other work, and the work queued after them. Everything else is
/// executed immediately. Used under the device's mutex.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>

#include "emulator/emulator.hpp"
#include "emulator/runtime/child_launches.hpp"
#include "emulator/runtime/stream_order.hpp"
#include "emulator/runtime/timeline.hpp"
#include "emulator/simt/launch.hpp"
#include "emulator/singleton.hpp"

namespace emulator::runtime {

/// A paused kernel, with everything that is needed to end it.
struct paused_launch {
  std::unique_ptr<launch_report> report;  ///< Null if no report is wanted. Outlives the launch.
  std::unique_ptr<simt::launch_under_way> launch;
  std::string kernel;
  simt::launch_shape shape;
  stream_order::under_way order = nullptr;
  std::unique_ptr<child_launches> children = {};  ///< Its own launches, to be executed when it has ended.
  /// A sentence for the message about a deadlock: the other waiting kernels, and the work queued after this one.
  std::string others_wait = {};
};

class waiting_work {
 public:
  /// Identifies a piece of work; 0: none.
  using ticket = std::uint64_t;

  static waiting_work& instance() { return singleton<waiting_work>(); }

  [[nodiscard]] bool any() const { return !items_.empty(); }
  /// Returns true if new work of the stream has to wait for unfinished work.
  [[nodiscard]] bool is_queued_after(const stream_record& stream) const;
  [[nodiscard]] bool is_over(ticket which) const;

  /// Stores work of a stream to be executed later. If it fails then, its error is stored.
  /// \param behind  additional work that it has to wait for; 0: none
  /// \param what    "kernel add(int*)"; empty: the call in progress
  ticket keep(const stream_record& stream, std::function<cudaError_t()> work, ticket behind = 0, std::string what = {});
  /// Stores a paused kernel, either the current work or new work of the stream.
  void keep(const stream_record& stream, paused_launch paused);

  /// Executes everything that can be executed now. \param thorough  also resumes kernels whose first lanes still see
  /// the same words \return true if anything was done
  bool resume(bool thorough = false);
  /// Executes waiting work until the work that the host waits for has ended. If the remaining kernels wait for
  /// something that cannot happen, they are ended as a deadlock, with a finding for each.
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
    std::set<ticket> behind;  ///< Unfinished work that it has to wait for.
    std::function<cudaError_t()> work;
    std::unique_ptr<paused_launch> launch;
    std::string what;  ///< "kernel add(int*)", or the name of the call.
  };
  item new_item(const stream_record& stream);
  [[nodiscard]] static bool relates(const stream_record& stream, const item& to);
  [[nodiscard]] bool is_over_now(item& one, bool may_pause);
  /// Returns true if a paused kernel polls a word that has changed since it paused.
  [[nodiscard]] bool any_can_resume() const;
  void remove(std::list<item>::iterator which);
  void finish_those(const std::function<bool(const item&)>& concerned);
  void end_deadlock();
  void watch_host();
  void go_on_without_host();
  [[nodiscard]] std::string who_waits_beside(const item& one) const;

  std::list<item> items_;
  item* in_hand_ = nullptr;
  ticket last_ = 0;
  bool going_on_ = false;
};

/// Completes a launch whose kernel has ended: stores its report and findings, and sets the device's error.
/// (launcher.cpp)
/// \return cudaErrorNotSupported if the emulator cannot run the kernel
cudaError_t end_launch(paused_launch& ended);

}  // namespace emulator::runtime
