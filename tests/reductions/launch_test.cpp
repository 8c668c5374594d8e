// The number of resident blocks equals CUDA's own, for every GPU that can be emulated.

#include <string>

#include "emulator/emulator.hpp"
#include "reductions/launch.cuh"
#include "reductions/launch_kernel.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

namespace {

unsigned by_occupancy(unsigned block_size) {
  int blocks = 0;
  REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, idle_kernel(), static_cast<int>(block_size), 0) ==
          cudaSuccess);
  return static_cast<unsigned>(blocks) * workbook::multiprocessor_count();
}

void pretend_to_be(const std::string& gpu) {
  emulator::options options = emulator::current_options();
  options.gpu = gpu;
  emulator::set_options(options);
}

}  // namespace

TEST_CASE("the number of resident blocks equals CUDA's occupancy for every block size") {
  const bool gpu = select_tested_device();
  const std::string before = emulator::current_options().gpu;
  for (const char* name : {"h200", "a100", "rtx2070", "rtx3090", "rtx4090"}) {
    if (!gpu) pretend_to_be(name);
    for (unsigned block_size = 32; block_size <= 1024; block_size += 32) {
      INFO(name << ", blocks of " << block_size);
      CHECK(workbook::resident_blocks(block_size) == by_occupancy(block_size));
    }
  }
  if (!gpu) pretend_to_be(before);
}

TEST_CASE("small blocks run out of places for blocks before they run out of threads") {
  if (testing_gpu()) return;
  emulator::select_device(emulator::device_kind::emulator);
  const std::string before = emulator::current_options().gpu;
  // There are 132 SMs for 2048 threads and 32 blocks each. For blocks of 32 threads, the number of blocks is the limit.
  pretend_to_be("h200");
  CHECK(workbook::resident_blocks(32) == 132 * 32);
  CHECK(workbook::resident_blocks(64) == 132 * 32);
  CHECK(workbook::resident_blocks(128) == 132 * 16);
  // There are 36 SMs for 1024 threads and 16 blocks each.
  pretend_to_be("rtx2070");
  CHECK(workbook::resident_blocks(32) == 36 * 16);
  CHECK(workbook::resident_blocks(256) == 36 * 4);
  pretend_to_be(before);
}
