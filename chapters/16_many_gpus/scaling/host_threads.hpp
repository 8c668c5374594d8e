#pragma once
/// \file
/// A host thread for each GPU. The calling thread is the one for the first GPU.

#include <atomic>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace chapter16 {

/// Threads that begin tasks at the same time, and sleep in between.
class host_threads {
 public:
  explicit host_threads(unsigned count);
  ~host_threads();
  host_threads(const host_threads&) = delete;
  host_threads& operator=(const host_threads&) = delete;

  /// Calls `task` with 0, 1, … count - 1, each in a separate thread. The tasks begin when all threads are awake.
  /// \return microseconds until the last task has finished
  /// \throws the exception of the first task that failed
  double run(const std::function<void(unsigned)>& task);

 private:
  void work(unsigned number);
  void call(unsigned number);

  const std::function<void(unsigned)>* task_ = nullptr;
  std::atomic<unsigned> calls_{0}, awake_{0}, begun_{0}, done_{0};
  std::vector<std::exception_ptr> failed_;
  std::vector<std::thread> threads_;
};

}  // namespace chapter16
