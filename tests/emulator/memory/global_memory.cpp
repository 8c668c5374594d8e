#include "emulator/memory/global_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "host/memory.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"

using emulator::memory::address_class;
using emulator::memory::allocation;
using emulator::memory::device_table;
using emulator::memory::global_memory;
using emulator::memory::origin;
using free_result = emulator::memory::global_memory::free_result;

namespace {

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Returns true if a byte can be read. The operating system reads it here, because it returns an error if the page is
/// not readable. An access by this function itself would end the process.
bool can_be_read(std::uintptr_t address) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const bool readable = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return readable;
}

unsigned char* bytes(std::uintptr_t address) {
  return reinterpret_cast<unsigned char*>(address);
}

}  // namespace

TEST_CASE("an allocation is aligned, zero, writable and found by every address inside it") {
  const device_table devices;
  global_memory memory(devices);
  for (const std::uint64_t size : {1ull, 4ull, 511ull, 4096ull, 4097ull, 1ull << 20}) {
    const std::uintptr_t begin = memory.allocate(size, origin::device);
    REQUIRE(begin != 0);
    CHECK(begin % 512 == 0);
    CHECK(bytes(begin)[size - 1] == 0);
    std::memset(bytes(begin), 0xab, size);
    const allocation* found = memory.find(begin);
    REQUIRE(found != nullptr);
    CHECK(found->begin == begin);
    CHECK(found->size_bytes == size);
    CHECK(memory.find(begin + size - 1) == found);
    CHECK(memory.find(begin + size) == nullptr);
    CHECK(memory.find(begin - 1) == nullptr);
    CHECK(memory.free(begin) == free_result::ok);
  }
}

TEST_CASE("the pages on both sides of an allocation, and freed pages, cannot be touched") {
  const device_table devices;
  global_memory memory(devices);
  const std::uintptr_t first = memory.allocate(8192, origin::device);
  const std::uintptr_t second = memory.allocate(8192, origin::device);
  CHECK(can_be_read(first));
  CHECK(can_be_read(second + 8191));
  CHECK_FALSE(can_be_read(first - 1));
  CHECK_FALSE(can_be_read(first + 8192));
  CHECK_FALSE(can_be_read(second - 1));
  CHECK_FALSE(can_be_read(second + 8192));
  CHECK(memory.free(first) == free_result::ok);
  CHECK_FALSE(can_be_read(first));
  CHECK(can_be_read(second));
  CHECK(memory.free(second) == free_result::ok);
}

TEST_CASE("memory that is allocated after a free is zero again, and the freed address cannot be accessed") {
  const device_table devices;
  global_memory memory(devices);
  // There are sizes around the limits below which pages are cached, and more allocations than are cached in total.
  for (const std::uint64_t size : {4096ull, 65536ull, 65537ull, 1ull << 20, (4ull << 20) - 1, 4ull << 20, 5ull << 20}) {
    INFO(size << " bytes");
    const std::vector<unsigned char> zeros(size);
    std::vector<std::uintptr_t> gone;
    for (unsigned round = 0; round < 3; ++round) {
      std::vector<std::uintptr_t> live;
      for (unsigned k = 0; k < 20; ++k) {
        live.push_back(memory.allocate(size, origin::device));
        REQUIRE(live.back() != 0);
        REQUIRE(std::memcmp(bytes(live.back()), zeros.data(), size) == 0);
        std::memset(bytes(live.back()), 0xab, size);
      }
      for (const std::uintptr_t freed : gone) REQUIRE_FALSE(can_be_read(freed));
      for (const std::uintptr_t one : live) {
        REQUIRE(bytes(one)[size - 1] == 0xab);
        REQUIRE_FALSE(can_be_read(one - 1));
        REQUIRE(memory.free(one) == free_result::ok);
      }
      gone = live;
    }
  }
}

TEST_CASE("a freed address is not reused, and freeing it twice is distinguished from freeing an invalid pointer") {
  const device_table devices;
  global_memory memory(devices);
  const std::uintptr_t first = memory.allocate(4096, origin::device);
  CHECK(memory.free(first + 8) == free_result::not_an_allocation);
  CHECK(memory.free(first) == free_result::ok);
  CHECK(memory.find(first) == nullptr);
  CHECK(memory.free(first) == free_result::already_freed);
  CHECK(memory.free(0x1234) == free_result::not_an_allocation);
  const std::uintptr_t second = memory.allocate(4096, origin::device);
  CHECK(second != first);
  CHECK(memory.free(second) == free_result::ok);
}

TEST_CASE("an address is described in words") {
  const device_table devices;
  global_memory memory(devices);
  const std::uintptr_t begin = memory.allocate(4096, origin::device);
  const std::string serial = std::to_string(memory.find(begin)->serial);
  std::string words;
  CHECK(memory.classify(begin + 100, &words) == address_class::live);
  CHECK(words == "inside allocation " + serial + " (4096 bytes)");
  CHECK(memory.classify(begin + 4096 + 12, &words) == address_class::guard);
  CHECK(words == "12 bytes past the end of allocation " + serial + " (4096 bytes)");
  CHECK(memory.classify(begin - 4, &words) == address_class::guard);
  CHECK(words == "4 bytes before the start of allocation " + serial + " (4096 bytes)");
  CHECK(memory.classify(0, &words) == address_class::null);
  CHECK(memory.classify(16, &words) == address_class::null);
  int on_the_stack = 0;
  CHECK(memory.classify(reinterpret_cast<std::uintptr_t>(&on_the_stack)) == address_class::host);
  CHECK(memory.free(begin) == free_result::ok);
  CHECK(memory.classify(begin + 100, &words) == address_class::freed);
  CHECK(words == "inside allocation " + serial + " (4096 bytes), which has been freed");
  const std::uintptr_t variable = memory.allocate(40, origin::module_variable, "weights");
  CHECK(memory.classify(variable + 40, &words) == address_class::guard);
  CHECK(words == "0 bytes past the end of variable weights (40 bytes)");
  CHECK(memory.free(variable) == free_result::ok);
}

TEST_CASE("memory ends at the capacity; pinned memory and module variables do not count") {
  const device_table devices;
  global_memory memory(devices);
  memory.set_capacity(10000);
  CHECK(memory.allocate(10001, origin::device) == 0);
  const std::uintptr_t most = memory.allocate(10000, origin::device);
  REQUIRE(most != 0);
  CHECK(memory.allocate(1, origin::managed) == 0);
  const std::uintptr_t pinned = memory.allocate(1 << 20, origin::pinned);
  const std::uintptr_t variable = memory.allocate(1 << 20, origin::module_variable);
  CHECK(pinned != 0);
  CHECK(variable != 0);
  CHECK(memory.free(most) == free_result::ok);
  const std::uintptr_t again = memory.allocate(10000, origin::device);
  CHECK(again != 0);
  for (const std::uintptr_t address : {again, pinned, variable}) CHECK(memory.free(address) == free_result::ok);
}

TEST_CASE("nothing and more than there is cannot be allocated") {
  const device_table devices;
  global_memory memory(devices);
  CHECK(memory.allocate(0, origin::device) == 0);
  CHECK(memory.allocate(~std::uint64_t{0}, origin::device) == 0);
  CHECK(memory.allocate(std::uint64_t{1} << 62, origin::pinned) == 0);
}

TEST_CASE("100000 allocations and frees neither grow the process nor take long") {
  const device_table devices;
  global_memory memory(devices);
  const std::uint64_t live = memory.live_allocations();
  const std::uint64_t used = memory.used();
  const std::uint64_t resident_before = resident_bytes();
  const std::clock_t start = std::clock();
  for (int i = 0; i < 100000; ++i) {
    const std::uintptr_t begin = memory.allocate(10000, origin::device);
    REQUIRE(begin != 0);
    bytes(begin)[9999] = 1;
    REQUIRE(memory.free(begin) == free_result::ok);
  }
  const double taken_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(memory.live_allocations() == live);
  CHECK(memory.used() == used);
  if (!WORKBOOK_SANITIZED) CHECK(resident_bytes() < resident_before + (64u << 20));
  // It takes about 1 s on an ordinary machine. This is processor time, because other programs run at the same time.
  CHECK(taken_s < (WORKBOOK_SANITIZED || host::processor_is_emulated() ? 200 : 20));
}

TEST_CASE("more live allocations than the host has mappings for are possible") {
  const device_table devices;
  global_memory memory(devices);
  std::vector<std::uintptr_t> all;
  for (int i = 0; i < 70000; ++i) {
    all.push_back(memory.allocate(16, origin::device));
    REQUIRE(all.back() != 0);
    bytes(all.back())[15] = static_cast<unsigned char>(i);
  }
  for (std::size_t i = 0; i < all.size(); i += 7) {
    REQUIRE(memory.find(all[i] + 15) != nullptr);
    REQUIRE(bytes(all[i])[15] == static_cast<unsigned char>(i));
    REQUIRE(memory.find(all[i] + 16) == nullptr);
  }
  for (const std::uintptr_t address : all) REQUIRE(memory.free(address) == free_result::ok);
}

TEST_CASE("when the range of addresses is used up, it is reused around live allocations") {
  const device_table devices;
  global_memory memory(devices);
  memory.set_capacity(std::uint64_t{1} << 62);
  const std::uintptr_t kept = memory.allocate(4096, origin::device);
  bytes(kept)[0] = 42;
  std::uintptr_t previous = kept;
  bool wrapped = false;
  // Allocates 128 GiB at a time, and never touches them. At most 8 TiB are reserved, so addresses soon wrap around.
  // Under qemu only 16 GiB are reserved, so 1 GiB is allocated at a time.
  const std::uint64_t step = std::uint64_t{1} << (host::processor_is_emulated() ? 30 : 37);
  for (int i = 0; i < 200 && !wrapped; ++i) {
    const std::uintptr_t big = memory.allocate(step, origin::device);
    REQUIRE(big != 0);
    CHECK((kept + 4096 <= big || big + step <= kept));
    wrapped = big < previous;
    previous = big;
    REQUIRE(memory.free(big) == free_result::ok);
  }
  CHECK(wrapped);
  CHECK(bytes(kept)[0] == 42);
  CHECK(memory.free(kept) == free_result::ok);
}

TEST_CASE("bytes marked as initialised are, and no others") {
  const device_table devices;
  global_memory memory(devices);
  const std::uintptr_t begin = memory.allocate(1000, origin::device);
  allocation* what = memory.find(begin);
  CHECK(what->initialized == nullptr);
  CHECK_FALSE(what->written_unobserved);
  memory.mark_initialized(begin + 60, 70);
  const std::uint64_t* bits = memory.initialized_bits(*what);
  REQUIRE(bits != nullptr);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const bool marked = (bits[i / 64] >> (i % 64) & 1) != 0;
    REQUIRE(marked == (i >= 60 && i < 130));
  }
  memory.mark_initialized(begin, 1000);
  CHECK(what->written_unobserved);
  CHECK(memory.free(begin) == free_result::ok);
}

TEST_CASE("allocating, finding and freeing from several threads at once is safe") {
  const device_table devices;
  global_memory memory(devices);
  std::vector<std::thread> threads;
  std::vector<int> failures(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory, &failures, t] {
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t size = 64 + static_cast<std::uint64_t>((i * 37 + t) % 9000);
        const std::uintptr_t begin = memory.allocate(size, origin::device);
        const allocation* found = memory.find(begin + size / 2);
        if (found == nullptr || found->begin != begin || found->size_bytes != size) ++failures[static_cast<size_t>(t)];
        std::memset(bytes(begin), t, size);
        if (memory.free(begin) != free_result::ok) ++failures[static_cast<size_t>(t)];
        if (memory.find(begin) != nullptr) ++failures[static_cast<size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == std::vector<int>(4, 0));
}

TEST_CASE("a reset frees everything") {
  const device_table devices;
  global_memory memory(devices);
  const std::uintptr_t a = memory.allocate(100, origin::device);
  const std::uintptr_t b = memory.allocate(100, origin::module_variable);
  memory.reset();
  CHECK(memory.find(a) == nullptr);
  CHECK(memory.find(b) == nullptr);
  CHECK(memory.used() == 0);
  CHECK(memory.live_allocations() == 0);
}

TEST_CASE("the host's free memory is known") {
  const std::uint64_t available = host::unused_memory();
  CHECK(available > (std::uint64_t{16} << 20));
  CHECK(available < (std::uint64_t{1} << 50));
}

TEST_CASE("two machines side by side have addresses and capacities of their own") {
  device_table devices, other_devices;
  global_memory memory(devices), other(other_devices);
  memory.set_capacity(10000);
  const std::uintptr_t here = memory.allocate(100, origin::device);
  const std::uintptr_t there = other.allocate(20000, origin::device);
  CHECK(memory.find(here)->serial == other.find(there)->serial);
  CHECK(memory.find(there) == nullptr);
  CHECK(other.find(here) == nullptr);
  CHECK_FALSE(memory.is_device_address(there));
  CHECK(memory.used() == 100);
  CHECK(other.used() == 20000);
  memory.reset();
  CHECK(other.find(there) != nullptr);
}

TEST_CASE(
    "a machine made after another one has ended gives out the same addresses, and knows nothing of the old ones") {
  std::uintptr_t before = 0;
  for (int k = 0; k < 2; ++k) {
    const device_table devices;
    global_memory memory(devices);
    CHECK(memory.find(before) == nullptr);
    const std::uintptr_t begin = memory.allocate(100, origin::device);
    CHECK(memory.find(begin)->size_bytes == 100);
    CHECK(bytes(begin)[0] == 0);
    bytes(begin)[0] = 1;
    if (k != 0) CHECK(begin == before);
    before = begin;
  }
}
