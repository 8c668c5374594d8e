// Tests initcheck, which finds reads of bytes that were never written.

#include "emulator/memory/global_memory.hpp"
#include "support/catch.hpp"
#include "world.hpp"

using namespace world;

namespace {

options init_only() {
  options o;
  o.counters = o.racecheck = o.synccheck = false;
  return o;
}

/// Device memory for one test.
class allocated {
 public:
  explicit allocated(std::uint64_t bytes, std::string name = {})
      : address_(memory_of_tests().allocate(bytes, memory::origin::device, std::move(name))) {
    REQUIRE(address_ != 0);
  }
  ~allocated() { memory_of_tests().free(address_); }
  allocated(const allocated&) = delete;
  allocated& operator=(const allocated&) = delete;
  [[nodiscard]] launch::address_of words(std::uint64_t stride = 1) const {
    return [=, begin = address_](unsigned lane) { return begin + 4 * stride * lane; };
  }
  [[nodiscard]] std::uintptr_t address() const { return address_; }

 private:
  std::uintptr_t address_;
};

}  // namespace

TEST_CASE("reading shared memory that no thread of the block has written is found, byte by byte") {
  launch l(init_only());
  l.access(store_shared, 0, 0x0000ffff, own_word());
  l.access(load_shared, 1, all, own_word());
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].check()) == "initcheck");
  CHECK(name_of(found[0].kind) == "uninitialised shared memory");
  CHECK(found[0].line == line_of(load_shared));
  CHECK(found[0].other_file.empty());
  CHECK(found[0].count == 16);
  CHECK_THAT(found[0].message,
             ContainsSubstring("Thread 48 reads tile[16] in reduce.cuh:10, but no thread of the block has written it"));
}

TEST_CASE("a word of which three bytes were written is not initialised") {
  launch l(init_only());
  for (const std::uint64_t byte : {0u, 1u, 3u})
    l.access(
        store_shared, 0, 0x1, [=](unsigned) { return byte; }, 1);
  l.access(
      load_shared_again, 0, 0x1, [](unsigned) { return 0; }, 2);  // bytes 0 and 1
  l.access(load_shared, 0, 0x1, word(0));
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == line_of(load_shared));
}

TEST_CASE("shared memory is uninitialised again in each block") {
  launch l(init_only());
  l.access(store_shared, 0, all, own_word());
  l.access(load_shared, 0, all, own_word());
  l.begin(1);
  l.access(load_shared, 0, 0x1, own_word());
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 1);
  CHECK_THAT(found[0].message, ContainsSubstring("block 1 of"));
}

TEST_CASE("an atomic reads what it adds to, and an exchange does not") {
  launch l(init_only());
  l.access(exchange_shared, 0, 0x1, word(0));
  l.access(load_shared, 0, 0x1, word(0));
  l.access(add_shared, 0, 0x1, word(1));
  l.access(load_shared, 0, 0x1, word(1));  // written by the atomic
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == line_of(add_shared));
}

TEST_CASE("rows that are not aligned, and vectors, are judged to the byte") {
  launch l(init_only());
  l.access(store_shared, 0, all, own_word(3));  // bytes 12 to 139
  l.access(load_shared, 0, all, own_word(3));
  l.access(
      load_shared, 0, 0x1, [](unsigned) { return 136; }, 4);
  l.access(
      load_shared_again, 0, 0x1, [](unsigned) { return 136; }, 8);  // 4 bytes too many
  l.access(
      store_shared, 0, all, [](unsigned lane) { return 512 + 16 * lane; }, 16);
  l.access(
      load_shared, 0, all, [](unsigned lane) { return 512 + 16 * lane; }, 16);
  l.access(load_shared, 0, 0x80000000, [](unsigned) { return 512 + 508; });
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == line_of(load_shared_again));
  CHECK(found[0].count == 1);
}

TEST_CASE("global memory that was copied or set is initialised, the rest is not") {
  const allocated in(4096);
  memory_of_tests().mark_initialized(in.address(), 64);
  launch l(init_only());
  l.access(load_global, 0, 0x0000ffff, in.words());  // 64 bytes
  l.access(load_global, 0, all, in.words());
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(name_of(found[0].kind) == "uninitialised global memory");
  CHECK(found[0].count == 16);
  CHECK_THAT(found[0].message, ContainsSubstring("Thread 16 reads allocation "));
  CHECK_THAT(found[0].message, ContainsSubstring("[16] in reduce.cuh:60, which is uninitialised"));
}

TEST_CASE("memory that an observed kernel writes is initialised afterwards") {
  const allocated out(4096);
  launch l(init_only());
  l.access(store_global, 0, all, out.words());
  l.access(store_global, 1, all, out.words(3));
  l.access(load_global, 0, all, out.words());
  l.access(load_global, 1, all, out.words(3));
  CHECK(l.findings().empty());
  launch next(init_only());
  next.access(load_global, 0, all, out.words());
  next.access(load_global, 0, 0x2, out.words(200));
  CHECK(next.findings().size() == 1);
}

TEST_CASE("memory that was written without observers counts as initialised") {
  const allocated in(4096);
  memory_of_tests().find(in.address())->written_unobserved = true;
  launch l(init_only());
  l.access(load_global, 0, all, in.words());
  l.access(load_global, 0, all, in.words(7));
  CHECK(l.findings().empty());
}

TEST_CASE("lanes in several allocations are judged each by its own") {
  const allocated first(4096);
  const allocated second(4096);
  memory_of_tests().mark_initialized(first.address(), 4096);
  launch l(init_only());
  l.access(load_global, 0, all, [&](unsigned lane) { return (lane % 4 == 0 ? second : first).address() + 4 * lane; });
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 8);
}

TEST_CASE("a variable of the module is named") {
  const allocated variable(8, "total");
  launch l(init_only());
  l.access(red_global, 0, 0x1, [&](unsigned) { return variable.address(); });
  const std::vector<finding> found = l.findings();
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].message, ContainsSubstring("reads total[0] in"));
}
