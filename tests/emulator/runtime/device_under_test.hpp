#pragma once
/// \file
/// The tests of the runtime's behaviour also hold for NVIDIA's runtime. With WORKBOOK_TEST_DEVICE=gpu they run on a
/// GPU.

#include <cuda_runtime_api.h>

#include <vector>

#include "emulator/emulator.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

namespace runtime_test {

using ::testing_gpu;

/// Selects the device at the beginning of a test, and clears its memory and its sticky error.
struct fresh_device {
  fresh_device() {
    select_tested_device();
    static_cast<void>(cudaDeviceReset());
    static_cast<void>(cudaGetLastError());
  }
  ~fresh_device() {
    static_cast<void>(cudaDeviceReset());
    static_cast<void>(cudaGetLastError());
    static_cast<void>(emulator::take_reports());
  }
  fresh_device(const fresh_device&) = delete;
  fresh_device& operator=(const fresh_device&) = delete;
};

/// Returns device memory with these values in it.
[[nodiscard]] inline int* on_device(const std::vector<int>& values) {
  int* memory = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&memory), values.size() * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemcpy(memory, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess);
  return memory;
}

[[nodiscard]] inline std::vector<int> from_device(const int* memory, std::size_t n) {
  std::vector<int> values(n, -1);
  REQUIRE(cudaMemcpy(values.data(), memory, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  return values;
}

}  // namespace runtime_test
