// Tests of memory through the runtime: allocation, copies, variables, and what the runtime refuses.

#include "emulator/runtime/device_under_test.hpp"
#include "emulator/runtime/kernels.hpp"

using namespace runtime_test;

namespace {

template <typename T>
void** out(T** pointer) {
  return reinterpret_cast<void**>(pointer);
}

}  // namespace

TEST_CASE("freeing nothing is fine; freeing twice, freeing rubbish and freeing the middle are not") {
  const fresh_device device;
  int* values = on_device({1, 2});
  CHECK(cudaFree(nullptr) == cudaSuccess);
  CHECK(cudaFree(values + 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(values) == cudaSuccess);
  CHECK(cudaFree(values) == cudaErrorInvalidValue);
  int on_the_stack = 0;
  CHECK(cudaFree(&on_the_stack) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("an allocation of nothing is a null pointer, one of too much is refused") {
  const fresh_device device;
  int* values = reinterpret_cast<int*>(1);
  CHECK(cudaMalloc(out(&values), 0) == cudaSuccess);
  CHECK(values == nullptr);
  CHECK(cudaMalloc(out(&values), std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(nullptr, 4) == cudaErrorInvalidValue);
  // There cannot be more pinned memory than the host has.
  CHECK(cudaMallocHost(out(&values), std::size_t{1} << 42) == cudaErrorMemoryAllocation);
  CHECK(cudaHostAlloc(out(&values), std::size_t{1} << 42, cudaHostAllocDefault) == cudaErrorMemoryAllocation);
}

TEST_CASE("copies keep what they copy, in every direction") {
  const fresh_device device;
  const std::vector<int> original = {1, -2, 3, -4};
  int* first = on_device(original);
  int* second = on_device({0, 0, 0, 0});
  REQUIRE(cudaMemcpy(second, first, 16, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(from_device(second, 4) == original);
  std::vector<int> host(4, 0);
  REQUIRE(cudaMemcpy(host.data(), second, 16, cudaMemcpyDefault) == cudaSuccess);
  CHECK(host == original);
  REQUIRE(cudaMemcpyAsync(host.data() + 1, second, 8, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(nullptr) == cudaSuccess);
  CHECK(host == std::vector<int>{1, 1, -2, -4});
  REQUIRE(cudaMemset(second, 0xff, 8) == cudaSuccess);
  CHECK(from_device(second, 4) == std::vector<int>{-1, -1, 3, -4});
}

TEST_CASE("a copy beyond the end, or in a direction that does not exist, is refused") {
  const fresh_device device;
  int* values = on_device({1, 2});
  std::vector<int> host(4096);
  CHECK(cudaMemcpy(values, host.data(), 4096 * 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host.data(), values + (1 << 24), 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(values, host.data(), 4, static_cast<cudaMemcpyKind>(7)) == cudaErrorInvalidMemcpyDirection);
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemset(host.data(), 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaMemset(values, 0, 4096 * 4) == cudaErrorInvalidValue);
  CHECK(from_device(values, 2) == std::vector<int>{1, 2});
}

TEST_CASE("rows are copied with their pitches") {
  const fresh_device device;
  char* rows = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(out(&rows), &pitch, 3, 2) == cudaSuccess);
  CHECK(pitch >= 3);
  const std::string host = "abcdef";
  REQUIRE(cudaMemcpy2D(rows, pitch, host.data(), 3, 3, 2, cudaMemcpyHostToDevice) == cudaSuccess);
  char second[3];
  REQUIRE(cudaMemcpy(second, rows + pitch, 3, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(std::string(second, 3) == "def");
  CHECK(cudaMemcpy2D(rows, 2, host.data(), 3, 3, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
}

TEST_CASE("pinned and managed memory is there for host and device") {
  const fresh_device device;
  int* pinned = nullptr;
  int* managed = nullptr;
  REQUIRE(cudaMallocHost(out(&pinned), 8) == cudaSuccess);
  REQUIRE(cudaMallocManaged(out(&managed), 8, cudaMemAttachGlobal) == cudaSuccess);
  pinned[0] = 10;
  managed[0] = 20;
  int* seen = nullptr;
  REQUIRE(cudaHostGetDevicePointer(out(&seen), pinned, 0) == cudaSuccess);
  launch_add_one(seen, 1, 1, 1);
  launch_add_one(managed, 1, 1, 1);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(pinned[0] == 11);
  CHECK(managed[0] == 21);
  CHECK(cudaFreeHost(managed) == cudaErrorInvalidValue);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("the runtime knows the kind of a pointer") {
  const fresh_device device;
  int* values = on_device({1});
  int* pinned = nullptr;
  REQUIRE(cudaMallocHost(out(&pinned), 8) == cudaSuccess);
  int on_the_stack = 0;
  const auto type_of = [](const void* pointer) {
    cudaPointerAttributes attributes;
    REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes.type;
  };
  CHECK(type_of(values) == cudaMemoryTypeDevice);
  CHECK(type_of(pinned) == cudaMemoryTypeHost);
  CHECK(type_of(&on_the_stack) == cudaMemoryTypeUnregistered);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("variables are there with their first values, and start over after a reset") {
  for (int round = 0; round < 2; ++round) {
    const fresh_device device;
    managed_value() = 6;
    int* seen = on_device({0, 0, 0});
    launch_variables(seen);
    CHECK(from_device(seen, 3) == std::vector<int>{3, 40, 6});
    int count = 0;
    REQUIRE(cudaMemcpyFromSymbol(&count, counter_symbol(), sizeof count, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(count == 41);
    const int wanted = -9;
    REQUIRE(cudaMemcpyToSymbol(scale_symbol(), &wanted, sizeof wanted, 0, cudaMemcpyHostToDevice) == cudaSuccess);
    launch_variables(seen);
    CHECK(from_device(seen, 3) == std::vector<int>{-9, 41, 6});
    if (testing_gpu()) break;  // on a real device, a managed variable loses its value when the device is reset
  }
}

TEST_CASE("a variable has an address and a size, and anything else has neither") {
  const fresh_device device;
  void* address = nullptr;
  std::size_t size = 0;
  REQUIRE(cudaGetSymbolAddress(&address, counter_symbol()) == cudaSuccess);
  REQUIRE(cudaGetSymbolSize(&size, counter_symbol()) == cudaSuccess);
  CHECK(address != nullptr);
  CHECK(size == sizeof(int));
  static const int not_a_variable = 0;
  CHECK(cudaGetSymbolAddress(&address, &not_a_variable) == cudaErrorInvalidSymbol);
  const long too_much = 0;
  CHECK(cudaMemcpyToSymbol(counter_symbol(), &too_much, sizeof too_much, 0, cudaMemcpyHostToDevice) ==
        cudaErrorInvalidValue);
}

TEST_CASE("stream-ordered memory is allocated and freed") {
  const fresh_device device;
  int* values = nullptr;
  REQUIRE(cudaMallocAsync(out(&values), 12, nullptr) == cudaSuccess);
  REQUIRE(cudaMemsetAsync(values, 0, 12, nullptr) == cudaSuccess);
  launch_add_one(values, 3, 1, 3);
  CHECK(from_device(values, 3) == std::vector<int>{1, 1, 1});
  CHECK(cudaFreeAsync(values, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("free memory shrinks by an allocation and comes back") {
  const fresh_device device;
  std::size_t free_before = 0, free_after = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free_before, &total) == cudaSuccess);
  CHECK(free_before <= total);
  void* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, 64 << 20) == cudaSuccess);
  REQUIRE(cudaMemGetInfo(&free_after, &total) == cudaSuccess);
  CHECK(free_after + (64 << 20) <= free_before);
  REQUIRE(cudaFree(memory) == cudaSuccess);
  REQUIRE(cudaMemGetInfo(&free_after, &total) == cudaSuccess);
  CHECK(free_after == free_before);
}

TEST_CASE("a double free and a free of rubbish are findings of memcheck, too") {
  if (testing_gpu()) return;
  const fresh_device device;
  static_cast<void>(emulator::take_call_findings());
  int* values = on_device({1, 2});
  CHECK(cudaFree(values + 1) == cudaErrorInvalidValue);
  CHECK(cudaFree(values) == cudaSuccess);
  for (int time = 0; time < 2; ++time) CHECK(cudaFree(values) == cudaErrorInvalidValue);
  const std::vector<emulator::finding> found = emulator::take_call_findings();
  REQUIRE(found.size() == 2);
  CHECK(name_of(found[0].check()) == "memcheck");
  CHECK(name_of(found[0].kind) == "invalid free");
  CHECK_THAT(found[0].message, ContainsSubstring("inside allocation"));
  CHECK(name_of(found[1].kind) == "double free");
  CHECK(found[1].count == 2);
  CHECK_THAT(found[1].message, ContainsSubstring("has been freed"));
  CHECK(emulator::take_call_findings().empty());
}

namespace {

/// Returns the findings of initcheck about copies to the host, including copies by on_device and from_device.
std::vector<emulator::finding> copy_findings() {
  std::vector<emulator::finding> found = emulator::take_call_findings();
  for (const emulator::finding& f : found) CHECK(name_of(f.kind) == "uninitialised copy");
  return found;
}

}  // namespace

TEST_CASE("a copy to the host of bytes that nothing has written is a finding of initcheck") {
  if (testing_gpu()) return;
  const fresh_device device;
  static_cast<void>(emulator::take_call_findings());
  int* values = nullptr;
  REQUIRE(cudaMalloc(out(&values), 100 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaMemset(values, 0, 50 * sizeof(int)) == cudaSuccess);
  static_cast<void>(from_device(values, 50));
  CHECK(copy_findings().empty());
  static_cast<void>(from_device(values, 51));  // copies one unwritten word, and many written ones
  std::vector<emulator::finding> found = copy_findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].check()) == "initcheck");
  CHECK_THAT(found[0].message, ContainsSubstring("bytes 200 to 203 of allocation"));
  static_cast<void>(from_device(values + 99, 1));  // only unwritten bytes
  CHECK(copy_findings().size() == 1);

  emulator::options o = emulator::current_options();
  o.initcheck = false;
  emulator::set_options(o);
  static_cast<void>(from_device(values, 100));
  o.initcheck = true;
  emulator::set_options(o);
  CHECK(copy_findings().empty());
}

TEST_CASE("gaps that look like a structure's padding are not missed when they are copied to the host") {
  if (testing_gpu()) return;
  const fresh_device device;
  static_cast<void>(emulator::take_call_findings());
  int* values = nullptr;
  REQUIRE(cudaMalloc(out(&values), 400) == cudaSuccess);
  // The memory holds 25 structures of 16 bytes, whose second word is padding.
  REQUIRE(cudaMemset2D(values, 16, 0, 4, 25) == cudaSuccess);
  REQUIRE(cudaMemset2D(values + 2, 16, 0, 8, 25) == cudaSuccess);
  static_cast<void>(from_device(values, 100));
  static_cast<void>(from_device(values, 4));
  CHECK(copy_findings().empty());
  // If one of the gaps is written, the gaps are no longer regular.
  REQUIRE(cudaMemset(values + 9, 0, 4) == cudaSuccess);
  static_cast<void>(from_device(values, 100));
  CHECK(copy_findings().size() == 1);
}

TEST_CASE("a copy on the device carries over which bytes have been written") {
  if (testing_gpu()) return;
  const fresh_device device;
  int *from = nullptr, *to = nullptr;
  REQUIRE(cudaMalloc(out(&from), 4096) == cudaSuccess);
  REQUIRE(cudaMalloc(out(&to), 4096) == cudaSuccess);
  REQUIRE(cudaMemset(from, 0, 1000) == cudaSuccess);
  REQUIRE(cudaMemset(to, 0, 4096) == cudaSuccess);
  REQUIRE(cudaMemcpy(to + 3, from, 2000, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(emulator::was_written(to, 12 + 1000));
  CHECK_FALSE(emulator::was_written(to + 3 + 250, 1));
  CHECK_FALSE(emulator::was_written(to + 3 + 499, 1));
  CHECK(emulator::was_written(to + 3 + 500, 4096 - 2012));
  // A shifted copy within the array. The source's state before the copy is what matters.
  REQUIRE(cudaMemcpy(from + 50, from, 1200, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(emulator::was_written(from, 1200));
  CHECK_FALSE(emulator::was_written(from + 300, 1));
  // If the whole source is written, so is the destination.
  REQUIRE(cudaMemset(from, 0, 4096) == cudaSuccess);
  REQUIRE(cudaMemcpy(to, from, 4096, cudaMemcpyDefault) == cudaSuccess);
  CHECK(emulator::was_written(to, 4096));
}
