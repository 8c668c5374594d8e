// Chapter 9's kernel is generic: it is tested with every operator, type and start, and must have no finding.

#include "chapters/operators_kernels.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/element.hpp"

using namespace workbook;

namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 31, 33, 127, 1000, 4099};
constexpr unsigned block_sizes[] = {32, 96, 128, 1024};

template <typename T, typename Op>
T folded(const std::vector<T>& elements, Op op) {
  T result = Op::template identity<T>();
  for (const T& x : elements) result = op(result, x);
  return result;
}

/// Requires that the device's result equals the host's exactly, for operators and inputs whose order does not matter.
template <typename T, typename Op, typename Make>
void demand(Op op, Make make) {
  select_tested_device();
  for (const std::size_t n : sizes) {
    std::vector<T> elements(n);
    for (std::size_t i = 0; i < n; ++i) elements[i] = make(i);
    const T expected = folded(elements, op);
    for (const unsigned block_size : block_sizes) {
      for (const std::size_t offset : {0, 1}) {
        INFO(n << " elements of " << sizeof(T) << " bytes, blocks of " << block_size << ", offset " << offset);
        CHECK(reduced_on_device(elements, block_size, offset, op) == expected);
        for (const emulator::launch_report& launch : emulator::take_reports()) {
          for (const emulator::finding& f : launch.findings) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
        }
      }
    }
  }
}

template <typename T>
void demand_extremes_and_their_places() {
  const auto value = [](std::size_t i) { return input_value<T>(i, 5); };
  demand<T>(minimum{}, value);
  demand<T>(maximum{}, value);
  using pair = indexed<T>;
  const auto place = [](std::size_t i) { return static_cast<typename pair::index_type>(i); };
  demand<pair>(arg_max{}, [&](std::size_t i) { return pair{value(i), place(i)}; });
  // There are few different values, so the kernel has to return the first of many equal ones.
  demand<pair>(arg_max{}, [&](std::size_t i) { return pair{static_cast<T>(i % 7), place(i)}; });
  // All values are the lowest one, so the identity must lose against a real element.
  demand<pair>(arg_max{}, [&](std::size_t i) { return pair{maximum::identity<T>(), place(i)}; });
}

}  // namespace

TEST_CASE("minimum, maximum and arg-max of every type are those of the host; of equal values the first wins") {
  demand_extremes_and_their_places<int>();
  demand_extremes_and_their_places<unsigned>();
  demand_extremes_and_their_places<long long>();
  demand_extremes_and_their_places<float>();
  demand_extremes_and_their_places<double>();
}

TEST_CASE("a maximum of negative values is not the 0 that a forgotten identity would give") {
  demand<int>(maximum{}, [](std::size_t i) { return -5 - static_cast<int>(i % 11); });
  demand<double>(maximum{}, [](std::size_t i) { return -0.5 - static_cast<double>(i % 11); });
  demand<unsigned>(minimum{}, [](std::size_t i) { return 5u + static_cast<unsigned>(i % 11); });
}

TEST_CASE("products whose order does not matter are exact") {
  // The factors are 1 and -1, and one 3 in 400, so the product is never 0 and never overflows.
  const auto small = [](std::size_t i) { return i % 400 == 7 ? 3 : (mixed(i) & 1) != 0 ? 1 : -1; };
  demand<int>(times{}, small);
  demand<long long>(times{}, [&](std::size_t i) { return static_cast<long long>(small(i)); });
  demand<unsigned>(times{}, [](std::size_t i) { return static_cast<unsigned>(mixed(i)) | 1u; });
  // The product of powers of two returns to 1 or -1 every two elements.
  const auto power = [](std::size_t i) { return i % 2 == 0 ? 2.0 : -0.5; };
  demand<float>(times{}, [&](std::size_t i) { return static_cast<float>(power(i)); });
  demand<double>(times{}, power);
}

TEST_CASE("sums of whole numbers are exact for every type") {
  demand<int>(plus{}, [](std::size_t i) { return input_value<int>(i, 6); });
  demand<unsigned>(plus{}, [](std::size_t i) { return input_value<unsigned>(i, 6); });
  demand<long long>(plus{}, [](std::size_t i) { return input_value<long long>(i, 6); });
  demand<float>(plus{}, [](std::size_t i) { return static_cast<float>(mixed(i) % 2048) - 1000.0f; });
  demand<double>(plus{}, [](std::size_t i) { return static_cast<double>(mixed(i) % 2048) - 1000.0; });
}

TEST_CASE("bytes load 16 at a time, from any start") {
  const auto byte = [](std::size_t i) { return static_cast<unsigned char>(mixed(i) % 251); };
  demand<unsigned char>(maximum{}, byte);
  std::vector<unsigned char> one(4099, 3);
  for (const std::size_t at : {0, 1, 15, 16, 17, 2000, 4097, 4098}) {
    for (const std::size_t offset : {1, 7, 15}) {
      one[at] = 200;
      INFO("the maximum at " << at << ", offset " << offset);
      CHECK(reduced_on_device(one, 64, offset, maximum{}) == 200);
      one[at] = 3;
    }
  }
}
