#include "16_many_gpus/large_sum/lane_memory.hpp"

namespace chapter16 {

using workbook::check;

lane_memory::lane_memory(int on_gpu, const summing& how, const lane_plan& plan, std::size_t slices) : gpu(on_gpu) {
  check(cudaSetDevice(gpu));
  try {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    if (plan.rooms) check(cudaMallocHost(reinterpret_cast<void**>(&room), plan.slice_bytes));
    if (slices == 0) return;
    slice = workbook::device_bytes(plan.slice_bytes);
    sums = workbook::device_bytes(slices * sizeof(sum_bytes));
    workspace = workbook::device_bytes(how.workspace_bytes());
    check(cudaMemsetAsync(workspace.data(), 0, workspace.size_bytes(), stream));
    check(cudaMemsetAsync(sums.data(), 0, sums.size_bytes(), stream));
    check(cudaStreamSynchronize(stream));
  } catch (...) {
    release();
    throw;
  }
}

lane_memory::~lane_memory() {
  cudaSetDevice(gpu);
  release();
}

void lane_memory::release() {
  if (stream != nullptr) cudaStreamSynchronize(stream);
  if (room != nullptr) cudaFreeHost(room);
  if (copied != nullptr) cudaEventDestroy(copied);
  if (stream != nullptr) cudaStreamDestroy(stream);
}

}  // namespace chapter16
