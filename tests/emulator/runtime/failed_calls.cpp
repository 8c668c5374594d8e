// Tests which failed calls and refused launches cause findings, and the messages. Findings with source lines are tested
// in tests/emulator/emulate.

#include <algorithm>
#include <thread>

#include "emulator/fat_binary/container.hpp"
#include "emulator/runtime/device_under_test.hpp"
#include "emulator/runtime/kernels.hpp"

using namespace runtime_test;

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host_function, char* device_function, const char* device_name,
                            int thread_limit, uint3*, uint3*, dim3*, dim3*, int*);
}

namespace {

/// Selects the emulated device, and removes findings from earlier calls.
struct watched_device : fresh_device {
  watched_device() { static_cast<void>(emulator::take_call_findings()); }
};

/// Returns the messages of the findings since the last call. Checks that all findings are of this kind.
std::vector<std::string> messages_of(const char* kind) {
  std::vector<std::string> messages;
  for (const emulator::finding& f : emulator::take_call_findings()) {
    CHECK(name_of(f.kind) == kind);
    messages.push_back(f.message);
  }
  return messages;
}

}  // namespace

TEST_CASE("a refused launch is a finding unless the program checks its error") {
  if (testing_gpu()) return;
  const watched_device device;
  int* values = on_device({0});
  launch_add_one(values, 1, 1, 1025);
  const std::vector<std::string> found = messages_of("refused launch");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], ContainsSubstring("add_one") && ContainsSubstring("cudaErrorInvalidConfiguration") &&
                           ContainsSubstring("is 1025, the limit is 1024"));
  CHECK_THAT(found[0], ContainsSubstring("a grid of 1 x 1 x 1 blocks of 1025 x 1 x 1 threads"));

  for (int time = 0; time < 3; ++time) launch_add_one(values, 1, 0, 32);
  CHECK(cudaPeekAtLastError() != cudaSuccess);
  CHECK(messages_of("refused launch").empty());
  // The error was queried before this launch, so its refusal is reported.
  launch_add_one(values, 1, 0, 32);
  CHECK(messages_of("refused launch").size() == 1);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("the last error of one host thread does not depend on the launches of another") {
  if (testing_gpu()) return;
  const watched_device device;
  int* values = on_device({0});
  launch_add_one(values, 1, 1, 0);
  std::thread([] { CHECK(cudaGetLastError() == cudaSuccess); }).join();
  CHECK(messages_of("refused launch").size() == 1);
  static_cast<void>(cudaGetLastError());
}

TEST_CASE("a call that returns its error is a finding, with its arguments in words, once for each place") {
  if (testing_gpu()) return;
  const watched_device device;
  int* values = on_device({1, 2});
  const int host[4] = {};
  for (int time = 0; time < 3; ++time)
    CHECK(cudaMemcpy(values + 1, host, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  const std::vector<emulator::finding> found = emulator::take_call_findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].check()) == "memcheck");
  CHECK(name_of(found[0].kind) == "failed call");
  CHECK(found[0].count == 3);
  CHECK_THAT(found[0].message, ContainsSubstring("cudaMemcpy failed (cudaErrorInvalidValue): 16 bytes do not fit the "
                                                 "destination: 4 bytes are left in an allocation of 8."));
  CHECK_THAT(found[0].message, ContainsSubstring("at byte 4, source: host memory, size: 16, kind: "
                                                 "cudaMemcpyHostToDevice"));
  CHECK_FALSE(found[0].cure.empty());
}

TEST_CASE("a copy beyond a variable and calls with invalid handles report what is wrong") {
  if (testing_gpu()) return;
  const watched_device device;
  const int host[2] = {};
  CHECK(cudaMemcpyToSymbol(counter_symbol(), host, 8) == cudaErrorInvalidValue);
  CHECK_THAT(messages_of("failed call").at(0), ContainsSubstring("8 bytes at byte 0 do not fit variable"));
  CHECK(cudaMemcpyToSymbol(host, host, 4) == cudaErrorInvalidSymbol);
  CHECK_THAT(messages_of("failed call").at(0), ContainsSubstring("pass the variable itself"));
  CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
  CHECK_THAT(messages_of("failed call").at(0), ContainsSubstring("number is 0. Its arguments: number: 3."));
  cudaEvent_t event = nullptr;
  REQUIRE(cudaEventCreate(&event) == cudaSuccess);
  REQUIRE(cudaEventDestroy(event) == cudaSuccess);
  CHECK(cudaEventRecord(event) == cudaErrorInvalidResourceHandle);
  CHECK_THAT(messages_of("failed call").at(0), ContainsSubstring("has been destroyed"));
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  CHECK_THAT(messages_of("failed call").at(0), ContainsSubstring("pointer: a null pointer"));
}

TEST_CASE("queries that return an error are not findings, nor are errors that follow from a kernel's fault") {
  if (testing_gpu()) return;
  const watched_device device;
  int value = 0;
  CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(255), 0) != cudaSuccess);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, &value) != cudaSuccess);
  launch_trap();
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  CHECK(cudaMemset(nullptr, 0, 1) == cudaErrorLaunchFailure);
  CHECK(emulator::take_call_findings().empty());
}

TEST_CASE("calls that fail are findings of memcheck, and can be switched off") {
  if (testing_gpu()) return;
  const watched_device device;
  const emulator::options before = emulator::current_options();
  for (bool emulator::options::*off : {&emulator::options::memcheck, &emulator::options::api_errors}) {
    emulator::options without = before;
    without.*off = false;
    emulator::set_options(without);
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
    emulator::set_options(before);
    CHECK(emulator::take_call_findings().empty());
  }
}

TEST_CASE("a kernel whose PTX cannot be read is not launched, which is a finding") {
  if (testing_gpu()) return;
  const watched_device device;
  fat_binary::test::made_entry entry;
  entry.payload = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry torn(\n";
  std::vector<std::byte> container = fat_binary::test::make_container({entry});
  struct {
    int magic = 0x466243b1;
    int version = 1;
    const void* data = nullptr;
    void* unused = nullptr;
  } wrapper;
  wrapper.data = container.data();
  static const char stub = 0;
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &stub, nullptr, "torn", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  CHECK(cudaLaunchKernel(&stub, 1, 1, nullptr, 0, nullptr) == cudaErrorInvalidPtx);
  const std::vector<std::string> found = messages_of("refused launch");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], ContainsSubstring("torn") && ContainsSubstring("PTX that the emulator cannot read"));
  __cudaUnregisterFatBinary(handle);
  static_cast<void>(cudaGetLastError());
}
