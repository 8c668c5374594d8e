#include "emulator/runtime/device_facts.hpp"

#include <algorithm>
#include <cctype>

namespace emulator::runtime {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

/// Facts that all GPUs of one compute capability share.
struct capability_limits {
  int major, minor;
  int threads, blocks;
  std::uint64_t shared_kib, reserved_bytes, unit_bytes;
  std::vector<std::uint64_t> configurations_kib;
};

/// Adds the facts that follow from the compute capability.
device_facts gpu(device_facts facts) {
  // The programming guide's table "Technical Specifications per Compute Capability", and its text on shared memory.
  const capability_limits table[] = {
      {7, 0, 2048, 32, 96, 0, 256, {0, 8, 16, 32, 64, 96}},
      {7, 5, 1024, 16, 64, 0, 256, {32, 64}},
      {8, 0, 2048, 32, 164, 1024, 128, {0, 8, 16, 32, 64, 100, 132, 164}},
      {8, 6, 1536, 16, 100, 1024, 128, {0, 8, 16, 32, 64, 100}},
      {8, 9, 1536, 24, 100, 1024, 128, {0, 8, 16, 32, 64, 100}},
      {9, 0, 2048, 32, 228, 1024, 128, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
  };
  for (const capability_limits& limits : table) {
    if (limits.major != facts.major || limits.minor != facts.minor) continue;
    facts.max_threads_per_multiprocessor = limits.threads;
    facts.max_blocks_per_multiprocessor = limits.blocks;
    facts.shared_bytes_per_multiprocessor = limits.shared_kib * kib;
    facts.shared_bytes_per_block_optin = limits.shared_kib * kib - limits.reserved_bytes;
    facts.reserved_shared_bytes_per_block = limits.reserved_bytes;
    facts.shared_allocation_unit = limits.unit_bytes;
    for (const std::uint64_t size : limits.configurations_kib) facts.shared_configurations.push_back(size * kib);
  }
  return facts;
}

}  // namespace

const std::vector<device_facts>& all_device_facts() {
  // Never destroyed, because the runtime is used after main().
  static const auto& table = *new std::vector<device_facts>{
      // key, name, capability, SMs, memory, clock and memory clock in kHz, bus, L2
      gpu({"h200", "NVIDIA H200", 9, 0, 132, 141 * 1000 * 1000 * std::uint64_t{1000}, 1'980'000, 3'201'000, 6016,
           60 * mib}),
      gpu({"h100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 80 * gib, 1'980'000, 2'619'000, 5120, 50 * mib}),
      gpu({"a100", "NVIDIA A100-SXM4-40GB", 8, 0, 108, 40 * gib, 1'410'000, 1'215'000, 5120, 40 * mib}),
      gpu({"v100", "Tesla V100-SXM2-16GB", 7, 0, 80, 16 * gib, 1'530'000, 877'000, 4096, 6 * mib}),
      gpu({"t4", "Tesla T4", 7, 5, 40, 16 * gib, 1'590'000, 5'001'000, 256, 4 * mib}),
      gpu({"rtx2070", "NVIDIA GeForce RTX 2070", 7, 5, 36, 8 * gib, 1'620'000, 7'001'000, 256, 4 * mib}),
      gpu({"rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 7, 5, 68, 11 * gib, 1'545'000, 7'000'000, 352, 5632 * kib}),
      gpu({"rtx3090", "NVIDIA GeForce RTX 3090", 8, 6, 82, 24 * gib, 1'695'000, 9'751'000, 384, 6 * mib}),
      gpu({"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 24 * gib, 2'520'000, 10'501'000, 384, 72 * mib}),
  };
  return table;
}

const device_facts* find_device_facts(std::string_view key) {
  std::string lower(key);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const device_facts& facts : all_device_facts()) {
    if (lower == facts.key) return &facts;
  }
  return nullptr;
}

std::string known_devices() {
  std::string all;
  for (const device_facts& facts : all_device_facts()) {
    if (!all.empty()) all += ", ";
    all += facts.key;
  }
  return all;
}

}  // namespace emulator::runtime
