#include "16_many_gpus/scaling/host_threads.hpp"

#include <chrono>
#include <utility>

namespace chapter16 {

namespace {

/// Polls, because the scheduler would take longer than the time that is measured. After a while, yields between polls.
void wait_awake(const std::atomic<unsigned>& number, unsigned wanted) {
  constexpr unsigned patience = 1u << 20;
  for (unsigned looks = 0; number.load(std::memory_order_acquire) != wanted; ++looks)
    if (looks > patience) std::this_thread::yield();
}

}  // namespace

host_threads::host_threads(unsigned count) : failed_(count) {
  for (unsigned k = 1; k < count; ++k) threads_.emplace_back([this, k] { work(k); });
}

host_threads::~host_threads() {
  task_ = nullptr;
  calls_.fetch_add(1, std::memory_order_release);
  calls_.notify_all();
  for (std::thread& one : threads_) one.join();
}

double host_threads::run(const std::function<void(unsigned)>& task) {
  const auto others = static_cast<unsigned>(threads_.size());
  task_ = &task;
  awake_ = done_ = 0;
  const unsigned number = calls_.fetch_add(1, std::memory_order_release) + 1;
  calls_.notify_all();
  wait_awake(awake_, others);
  const auto begin = std::chrono::steady_clock::now();
  begun_.store(number, std::memory_order_release);
  call(0);
  wait_awake(done_, others);
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
  for (std::exception_ptr& one : failed_)
    if (one) std::rethrow_exception(std::exchange(one, nullptr));
  return taken.count();
}

void host_threads::work(unsigned number) {
  for (unsigned had = 0;;) {
    calls_.wait(had, std::memory_order_acquire);
    had = calls_.load(std::memory_order_acquire);
    if (task_ == nullptr) return;
    awake_.fetch_add(1, std::memory_order_release);
    wait_awake(begun_, had);
    call(number);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void host_threads::call(unsigned number) {
  try {
    (*task_)(number);
  } catch (...) {
    failed_[number] = std::current_exception();
  }
}

}  // namespace chapter16
