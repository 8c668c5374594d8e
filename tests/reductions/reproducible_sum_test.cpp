// The reproducible sum on the device has the same bits as the host's accumulator, in every launch shape, from every
// start, in one launch or in parts, and passes all checks. A second program is this test with kernels that nvcc has
// compiled with --use_fast_math.

#include "emulator/emulator.hpp"
#include "reductions/binned_inputs.hpp"
#include "reductions/reproducible_kernels.hpp"
#include "support/device.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

template <typename T>
T on_host(const std::vector<T>& elements) {
  auto sum = binned_sum<T>::zero();
  for (const T x : elements) sum.add(x);
  return static_cast<T>(sum);
}

void demand_clean(bool gpu, std::size_t launch_count) {
  if (gpu) return;
  const auto launches = emulator::take_reports();
  CHECK(launches.size() == launch_count);
  for (const auto& launch : launches)
    for (const emulator::finding& f : launch.findings) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
}

template <typename T>
void demand_shapes() {
  const bool gpu = select_tested_device();
  constexpr std::size_t n = 5003;
  std::mt19937_64 random(3);
  std::size_t shapes = 0;
  for (const unsigned seed : {1u, 2u}) {
    for (named_input<T>& input : hard_inputs<T>(n, seed)) {
      const T expected = on_host(input.elements);
      if (std::isfinite(expected)) check_bound<3>(input.elements, expected);
      std::shuffle(input.elements.begin(), input.elements.end(), random);
      const std::size_t offset = random() % 4;
      const watched_run watched(true, n);
      summed_on_device<T> device(input.elements, offset);
      for (const unsigned grid : {1u, 2u, 7u}) {
        const unsigned block = 32 * static_cast<unsigned>(1 + random() % 16);
        const unsigned depth = random() % 2 == 0 ? 2 : 4;
        INFO(input.name << ", " << offset << " behind the start: " << grid << " blocks of " << block << ", " << depth
                        << " loads");
        CHECK(same_bits(device.sum_in({grid, block, depth, false}), expected));
        ++shapes;
      }
      demand_clean(gpu, 3);
    }
  }
  CHECK(shapes >= 50);
}

template <typename T>
void demand_sizes() {
  const bool gpu = select_tested_device();
  // Sizes around one vector, one block with one or two loads per thread, and several blocks.
  for (const std::size_t n : {0u, 1u, 2u, 3u, 5u, 33u, 1000u, 2049u, 4099u, 30011u}) {
    for (const std::size_t offset : {0u, 1u, 3u}) {
      for (const named_input<T>& input : hard_inputs<T>(n, 5)) {
        if (n > 1000 && input.name != "from 1e-30 to 1e30" && input.name != "subnormal") continue;
        INFO(n << ' ' << input.name << ", " << offset << " behind the start");
        const watched_run watched(true, n);
        CHECK(same_bits(summed_on_device<T>(input.elements, offset).sum(), on_host(input.elements)));
        demand_clean(gpu, 1);
      }
    }
  }
}

template <typename T>
void demand_parts() {
  (void)select_tested_device();
  for (const named_input<T>& input : hard_inputs<T>(6007, 9)) {
    INFO(input.name);
    const T expected = on_host(input.elements);
    summed_on_device<T> device(input.elements, 1);
    for (std::size_t parts = 1; parts <= 5; ++parts) {
      auto all = binned_sum<T>::zero();
      std::size_t from = 0;
      for (std::size_t k = 1; k <= parts; ++k) {
        const std::size_t to = input.elements.size() * k * k / (parts * parts);
        all.merge(device.part(from, to));
        from = to;
      }
      CHECK(same_bits(static_cast<T>(all), expected));
    }
  }
}

template <typename T>
void demand_specials() {
  (void)select_tested_device();
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> elements(3001, 1);
  const auto sum = [&] { return summed_on_device<T>(elements, 1).sum(); };
  elements[2777] = inf;
  CHECK(sum() == inf);
  elements[5] = -inf;
  CHECK(same_bits(sum(), nan));
  elements[2777] = 1;
  CHECK(sum() == -inf);
  elements[0] = -nan;
  CHECK(same_bits(sum(), nan));
  CHECK(same_bits(summed_on_device<T>(std::vector<T>(100, T{-0.0}), 0).sum(), T{0}));
}

}  // namespace

TEST_CASE("a hundred launch shapes, each with an order of its own, have the bits of the host's sum, and are clean") {
  demand_shapes<float>();
  demand_shapes<double>();
}

TEST_CASE("every size from every start has the bits of the host's sum in one clean launch, subnormal numbers too") {
  demand_sizes<float>();
  demand_sizes<double>();
}

TEST_CASE("one to five parts that the host merges have the bits of one sum of all") {
  demand_parts<float>();
  demand_parts<double>();
}

TEST_CASE("a NaN, or infinities of both signs, make a NaN; infinities of one sign, that one; negative zeros, +0") {
  demand_specials<float>();
  demand_specials<double>();
}

TEST_CASE("no kernel of the reproducible sum spills registers") {
  (void)select_tested_device();
  CHECK(spilled_bytes_of_sum<float, 3>() == 0);
  CHECK(spilled_bytes_of_sum<double, 3>() == 0);
}
