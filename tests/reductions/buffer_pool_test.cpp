// The pool of device memory reuses returned buffers, respects its limits, counts correctly, and leaks nothing.

#include <thread>

#include "emulator/emulator.hpp"
#include "emulator/runtime/process_memory.hpp"
#include "reductions/buffer_pool.hpp"
#include "reductions/ranges_kernels.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

using namespace workbook;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// Returns the number of buffers in device memory that have not been freed, or 0 on a GPU, where it is unknown.
std::uint64_t live() {
  return testing_gpu() ? 0 : emulator::runtime::process_memory().memory.live_allocations();
}

}  // namespace

TEST_CASE("a pool reuses a returned buffer if at least half of it is needed") {
  (void)select_tested_device();
  buffer_pool pool;
  void* const first = pool.allocate(mib);
  pool.deallocate(first);
  CHECK(pool.allocate(mib - 1000) == first);
  pool.deallocate(first);
  void* const larger = pool.allocate(mib + 1);  // does not fit
  CHECK(larger != first);
  void* const small = pool.allocate(mib / 2 - 256);  // would waste more than half of the buffer
  CHECK(small != first);
  const pool_statistics s = pool.statistics();
  CHECK(s.requests == 4);
  CHECK(s.reused == 1);
  CHECK(s.allocations == 3);
  CHECK(s.buffers_in_use == 2);
  CHECK(s.bytes_in_use == mib + 256 + mib / 2 - 256);
  CHECK(s.buffers_kept == 1);
  CHECK(s.bytes_kept == mib);
  CHECK(s.peak_bytes == mib + (mib + 256) + (mib / 2 - 256));
}

TEST_CASE("the smallest cached buffer that fits is reused") {
  (void)select_tested_device();
  buffer_pool pool;
  void* const large = pool.allocate(3 * mib);
  void* const middle = pool.allocate(2 * mib);
  void* const small = pool.allocate(mib);
  for (void* b : {large, middle, small}) pool.deallocate(b);
  CHECK(pool.allocate(2 * mib - 4096) == middle);
  CHECK(pool.allocate(2 * mib - 4096) == large);
  CHECK(pool.allocate(mib) == small);
}

TEST_CASE("a pool caches no more buffers than its limit, and frees the one that was returned first") {
  (void)select_tested_device();
  buffer_pool pool({.kept_buffers = 2});
  void* buffers[3];
  for (void*& b : buffers) b = pool.allocate(mib);
  for (void* b : buffers) pool.deallocate(b);
  pool_statistics s = pool.statistics();
  CHECK(s.buffers_kept == 2);
  CHECK(s.frees == 1);
  CHECK(pool.allocate(mib) == buffers[1]);
  CHECK(pool.allocate(mib) == buffers[2]);
  pool.release_kept();
  buffer_pool none({.kept_buffers = 0});
  none.deallocate(none.allocate(mib));
  CHECK(none.statistics().buffers_kept == 0);
  CHECK(none.statistics().frees == 1);
}

TEST_CASE("a pool holds no more bytes than its limit: it frees cached buffers, then refuses with a message") {
  (void)select_tested_device();
  buffer_pool pool({.total_bytes = 4 * mib});
  void* const one = pool.allocate(mib);
  pool.deallocate(pool.allocate(3 * mib));
  CHECK(pool.statistics().bytes_kept == 3 * mib);
  void* const two = pool.allocate(mib);  // the cached buffer is three times as large, so it is freed
  CHECK(pool.statistics().bytes_kept == 0);
  CHECK(pool.statistics().peak_bytes == 4 * mib);
  try {
    (void)pool.allocate(2 * mib + 1);
    FAIL("there was room for more than the limit");
  } catch (const pool_exhausted& refused) {
    CHECK_THAT(refused.what(), ContainsSubstring("at most 4194304 bytes"));
  }
  CHECK(pool.statistics().bytes_in_use == 2 * mib);
  pool.deallocate(one);
  pool.deallocate(two);
  CHECK_THROWS_AS(pool.allocate(std::size_t{1} << 50), pool_exhausted);
}

TEST_CASE("if the device's memory is used up, a pool frees its cached buffers before it gives up") {
  (void)select_tested_device();
  buffer_pool pool;
  pool.deallocate(pool.allocate(mib));
  CHECK_THROWS_AS(pool.allocate(std::size_t{1} << 50), device_error);
  CHECK(pool.statistics().buffers_kept == 0);
  CHECK(pool.statistics().frees == 1);
  (void)cudaGetLastError();
  CHECK(pool.allocate(mib) != nullptr);
}

TEST_CASE("null and pointers that are not in use are not buffers") {
  (void)select_tested_device();
  buffer_pool pool;
  CHECK(pool.allocate(0) == nullptr);
  pool.deallocate(nullptr);
  void* const b = pool.allocate(100);
  pool.deallocate(b);
  pool.deallocate(b);
  const pool_statistics s = pool.statistics();
  CHECK(s.requests == 1);
  CHECK(s.bad_returns == 1);
  CHECK(s.buffers_kept == 1);
}

TEST_CASE("a pool's destructor frees everything, also buffers that were not returned") {
  (void)select_tested_device();
  // Removes the finding about an allocation that a different test case makes fail on purpose.
  (void)emulator::take_call_findings();
  const std::uint64_t before = live();
  {
    buffer_pool pool;
    void* const returned = pool.allocate(mib);
    void* const forgotten = pool.allocate(mib);
    CHECK(returned != forgotten);
    pool.deallocate(returned);
    CHECK((testing_gpu() || live() == before + 2));
  }
  CHECK(live() == before);
  CHECK(emulator::take_call_findings().empty());
}

TEST_CASE("several threads share a pool") {
  (void)select_tested_device();
  constexpr int threads = 4, rounds = 300;
  const std::uint64_t before = live();
  {
    buffer_pool pool({.kept_buffers = 3});
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&pool, t] {
        for (int k = 0; k < rounds; ++k) {
          pool_allocator<int> from(pool);
          const allocated<int, pool_allocator<int>> a(from, static_cast<std::size_t>(256 << (t + k) % 3));
          const allocated<int, pool_allocator<int>> b(from, 256);
          if (a.data() == b.data()) std::terminate();
        }
      });
    }
    for (std::thread& t : all) t.join();
    const pool_statistics s = pool.statistics();
    CHECK(s.requests == 2 * threads * rounds);
    CHECK(s.reused + s.allocations == s.requests);
    CHECK(s.buffers_in_use == 0);
    CHECK(s.bytes_in_use == 0);
    CHECK(s.buffers_kept == s.allocations - s.frees);
    CHECK(s.bad_returns == 0);
  }
  CHECK(live() == before);
}

TEST_CASE("a buffer that comes back on one stream and goes out on another is used by the first one first") {
  (void)select_tested_device();
  constexpr std::size_t n = 1 << 12;
  buffer_pool pool;
  cudaStream_t one = nullptr, two = nullptr;
  check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  check(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
  auto* const a = static_cast<int*>(pool.allocate(n * sizeof(int), one));
  // The fill is slow on the first stream. If the pool didn't wait, the second stream would finish before it.
  fill_late(a, n, 1, testing_gpu() ? 300000 : 3, one);
  pool.deallocate(a, one);
  auto* const b = static_cast<int*>(pool.allocate(n * sizeof(int), two));
  CHECK(a == b);
  check(cudaMemsetAsync(b, 0, n * sizeof(int), two));
  std::vector<int> seen(n, -1);
  check(cudaStreamSynchronize(one));
  check(cudaStreamSynchronize(two));
  check(cudaMemcpy(seen.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(seen == std::vector<int>(n, 0));
  pool.deallocate(b, two);
  check(cudaStreamDestroy(one));
  check(cudaStreamDestroy(two));
}
