#include "16_many_gpus/large_sum/lanes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "16_many_gpus/large_sum/lane.hpp"
#include "reductions/buffer.hpp"

namespace chapter16 {
namespace {

using workbook::check;

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

/// Waits for all lanes. \throws the exception of the first lane that failed
void await(std::vector<std::future<void>>& lanes, const std::function<void()>& meanwhile) {
  std::exception_ptr failure;
  for (std::future<void>& lane : lanes) {
    while (lane.wait_for(std::chrono::milliseconds(200)) != std::future_status::ready) meanwhile();
    try {
      lane.get();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

lanes_result run_lanes(slice_source& source, const summing& how, const lane_plan& plan, stages what,
                       const std::function<void(std::size_t)>& progress) {
  lanes_result result;
  result.slices = (source.size_bytes() + plan.slice_bytes - 1) / plan.slice_bytes;
  const unsigned count = static_cast<unsigned>(std::min<std::size_t>(plan.lanes(), result.slices));
  lanes_at_work work{source, how, plan, what, result.slices, count};

  std::vector<std::unique_ptr<lane>> lanes;
  std::vector<std::size_t> free;
  for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
    check(cudaSetDevice(plan.first_gpu + static_cast<int>(gpu)));
    free.push_back(free_bytes());
  }
  for (unsigned k = 0; k < count; ++k) lanes.push_back(std::make_unique<lane>(work, k));
  for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
    check(cudaSetDevice(plan.first_gpu + static_cast<int>(gpu)));
    result.gpu_bytes = std::max(result.gpu_bytes, free[gpu] - std::min(free[gpu], free_bytes()));
  }

  source.begin_pass();
  const auto begun = std::chrono::steady_clock::now();
  std::vector<std::future<void>> running;
  for (const auto& one : lanes) running.push_back(std::async(std::launch::async, [&one] { one->run(); }));
  await(running, [&] {
    if (progress) progress(work.bytes_done);
  });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();

  result.sum = how.zero();
  for (const auto& one : lanes) how.merge(result.sum, one->sum());
  lanes.clear();
  check(cudaSetDevice(plan.first_gpu));
  return result;
}

}  // namespace chapter16
