#include "16_many_gpus/gpu_watch.hpp"

#include <errno.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace chapter16 {

gpu_watch::gpu_watch(terms when, std::function<std::optional<std::string>()> unfinished,
                     std::function<void(const std::string&)> give_up)
    : when_(when),
      unfinished_(std::move(unfinished)),
      give_up_(std::move(give_up)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void gpu_watch::run(const std::stop_token& stop) {
  using clock = std::chrono::steady_clock;
  stillness still(when_.limit, clock::now());
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, when_.look_again, [] { return false; }) && !stop.stop_requested()) {
    if (!still.too_long(works_.load(std::memory_order_relaxed), clock::now())) continue;
    if (const std::optional<std::string> who = unfinished_())
      give_up_(
          fmt::format("{} has not ended for {} s: one of them has failed or is stuck, and "
                      "others may wait for it. `nvidia-smi` and the system's log (dmesg, Xid) say more",
                      *who, std::chrono::duration<double>(when_.limit).count()));
  }
}

void end_unfinished(const std::string& why) {
  constexpr int status_device = 3;
  fmt::print(stderr, "{}: {}.\n", program_invocation_short_name, why);
  std::fflush(stderr);
  // Any call that waits for the GPU would never return, so nothing can be cleaned up.
  std::_Exit(status_device);
}

}  // namespace chapter16
