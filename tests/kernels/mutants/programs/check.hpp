#pragma once
/// \file
/// Code shared by the programs for mutants: arrays on the device, a loop over the cases, and a verdict.

#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime_api.h>

namespace mutants {

/// An array on the device, filled with a case's initial values.
template <typename T>
class array {
 public:
  explicit array(const std::vector<T>& from) : size_(from.size()) {
    cudaMalloc(&data_, size_ * sizeof(T));
    cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  array(const array&) = delete;
  array& operator=(const array&) = delete;
  ~array() { cudaFree(data_); }

  [[nodiscard]] T* get() const { return data_; }
  /// Waits for the kernel, and returns true if the array equals `expected`.
  [[nodiscard]] bool holds(const std::vector<T>& expected) const {
    std::vector<T> here(size_);
    if (cudaMemcpy(here.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    return here == expected;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Returns numbers that vary with their index and have both signs.
inline std::vector<int> numbers(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i * 7919 % 2003) - 700;
  return all;
}

/// A case: the kernel's name, and a function that runs it and returns true if its result is right.
struct one_case {
  const char* kernel;
  bool (*right)();
};

/// Runs the case named by the first argument, or all cases. \return the program's exit status
template <std::size_t N>
int run(int argc, char** argv, const one_case (&cases)[N]) {
  bool right = true, any = false;
  for (const one_case& c : cases) {
    if (argc > 1 && std::strcmp(argv[1], c.kernel) != 0) continue;
    any = true;
    if (c.right()) continue;
    std::printf("%s: wrong\n", c.kernel);
    right = false;
  }
  if (!any) std::printf("there is no case %s\n", argv[1]);
  return right && any ? 0 : 1;
}

}  // namespace mutants
