#include "16_many_gpus/large_sum/lane.hpp"

#include <algorithm>
#include <vector>

namespace chapter16 {

using workbook::check;

lane::lane(lanes_at_work& work, unsigned number)
    : work_(work),
      number_(number),
      memory_(work.plan.first_gpu + static_cast<int>(number % work.plan.gpus), work.how, work.plan,
              work.what == stages::fetching ? 0 : work.slices / work.count + 1),
      sum_(work.how.zero()) {}

void lane::run_slices() {
  const std::size_t all = work_.source.size_bytes(), each = work_.plan.slice_bytes;
  const cudaStream_t stream = memory_.stream;
  check(cudaSetDevice(memory_.gpu));
  std::size_t done = 0;
  for (std::size_t k = number_; k < work_.slices && !work_.failed; k += work_.count, ++done) {
    const std::size_t first = k * each, bytes = std::min(each, all - first);

    // The room is free as soon as the previous slice has been copied, even if the GPU is still summing that slice.
    if (done != 0) check(cudaEventSynchronize(memory_.copied));
    const std::byte* from = work_.source.fetch(first, bytes, memory_.room);
    work_.bytes_done += bytes;
    if (work_.what == stages::fetching) continue;

    // All in one stream: a copy waits for the previous sum, which reads the same memory, and a sum waits for its copy.
    check(cudaMemcpyAsync(memory_.slice.data(), from, bytes, cudaMemcpyHostToDevice, stream));
    check(cudaEventRecord(memory_.copied, stream));
    if (!work_.plan.sums) continue;
    work_.how.sum(memory_.slice.data(), reinterpret_cast<sum_bytes*>(memory_.sums.data()) + done,
                  bytes / work_.how.element_bytes, memory_.workspace.data(), stream);
    check(cudaGetLastError());
  }
  check(cudaStreamSynchronize(stream));
  if (work_.what == stages::all && work_.plan.sums) add_up(done);
}

void lane::add_up(std::size_t slices) {
  std::vector<sum_bytes> sums(slices);
  if (slices == 0) return;
  check(cudaMemcpy(sums.data(), memory_.sums.data(), slices * sizeof(sum_bytes), cudaMemcpyDeviceToHost));
  for (const sum_bytes& one : sums) work_.how.merge(sum_, one);
}

void lane::run() {
  try {
    run_slices();
  } catch (...) {
    work_.failed = true;
    throw;
  }
}

}  // namespace chapter16
