#include "workbook/timer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"
#include "workbook/hold.hpp"
#include "workbook/sweeps.hpp"

namespace workbook {
namespace {

constexpr int warm_ups = 3;
/// A run is repeated up to this number of times, until the host has queued all of it early enough.
constexpr int tries = 3;
/// A kernel whose runs take longer in total is timed only a few times.
constexpr double slow_us = 1e6;

}  // namespace

struct stop_watch::state {
  // Three times the size of L2, and a word for `read_everything`.
  std::size_t foreign_vectors = std::max(std::size_t{1} << 20, 3 * l2_cache_bytes()) / 16;
  device_bytes foreign{foreign_vectors * 16 + sizeof(std::uint32_t)};
  held_stream gpu;
  event begin, end;

  /// Measures `run` from event to event. If `held`, the GPU is blocked until everything is queued.
  sample time(const std::function<void()>& run, bool held) {
    if (held) gpu.hold();
    begin.record();
    run();
    end.record();
    const bool queued = held && !begin.has_happened();
    if (held) gpu.release();
    const double us = 1e3 * end.milliseconds_since(begin);
    check(cudaGetLastError());
    return {us, queued};
  }
};

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string_view words_for(start how) {
  // In the order of `start`.
  static constexpr std::string_view words[] = {"queued behind work, L2 full of clean lines of another array",
                                               "queued behind work, L2 as the run before left it",
                                               "on an idle GPU, L2 as the run before left it"};
  static_assert(std::size(words) == static_cast<std::size_t>(start::idle) + 1);
  return words[static_cast<std::size_t>(how)];
}

stop_watch::stop_watch() : state_(std::make_unique<state>()) {
  check(cudaMemset(state_->foreign.data(), 1, state_->foreign.size_bytes()));
}
stop_watch::~stop_watch() = default;

void stop_watch::make_cold() {
  std::byte* const foreign = state_->foreign.data();
  read_everything(foreign, state_->foreign_vectors,
                  reinterpret_cast<std::uint32_t*>(foreign + state_->foreign_vectors * 16));
}

stop_watch::sample stop_watch::take(const std::function<void()>& run, start how) {
  if (how == start::idle) {
    check(cudaDeviceSynchronize());
    return state_->time(run, /*held=*/false);
  }
  sample taken;
  for (int k = 0; k < tries && !taken.queued; ++k) {
    if (how == start::cold) make_cold();
    taken = state_->time(run, /*held=*/true);
  }
  return taken;
}

stop_watch::sample stop_watch::take_waiting(const std::function<void()>& run, start how) {
  if (how == start::cold) make_cold();
  return state_->time(run, false);
}

timing time_on_gpu(const std::function<void()>& run, int repetitions, start how) {
  stop_watch watch;
  std::vector<double> times;
  double spent_us = 0;
  bool can_queue = true;
  for (int k = -warm_ups; k < repetitions; ++k) {
    if (k >= warm_ups && spent_us > slow_us) break;
    const stop_watch::sample taken = can_queue ? watch.take(run, how) : watch.take_waiting(run, how);
    // The first run may load code. If a later run cannot be queued, it waits for the GPU itself.
    if (k > -warm_ups && !taken.queued) can_queue = false;
    spent_us += taken.microseconds;
    if (k >= 0) times.push_back(taken.microseconds / 1e3);
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {median(times), *least, *most, static_cast<int>(times.size()), can_queue && how != start::idle};
}

}  // namespace workbook
