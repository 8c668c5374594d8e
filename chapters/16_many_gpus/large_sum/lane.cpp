#include "16_many_gpus/large_sum/lane.hpp"

#include <algorithm>
#include <vector>

namespace chapter16 {

using workbook::check;

lane::lane(lanes_at_work& work, unsigned number)
    : work_(work), number_(number), gpu_(static_cast<int>(number % work.plan.gpus)), sum_(work.how.zero()) {
  const lane_plan& plan = work.plan;
  check(cudaSetDevice(gpu_));
  try {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&copied_, cudaEventDisableTiming));
    if (plan.rooms) check(cudaMallocHost(reinterpret_cast<void**>(&room_), plan.slice_bytes));
    if (work.what == stages::fetching) return;
    slice_ = workbook::device_bytes(plan.slice_bytes);
    sums_ = workbook::device_bytes((work.slices() / work.count + 1) * sizeof(sum_bytes));
    workspace_ = workbook::device_bytes(work.how.workspace_bytes());
    check(cudaMemsetAsync(workspace_.data(), 0, workspace_.size_bytes(), stream_));
    check(cudaMemsetAsync(sums_.data(), 0, sums_.size_bytes(), stream_));
    check(cudaStreamSynchronize(stream_));
  } catch (...) {
    release();
    throw;
  }
}

lane::~lane() {
  cudaSetDevice(gpu_);
  release();
}

void lane::release() {
  if (stream_ != nullptr) cudaStreamSynchronize(stream_);
  if (room_ != nullptr) cudaFreeHost(room_);
  if (copied_ != nullptr) cudaEventDestroy(copied_);
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

void lane::run() {
  try {
    run_slices();
  } catch (...) {
    work_.failed = true;
    throw;
  }
}

void lane::run_slices() {
  const lane_plan& plan = work_.plan;
  slice_source& source = work_.source;
  check(cudaSetDevice(gpu_));
  std::size_t done = 0;
  for (std::size_t k = number_; k < work_.slices() && !work_.failed; k += work_.count, ++done) {
    const std::size_t first = k * plan.slice_bytes, bytes = std::min(plan.slice_bytes, source.size_bytes() - first);

    // The room is free once the slice before has been copied. The GPU may still be summing that one up.
    if (done != 0) check(cudaEventSynchronize(copied_));
    const std::byte* from = source.fetch(first, bytes, room_);
    work_.add_done(bytes);
    if (work_.what == stages::fetching) continue;

    // One stream: the copy waits for the sum before, which reads the same memory, and the sum waits for the copy.
    check(cudaMemcpyAsync(slice_.data(), from, bytes, cudaMemcpyHostToDevice, stream_));
    check(cudaEventRecord(copied_, stream_));
    if (!plan.sums) continue;
    work_.how.sum(slice_.data(), reinterpret_cast<sum_bytes*>(sums_.data()) + done, bytes / work_.how.element_bytes,
                  workspace_.data(), stream_);
    check(cudaGetLastError());
  }
  check(cudaStreamSynchronize(stream_));
  if (work_.what == stages::all && plan.sums) add_up(done);
}

void lane::add_up(std::size_t slices) {
  std::vector<sum_bytes> sums(slices);
  if (slices != 0) check(cudaMemcpy(sums.data(), sums_.data(), slices * sizeof(sum_bytes), cudaMemcpyDeviceToHost));
  for (const sum_bytes& one : sums) work_.how.merge(sum_, one);
}

}  // namespace chapter16
