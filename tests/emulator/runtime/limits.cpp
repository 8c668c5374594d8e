// Tests of the limits: the largest grids, too little memory, very many launches.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "emulator/memory/global_memory.hpp"
#include "emulator/runtime/device_under_test.hpp"
#include "emulator/runtime/kernels.hpp"
#include "host/memory.hpp"
#include "support/sanitizers.hpp"

using namespace runtime_test;

namespace {

/// The numbers of this process's pages, as counted by the operating system: all mapped pages, and the resident ones.
struct pages {
  long mapped = 0, resident = 0;
};
pages pages_now() {
  pages p;
  std::ifstream("/proc/self/statm") >> p.mapped >> p.resident;
  return p;
}

double resident_mib() {
  return static_cast<double>(pages_now().resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void watch(bool on) {
  emulator::options o;
  o.counters = o.memcheck = o.initcheck = o.racecheck = o.synccheck = on;
  o.host_threads = 1;
  emulator::set_options(o);
}

struct watched_again {
  ~watched_again() { emulator::set_options({}); }
};

}  // namespace

TEST_CASE("writes of a kernel while only counters are on count as written") {
  if (testing_gpu()) return;
  const fresh_device device;
  const watched_again restore;
  emulator::options o;
  o.initcheck = false;
  emulator::set_options(o);
  int* value = nullptr;
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&value), sizeof(int)) == cudaSuccess);
  CHECK_FALSE(emulator::was_written(value, sizeof(int)));
  launch_store(value, 7);
  CHECK(emulator::was_written(value, sizeof(int)));
}

TEST_CASE("the largest grid is taken, and stops at its first fault; a larger one is refused") {
  if (testing_gpu()) return;  // the fault would make the GPU unusable for the next tests
  const fresh_device device;
  int* values = nullptr;
  int n = 1;
  void* arguments[] = {&values, &n};
  CHECK(cudaLaunchKernel(add_one_kernel(), dim3(2147483648u), 1, arguments, 0, nullptr) ==
        cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel(add_one_kernel(), dim3(1, 65536), 1, arguments, 0, nullptr) == cudaErrorInvalidConfiguration);
  static_cast<void>(cudaGetLastError());
  // The grids have 2^31 - 1 blocks, and then a little less than 2^63 blocks in three full dimensions. Block 0 writes to
  // null.
  const double before = resident_mib();
  CHECK(cudaLaunchKernel(add_one_kernel(), dim3(2147483647u), 1, arguments, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  REQUIRE(cudaDeviceReset() == cudaSuccess);
  CHECK(cudaLaunchKernel(add_one_kernel(), dim3(2147483647u, 65535, 65535), 1, arguments, 0, nullptr) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(resident_mib() < before + 64);
}

TEST_CASE("device memory that is not there is an error of that call alone") {
  const fresh_device device;
  std::size_t free_bytes = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&free_bytes, &total) == cudaSuccess);
  void* all = nullptr;
  CHECK(cudaMalloc(&all, total + 1) == cudaErrorMemoryAllocation);
  CHECK(all == nullptr);
  static_cast<void>(cudaGetLastError());
  int* values = on_device({1});
  launch_add_one(values, 1, 1, 1);
  CHECK(from_device(values, 1) == std::vector<int>{2});
}

#if !WORKBOOK_SANITIZED
TEST_CASE("a launch for which the host has no memory is refused, and the next one runs") {
  // qemu's user-mode emulation doesn't apply RLIMIT_AS to the programs that it runs.
  if (testing_gpu() || host::processor_is_emulated()) return;
  const fresh_device device;
  const watched_again restore;
  watch(false);
  int* values = on_device({1});
  int n = 1;
  void* arguments[] = {&values, &n};
  launch_add_one(values, 1, 1, 1);
  const pid_t child = fork();
  if (child == 0) {
    // The kernel needs 64 MiB of local memory, but the process may allocate only 8 MiB more.
    emulator::options o = emulator::current_options();
    o.announce_errors = false;
    emulator::set_options(o);
    struct rlimit limit {};
    limit.rlim_cur = limit.rlim_max =
        static_cast<rlim_t>(pages_now().mapped) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (8u << 20);
    bool right = setrlimit(RLIMIT_AS, &limit) == 0;
    right =
        right && cudaLaunchKernel(large_frame_kernel(), 1, 1024, arguments, 0, nullptr) == cudaErrorMemoryAllocation;
    right = right && cudaGetLastError() == cudaErrorMemoryAllocation;
    right = right && cudaLaunchKernel(add_one_kernel(), 1, 1, arguments, 0, nullptr) == cudaSuccess;
    right = right && cudaDeviceSynchronize() == cudaSuccess;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

TEST_CASE("a hundred thousand launches leak nothing") {
  if (testing_gpu()) return;
  const fresh_device device;
  const watched_again restore;
  int* values = on_device({0});
  int total = 0;
  for (const bool watched : {false, true}) {
    watch(watched);
    const int launches = (watched ? 20'000 : 100'000) / (WORKBOOK_SANITIZED ? 20 : 1);
    total += launches;
    double after_some = 0;
    for (int k = 0; k < launches; ++k) {
      launch_add_one(values, 1, 1, 1);
      void* scratch = nullptr;
      if (k % 16 == 0 && cudaMalloc(&scratch, 4096) == cudaSuccess) static_cast<void>(cudaFree(scratch));
      if (k % 256 == 0) static_cast<void>(emulator::take_reports());
      if (k == launches / 10) after_some = resident_mib();
    }
    INFO(watched);
    if (!WORKBOOK_SANITIZED) CHECK(resident_mib() < after_some + 4);
  }
  CHECK(from_device(values, 1) == std::vector<int>{total});
}
