// Tests how the emulator decides which memory the host program may access. This is checked before a copy, so that a
// wrong pointer is reported instead of ending the process.

#include "emulator/memory/host_ranges.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "support/catch.hpp"

using emulator::memory::first_unusable_byte;

namespace {

std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

/// Three pages: one that is readable and writable, one that is read-only, and one that is unmapped.
struct three_pages {
  std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::uintptr_t begin = 0;
  three_pages() {
    void* all = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(all != MAP_FAILED);
    begin = address_of(all);
    REQUIRE(mprotect(reinterpret_cast<void*>(begin + page), page, PROT_READ) == 0);
    REQUIRE(munmap(reinterpret_cast<void*>(begin + 2 * page), page) == 0);
  }
  ~three_pages() { munmap(reinterpret_cast<void*>(begin), 2 * page); }
  three_pages(const three_pages&) = delete;
  three_pages& operator=(const three_pages&) = delete;
};

}  // namespace

TEST_CASE("memory of the program is usable, whether touched or not") {
  const std::vector<int> values(100'000);
  int one = 0;
  static const char text[] = "read only";
  CHECK_FALSE(first_unusable_byte(address_of(values.data()), values.size() * sizeof(int), true));
  CHECK_FALSE(first_unusable_byte(address_of(&one), sizeof one, true));
  CHECK_FALSE(first_unusable_byte(address_of(text), sizeof text, false));
  CHECK_FALSE(first_unusable_byte(16, 0, true));
}

TEST_CASE("a part of the stack that has not been touched yet is usable") {
  std::array<char, 4 << 20> untouched;
  CHECK_FALSE(first_unusable_byte(address_of(untouched.data()), untouched.size(), true));
}

TEST_CASE("addresses without memory, and sizes that go round, are not usable") {
  CHECK(first_unusable_byte(16, 4, false) == 16);
  CHECK(first_unusable_byte(~std::uintptr_t{0} - 3, 8, false) == ~std::uintptr_t{0} - 3);
  const three_pages pages;
  const std::uintptr_t gone = pages.begin + 2 * pages.page;
  CHECK(first_unusable_byte(pages.begin, 2 * pages.page, false) == std::nullopt);
  CHECK(first_unusable_byte(pages.begin, 2 * pages.page + 1, false) == gone);
  CHECK(first_unusable_byte(gone - 1, 2, false) == gone);
}

TEST_CASE("read-only memory cannot be written") {
  const three_pages pages;
  CHECK_FALSE(first_unusable_byte(pages.begin, pages.page, true));
  CHECK(first_unusable_byte(pages.begin, pages.page + 1, true) == pages.begin + pages.page);
  CHECK(first_unusable_byte(pages.begin + pages.page, 1, true) == pages.begin + pages.page);
}

TEST_CASE("memory that is freed is no longer usable, and newly allocated memory is") {
  std::uintptr_t where = 0;
  std::size_t page = 0;
  {
    const three_pages pages;
    where = pages.begin;
    page = pages.page;
    CHECK_FALSE(first_unusable_byte(where, page, true));
  }
  CHECK(first_unusable_byte(where, page, true) == where);
  void* again = mmap(reinterpret_cast<void*>(where), page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  REQUIRE(again != MAP_FAILED);
  CHECK_FALSE(first_unusable_byte(where, page, true));
  munmap(again, page);
}
