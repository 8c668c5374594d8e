// Measures kernels that only load: how many bytes must be in flight to reach the full bandwidth.

#include <algorithm>

#include "timing/machine/kernels/memory.hpp"
#include "timing/machine/parts.hpp"

namespace workbook::machine {
namespace {

/// The XOR of words that are all 1 is 0 or 1, so it is never this value.
constexpr std::uint32_t never = 2;
constexpr const char* sectors_loaded = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

/// An array of ones, and a word that is never written.
class array_of_ones {
 public:
  explicit array_of_ones(std::size_t wanted) {
    std::size_t free_bytes = 0, all_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &all_bytes));
    bytes_ = device_bytes(std::min(wanted, free_bytes / 4) / 4096 * 4096);
    sink_ = device_bytes(sizeof(std::uint32_t));
    check(cudaMemset(bytes_.data(), 1, bytes_.size_bytes()));
    check(cudaMemset(sink_.data(), 0, sink_.size_bytes()));
  }
  [[nodiscard]] std::size_t size_bytes() const { return bytes_.size_bytes(); }

  /// Returns the median microseconds that `k` takes to load `bytes` bytes. On the emulator, checks that it loads them.
  [[nodiscard]] double run(bench& b, const load_kernel& k, unsigned grid_size, unsigned block_size, unsigned rounds) {
    const double us = b.microseconds(
        [&] {
          launch(k.kernel, grid_size, block_size, 0, bytes_.data(), rounds, never,
                 reinterpret_cast<std::uint32_t*>(sink_.data()));
        },
        start::cold);
    const std::uint64_t bytes = std::uint64_t{grid_size} * block_size * rounds * k.loads * k.vector_bytes;
    // Neighbouring threads load neighbouring elements, so each sector of 32 bytes is loaded once.
    b.expect(b.timed() || b.counted(sectors_loaded) == bytes / 32, "a kernel does not load each byte once");
    return us;
  }

 private:
  device_bytes bytes_, sink_;
};

struct point {
  double bytes_in_flight = 0;  ///< Per streaming multiprocessor (SM).
  double gb_per_s = 0;
};

nlohmann::json measure_in_flight(bench& b, array_of_ones& array, std::vector<point>& points) {
  constexpr unsigned block_size = 256;
  const auto multiprocessors = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  nlohmann::json rows = nlohmann::json::array();
  for (const load_kernel& k : load_kernels()) {
    for (const unsigned warps : {8u, 16u, 32u, 48u, 64u}) {
      const unsigned blocks = 32 * warps / block_size;
      if (blocks > blocks_that_fit(k.kernel, block_size)) continue;
      const unsigned grid_size = b.size(multiprocessors * blocks, 2u);
      const std::size_t round = std::size_t{grid_size} * block_size * k.loads * k.vector_bytes;
      const auto rounds = static_cast<unsigned>(b.size(array.size_bytes() / round, std::size_t{2}));
      const double us = array.run(b, k, grid_size, block_size, rounds);
      const double in_flight = 32.0 * warps * k.loads * k.vector_bytes;
      const double gb_per_s = static_cast<double>(rounds * round) / us / 1e3;
      points.push_back({in_flight, gb_per_s});
      b.say("  {:>2} bytes, {} loads, {:>2} warps {:>8} bytes in flight {:>8.0f} GB/s\n", k.vector_bytes, k.loads,
            warps, in_flight, gb_per_s);
      rows.push_back({{"vector_bytes", k.vector_bytes},
                      {"loads", k.loads},
                      {"warps", warps},
                      {"bytes_in_flight", in_flight},
                      {"gb_per_s", gb_per_s}});
    }
  }
  return rows;
}

/// Returns the fewest bytes in flight that reach 95 % of the best rate, and the latency that follows by Little's law.
nlohmann::json knee_of(bench& b, std::vector<point> points) {
  if (!b.timed() || points.empty()) return nullptr;
  const auto faster = [](const point& x, const point& y) { return x.gb_per_s < y.gb_per_s; };
  const double best = std::max_element(points.begin(), points.end(), faster)->gb_per_s;
  std::erase_if(points, [&](const point& p) { return p.gb_per_s < 0.95 * best; });
  const point knee = *std::min_element(points.begin(), points.end(), [](const point& x, const point& y) {
    return x.bytes_in_flight != y.bytes_in_flight ? x.bytes_in_flight < y.bytes_in_flight : x.gb_per_s > y.gb_per_s;
  });
  const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const double latency_ns = knee.bytes_in_flight * multiprocessors / knee.gb_per_s;
  b.say("  95 % of the best, {:.0f} GB/s, needs {:.0f} bytes in flight per multiprocessor: {:.0f} ns by Little's law\n",
        best, knee.bytes_in_flight, latency_ns);
  return {{"bytes_in_flight", knee.bytes_in_flight},
          {"gb_per_s", knee.gb_per_s},
          {"best_gb_per_s", best},
          {"latency_ns", latency_ns}};
}

nlohmann::json measure_short_lives(bench& b, array_of_ones& array) {
  b.say("  A grid that covers the array: each block loads its part and ends\n");
  // A size that is a whole number of blocks of every shape.
  const std::size_t ints = b.size(array.size_bytes() / sizeof(int), std::size_t{1} << 14) / 8192 * 8192;
  nlohmann::json rows = nlohmann::json::array();
  for (const load_kernel& k : short_lived_kernels()) {
    for (const unsigned block_size : {64u, 128u, 256u, 512u, 1024u}) {
      const auto grid_size = static_cast<unsigned>(ints / (std::size_t{block_size} * k.loads));
      const double us = array.run(b, k, grid_size, block_size, 1);
      const double gb_per_s = static_cast<double>(ints * sizeof(int)) / us / 1e3;
      b.say("  {} ints per thread, {:>4} threads per block {:>8.0f} GB/s\n", k.loads, block_size, gb_per_s);
      rows.push_back({{"ints_per_thread", k.loads},
                      {"threads", block_size},
                      {"blocks", grid_size},
                      {"us", us},
                      {"gb_per_s", gb_per_s}});
    }
  }
  return rows;
}

}  // namespace

nlohmann::json measure_bandwidth(bench& b) {
  b.heading("bandwidth: loads only, by bytes in flight per multiprocessor");
  array_of_ones array(b.size(std::size_t{1} << 31, std::size_t{1} << 18));
  std::vector<point> points;
  nlohmann::json j = {{"array_bytes", array.size_bytes()}};
  j["in_flight"] = measure_in_flight(b, array, points);
  j["knee"] = knee_of(b, points);
  j["short_lives"] = measure_short_lives(b, array);
  return j;
}

}  // namespace workbook::machine
