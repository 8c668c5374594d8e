// Instances of the reduction in one launch for reduce_test.cpp.

#include "device/reduce_kernels.hpp"

#include "device/buffer.hpp"
#include "device/reduce.cuh"

namespace workbook {

template <typename Acc, typename T, typename Op>
std::vector<Acc> reduced_in_one_launch(const std::vector<T>& elements, std::size_t offset_bytes, Op op, int calls) {
  const std::size_t n = elements.size();
  const device_bytes in(offset_bytes + n * sizeof(T)), out(sizeof(Acc) * static_cast<std::size_t>(calls));
  const device_bytes workspace(reduce_workspace_bytes<Acc>());
  check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
  auto* const first = reinterpret_cast<T*>(in.data() + offset_bytes);
  if (n != 0) check(cudaMemcpy(first, elements.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  for (int k = 0; k < calls; ++k)
    reduce<Acc>(static_cast<const T*>(first), reinterpret_cast<Acc*>(out.data()) + k, n, workspace.data(), stream, op);
  check(cudaGetLastError());
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
  std::vector<Acc> results(static_cast<std::size_t>(calls));
  check(cudaMemcpy(results.data(), out.data(), out.size_bytes(), cudaMemcpyDeviceToHost));
  return results;
}

#define WORKBOOK_INSTANCE(Acc, T, Op) \
  template std::vector<Acc> reduced_in_one_launch<Acc>(const std::vector<T>&, std::size_t, Op, int);

WORKBOOK_INSTANCE(int, int, plus)
WORKBOOK_INSTANCE(unsigned, unsigned, plus)
WORKBOOK_INSTANCE(long long, long long, plus)
WORKBOOK_INSTANCE(float, float, plus)
WORKBOOK_INSTANCE(double, double, plus)
WORKBOOK_INSTANCE(long long, int, plus)
WORKBOOK_INSTANCE(double, float, plus)
WORKBOOK_INSTANCE(long long, int, minimum)
WORKBOOK_INSTANCE(int, int, maximum)
WORKBOOK_INSTANCE(double, double, minimum)
WORKBOOK_INSTANCE(unsigned, unsigned char, plus)
WORKBOOK_INSTANCE(indexed<float>, indexed<float>, arg_max)
WORKBOOK_INSTANCE(triple, triple, plus_triple)

}  // namespace workbook
