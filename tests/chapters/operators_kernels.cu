// Instances of chapter 9's kernel for operators_test.cpp.

#include <algorithm>

#include "chapters/operators_kernels.hpp"
#include "reductions/buffer.hpp"
#include "solutions/09_warp_shuffles/reduce.cuh"

namespace workbook {

template <typename T, typename Op>
T reduced_on_device(const std::vector<T>& elements, unsigned block_size, std::size_t offset, Op op) {
  std::size_t n = elements.size();
  const device_bytes in((offset + n) * sizeof(T));
  const std::size_t room = std::max<std::size_t>(1, n / block_size + 1) * sizeof(T);
  device_bytes to(room), from(room);
  const T* source = reinterpret_cast<const T*>(in.data()) + offset;
  if (n != 0) check(cudaMemcpy(const_cast<T*>(source), elements.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  do {
    n = chapter9::solution::reduce(source, reinterpret_cast<T*>(to.data()), n, block_size, op);
    check(cudaGetLastError());
    std::swap(to, from);
    source = reinterpret_cast<const T*>(from.data());
  } while (n > 1);
  T result;
  check(cudaMemcpy(&result, source, sizeof(T), cudaMemcpyDeviceToHost));
  return result;
}

#define WORKBOOK_INSTANCE(T, Op) template T reduced_on_device(const std::vector<T>&, unsigned, std::size_t, Op);
#define WORKBOOK_INSTANCES(T)   \
  WORKBOOK_INSTANCE(T, plus)    \
  WORKBOOK_INSTANCE(T, times)   \
  WORKBOOK_INSTANCE(T, minimum) \
  WORKBOOK_INSTANCE(T, maximum) \
  WORKBOOK_INSTANCE(indexed<T>, arg_max)

WORKBOOK_INSTANCES(int)
WORKBOOK_INSTANCES(unsigned)
WORKBOOK_INSTANCES(long long)
WORKBOOK_INSTANCES(float)
WORKBOOK_INSTANCES(double)
WORKBOOK_INSTANCE(unsigned char, maximum)

}  // namespace workbook
