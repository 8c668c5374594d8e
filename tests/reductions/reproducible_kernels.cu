// Instances of the reproducible sum for reproducible_sum_test.cpp.

#include "reductions/reproducible_kernels.hpp"

#include <algorithm>
#include <stdexcept>

#include "reductions/buffer.hpp"
#include "reductions/reproducible_sum.cuh"

namespace workbook {

template <typename T>
struct summed_on_device<T>::state {
  std::size_t n;
  device_bytes in, out, workspace;
  T* first;

  state(const std::vector<T>& elements, std::size_t offset)
      : n(elements.size()),
        in((offset + n) * sizeof(T)),
        out(sizeof(binned_sum<T>)),
        workspace(reproducible_sum_workspace_bytes<T>()),
        first(reinterpret_cast<T*>(in.data()) + offset) {
    check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
    if (n != 0) check(cudaMemcpy(first, elements.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  }

  template <typename Result>
  Result result() {
    check(cudaGetLastError());
    Result value;
    check(cudaMemcpy(&value, out.data(), sizeof value, cudaMemcpyDeviceToHost));
    return value;
  }
};

template <typename T>
summed_on_device<T>::summed_on_device(const std::vector<T>& elements, std::size_t offset)
    : state_(new state(elements, offset)) {}

template <typename T>
summed_on_device<T>::~summed_on_device() {
  delete state_;
}

template <typename T>
T summed_on_device<T>::sum() {
  reproducible_sum(state_->first, reinterpret_cast<T*>(state_->out.data()), state_->n, state_->workspace.data());
  return state_->template result<T>();
}

template <typename T>
binned_sum<T> summed_on_device<T>::part(std::size_t from, std::size_t to) {
  reproducible_sum(state_->first + from, reinterpret_cast<binned_sum<T>*>(state_->out.data()), to - from,
                   state_->workspace.data());
  return state_->template result<binned_sum<T>>();
}

template <typename T>
T summed_on_device<T>::sum_in(const reduce_shape& shape) {
  if (!reproducible_sum_in_shape<3>(shape, reduce_input<T>(state_->first, state_->n),
                                    reinterpret_cast<T*>(state_->out.data()), state_->workspace.data(), nullptr))
    throw std::logic_error("there is no kernel for this shape");
  return state_->template result<T>();
}

template <typename T, unsigned Bins>
std::size_t spilled_bytes_of_sum() {
  std::size_t most = 0;
  for_each_reproducible_kernel<T, Bins, T>([&](unsigned, bool, auto* kernel) {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel));
    most = std::max(most, attributes.localSizeBytes);
  });
  return most;
}

template class summed_on_device<float>;
template class summed_on_device<double>;
template std::size_t spilled_bytes_of_sum<float, 3>();
template std::size_t spilled_bytes_of_sum<double, 3>();

}  // namespace workbook
