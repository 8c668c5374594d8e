// Instances of the reduction in one launch for reduce_test.cpp.

#include "reductions/reduce_kernels.hpp"

#include <algorithm>

#include "reductions/buffer.hpp"
#include "reductions/reduce.cuh"

namespace workbook {

namespace {

/// Copies the elements to the device, reduces them there `calls` times, and returns the results.
/// \param launch  reduces the elements at its first argument into its second
template <typename Acc, typename T>
std::vector<Acc> results_of(const std::vector<T>& elements, std::size_t offset_bytes, int calls, auto launch) {
  const std::size_t n = elements.size();
  const device_bytes in(offset_bytes + n * sizeof(T)), out(sizeof(Acc) * static_cast<std::size_t>(calls));
  const device_bytes workspace(reduce_workspace_bytes<Acc>());
  check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
  auto* const first = reinterpret_cast<T*>(in.data() + offset_bytes);
  if (n != 0) check(cudaMemcpy(first, elements.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  for (int k = 0; k < calls; ++k)
    launch(static_cast<const T*>(first), reinterpret_cast<Acc*>(out.data()) + k, n, workspace.data(), stream);
  check(cudaGetLastError());
  check(cudaStreamSynchronize(stream));
  check(cudaStreamDestroy(stream));
  std::vector<Acc> results(static_cast<std::size_t>(calls));
  check(cudaMemcpy(results.data(), out.data(), out.size_bytes(), cudaMemcpyDeviceToHost));
  return results;
}

}  // namespace

template <typename Acc, typename T, typename Op>
std::vector<Acc> reduced_in_one_launch(const std::vector<T>& elements, std::size_t offset_bytes, Op op, int calls) {
  return results_of<Acc>(elements, offset_bytes, calls,
                         [op](const T* in, Acc* out, std::size_t n, void* workspace, cudaStream_t stream) {
                           reduce<Acc>(in, out, n, workspace, stream, op);
                         });
}

template <typename T, typename Op>
indexed<T> found_in_one_launch(const std::vector<T>& elements, std::size_t offset_bytes, Op op) {
  return results_of<indexed<T>>(
      elements, offset_bytes, 1,
      [op](const T* in, indexed<T>* out, std::size_t n, void* workspace, cudaStream_t stream) {
        reduce<indexed<T>>(indexed_input<T>(in, n), out, workspace, stream, op);
      })[0];
}

template <typename Acc, typename T, typename Op>
std::size_t spilled_bytes_of_reduce() {
  std::size_t most = 0;
  const auto look = [&](const reduce_kernel_use&, auto* kernel) {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel));
    most = std::max(most, attributes.localSizeBytes);
  };
  for_each_reduce_kernel<reduce_input<T>, Acc, Acc, Op>(look);
  return most;
}

#define WORKBOOK_INSTANCE(Acc, T, Op)                                                                \
  template std::vector<Acc> reduced_in_one_launch<Acc>(const std::vector<T>&, std::size_t, Op, int); \
  template std::size_t spilled_bytes_of_reduce<Acc, T, Op>();
#define WORKBOOK_FOUND(T, Op) template indexed<T> found_in_one_launch(const std::vector<T>&, std::size_t, Op);

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
WORKBOOK_INSTANCE(signed char, signed char, plus)
WORKBOOK_INSTANCE(int, signed char, plus)
WORKBOOK_INSTANCE(long long, signed char, plus)
WORKBOOK_INSTANCE(double, signed char, plus)
WORKBOOK_INSTANCE(unsigned long long, unsigned char, plus)
WORKBOOK_INSTANCE(short, short, plus)
WORKBOOK_INSTANCE(int, short, plus)
WORKBOOK_INSTANCE(unsigned, unsigned short, plus)
WORKBOOK_INSTANCE(__half, __half, plus)
WORKBOOK_INSTANCE(float, __half, plus)
WORKBOOK_INSTANCE(float, __nv_bfloat16, plus)
WORKBOOK_INSTANCE(__nv_bfloat16, __nv_bfloat16, maximum)
WORKBOOK_INSTANCE(__half, __half, minimum)
WORKBOOK_INSTANCE(signed char, signed char, minimum)
WORKBOOK_INSTANCE(unsigned char, unsigned char, maximum)
WORKBOOK_INSTANCE(short, short, times)
WORKBOOK_FOUND(float, arg_max)
WORKBOOK_FOUND(double, arg_min)
WORKBOOK_FOUND(int, arg_min)
WORKBOOK_FOUND(signed char, arg_min)
WORKBOOK_FOUND(short, arg_max)
WORKBOOK_INSTANCE(indexed<float>, indexed<float>, arg_max)
WORKBOOK_INSTANCE(triple, triple, plus_triple)

}  // namespace workbook
