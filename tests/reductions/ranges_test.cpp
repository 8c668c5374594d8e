// Pipelines are right for every stage, size and start, use one launch, pass all checks, and add no memory traffic.

#include <climits>
#include <numeric>

#include "emulator/emulator.hpp"
#include "reductions/ranges_kernels.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/element.hpp"
#include "workbook/measure.hpp"

using namespace workbook;

namespace {

/// Sizes around one block, for several blocks, odd ones, and zero.
constexpr std::size_t sizes[] = {0, 1, 2, 3, 31, 33, 1000, 16383, 16385, 40009};

/// Calls f and requires the expected value, `launches` launches on the emulator, and no finding.
template <typename F, typename T>
void demand(F f, const T& expected, std::size_t launches = 1) {
  const watched_run watched(true, 100000);
  CHECK((f() == expected));
  if (testing_gpu()) return;
  const auto reports = emulator::take_reports();
  CHECK(reports.size() == launches);
  for (const auto& r : reports) {
    for (const emulator::finding& found : r.findings) FAIL_CHECK(name_of(found.check()) << ": " << found.message);
  }
  for (const emulator::finding& found : emulator::take_call_findings()) FAIL_CHECK(found.message);
}

std::vector<int> some_ints(std::size_t n) {
  std::vector<int> elements(n);
  for (std::size_t i = 0; i < n; ++i) elements[i] = input_value<int>(i, 7);
  return elements;
}

}  // namespace

TEST_CASE("the sum of an iota is right for every size, and integers wrap") {
  (void)select_tested_device();
  for (const std::size_t n : sizes) {
    INFO(n << " numbers");
    const auto count = static_cast<long long>(n);
    const auto wrapped = static_cast<unsigned>(static_cast<unsigned long long>(count * (count - 1) / 2));
    demand([&] { return sum_of_iota<int>(0, static_cast<int>(n)); }, static_cast<int>(wrapped));
    demand([&] { return sum_of_iota<long long>(-5, count - 5); }, count * (count - 1) / 2 - 5 * count);
    demand([&] { return sum_of_iota<double>(0.0, static_cast<double>(n)); },
           static_cast<double>(count * (count - 1) / 2));
  }
  // The last number is the largest int, so an addition of ints would overflow.
  demand([] { return sum_of_iota<int>(INT_MAX - 5, INT_MAX); }, static_cast<int>(5u * (INT_MAX - 3u)));
  demand([] { return sum_of_iota<unsigned>(UINT_MAX - 5, UINT_MAX); }, 5u * (UINT_MAX - 3u));
  demand([] { return sum_of_iota<int>(3, 3); }, 0);
  demand([] { return sum_of_iota<int>(3, -4); }, 0);
  demand([] { return sum_of_iota<double>(0.5, 3.0); }, 0.5 + 1.5 + 2.5);
}

TEST_CASE("map and filter are right from every start") {
  (void)select_tested_device();
  for (const std::size_t n : sizes) {
    const std::vector<int> elements = some_ints(n);
    long long expected = 0;
    for (const int x : elements) expected += x % 4 != 0 ? 3ll * x + 1 : 0;
    for (const std::size_t offset : {0, 4, 8, 12}) {
      INFO(n << " elements, " << offset << " bytes behind a start");
      demand([&] { return sum_of_mapped_and_filtered(elements, offset); }, expected);
    }
  }
}

TEST_CASE("after a filter, a function sees only the values that passed it") {
  (void)select_tested_device();
  // An index that does not pass the filter would be out of bounds.
  const std::vector<int> table = some_ints(5003);
  demand([&] { return sum_of_table_behind_filter(table); }, std::accumulate(table.begin(), table.end(), 0));
}

TEST_CASE("an operator without an identity gives nothing for a range without values") {
  (void)select_tested_device();
  for (const std::size_t n : sizes) {
    const std::vector<int> elements = some_ints(n);
    for (const int least : {INT_MIN, 0, INT_MAX}) {
      std::optional<int> expected;
      for (const int x : elements) {
        if (x > least) expected = std::max(expected.value_or(x), x);
      }
      INFO(n << " elements above " << least);
      demand([&] { return largest_above(elements, least); }, expected);
      demand([&] { return largest_above_or(elements, least, -12345); }, std::max(expected.value_or(-12345), -12345));
    }
  }
}

TEST_CASE("two ranges side by side are right for all types and starts") {
  (void)select_tested_device();
  for (const std::size_t n : sizes) {
    std::vector<float> x(n), y(n);
    std::vector<unsigned char> bytes(n);
    std::vector<double> doubles(n);
    double floats_expected = 0, mixed_expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      // Small whole numbers, so additions in any order are exact.
      x[i] = static_cast<float>(mixed(i) % 8);
      y[i] = static_cast<float>(mixed(i + n) % 8);
      bytes[i] = static_cast<unsigned char>(mixed(i) >> 8);
      doubles[i] = static_cast<double>(mixed(i + 1) % 100);
      floats_expected += (x[i] - y[i]) * (x[i] - y[i]);
      mixed_expected += (bytes[i] - doubles[i]) * (bytes[i] - doubles[i]);
    }
    // If the two starts don't agree modulo 16 bytes, there are no vector loads.
    for (const auto& [a, b] : {std::pair{0, 0}, {4, 4}, {12, 12}, {0, 4}, {8, 12}}) {
      INFO(n << " floats, " << a << " and " << b << " bytes behind a start");
      demand([&] { return sum_of_squared_differences(x, y, a, b); }, floats_expected);
    }
    // A vector has two elements: 16 bytes of doubles, and 2 bytes of the bytes.
    for (const auto& [a, b] : {std::pair{0, 0}, {1, 8}, {0, 8}, {3, 8}}) {
      INFO(n << " bytes and doubles, " << a << " and " << b << " bytes behind a start");
      demand([&] { return sum_of_squared_differences(bytes, doubles, a, b); }, mixed_expected);
    }
  }
}

TEST_CASE("elements that no load of 16 bytes holds a whole number of can be mapped and reduced") {
  (void)select_tested_device();
  for (const std::size_t n : sizes) {
    std::vector<triple> elements(n);
    int expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const int k = static_cast<int>(i);
      elements[i] = {k, 2 * k, -k + 1};
      expected += 2 * k + 1;
    }
    demand([&] { return sum_of_triples(elements); }, expected);
  }
}

TEST_CASE("a range of any type, size and start becomes an array on the device") {
  (void)select_tested_device();
  const auto check_type = [](auto zero, std::initializer_list<std::size_t> offsets) {
    using T = decltype(zero);
    for (const std::size_t n : sizes) {
      std::vector<T> elements(n), expected(n);
      for (std::size_t i = 0; i < n; ++i) {
        elements[i] = static_cast<T>(mixed(i) % 1000);
        expected[i] = static_cast<T>(7 * elements[i]);
      }
      for (const std::size_t offset : offsets) {
        INFO(n << " elements of " << sizeof(T) << " bytes, " << offset << " bytes behind a start");
        demand([&] { return seven_times(elements, offset); }, expected, n == 0 ? 0 : 1);
      }
    }
  };
  check_type(static_cast<unsigned char>(0), {0, 1, 15});
  check_type(0, {0, 4});
  check_type(0.0, {0, 8});
}

TEST_CASE("a workspace can be reused for every call, and nothing is allocated") {
  (void)select_tested_device();
  constexpr int n = 60000;
  const int expected = static_cast<int>(static_cast<unsigned>(1ll * n * (n - 1) / 2));
  const std::uint64_t before = emulator::allocations_made();
  for (const int result : sums_with_kept_workspace(n, 5)) CHECK(result == expected);
  // There is one allocation for the workspace and one for the results, although there are five calls.
  if (!testing_gpu()) CHECK(emulator::allocations_made() - before == 2);
}

TEST_CASE("a pipeline takes its memory from a pool, and after the first time the pool needs none") {
  (void)select_tested_device();
  constexpr int n = 30000;
  const int expected = n / 2 * (n - 1);
  buffer_pool pool;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  CHECK(sums_from_pool(n, pool, stream) == std::vector<int>{expected, expected});
  const pool_statistics first = pool.statistics();
  CHECK(sums_from_pool(n, pool, stream) == std::vector<int>{expected, expected});
  const pool_statistics second = pool.statistics();
  CHECK(second.requests == 2 * first.requests);
  CHECK(second.allocations == first.allocations);
  CHECK(second.buffers_in_use == 0);
  check(cudaStreamDestroy(stream));
}

TEST_CASE("a pipeline reads its arrays once, 16 bytes a lane, and an iota reads nothing") {
  if (select_tested_device()) return;  // nothing is counted there
  constexpr const char* requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
  constexpr std::size_t n = std::size_t{1} << 16;
  const auto loads = [](const auto& run, unsigned words) {
    const watched_run watched(true, n);
    (void)run();
    const auto reports = emulator::take_reports();
    REQUIRE(reports.size() == 1);
    const auto& counters = reports.front().counters;
    // The last block polls one mailbox per lane, once for each word of an accumulator.
    return counters.at(requests) - words * ((counters.at("workbook__blocks.sum") + 30) / 32);
  };
  const std::vector<int> ints = some_ints(n);
  const std::vector<float> floats(n, 1.0f);
  CHECK(loads([] { return sum_of_iota<int>(0, int{n}); }, 1) == 0);
  CHECK(loads([&] { return sum_of_mapped_and_filtered(ints, 0); }, 2) == n / 128);
  CHECK(loads([&] { return sum_of_squared_differences(floats, floats, 0, 0); }, 2) == 2 * n / 128);
}
