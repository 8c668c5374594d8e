// The book's final reduction is right for every type, operator, size and start, uses one launch, and passes all checks.

#include <climits>
#include <cstdlib>

#include "emulator/emulator.hpp"
#include "reductions/reduce_kernels.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/element.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/library.hpp"

using namespace workbook;

namespace {

/// Sizes around one block, for several blocks, and more than all resident blocks hold in flight, on any device here.
constexpr std::size_t sizes[] = {0, 1, 2, 31, 33, 1000, 16383, 16385, 40009, 2200003};

template <typename Acc, typename T, typename Op, typename Make>
void demand(Op op, Make make, std::initializer_list<std::size_t> offsets_bytes, bool large = true) {
  const bool gpu = select_tested_device();
  for (const std::size_t n : sizes) {
    if (n > 100000 && !large && !gpu) continue;
    std::vector<T> elements(n);
    Acc expected = Op::template identity<Acc>();
    for (std::size_t i = 0; i < n; ++i) {
      elements[i] = make(i);
      expected = op(expected, static_cast<Acc>(elements[i]));
    }
    for (const std::size_t offset : offsets_bytes) {
      INFO(n << " elements of " << sizeof(T) << " bytes, " << offset << " bytes behind the start of an allocation");
      const watched_run watched(true, n);
      CHECK((reduced_in_one_launch<Acc>(elements, offset, op).at(0) == expected));
      if (gpu) continue;
      const auto launches = emulator::take_reports();
      CHECK(launches.size() == 1);
      for (const emulator::finding& f : launches.at(0).findings) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
    }
  }
}

}  // namespace

TEST_CASE("sums of every type are exact in one launch, from every start, without a finding") {
  demand<int, int>(plus{}, [](std::size_t i) { return input_value<int>(i, 1); }, {0, 4, 8, 12});
  demand<unsigned, unsigned>(
      plus{}, [](std::size_t i) { return input_value<unsigned>(i, 2); }, {0, 4}, false);
  demand<long long, long long>(
      plus{}, [](std::size_t i) { return input_value<long long>(i, 3); }, {0, 8}, false);
  // Whole numbers, so additions in any order are exact.
  const auto small = [](std::size_t i) { return static_cast<float>(mixed(i) % 8) - 3.0f; };
  demand<float, float>(plus{}, small, {0, 4, 8, 12}, false);
  demand<double, double>(
      plus{}, [&](std::size_t i) { return static_cast<double>(small(i)); }, {0, 8}, false);
}

TEST_CASE("in a large array, every load of a whole warp begins at a cache line, for any start of the array") {
  if (select_tested_device()) return;  // nothing is counted there
  constexpr std::size_t n = (std::size_t{1} << 22) + 5;
  const std::vector<int> elements(n, 1);
  for (const std::size_t offset : {4, 16, 124}) {
    INFO(offset << " bytes behind the start of an allocation");
    const watched_run watched(true, n);
    CHECK(reduced_in_one_launch<int>(elements, offset, plus{}).at(0) == static_cast<int>(n));
    const auto launches = emulator::take_reports();
    REQUIRE(launches.size() == 1);
    CHECK(launches.at(0).findings.empty());
    // An aligned request of 32 lanes has 16 sectors, and an unaligned one 17. Heads, tails and mailboxes are shorter
    // requests.
    const auto& counters = launches.at(0).counters;
    const std::uint64_t requests = counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
    CHECK(requests < n / 128 + 100);
    CHECK(counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") <= 16 * requests);
  }
}

TEST_CASE("other operators start from their identity, and keep the first of equal values") {
  demand<int, int>(
      maximum{}, [](std::size_t i) { return -5 - static_cast<int>(mixed(i) % 1000); }, {0, 4}, false);
  demand<double, double>(
      minimum{}, [](std::size_t i) { return 0.5 + static_cast<double>(mixed(i) % 99); }, {0}, false);
  const auto pair = [](std::size_t i) { return indexed<float>{static_cast<float>(i % 7), static_cast<unsigned>(i)}; };
  // With an offset of 4 bytes, the pairs have the alignment of their members, but none of them starts on a 16-byte
  // boundary.
  demand<indexed<float>, indexed<float>>(arg_max{}, pair, {0, 8, 4}, false);
}

TEST_CASE("elements that no load of 16 bytes holds a whole number of, and bytes, are reduced as well") {
  const auto of = [](std::size_t i) { return static_cast<int>(mixed(i) % 1000); };
  demand<triple, triple>(
      plus_triple{},
      [&](std::size_t i) {
        return triple{of(i), -of(i + 1), of(i + 2)};
      },
      {0, 4}, false);
  demand<unsigned, unsigned char>(
      plus{}, [](std::size_t i) { return static_cast<unsigned char>(mixed(i)); }, {0, 1, 7, 15}, false);
}

TEST_CASE("narrow integers are summed in words of four bytes, signed and unsigned, and wrap in their accumulator") {
  const auto byte = [](std::size_t i) { return static_cast<signed char>(mixed(i)); };
  demand<signed char, signed char>(plus{}, byte, {0, 3}, false);
  demand<int, signed char>(plus{}, byte, {0, 5}, false);
  demand<long long, signed char>(plus{}, byte, {0}, false);
  demand<double, signed char>(plus{}, byte, {0}, false);  // whole numbers: exact
  demand<unsigned long long, unsigned char>(
      plus{}, [](std::size_t i) { return static_cast<unsigned char>(255 - mixed(i) % 3); }, {0, 9}, false);
  const auto half_word = [](std::size_t i) { return static_cast<short>(mixed(i)); };
  demand<short, short>(plus{}, half_word, {0, 2}, false);
  demand<int, short>(plus{}, half_word, {0, 14}, false);
  demand<unsigned, unsigned short>(
      plus{}, [](std::size_t i) { return static_cast<unsigned short>(65535 - mixed(i) % 3); }, {0}, false);
  demand<short, short>(
      times{}, [](std::size_t i) { return static_cast<short>(mixed(i) | 1); }, {0}, false);
}

TEST_CASE("extremes of narrow integers begin with their own identity, not an int's") {
  demand<signed char, signed char>(
      minimum{}, [](std::size_t i) { return static_cast<signed char>(100 + mixed(i) % 20); }, {0, 1}, false);
  demand<unsigned char, unsigned char>(
      maximum{}, [](std::size_t i) { return static_cast<unsigned char>(mixed(i) % 5); }, {0, 1}, false);
}

TEST_CASE("16-bit floating-point numbers are summed in their own type or a float, and have extremes") {
  // Few elements differ from 0, and all are whole numbers, so the sum is exact in any order.
  const auto few = [](std::size_t i) { return i % 4096 == 5 ? 3.0f : 0.0f; };
  demand<__half, __half>(
      plus{}, [&](std::size_t i) { return __half(few(i)); }, {0, 2}, false);
  demand<float, __half>(
      plus{}, [](std::size_t i) { return __half(static_cast<float>(mixed(i) % 8)); }, {0, 6}, false);
  demand<float, __nv_bfloat16>(
      plus{}, [](std::size_t i) { return __nv_bfloat16(static_cast<float>(mixed(i) % 8)); }, {0}, false);
  // The extreme of an empty array is an infinity. 0 would be wrong, because it isn't the operator's identity.
  demand<__half, __half>(
      minimum{}, [](std::size_t i) { return __half(5.0f + static_cast<float>(mixed(i) % 9)); }, {0}, false);
  demand<__nv_bfloat16, __nv_bfloat16>(
      maximum{}, [](std::size_t i) { return __nv_bfloat16(-5.0f - static_cast<float>(mixed(i) % 9)); }, {0}, false);
}

TEST_CASE("the first of the smallest or largest elements is found with its index, from every start") {
  (void)select_tested_device();
  const auto demand_place = []<typename T, typename Op>(Op op, T least, std::initializer_list<std::size_t> offsets) {
    for (const std::size_t n : {1u, 33u, 16385u, 300007u}) {
      std::vector<T> elements(n);
      for (std::size_t i = 0; i < n; ++i) elements[i] = static_cast<T>(static_cast<int>(mixed(i) % 100) + least);
      indexed<T> expected = Op::template identity<indexed<T>>();
      for (std::size_t i = 0; i < n; ++i)
        expected = op(expected, {elements[i], static_cast<typename indexed<T>::index_type>(i)});
      for (const std::size_t offset : offsets) {
        INFO(n << " elements of " << sizeof(T) << " bytes, " << offset << " bytes behind the start of an allocation");
        const indexed<T> found = found_in_one_launch(elements, offset, op);
        CHECK(found == expected);
      }
    }
    CHECK(found_in_one_launch(std::vector<T>{}, 0, op) == Op::template identity<indexed<T>>());
  };
  demand_place(arg_max{}, 0.0f, {0, 4});
  demand_place(arg_min{}, 0.0, {0, 8});
  demand_place(arg_min{}, -50, {0, 12});
  demand_place(arg_min{}, static_cast<signed char>(-50), {0, 3});
  demand_place(arg_max{}, static_cast<short>(-50), {0, 2});
}

TEST_CASE("no kernel that may be launched spills registers, for any type") {
  (void)select_tested_device();
  CHECK(spilled_bytes_of_reduce<int, int, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<float, float, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<double, double, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<double, float, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<long long, int, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<signed char, signed char, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<int, signed char, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<double, signed char, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<unsigned long long, unsigned char, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<short, short, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<int, short, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<__half, __half, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<float, __half, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<float, __nv_bfloat16, plus>() == 0);
  CHECK(spilled_bytes_of_reduce<signed char, signed char, minimum>() == 0);
  CHECK(spilled_bytes_of_reduce<unsigned char, unsigned char, maximum>() == 0);
  CHECK(spilled_bytes_of_reduce<indexed<float>, indexed<float>, arg_max>() == 0);
  CHECK(spilled_bytes_of_reduce<triple, triple, plus_triple>() == 0);
}

TEST_CASE("the type of the accumulator is the caller's: integers wrap in it, and a wider one does not") {
  (void)select_tested_device();
  const std::vector<int> large(40009, INT_MAX);
  const long long exact = 40009ll * INT_MAX;
  CHECK(reduced_in_one_launch<long long>(large, 0, plus{}).at(0) == exact);
  CHECK(reduced_in_one_launch<int>(large, 0, plus{}).at(0) == static_cast<int>(static_cast<unsigned>(exact)));
  // A minimum in a wider type must not start with the narrow type's identity.
  CHECK(reduced_in_one_launch<long long>(std::vector<int>{}, 0, minimum{}).at(0) == LLONG_MAX);
  CHECK(reduced_in_one_launch<long long>(large, 4, minimum{}).at(0) == INT_MAX);
  // Next to 1e9, a float would lose every 1.
  std::vector<float> uneven(40009, 1.0f);
  uneven[0] = 1e9f;
  CHECK(reduced_in_one_launch<double>(uneven, 0, plus{}).at(0) == 1e9 + 40008.0);
}

TEST_CASE("the workspace is zeroed once: every mailbox is empty again after every call") {
  (void)select_tested_device();
  std::vector<int> elements(60000);
  int expected = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) expected += elements[i] = input_value<int>(i, 4) / 4096;
  for (const int result : reduced_in_one_launch<int>(elements, 0, plus{}, 5)) CHECK(result == expected);
}

TEST_CASE("a floating-point sum has the same bits in every call, for any order of the blocks") {
  (void)select_tested_device();
  std::vector<float> elements(1100003);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = input_value<float>(i, 5);
  const emulator::options before = emulator::current_options();
  std::vector<float> results;
  for (const unsigned threads : {1u, 2u, 3u}) {
    emulator::options o = before;
    o.host_threads = threads;
    emulator::set_options(o);
    for (const float result : reduced_in_one_launch<float>(elements, 0, plus{}, 2)) results.push_back(result);
  }
  emulator::set_options(before);
  for (const float result : results) CHECK(result == results.front());
}

TEST_CASE("one launch without an atomic addition; every vector is loaded once, and every mailbox emptied once") {
  if (select_tested_device()) return;  // nothing is counted there
  constexpr std::size_t n = std::size_t{1} << 20;
  laboratory lab({element_type::int32, n, 128, 1});
  const outcome o = lab.run(one_launch_reduction(), effort{});
  REQUIRE(o.launches.size() == 1);
  const auto& counters = o.launches.at(0).counters;
  const std::uint64_t blocks = counters.at("workbook__blocks.sum");
  CHECK(blocks == n / 4 / (512 * 2));
  CHECK(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum") == 0);
  // The input takes requests of 32 lanes with 16 bytes each. In addition, each lane of the last block reads a mailbox
  // once, because the emulator runs that block after the others. On a GPU it may poll more often.
  CHECK(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == n / 128 + blocks / 32);
  // Each block but the last sends one letter. The last one empties the mailboxes, 32 per request, and stores the
  // result.
  CHECK(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum") == (blocks - 1) + blocks / 32 + 1);
  laboratory small({element_type::int32, 16384, 128, 1});
  const outcome alone = small.run(one_launch_reduction(), effort{});
  CHECK(alone.launches.at(0).counters.at("workbook__blocks.sum") == 1);
  CHECK(alone.launches.at(0).counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") == 16384 / 128);
}
