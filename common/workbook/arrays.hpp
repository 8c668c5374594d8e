#pragma once
/// \file
/// Copies arrays between host and device, and prepares experiments for every element type.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "workbook/element.hpp"
#include "workbook/guarded.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// Returns the first `n` elements of the input.
template <typename T>
[[nodiscard]] std::vector<T> input_values(std::size_t n, std::uint64_t seed) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = input_value<T>(i, seed);
  return values;
}

/// Returns a copy of `host` on the selected device. \throws device_error
template <typename T>
[[nodiscard]] guarded on_device(const std::vector<T>& host) {
  guarded array(host.size() * sizeof(T));
  if (!host.empty()) check(cudaMemcpy(array.data(), host.data(), array.size_bytes(), cudaMemcpyHostToDevice));
  return array;
}

/// Returns a copy of `array` on the host. Synchronises. \throws device_error
template <typename T>
[[nodiscard]] std::vector<T> on_host(const guarded& array) {
  std::vector<T> host(array.size_bytes() / sizeof(T));
  if (!host.empty()) check(cudaMemcpy(host.data(), array.data(), array.size_bytes(), cudaMemcpyDeviceToHost));
  return host;
}

/// Poisons the outputs, launches the experiment once, and waits for it. \throws device_error
inline void run_once(experiment& e) {
  e.poison_outputs();
  e.launch();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

/// Returns a function that makes an `Experiment<T>(p, arguments…)` for the problem's element type T.
/// \tparam Interface  the base class of the returned pointer
template <template <typename> typename Experiment, typename Interface = experiment, typename... Arguments>
[[nodiscard]] auto prepared_as(Arguments... arguments) {
  return [=](const problem& p) {
    return with_type(p.type, [&](auto* tag) -> std::unique_ptr<Interface> {
      return std::make_unique<Experiment<std::remove_pointer_t<decltype(tag)>>>(p, arguments...);
    });
  };
}

}  // namespace workbook
