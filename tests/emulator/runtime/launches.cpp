// Tests of launches through the runtime: what runs, what is refused, what happens after a fault.

#include <thread>

#include "emulator/runtime/device_under_test.hpp"
#include "emulator/runtime/kernels.hpp"

using namespace runtime_test;

namespace {

/// Allocates, launches and copies many times, and counts unexpected results. (Catch2's checks are for one thread only.)
void emulator_thread_work(int& wrong, int seed) {
  for (int i = 0; i < 50; ++i) {
    int* values = nullptr;
    int host[3] = {seed, i, 7};
    wrong += cudaMalloc(reinterpret_cast<void**>(&values), sizeof host) != cudaSuccess;
    wrong += cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess;
    launch_add_one(values, 3, 3, 1);
    wrong += cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess;
    wrong += host[0] != seed + 1 || host[1] != i + 1 || host[2] != 8;
    wrong += cudaFree(values) != cudaSuccess;
  }
}

}  // namespace

TEST_CASE("a kernel that nvcc compiled runs, in any stream") {
  const fresh_device device;
  int* values = on_device({1, 2, 3, 4, 5});
  launch_add_one(values, 5, 2, 3);
  REQUIRE(cudaGetLastError() == cudaSuccess);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  launch_add_one(values, 5, 5, 1, 0, stream);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  launch_add_one(values, 5, 1, 32, 0, cudaStreamPerThread);
  REQUIRE(cudaStreamSynchronize(cudaStreamPerThread) == cudaSuccess);
  CHECK(from_device(values, 5) == std::vector<int>{4, 5, 6, 7, 8});
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("a kernel can be launched by the address of its stub, and by its handle, with attributes") {
  const fresh_device device;
  int* values = on_device({1, 2});
  int n = 2;
  void* arguments[] = {&values, &n};
  REQUIRE(cudaLaunchKernel(add_one_kernel(), 1, 2, arguments, 0, nullptr) == cudaSuccess);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 2;
  config.attrs = &attribute;
  config.numAttrs = 1;
  REQUIRE(cudaLaunchKernelExC(&config, add_one_kernel(), arguments) == cudaSuccess);
  CHECK(from_device(values, 2) == std::vector<int>{3, 4});
}

TEST_CASE("several host threads may use the device at once") {
  const fresh_device device;
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] { emulator_thread_work(wrong[static_cast<std::size_t>(t)], t); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("an error belongs to the host thread that made it") {
  const fresh_device device;
  cudaError_t there = cudaSuccess;
  std::thread([&] {
    static_cast<void>(cudaSetDevice(99));
    there = cudaGetLastError();
  }).join();
  CHECK(there == cudaErrorInvalidDevice);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a launch that cannot be is refused with the runtime's error, which cudaGetLastError gives once") {
  const fresh_device device;
  int* values = on_device({0});
  const auto error_of = [&](dim3 grid, dim3 block, std::size_t shared = 0) {
    launch_add_one(values, 1, grid, block, shared);
    CHECK(cudaPeekAtLastError() == cudaPeekAtLastError());
    const cudaError_t error = cudaGetLastError();
    CHECK(cudaGetLastError() == cudaSuccess);
    return error;
  };
  // The runtime of CUDA 13.0 returns cudaErrorInvalidValue; earlier ones and the emulator return the more specific
  // error.
  const auto refused = [&](dim3 grid, dim3 block) {
    const cudaError_t error = error_of(grid, block);
    return error == cudaErrorInvalidConfiguration || (testing_gpu() && error == cudaErrorInvalidValue);
  };
  CHECK(refused(0, 32));
  CHECK(refused(1, 0));
  CHECK(refused(1, 1025));
  CHECK(refused(1, dim3(64, 32)));
  CHECK(refused(1, dim3(1, 1, 65)));
  CHECK(refused(dim3(1, 65536), 32));
  CHECK(refused(dim3(1, 1, 65536), 32));
  CHECK(error_of(1, 32, 49 * 1024) == cudaErrorInvalidValue);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(from_device(values, 1) == std::vector<int>{0});
  CHECK(error_of(1, 1024) == cudaSuccess);
}

TEST_CASE("a block larger than the launch bounds is refused") {
  const fresh_device device;
  int* values = on_device({0});
  launch_bounded(values, 1, 128);
  CHECK(cudaGetLastError() == cudaSuccess);
  launch_bounded(values, 1, 129);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(from_device(values, 1) == std::vector<int>{1});
}

TEST_CASE("more than 48 KiB of dynamic shared memory take an attribute") {
  const fresh_device device;
  constexpr std::size_t size = 60000;
  unsigned char* values = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&values), size) == cudaSuccess);
  launch_shared(values, 256, size);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  REQUIRE(cudaFuncGetAttributes(&attributes, shared_kernel()) == cudaSuccess);
  CHECK(attributes.maxDynamicSharedSizeBytes == 48 * 1024);
  CHECK(cudaFuncSetAttribute(shared_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20) ==
        cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaFuncSetAttribute(shared_kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize, size) == cudaSuccess);
  launch_shared(values, 256, size);
  CHECK(cudaGetLastError() == cudaSuccess);
  std::vector<unsigned char> host(size);
  REQUIRE(cudaMemcpy(host.data(), values, size, cudaMemcpyDeviceToHost) == cudaSuccess);
  bool right = true;
  for (std::size_t i = 0; i < size; ++i) right = right && host[i] == static_cast<unsigned char>(size - 1 - i);
  CHECK(right);
}

TEST_CASE("a cooperative grid synchronises, and one that does not fit is refused") {
  const fresh_device device;
  int* total = on_device(std::vector<int>(1 + 100, 0));
  CHECK(launch_cooperative(total, 100, 64) == cudaSuccess);
  // 1 + 2 + … + 100
  CHECK(from_device(total, 1) == std::vector<int>{5050});
  CHECK(launch_cooperative(total, 1000000, 1024) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("a function that is not a kernel cannot be launched or queried") {
  const fresh_device device;
  static const int not_a_kernel = 0;
  // The runtime of CUDA 13.0 treats the address as an invalid handle. Earlier ones and the emulator treat it as a
  // function.
  const auto refused = [](cudaError_t error) {
    return error == cudaErrorInvalidDeviceFunction || (testing_gpu() && error == cudaErrorInvalidResourceHandle);
  };
  CHECK(refused(cudaLaunchKernel(&not_a_kernel, 1, 1, nullptr, 0, nullptr)));
  cudaFuncAttributes attributes;
  CHECK(refused(cudaFuncGetAttributes(&attributes, &not_a_kernel)));
  static_cast<void>(cudaGetLastError());
}

namespace {

/// Checks that after `cause`, every call returns `error` until the device is reset.
void demand_sticky(void (*cause)(), cudaError_t error) {
  const fresh_device device;
  int* innocent = on_device({7});
  cause();
  CHECK(cudaDeviceSynchronize() == error);
  // Neither a query nor any other call clears it.
  CHECK(cudaGetLastError() == error);
  CHECK(cudaDeviceSynchronize() == error);
  int host = 0;
  CHECK(cudaMemcpy(&host, innocent, sizeof host, cudaMemcpyDeviceToHost) == error);
  CHECK(cudaMalloc(reinterpret_cast<void**>(&innocent), 4) == error);
  CHECK(cudaDeviceReset() == cudaSuccess);
  static_cast<void>(cudaGetLastError());
  // A real device may stay unusable in the same process. With driver 580 and CUDA 13.0, an H200 does not recover.
  if (testing_gpu()) return;
  int* again = on_device({1});
  launch_add_one(again, 1, 1, 1);
  CHECK(from_device(again, 1) == std::vector<int>{2});
}

}  // namespace

// These tests have a tag, because on a GPU each of them needs its own process.
TEST_CASE("after an access out of bounds every call returns its error until the device is reset", "[fault]") {
  demand_sticky(
      [] {
        int* values = on_device({0});
        launch_store(values + (std::ptrdiff_t{1} << 38), 1);
      },
      cudaErrorIllegalAddress);
}

TEST_CASE("after an access to null every call returns its error until the device is reset", "[fault]") {
  demand_sticky([] { launch_store(nullptr, 1); }, cudaErrorIllegalAddress);
}

TEST_CASE("after a misaligned access every call returns its error until the device is reset", "[fault]") {
  demand_sticky(
      [] {
        launch_store(reinterpret_cast<int*>(reinterpret_cast<char*>(on_device({0, 0})) + 1), 1);
      },
      cudaErrorMisalignedAddress);
}

TEST_CASE("after a trap every call returns its error until the device is reset", "[fault]") {
  demand_sticky([] { launch_trap(); }, cudaErrorLaunchFailure);
}

TEST_CASE("after an assertion every call returns its error until the device is reset", "[fault]") {
  demand_sticky([] { launch_assertion(); }, cudaErrorAssert);
}

TEST_CASE("a kernel that never ends is stopped at the limit of instructions") {
  if (testing_gpu()) return;
  const fresh_device device;
  emulator::options limited = emulator::current_options();
  const emulator::options before = limited;
  limited.max_instructions = 100'000;
  emulator::set_options(limited);
  launch_endless(on_device({0}));
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  emulator::set_options(before);
}

TEST_CASE("memory that was freed, or is the host's, cannot be reached by a kernel") {
  if (testing_gpu()) return;
  {
    const fresh_device device;
    int* values = on_device({0});
    REQUIRE(cudaFree(values) == cudaSuccess);
    launch_store(values, 1);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  }
  const fresh_device device;
  int on_the_host = 5;
  launch_store(&on_the_host, 1);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(on_the_host == 5);
}

TEST_CASE("a launch has one report with all facts about it") {
  if (testing_gpu()) return;
  const fresh_device device;
  int* values = on_device({1, 2, 3});
  launch_add_one(values, 3, dim3(2, 1, 1), dim3(32, 2, 1));
  const auto reports = emulator::take_reports();
  REQUIRE(reports.size() == 1);
  CHECK_THAT(reports[0].kernel, ContainsSubstring("add_one(int*, int)"));
  CHECK(reports[0].grid[0] == 2);
  CHECK(reports[0].block[1] == 2);
  CHECK(reports[0].completed);
  CHECK(reports[0].registers_per_thread > 0);
  CHECK(emulator::take_reports().empty());
}

TEST_CASE("a GPU that is not known is refused by name") {
  emulator::options wrong = emulator::current_options();
  wrong.gpu = "banana";
  CHECK_THROWS_WITH(emulator::set_options(wrong), ContainsSubstring("banana") && ContainsSubstring("a100"));
}
