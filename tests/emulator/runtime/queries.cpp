// Tests of streams, events, attributes, and the texts of errors.

#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "emulator/runtime/device_under_test.hpp"
#include "emulator/runtime/environment.hpp"
#include "emulator/runtime/kernels.hpp"

using namespace runtime_test;

TEST_CASE("events measure time that passes, and refuse to where they were not recorded or must not") {
  const fresh_device device;
  cudaEvent_t begin = nullptr, end = nullptr, silent = nullptr;
  REQUIRE(cudaEventCreate(&begin) == cudaSuccess);
  REQUIRE(cudaEventCreate(&end) == cudaSuccess);
  REQUIRE(cudaEventCreateWithFlags(&silent, cudaEventDisableTiming) == cudaSuccess);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end) == cudaErrorInvalidResourceHandle);
  REQUIRE(cudaEventRecord(begin, nullptr) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(begin) == cudaSuccess);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(cudaEventRecord(end, nullptr) == cudaSuccess);
  REQUIRE(cudaEventSynchronize(end) == cudaSuccess);
  CHECK(cudaEventQuery(end) == cudaSuccess);
  REQUIRE(cudaEventElapsedTime(&milliseconds, begin, end) == cudaSuccess);
  CHECK(milliseconds > 19);
  CHECK(milliseconds < 20000);
  REQUIRE(cudaEventRecord(silent, nullptr) == cudaSuccess);
  CHECK(cudaEventElapsedTime(&milliseconds, begin, silent) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamWaitEvent(nullptr, end, 0) == cudaSuccess);
  for (const cudaEvent_t event : {begin, end, silent}) CHECK(cudaEventDestroy(event) == cudaSuccess);
}

TEST_CASE("latencies are passed as text, and other text is refused with an example") {
  using emulator::runtime::latencies_of;
  emulator::path_latencies l;
  l.shuffle = 31.5;
  l.barrier_per_warp = 0.1;
  const std::string text = emulator::runtime::text_of(l);
  CHECK_THAT(text, ContainsSubstring("shuffle=31.5,") && ContainsSubstring("second_cache=281,"));
  CHECK(latencies_of(text).shuffle == 31.5);
  CHECK(latencies_of(text).barrier_per_warp == 0.1);
  CHECK(latencies_of("").shuffle == emulator::path_latencies().shuffle);
  for (const char* wrong : {"shuffle", "shuffle=", "shuffle=fast", "shuffle=-1", "shuffle=1e9", "shuffle=nan", "warp=1",
                            ",", "shuffle=1,,global=2", "shuffle=1 "})
    CHECK_THROWS_AS(latencies_of(wrong), emulator::runtime::bad_setting);
}

TEST_CASE("calls in which the host waits for the device are counted, and no others") {
  if (testing_gpu()) return;  // only the emulator counts them
  const fresh_device device;
  int number = 0;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  const std::uint64_t before = emulator::waiting_calls_made();
  REQUIRE(cudaMalloc(&memory, sizeof number) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(memory, 0, sizeof number, stream) == cudaSuccess);
  REQUIRE(cudaMemcpyAsync(&number, memory, sizeof number, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  CHECK(emulator::waiting_calls_made() == before);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(emulator::waiting_calls_made() == before + 1);
  REQUIRE(cudaMemcpy(&number, memory, sizeof number, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(emulator::waiting_calls_made() == before + 2);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  CHECK(emulator::waiting_calls_made() == before + 3);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("host functions run in their place in the stream") {
  const fresh_device device;
  int calls = 0;
  const cudaHostFn_t count = [](void* data) { ++*static_cast<int*>(data); };
  REQUIRE(cudaLaunchHostFunc(nullptr, count, &calls) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(calls == 1);
}

TEST_CASE("there is a device, with attributes and properties that agree") {
  const fresh_device device;
  int count = 0, number = -1;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  CHECK(count >= 1);
  REQUIRE(cudaGetDevice(&number) == cudaSuccess);
  CHECK(number == 0);
  CHECK(cudaSetDevice(0) == cudaSuccess);
  CHECK(cudaSetDevice(count) == cudaErrorInvalidDevice);
  static_cast<void>(cudaGetLastError());
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    REQUIRE(cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess);
    return value;
  };
  CHECK(attribute(cudaDevAttrMultiProcessorCount) == properties.multiProcessorCount);
  CHECK(attribute(cudaDevAttrComputeCapabilityMajor) == properties.major);
  CHECK(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == static_cast<int>(properties.sharedMemPerBlockOptin));
  CHECK(attribute(cudaDevAttrWarpSize) == 32);
  int version = 0;
  CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
  CHECK(version >= 12000);
}

TEST_CASE("a kernel's attributes are those that the compiler decided") {
  const fresh_device device;
  cudaFuncAttributes attributes;
  REQUIRE(cudaFuncGetAttributes(&attributes, bounded_kernel()) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 128);
  CHECK(attributes.numRegs > 0);
  CHECK(attributes.sharedSizeBytes == 0);
  REQUIRE(cudaFuncGetAttributes(&attributes, add_one_kernel()) == cudaSuccess);
  CHECK(attributes.maxThreadsPerBlock == 1024);
}

TEST_CASE("the size of local memory is that of the machine code, not that of the PTX") {
  const fresh_device device;
  cudaFuncAttributes attributes;
  REQUIRE(cudaFuncGetAttributes(&attributes, short_array_kernel()) == cudaSuccess);
  CHECK(attributes.localSizeBytes == 0);
  REQUIRE(cudaFuncGetAttributes(&attributes, long_array_kernel()) == cudaSuccess);
  CHECK(attributes.localSizeBytes == 40 * sizeof(int));
}

TEST_CASE("occupancy follows from the block size") {
  const fresh_device device;
  int per_multiprocessor = 0;
  cudaDeviceProp properties;
  REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
  int blocks = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one_kernel(), 256, 0) == cudaSuccess);
  // With few registers and no shared memory, the number of threads is the limit.
  CHECK(blocks == properties.maxThreadsPerMultiProcessor / 256);
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&per_multiprocessor, add_one_kernel(), 256, 0,
                                                                 cudaOccupancyDefault) == cudaSuccess);
  CHECK(per_multiprocessor == blocks);
  std::size_t shared = 0;
  REQUIRE(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, add_one_kernel(), 2, 256) == cudaSuccess);
  CHECK(shared > 0);
}

TEST_CASE("an attribute that the emulator does not know is not invented") {
  if (testing_gpu()) return;
  const fresh_device device;
  int value = -77;
  CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(255), 0) == cudaErrorNotSupported);
  CHECK(value == -77);
}

TEST_CASE("errors have the names and words of the real runtime") {
  CHECK(std::string(cudaGetErrorName(cudaErrorInvalidConfiguration)) == "cudaErrorInvalidConfiguration");
  CHECK(std::string(cudaGetErrorString(cudaErrorIllegalAddress)) == "an illegal memory access was encountered");
  CHECK(std::string(cudaGetErrorString(static_cast<cudaError_t>(12345))) == "unrecognized error code");
  // If NVIDIA's runtime is installed, all texts are compared with it, whether there is a GPU or not.
  const std::string name = "libcudart.so." + std::to_string(CUDART_VERSION / 1000);
  void* real = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (real == nullptr) {
    WARN("no " << name << " is installed: the texts were not compared");
    return;
  }
  using text_function = const char* (*)(cudaError_t);
  const auto real_name = reinterpret_cast<text_function>(dlsym(real, "cudaGetErrorName"));
  const auto real_words = reinterpret_cast<text_function>(dlsym(real, "cudaGetErrorString"));
  for (int code = 0; code < 1000; ++code) {
    INFO(code);
    const auto error = static_cast<cudaError_t>(code);
    REQUIRE(std::string(cudaGetErrorName(error)) == real_name(error));
    REQUIRE(std::string(cudaGetErrorString(error)) == real_words(error));
  }
}

TEST_CASE("without a GPU the reason is given, and selecting one fails with it") {
  std::string why_not;
  if (emulator::gpu_available(&why_not)) return;
  CHECK_FALSE(why_not.empty());
  CHECK_THROWS_WITH(emulator::select_device(emulator::device_kind::gpu), ContainsSubstring(why_not));
  CHECK(emulator::selected_device() == emulator::device_kind::emulator);
}
