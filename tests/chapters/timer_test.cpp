// Tests the preparation of a timed run. The emulator has no times, so on it the test only shows that everything runs;
// `record.sh` runs this on a GPU.

#include <algorithm>
#include <vector>

#include "emulator/emulator.hpp"
#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"
#include "support/catch.hpp"
#include "support/device.hpp"
#include "workbook/sweeps.hpp"
#include "workbook/timer.hpp"

using namespace workbook;

namespace {

/// An array in device memory that a kernel reads completely.
struct array {
  explicit array(std::size_t bytes) : vectors(bytes / 16), memory(bytes + sizeof(std::uint32_t)) {
    check(cudaMemset(memory.data(), 1, memory.size_bytes()));
  }
  void read() const {
    read_everything(memory.data(), vectors, reinterpret_cast<std::uint32_t*>(memory.data() + vectors * 16));
  }
  std::size_t vectors;
  device_bytes memory;
};

}  // namespace

TEST_CASE("after the cold preparation a read takes as long as after a read of something else", "[timer]") {
  if (!select_tested_device()) return;
  const std::size_t l2 = l2_cache_bytes();
  stop_watch watch;
  const array foreign(4 * l2);
  for (const std::size_t bytes : {l2 / 4, l2 / 2, 2 * l2, 8 * l2}) {
    const array mine(bytes);
    std::vector<double> prepared, clean;
    for (int k = -3; k < 31; ++k) {
      const double cold = watch.take([&] { mine.read(); }, start::cold).microseconds;
      foreign.read();
      foreign.read();
      const double after_read = watch.take([&] { mine.read(); }, start::warm).microseconds;
      if (k < 0) continue;
      prepared.push_back(cold);
      clean.push_back(after_read);
    }
    INFO(bytes << " bytes: " << median(prepared) << " and " << median(clean) << " us");
    CHECK(std::abs(median(prepared) / median(clean) - 1) < 0.02);
  }
}

TEST_CASE("rows are queued, and one on an idle GPU takes longer", "[timer]") {
  if (!select_tested_device()) return;
  const array mine(1 << 16);
  const timing cold = time_on_gpu([&] { mine.read(); }, 21, start::cold);
  const timing warm = time_on_gpu([&] { mine.read(); }, 21, start::warm);
  const timing idle = time_on_gpu([&] { mine.read(); }, 21, start::idle);
  CHECK(cold.queued);
  CHECK(warm.queued);
  CHECK_FALSE(idle.queued);
  CHECK(warm.median_ms <= cold.median_ms);
  CHECK(warm.median_ms < idle.median_ms);
}

TEST_CASE("a method that waits for the GPU itself is timed, and marked as not queued", "[timer]") {
  if (!select_tested_device()) return;
  const array mine(1 << 16);
  const timing t = time_on_gpu(
      [&] {
        mine.read();
        check(cudaDeviceSynchronize());
      },
      5, start::cold);
  CHECK_FALSE(t.queued);
  CHECK(t.median_ms < 1);
}

TEST_CASE("the kernels of the timer run on the emulator, too", "[timer]") {
  select_tested_device();
  stop_watch watch;
  watch.make_cold();
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(words_for(start::cold) != words_for(start::idle));
}
