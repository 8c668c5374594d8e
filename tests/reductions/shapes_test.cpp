// Reductions of rows, columns, segments and runs of keys are right for every shape, type and start, in one launch, and
// clean.
// Long because all of them are tested on the same matrices and offsets, and compared with the same sums of the host.

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "emulator/emulator.hpp"
#include "reductions/operators.cuh"
#include "reductions/shapes_kernels.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/element.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

/// Returns small whole numbers of both signs, so that additions in any order neither round nor overflow.
int small(std::size_t i) {
  return static_cast<int>(mixed(i) % 15) - 7;
}

template <typename T>
T made(std::size_t i) {
  if constexpr (std::is_same_v<T, triple>)
    return {small(i), small(3 * i + 1), -small(i)};
  else if constexpr (std::is_same_v<T, indexed<float>>)
    return {static_cast<float>(mixed(i) % 64), static_cast<unsigned>(i)};
  else
    return static_cast<T>(static_cast<float>(small(i)));
}

template <typename T>
std::vector<T> made_all(std::size_t n) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = made<T>(i);
  return all;
}

/// Runs `launch` with all checks and requires `launches_wanted` launches and no finding. Returns its results.
template <typename F>
auto clean(std::size_t n, std::size_t launches_wanted, F launch) {
  const bool gpu = select_tested_device();
  const watched_run watched(true, n);
  auto results = launch();
  if (gpu) return results;
  const auto launches = emulator::take_reports();
  CHECK(launches.size() == launches_wanted);
  for (const auto& l : launches)
    for (const emulator::finding& f : l.findings) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  return results;
}

template <typename Acc, typename T, typename Op>
Acc sum_of(const std::vector<T>& in, std::size_t first, std::size_t count, std::size_t step, Op op) {
  Acc sum = Op::template identity<Acc>();
  for (std::size_t i = 0; i < count; ++i) sum = op(sum, static_cast<Acc>(in[first + i * step]));
  return sum;
}

/// Returns the index of the first result that differs from the expected one, or -1 if there is none.
template <typename Acc>
long long first_difference(const std::vector<Acc>& results, const std::vector<Acc>& expected) {
  if (results.size() != expected.size()) return 0;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!(results[i] == expected[i])) return static_cast<long long>(i);
  return -1;
}

template <typename Acc, typename T, typename Op>
void demand_matrix(const layout& l, std::size_t offset_bytes, Op op) {
  INFO(l.rows << " x " << l.columns << ", stride " << l.stride << ", elements of " << sizeof(T) << " bytes, "
              << offset_bytes << " bytes behind the start of an allocation");
  const std::vector<T> in = made_all<T>(l.elements());
  std::vector<Acc> of_rows, of_columns;
  for (std::size_t r = 0; r < l.rows; ++r) of_rows.push_back(sum_of<Acc>(in, r * l.stride, l.columns, 1, op));
  for (std::size_t c = 0; c < l.columns; ++c) of_columns.push_back(sum_of<Acc>(in, c, l.rows, l.stride, op));
  const auto rows =
      clean(in.size(), l.rows > 0 ? 1 : 0, [&] { return rows_in_one_launch<Acc>(in, l, offset_bytes, op, 1); });
  CHECK(first_difference(rows.at(0), of_rows) == -1);
  const auto columns =
      clean(in.size(), l.columns > 0 ? 1 : 0, [&] { return columns_in_one_launch<Acc>(in, l, offset_bytes, op, 1); });
  CHECK(first_difference(columns.at(0), of_columns) == -1);
}

template <typename Acc, typename Offset, typename T, typename Op>
void demand_segments(const std::vector<std::size_t>& ends, std::size_t n, std::size_t offset_bytes, Op op) {
  std::vector<Offset> offsets;
  for (const std::size_t e : ends) offsets.push_back(static_cast<Offset>(e));
  INFO(ends.size() - 1 << " segments of " << n << " elements of " << sizeof(T) << " bytes, " << offset_bytes
                       << " bytes behind the start of an allocation");
  const std::vector<T> in = made_all<T>(n);
  std::vector<Acc> expected;
  for (std::size_t s = 0; s + 1 < ends.size(); ++s)
    expected.push_back(sum_of<Acc>(in, ends[s], ends[s + 1] - ends[s], 1, op));
  check_offsets_on_host(offsets, n);
  const auto found =
      clean(n, ends.size() > 1 ? 1 : 0, [&] { return segments_in_one_launch<Acc>(in, offsets, offset_bytes, op, 1); });
  CHECK(first_difference(found.at(0), expected) == -1);
}

/// Returns the offsets of `segments` segments with the given lengths.
std::vector<std::size_t> offsets_of(std::size_t segments, const std::function<std::size_t(std::size_t)>& length) {
  std::vector<std::size_t> offsets(1, 0);
  for (std::size_t s = 0; s < segments; ++s) offsets.push_back(offsets.back() + length(s));
  return offsets;
}

/// Returns the offsets of a few long and many short segments, in random order: the one of rank r has `most` / r
/// elements.
std::vector<std::size_t> zipf_offsets(std::size_t segments, std::size_t most) {
  return offsets_of(segments, [=](std::size_t s) { return most / (1 + mixed(s) % segments); });
}

template <typename Acc, typename Key, typename T, typename Op>
runs_of_keys<Key, Acc> runs_of(const std::vector<Key>& keys, const std::vector<T>& in, std::size_t n, Op op) {
  runs_of_keys<Key, Acc> runs;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      runs.keys.push_back(keys[i]);
      runs.sums.push_back(Op::template identity<Acc>());
    }
    runs.sums.back() = op(runs.sums.back(), static_cast<Acc>(in[i]));
  }
  return runs;
}

/// Returns keys in runs of `length(run)` > 0 elements.
template <typename Key>
std::vector<Key> keys_of(std::size_t n, const std::function<std::size_t(std::size_t)>& length) {
  std::vector<Key> keys;
  for (std::size_t run = 0; keys.size() < n; ++run)
    keys.insert(keys.end(), std::min(length(run), n - keys.size()), static_cast<Key>(run % 100 * 3));
  return keys;
}

template <typename Acc, typename Key, typename T, typename Op>
void demand_runs(std::size_t n, const std::function<std::size_t(std::size_t)>& length, Op op) {
  const std::vector<Key> keys = keys_of<Key>(n, length);
  const std::vector<T> in = made_all<T>(n);
  INFO(n << " elements of " << sizeof(T) << " bytes");
  const auto found = clean(n, 1, [&] { return runs_in_one_launch<Acc>(keys, in, op, {n}); });
  const auto expected = runs_of<Acc>(keys, in, n, op);
  CHECK(first_difference(found.at(0).keys, expected.keys) == -1);
  CHECK(first_difference(found.at(0).sums, expected.sums) == -1);
}

}  // namespace

TEST_CASE("rows and columns are summed for every length around a threshold, in one launch, without a finding") {
  for (const std::size_t columns : {1u, 2u, 3u, 5u, 8u, 12u, 16u, 31u, 32u, 33u, 63u, 64u, 100u, 255u, 257u, 1025u})
    for (const std::size_t rows : {1u, 2u, 31u, 33u, 257u})
      demand_matrix<int, int>({rows, columns, columns}, 0, plus{});
  demand_matrix<int, int>({5000, 3, 3}, 4, plus{});
  demand_matrix<int, int>({3, 50000, 50000}, 0, plus{});
  demand_matrix<int, int>({1, 200001, 200001}, 8, plus{});
  demand_matrix<int, int>({100001, 1, 1}, 4, plus{});
  demand_matrix<int, int>({70000, 4, 4}, 0, plus{});
  demand_matrix<int, int>({600, 257, 260}, 0, plus{});
  demand_matrix<int, int>({150, 5000, 5000}, 0, plus{});
  demand_matrix<int, int>({20, 70000, 70000}, 0, plus{});
  // More than 16 MB of short rows are staged in shared memory.
  demand_matrix<int, int>({215000, 20, 20}, 4, plus{});
  demand_matrix<int, int>({215000, 20, 21}, 0, plus{});
  // Larger than the part of the cache that is assumed to last until the next call. So each block reduces columns, or a
  // band of rows.
  demand_matrix<int, int>({520, 8200, 8200}, 0, plus{});
  demand_matrix<int, int>({140000, 64, 64}, 0, plus{});
}

TEST_CASE("a matrix may have no row, no column, or neither") {
  demand_matrix<int, int>({0, 5, 5}, 0, plus{});
  demand_matrix<int, int>({7, 0, 0}, 0, plus{});
  demand_matrix<int, int>({7, 0, 3}, 0, plus{});
  demand_matrix<int, int>({0, 0, 0}, 0, plus{});
  demand_matrix<double, double>({3000, 0, 0}, 0, maximum{});
}

TEST_CASE("rows may have gaps and begin anywhere: the gaps are not read") {
  for (const std::size_t columns : {1u, 3u, 8u, 20u, 33u, 130u, 2000u})
    for (const std::size_t gap : {1u, 4u, 7u})
      for (const std::size_t offset : {0u, 4u}) demand_matrix<int, int>({301, columns, columns + gap}, offset, plus{});
  demand_matrix<int, int>({3, 40001, 40004}, 12, plus{});
}

TEST_CASE("rows and columns of every type, by every operator") {
  for (const layout l : {layout{37, 100, 100}, layout{300, 7, 9}, layout{5, 20000, 20000}, layout{2000, 16, 16},
                         layout{2, 140000, 140000}, layout{520, 300, 300}}) {
    demand_matrix<float, float>(l, 4, plus{});
    demand_matrix<int, signed char>(l, 3, plus{});
    demand_matrix<int, signed char>(l, 0, plus{});
    demand_matrix<double, double>(l, 8, maximum{});
    demand_matrix<float, __half>(l, 2, plus{});
    demand_matrix<triple, triple>(l, 4, plus_triple{});
    demand_matrix<indexed<float>, indexed<float>>(l, 4, arg_max{});
  }
}

TEST_CASE("segments of equal and of very uneven lengths are summed in one launch, without a finding") {
  for (const std::size_t length : {1u, 2u, 3u, 5u, 8u, 16u, 31u, 32u, 33u, 63u, 100u, 256u, 257u, 1000u, 1024u, 5000u})
    for (const std::size_t segments : {1u, 2u, 17u, 33u, 700u}) {
      if (length * segments > 1000000) continue;
      demand_segments<int, int, int>(offsets_of(segments, [=](std::size_t) { return length; }), length * segments, 4,
                                     plus{});
    }
  for (const std::size_t segments : {10u, 1000u, 20000u}) {
    const auto zipf = zipf_offsets(segments, 100000);
    demand_segments<int, int, int>(zipf, zipf.back(), 0, plus{});
    demand_segments<int, long long, int>(zipf, zipf.back() + 5000, 4, plus{});
  }
  // One segment has nearly all elements, and is surrounded by many segments that are empty or short.
  const auto one = offsets_of(5001, [](std::size_t s) { return s == 2500 ? std::size_t{300000} : s % 3; });
  demand_segments<int, int, int>(one, one.back(), 0, plus{});
}

TEST_CASE("segments that may be equally long and are not: one end elsewhere, late, all in one, not from the first") {
  const auto try_all = [](std::size_t segments, std::size_t length, std::size_t offset_bytes) {
    const std::size_t n = segments * length;
    const std::vector<std::size_t> equal = offsets_of(segments, [=](std::size_t) { return length; });
    std::vector<std::size_t> moved = equal, all_in_last(segments + 1, 0), late = equal;
    moved[segments / 2] += segments > 1 ? 1 : 0;
    all_in_last.back() = n;
    for (std::size_t& offset : late) offset = std::min(n, offset + 3);
    for (const std::vector<std::size_t>& offsets : {equal, moved, all_in_last, late}) {
      demand_segments<int, int, int>(offsets, n, offset_bytes, plus{});
      demand_segments<int, int, signed char>(offsets, n, offset_bytes, plus{});
      demand_segments<double, int, double>(offsets, n, 2 * offset_bytes, maximum{});
    }
  };
  // Some segments suit a warp with single loads, some fit the vectors that a block has in flight, and some suit
  // neither.
  for (const std::size_t length : {1u, 4u, 31u, 127u, 128u, 132u, 1024u, 2048u, 4096u, 8192u, 8196u})
    for (const std::size_t offset_bytes : {0u, 4u}) try_all(length > 1024 ? 3 : 17, length, offset_bytes);
  try_all(1024, 31, 0);
  try_all(1, 4096, 0);
  try_all(2048, 256, 0);  // two loads of a warp
  try_all(500, 1024, 0);  // 256 threads
}

TEST_CASE("long segments are a block's, and longer ones are shared: even, uneven, one for nearly all, few, late ones") {
  const auto demand = [](const std::vector<std::size_t>& offsets, std::size_t behind) {
    demand_segments<int, int, int>(offsets, offsets.back() + behind, 4, plus{});
  };
  demand(offsets_of(260, [](std::size_t) { return std::size_t{4200}; }), 0);
  demand(offsets_of(20, [](std::size_t) { return std::size_t{70000}; }), 3);
  demand(offsets_of(1, [](std::size_t) { return std::size_t{1100003}; }), 0);
  demand(offsets_of(150, [](std::size_t s) { return 1 + 400000 / (1 + mixed(s) % 150) + s % 5; }), 100);
  demand(offsets_of(60, [](std::size_t s) { return 1 + 600000 / (1 + mixed(s) % 60); }), 0);
  for (const std::size_t segments : {20u, 250u})  // with large blocks, and with small ones
    for (const std::size_t place : {std::size_t{0}, segments / 2, segments - 1})
      demand(offsets_of(segments, [=](std::size_t s) { return s == place ? std::size_t{1300000} : s % 3; }), 7);
  demand(std::vector<std::size_t>(30, 0), 1200000);
  demand(std::vector<std::size_t>(30, 1200000), 5);
  auto late = zipf_offsets(100, 300000);
  for (std::size_t& o : late) o += 100000;
  demand(late, 400000);
}

TEST_CASE("empty segments give the identity: the first, some in the middle, the last, all") {
  demand_segments<int, int, int>({0}, 0, 0, plus{});
  demand_segments<int, int, int>({0}, 10, 0, plus{});
  demand_segments<int, int, int>({0, 0}, 0, 0, plus{});
  demand_segments<int, int, int>({0, 1}, 1, 0, plus{});
  demand_segments<int, int, int>({0, 0, 5, 5, 5, 9, 9}, 9, 0, plus{});
  demand_segments<double, int, double>({0, 0, 5, 5, 5, 9, 9}, 9, 0, maximum{});
  demand_segments<double, int, double>(std::vector<std::size_t>(40000, 0), 0, 0, maximum{});
  demand_segments<int, int, int>(std::vector<std::size_t>(40000, 0), 70000, 0, plus{});
  demand_segments<int, int, int>(std::vector<std::size_t>(40000, 70000), 70000, 0, plus{});
  const auto sparse = offsets_of(30000, [](std::size_t s) { return s % 1000 == 999 ? std::size_t{3000} : 0; });
  demand_segments<int, int, int>(sparse, sparse.back(), 0, plus{});
}

TEST_CASE("elements before the first offset and after the last belong to no segment") {
  demand_segments<int, int, int>({3, 7}, 10, 0, plus{});
  auto late = zipf_offsets(3000, 20000);
  for (std::size_t& o : late) o += 100000;
  demand_segments<int, long long, int>(late, late.back() + 200000, 0, plus{});
}

TEST_CASE("segments of every type, by every operator") {
  struct many {
    std::size_t segments, most;
  };
  // In the last cases, each long segment is reduced by one block or by several blocks together.
  for (const auto& [segments, most] : {many{9, 30000}, many{300, 30000}, many{700, 30000}, many{20000, 30000},
                                       many{20, 2000000}, many{700, 1500000}}) {
    const auto zipf = zipf_offsets(segments, most);
    const std::size_t n = zipf.back();
    demand_segments<float, unsigned, float>(zipf, n, 4, plus{});
    demand_segments<int, int, signed char>(zipf, n, 3, plus{});
    demand_segments<double, int, double>(zipf, n, 8, maximum{});
    demand_segments<float, int, __half>(zipf, n, 2, plus{});
    demand_segments<triple, unsigned long long, triple>(zipf, n, 4, plus_triple{});
    demand_segments<indexed<float>, int, indexed<float>>(zipf, n, 4, arg_max{});
  }
}

TEST_CASE("runs of equal keys of any length have their keys and sums, in one launch, without a finding") {
  // A tile of ints has 2816 elements. The longest run spans more tiles than a warp polls at the same time.
  for (const std::size_t n : {0u, 1u, 2u, 2815u, 2816u, 2817u, 20000u, 200003u}) {
    demand_runs<int, int, int>(
        n, [](std::size_t) { return std::size_t{1}; }, plus{});
    demand_runs<int, int, int>(
        n, [](std::size_t) { return std::size_t{5}; }, plus{});
    demand_runs<int, int, int>(
        n, [=](std::size_t) { return n; }, plus{});
    demand_runs<int, int, int>(
        n, [=](std::size_t r) { return r == 0 ? n - 1 : n; }, plus{});
    demand_runs<int, int, int>(
        n, [](std::size_t r) { return 1 + 30000 / (1 + mixed(r) % 1000); }, plus{});
    demand_runs<int, int, int>(
        n, [](std::size_t) { return std::size_t{2816}; }, plus{});
  }
  const auto uneven = [](std::size_t r) { return 1 + 9000 / (1 + mixed(r) % 300); };
  demand_runs<float, int, float>(30001, uneven, plus{});
  demand_runs<int, signed char, signed char>(30001, uneven, plus{});
  demand_runs<double, long long, double>(30001, uneven, maximum{});
  demand_runs<double, int, float>(30001, uneven, plus{});
  // These are more elements than one wave of an H200's blocks covers, so tiles have 5888 elements, or 2816 if they are
  // doubles.
  const std::size_t wave = 132 * 4 * 2816;
  demand_runs<int, int, int>(wave, uneven, plus{});
  demand_runs<int, int, int>(wave + 1, uneven, plus{});
  demand_runs<int, int, int>(
      wave + 1, [=](std::size_t) { return wave; }, plus{});
  demand_runs<int, int, int>(
      wave + 5888, [](std::size_t) { return std::size_t{1}; }, plus{});
  demand_runs<double, long long, double>(700001, uneven, maximum{});
  // An element has 12 bytes. The compiler must not replace its loads by a load of 16 bytes.
  for (const std::size_t n : {1u, 2u, 30001u}) demand_runs<triple, int, triple>(n, uneven, plus_triple{});
}

TEST_CASE("one workspace serves calls of any size, one after the other") {
  (void)select_tested_device();
  const std::size_t n = 100003;
  const std::vector<int> keys = keys_of<int>(n, [](std::size_t r) { return 1 + 20000 / (1 + mixed(r) % 1000); });
  const std::vector<int> in = made_all<int>(n);
  const std::vector<std::size_t> counts = {n, n, 5, 50000, 0, n, 11776, 1, n};
  const auto all = runs_in_one_launch<int>(keys, in, plus{}, counts);
  for (std::size_t k = 0; k < counts.size(); ++k) CHECK(all[k] == runs_of<int>(keys, in, counts[k], plus{}));
}

TEST_CASE("equal calls give equal bits for any order of the blocks, and leave the workspace unchanged") {
  (void)select_tested_device();
  const layout wide{3, 100003, 100003}, tall{100003, 3, 3};
  const auto zipf = zipf_offsets(2000, 60000), long_ones = zipf_offsets(120, 300000);
  const std::vector<unsigned> offsets(zipf.begin(), zipf.end()), long_offsets(long_ones.begin(), long_ones.end());
  std::vector<float> in(std::max(wide.elements(), zipf.back()));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = input_value<float>(i, 5);
  const std::vector<float> matrix(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(wide.elements()));
  const std::vector<float> listed(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(zipf.back()));
  std::vector<float> in_long(long_ones.back());
  for (std::size_t i = 0; i < in_long.size(); ++i) in_long[i] = input_value<float>(i, 6);
  const auto keys = keys_of<int>(in.size(), [](std::size_t r) { return 1 + 20000 / (1 + mixed(r) % 1000); });
  const emulator::options before = emulator::current_options();
  std::vector<std::vector<float>> rows, columns, segments, longer, runs;
  for (const unsigned threads : {1u, 2u, 3u}) {
    emulator::options o = before;
    o.host_threads = threads;
    emulator::set_options(o);
    for (auto& r : rows_in_one_launch<float>(matrix, wide, 4, plus{}, 2)) rows.push_back(r);
    for (auto& r : columns_in_one_launch<float>(matrix, tall, 4, plus{}, 2)) columns.push_back(r);
    for (auto& r : segments_in_one_launch<float>(listed, offsets, 4, plus{}, 2)) segments.push_back(r);
    for (auto& r : segments_in_one_launch<float>(in_long, long_offsets, 4, plus{}, 2)) longer.push_back(r);
    for (auto& r : runs_in_one_launch<float>(keys, in, plus{}, {in.size(), in.size()})) runs.push_back(r.sums);
  }
  emulator::set_options(before);
  for (const auto* all : {&rows, &columns, &segments, &longer, &runs})
    for (const auto& one : *all) CHECK(first_difference(one, all->front()) == -1);
}

TEST_CASE("a graph of reductions that was captured once is right whenever it is replayed") {
  (void)select_tested_device();
  constexpr std::size_t columns = 3000, n = 400 * columns;  // so large that blocks send each other partial results
  const auto long_ones = zipf_offsets(100, 200000);
  REQUIRE(long_ones.back() <= n);
  const std::vector<int> offsets(long_ones.begin(), long_ones.end());
  std::vector<std::vector<int>> inputs(3, made_all<int>(n));
  for (int& element : inputs[1]) element = 3 * element + 1;
  const auto replayed = replayed_in_graph(inputs, offsets, columns);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::vector<int> expected = {sum_of<int>(inputs[k], 0, n, 1, plus{})};
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
      expected.push_back(sum_of<int>(inputs[k], long_ones[s], long_ones[s + 1] - long_ones[s], 1, plus{}));
    for (std::size_t r = 0; r < n / columns; ++r)
      expected.push_back(sum_of<int>(inputs[k], r * columns, columns, 1, plus{}));
    CHECK(first_difference(replayed.at(k), expected) == -1);
  }
}

TEST_CASE("no kernel of rows, columns or segments spills registers, for any type") {
  (void)select_tested_device();
  CHECK(spilled_bytes_of_shapes<int, int, plus>() == 0);
  CHECK(spilled_bytes_of_shapes<float, float, plus>() == 0);
  CHECK(spilled_bytes_of_shapes<int, signed char, plus>() == 0);
  CHECK(spilled_bytes_of_shapes<double, double, maximum>() == 0);
  CHECK(spilled_bytes_of_shapes<float, __half, plus>() == 0);
  CHECK(spilled_bytes_of_shapes<triple, triple, plus_triple>() == 0);
  CHECK(spilled_bytes_of_shapes<indexed<float>, indexed<float>, arg_max>() == 0);
}

TEST_CASE("more than 2^32 elements are counted in 64 bits") {
  if (!select_tested_device()) return;  // the emulator would take hours
  CHECK(right_beyond_32_bits());
}

TEST_CASE("wrong offsets are found on the device, and named on the host") {
  (void)select_tested_device();
  constexpr auto none = ~0ull;
  CHECK(wrong_offset_on_device<int>({0, 3, 3, 10}, 10) == none);
  CHECK(wrong_offset_on_device<int>({0, 3, 2, 10}, 10) == 2);
  CHECK(wrong_offset_on_device<int>({0, 3, 2, 11}, 10) == 2);
  CHECK(wrong_offset_on_device<int>({-1, 3}, 10) == 0);
  CHECK(wrong_offset_on_device<unsigned>({0, 11}, 10) == 1);
  std::vector<long long> many(100000, 7);
  many[77777] = 6;
  CHECK(wrong_offset_on_device(many, 7) == 77777);
  CHECK_NOTHROW(check_offsets_on_host<int>({0, 0, 10}, 10));
  CHECK_THROWS_WITH(check_offsets_on_host<int>({0, 5, 4}, 10),
                    "offset 2 is 4, below the one before it, 5: a segment cannot end before it begins");
  CHECK_THROWS_WITH(check_offsets_on_host<int>({0, 11}, 10), "offset 1 is 11, but there are 10 elements: give 0 to 10");
  CHECK_THROWS_WITH(check_offsets_on_host<long long>({-3, 1}, 10),
                    "offset 0 is -3, but there are 10 elements: give 0 to 10");
  CHECK_THROWS_AS(check_offsets_on_host<int>({}, 10), std::invalid_argument);
}
