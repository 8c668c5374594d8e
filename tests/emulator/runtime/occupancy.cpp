#include "emulator/runtime/occupancy.hpp"

// This header has NVIDIA's own calculator as C++ inline functions.
#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>

#include <string>

#include "support/catch.hpp"

using namespace emulator::runtime;

namespace {

const device_facts& facts_of(const char* key) {
  const device_facts* found = find_device_facts(key);
  REQUIRE(found != nullptr);
  return *found;
}

kernel_needs needs(std::uint32_t registers, std::uint64_t static_shared = 0) {
  kernel_needs result;
  result.registers_per_thread = registers;
  result.static_shared_bytes = static_shared;
  return result;
}

/// Returns what NVIDIA's header calculates for the same kernel and launch.
cudaOccResult whole_answer(const device_facts& device, const kernel_needs& kernel, int threads,
                           std::uint64_t dynamic_shared) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.major;
  properties.computeMinor = device.minor;
  properties.maxThreadsPerBlock = device_facts::max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.max_threads_per_multiprocessor;
  properties.regsPerBlock = device_facts::registers_per_block;
  properties.regsPerMultiprocessor = device_facts::registers_per_multiprocessor;
  properties.warpSize = device_facts::warp_size;
  properties.sharedMemPerBlock = device_facts::shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = device.shared_bytes_per_multiprocessor;
  properties.numSms = device.multiprocessors;
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = device.reserved_shared_bytes_per_block;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = static_cast<int>(kernel.max_threads_per_block);
  attributes.numRegs = static_cast<int>(kernel.registers_per_thread);
  attributes.sharedSizeBytes = kernel.static_shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = kernel.dynamic_shared_limit != 0 ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  attributes.maxDynamicSharedSizeBytes = kernel.dynamic_shared_limit;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  if (kernel.preferred_carveout >= 0) state.carveoutConfig = kernel.preferred_carveout;
  cudaOccResult result{};
  const cudaOccError error =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state, threads, dynamic_shared);
  REQUIRE(error == CUDA_OCC_SUCCESS);
  return result;
}

int calculator(const device_facts& device, const kernel_needs& kernel, int threads, std::uint64_t dynamic_shared) {
  return whole_answer(device, kernel, threads, dynamic_shared).activeBlocksPerMultiprocessor;
}

}  // namespace

TEST_CASE("occupancy by hand: threads, blocks, registers and shared memory each can be what limits") {
  const device_facts& h200 = facts_of("h200");
  // 2048 threads per SM make 16 blocks of 128. With 32 registers, 64 warps fit. Shared memory is not a limit.
  CHECK(blocks_per_multiprocessor(h200, needs(32), 128, 0) == 16);
  // 2048 / 32 would be 64 blocks, but 32 is the maximum.
  CHECK(blocks_per_multiprocessor(h200, needs(16), 32, 0) == 32);
  // 64 registers are 2048 per warp: 65536 / 2048 = 32 warps, or 8 blocks of 4 warps.
  CHECK(blocks_per_multiprocessor(h200, needs(64), 128, 0) == 8);
  // 65 registers are 2080 per warp, rounded up to 2304: 16384 / 2304 = 7 warps per partition, 28 warps, 7 blocks.
  CHECK(blocks_per_multiprocessor(h200, needs(65), 128, 0) == 7);
  // The kernel needs 47 KiB and 1 KiB is reserved: 228 / 48 = 4 blocks.
  CHECK(blocks_per_multiprocessor(h200, needs(32, 47 * 1024), 128, 0) == 4);
  // The kernel needs 47.1 KiB, rounded up to 128 bytes, and 1 KiB is reserved. This is still less than 228 / 4 = 57.
  CHECK(blocks_per_multiprocessor(h200, needs(32), 128, 47 * 1024 + 100) == 4);
  CHECK(blocks_per_multiprocessor(h200, needs(32), 1025, 0) == 0);
  CHECK(blocks_per_multiprocessor(h200, needs(32), 128, 48 * 1024 + 1) == 0);
}

TEST_CASE("a kernel without machine code is taken to need 32 registers") {
  const device_facts& h200 = facts_of("h200");
  CHECK(assumed_registers == 32);
  CHECK(blocks_per_multiprocessor(h200, needs(0), 256, 0) == blocks_per_multiprocessor(h200, needs(32), 256, 0));
}

TEST_CASE("the largest block follows from launch bounds and registers") {
  const device_facts& h200 = facts_of("h200");
  CHECK(max_threads_per_block(needs(32)) == 1024);
  // 128 registers are 4096 per warp: 4 warps per partition, 16 warps.
  CHECK(max_threads_per_block(needs(128)) == 512);
  kernel_needs bounded = needs(32);
  bounded.max_threads_per_block = 256;
  CHECK(max_threads_per_block(bounded) == 256);
  CHECK(blocks_per_multiprocessor(h200, bounded, 257, 0) == 0);
}

TEST_CASE("occupancy agrees with NVIDIA's calculator on every known device") {
  for (const device_facts& device : all_device_facts()) {
    for (const std::uint32_t registers : {1u, 16u, 24u, 32u, 33u, 40u, 63u, 64u, 72u, 96u, 128u, 168u, 254u, 255u}) {
      for (const std::uint64_t static_shared : {0ull, 4ull, 512ull, 4096ull, 12345ull, 40000ull}) {
        for (const std::uint64_t dynamic_shared : {0ull, 1ull, 1024ull, 8000ull}) {
          for (const int threads : {1, 31, 32, 33, 64, 96, 128, 160, 256, 384, 512, 768, 1000, 1024}) {
            const kernel_needs kernel = needs(registers, static_shared);
            const int expected = calculator(device, kernel, threads, dynamic_shared);
            const int got =
                blocks_per_multiprocessor(device, kernel, static_cast<std::uint32_t>(threads), dynamic_shared);
            if (got != expected) {
              INFO(device.key << " registers " << registers << " shared " << static_shared << "+" << dynamic_shared
                              << " threads " << threads);
              CHECK(got == expected);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("occupancy agrees with NVIDIA's calculator if a kernel opts into more shared memory or a carve-out") {
  for (const device_facts& device : all_device_facts()) {
    for (const int carveout : {-1, 0, 25, 50, 100}) {
      for (const std::uint64_t dynamic_shared : {0ull, 1024ull, 30000ull, 60000ull}) {
        if (dynamic_shared > device.shared_bytes_per_block_optin) continue;
        kernel_needs kernel = needs(32);
        kernel.dynamic_shared_limit = device.shared_bytes_per_block_optin;
        kernel.preferred_carveout = carveout;
        INFO(device.key << " carve-out " << carveout << " shared " << dynamic_shared);
        CHECK(blocks_per_multiprocessor(device, kernel, 128, dynamic_shared) ==
              calculator(device, kernel, 128, dynamic_shared));
      }
    }
  }
}

TEST_CASE("each limit agrees with NVIDIA's calculator, and the smallest one applies") {
  const device_facts& h200 = facts_of("h200");
  for (const std::uint32_t registers : {16u, 32u, 65u, 128u}) {
    for (const std::uint64_t static_shared : {0ull, 4096ull, 40000ull}) {
      for (const int threads : {1, 32, 128, 160, 256, 384}) {
        INFO("registers " << registers << " shared " << static_shared << " threads " << threads);
        const kernel_needs kernel = needs(registers, static_shared);
        const cudaOccResult expected = whole_answer(h200, kernel, threads, 0);
        const emulator::occupancy_report got = report_occupancy(h200, kernel, static_cast<std::uint32_t>(threads), 0);
        REQUIRE(got.known);
        CHECK(static_cast<int>(got.by_device) == expected.blockLimitBlocks);
        CHECK(static_cast<int>(got.by_warps) == expected.blockLimitWarps);
        CHECK(static_cast<int>(got.by_registers) == expected.blockLimitRegs);
        CHECK(static_cast<int>(got.by_shared) == expected.blockLimitSharedMem);
        CHECK(static_cast<int>(got.blocks) == expected.activeBlocksPerMultiprocessor);
      }
    }
  }
}

TEST_CASE("without machine code the occupancy is not known, and nothing is made up for it") {
  const emulator::occupancy_report got = report_occupancy(facts_of("h200"), needs(0), 128, 0);
  CHECK_FALSE(got.known);
  CHECK(got.blocks == 0);
  CHECK(got.by_registers == 0);
}

TEST_CASE("a device that reserves no shared memory sets no limit if a block uses none") {
  CHECK(limits_of(facts_of("rtx2070"), needs(32), 128, 0).by_shared == block_limits::none);
  CHECK(limits_of(facts_of("rtx2070"), needs(32, 32768), 128, 0).by_shared == 2);
}
