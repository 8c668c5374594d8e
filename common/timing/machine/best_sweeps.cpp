// Measures the ceilings: the best read, write and copy over a set of shapes.

#include <algorithm>
#include <set>

#include "timing/machine/parts.hpp"
#include "workbook/sweeps.hpp"

namespace workbook::machine {
namespace {

/// One kind of sweep: its name, its kernel, and the number of bytes that it moves for each byte of an array.
struct sweep {
  const char* name;
  const void* (*kernel)(unsigned loads);
  double bytes_per_byte;
};

constexpr sweep sweeps[] = {{"read", &read_kernel, 1}, {"write", &write_kernel, 1}, {"copy", &copy_kernel, 2}};

/// Two arrays, and sweeps over them or their beginnings.
class arrays_to_sweep {
 public:
  explicit arrays_to_sweep(std::size_t bytes) : in_(bytes), out_(bytes) {
    check(cudaMemset(in_.data(), 1, bytes));
    check(cudaMemset(out_.data(), 0, bytes));
  }

  [[nodiscard]] nlohmann::json measure(bench& b, const sweep& s, std::size_t bytes, const sweep_shape& shape) {
    const std::size_t n = bytes / 16;
    auto* const sink = reinterpret_cast<std::uint32_t*>(out_.data());
    const double us = b.least_microseconds(
        [&] {
          if (s.kernel == &read_kernel) read_everything(in_.data(), n, sink, shape);
          if (s.kernel == &write_kernel) write_everything(out_.data(), n, 7, shape);
          if (s.kernel == &copy_kernel) copy_everything(in_.data(), out_.data(), n, shape);
        },
        start::cold);
    if (!b.timed()) compare(b, s, bytes);
    return {{"block_size", shape.block_size},
            {"loads", shape.loads},
            {"blocks_per_multiprocessor", shape.blocks_per_multiprocessor},
            {"array_bytes", bytes},
            {"us", us},
            {"gb_per_s", s.bytes_per_byte * static_cast<double>(bytes) / us / 1e3}};
  }

 private:
  /// Checks that the array contains the values that the sweep writes.
  void compare(bench& b, const sweep& s, std::size_t bytes) const {
    std::vector<std::uint32_t> words(bytes / sizeof(std::uint32_t));
    check(cudaMemcpy(words.data(), out_.data(), bytes, cudaMemcpyDeviceToHost));
    const std::uint32_t expected = s.kernel == &copy_kernel ? 0x01010101u : 7u;
    const bool fine = std::all_of(words.begin(), words.end(), [&](std::uint32_t word) { return word == expected; });
    b.expect(s.kernel == &read_kernel || fine, fmt::format("a {} leaves something else", s.name));
    b.expect(s.kernel == &write_kernel || b.counted("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") == bytes / 32,
             fmt::format("a {} does not load each byte once", s.name));
  }

  device_bytes in_, out_;
};

/// Returns the shapes of a kind of sweep. Each SM gets as many blocks as fit, blocks of 1,024 threads in all, or
/// eight times as many blocks as fit.
std::vector<sweep_shape> shapes_of(const sweep& s) {
  std::vector<sweep_shape> shapes;
  for (const unsigned block_size : {256u, 512u, 1024u}) {
    for (const unsigned loads : {2u, 4u, 8u}) {
      const unsigned most = blocks_that_fit(s.kernel(loads), block_size);
      for (const unsigned blocks : std::set{most, std::min(most, 2048 / block_size / 2), 8 * most})
        shapes.push_back({block_size, loads, blocks});
    }
  }
  return shapes;
}

}  // namespace

nlohmann::json measure_best_sweeps(bench& b) {
  b.heading("ceilings: the fastest run of a set of shapes, cold L2");
  std::size_t free_bytes = 0, all_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &all_bytes));
  constexpr std::size_t gib = std::size_t{1} << 30;
  std::vector<std::size_t> sizes;
  for (const std::size_t bytes : {gib, 4 * gib, 8 * gib})
    if (b.timed() && bytes <= free_bytes * 2 / 5) sizes.push_back(bytes);
  if (sizes.empty()) sizes.push_back(b.size(free_bytes / 4 / 4096 * 4096, std::size_t{1} << 16));
  arrays_to_sweep arrays(sizes.back());
  nlohmann::json j;
  for (const sweep& s : sweeps) {
    nlohmann::json rows = nlohmann::json::array(), best;
    const auto take = [&](std::size_t bytes, const sweep_shape& shape) {
      rows.push_back(arrays.measure(b, s, bytes, shape));
      if (best.is_null() || rows.back()["gb_per_s"] > best["gb_per_s"]) best = rows.back();
    };
    for (const std::size_t bytes : sizes)
      for (const sweep_shape& shape : shapes_of(s)) take(bytes, shape);
    b.say("  {:<5} {:>8.0f} GB/s: {} threads, {} loads, {} blocks per multiprocessor, {} bytes\n", s.name,
          best["gb_per_s"].get<double>(), best["block_size"].dump(), best["loads"].dump(),
          best["blocks_per_multiprocessor"].dump(), best["array_bytes"].dump());
    j[s.name] = {{"best", best}, {"shapes", rows}};
  }
  return j;
}

}  // namespace workbook::machine
