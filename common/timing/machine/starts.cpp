// Measures the time that it takes to start a block.

#include <algorithm>

#include "timing/machine/kernels/empty.hpp"
#include "timing/machine/parts.hpp"

namespace workbook::machine {
namespace {

struct start_case {
  const void* kernel;
  unsigned threads;
  std::size_t shared_bytes = 0;
  bool barrier = false;
};

nlohmann::json measure(bench& b, const start_case& c) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, c.kernel));
  allow_shared(c.kernel, c.shared_bytes);
  // Large blocks start more slowly, so half as many of them take long enough to measure.
  const unsigned blocks = b.size(c.threads >= 1024 ? 1u << 20 : 1u << 21, 64u);
  // Kernels that need registers have two parameters and return at once if the first is 0. The others have no
  // parameters.
  const auto run = [&] { launch(c.kernel, blocks, c.threads, c.shared_bytes, 0u, static_cast<unsigned*>(nullptr)); };
  const double us = b.microseconds(run, start::warm), ns = 1e3 * us / blocks;
  b.say("  {:>5} threads {:>7} bytes shared {:>4} registers {:<8} {:>8.3f} ns per block\n", c.threads, c.shared_bytes,
        attributes.numRegs, c.barrier ? "barrier" : "", ns);
  return {{"threads", c.threads},
          {"shared_bytes", c.shared_bytes},
          {"registers", attributes.numRegs},
          {"barrier", c.barrier},
          {"blocks", blocks},
          {"us", us},
          {"ns_per_block", ns}};
}

/// Returns the sizes of dynamic shared memory, up to the largest that a block may have.
std::vector<std::size_t> shared_sizes() {
  const auto most = static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  std::vector<std::size_t> sizes;
  for (const std::size_t kib : {8, 16, 32, 64, 100, 128, 160, 200})
    if (kib * 1024 < most) sizes.push_back(kib * 1024);
  sizes.push_back(most);
  return sizes;
}

}  // namespace

nlohmann::json measure_starts(bench& b) {
  b.heading("starts: grids of blocks that do nothing");
  std::vector<start_case> cases;
  for (const bool barrier : {false, true})
    for (const unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u})
      cases.push_back({barrier ? barrier_kernel : empty_kernel, threads, 0, barrier});
  for (const unsigned threads : {128u, 256u}) {
    for (const std::size_t bytes : shared_sizes()) cases.push_back({empty_kernel, threads, bytes});
    for (const void* kernel : kernels_with_registers()) cases.push_back({kernel, threads});
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const start_case& c : cases) rows.push_back(measure(b, c));
  return rows;
}

}  // namespace workbook::machine
