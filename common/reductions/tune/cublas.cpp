#include "reductions/tune/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace workbook {
namespace {

/// Constants in device memory: the factor 1 for the elements, and the factor 0 for the previous result.
struct ones {
  double of_double = 1;
  float of_float = 1;
  float nothing = 0;
};

template <typename F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
}

void expect_success(int status) {
  if (status != 0) throw std::runtime_error("cuBLAS refuses: status " + std::to_string(status));
}

}  // namespace

std::shared_ptr<cublas> cublas::load() {
  // Loads the version that belongs to the CUDA release for which this program was compiled.
  const std::string name = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  auto found = std::make_shared<cublas>();
  int (*create)(void**) = nullptr;
  int (*set_pointer_mode)(void*, int) = nullptr;
  find(library, "cublasCreate_v2", create);
  find(library, "cublasSetPointerMode_v2", set_pointer_mode);
  find(library, "cublasSdot_v2_64", found->sdot_);
  find(library, "cublasDdot_v2_64", found->ddot_);
  find(library, "cublasSasum_v2_64", found->sasum_);
  find(library, "cublasDasum_v2_64", found->dasum_);
  find(library, "cublasSgemv_v2_64", found->sgemv_);
  if (!create || !set_pointer_mode || !found->sdot_ || !found->ddot_ || !found->sasum_ || !found->dasum_ ||
      !found->sgemv_)
    return nullptr;
  constexpr int results_on_device = 1;
  expect_success(create(&found->handle_));
  expect_success(set_pointer_mode(found->handle_, results_on_device));

  const ones host;
  found->ones_ = device_bytes(sizeof host);
  check(cudaMemcpy(found->ones_.data(), &host, sizeof host, cudaMemcpyHostToDevice));
  return found;
}

void cublas::sum(const float* in, float* out, std::size_t n) {
  const auto* at = reinterpret_cast<const ones*>(ones_.data());
  expect_success(sdot_(handle_, static_cast<std::int64_t>(n), in, 1, &at->of_float, 0, out));
}
void cublas::sum(const double* in, double* out, std::size_t n) {
  const auto* at = reinterpret_cast<const ones*>(ones_.data());
  expect_success(ddot_(handle_, static_cast<std::int64_t>(n), in, 1, &at->of_double, 0, out));
}
void cublas::magnitudes(const float* in, float* out, std::size_t n) {
  expect_success(sasum_(handle_, static_cast<std::int64_t>(n), in, 1, out));
}
void cublas::magnitudes(const double* in, double* out, std::size_t n) {
  expect_success(dasum_(handle_, static_cast<std::int64_t>(n), in, 1, out));
}

void cublas::sums_of(const float* in, float* out, bool rows, std::size_t count, std::size_t length,
                     const float* ones_there) {
  // A matrix in row order is the transpose of a matrix in column order, which BLAS expects.
  constexpr int as_it_is = 0, transposed = 1;
  const auto* at = reinterpret_cast<const ones*>(ones_.data());
  const auto m = static_cast<std::int64_t>(rows ? length : count), n = static_cast<std::int64_t>(rows ? count : length);
  expect_success(
      sgemv_(handle_, rows ? transposed : as_it_is, m, n, &at->of_float, in, m, ones_there, 1, &at->nothing, out, 1));
}

}  // namespace workbook
