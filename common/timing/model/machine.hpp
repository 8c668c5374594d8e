#pragma once
/// \file
/// The measured facts of one machine, from `make machine`.

#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace model {

/// The machine's speed of starting blocks of one size.
struct block_starts {
  unsigned threads = 0;
  double ns_per_block = 0;  ///< For the whole machine, with empty blocks.
};

/// The facts that times are predicted from. None of them is measured with the kernels whose times are predicted.
struct machine {
  std::string name;                ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"
  double multiprocessors = 0;
  double clock_ghz = 0;              ///< While it computes.
  double first_launch_us = 0;        ///< An empty kernel, queued after work that blocks the stream.
  double further_launch_us = 0;      ///< Each kernel after another in a stream.
  double memory_ns = 0;              ///< Latency of a load that misses all caches.
  double l2_ns = 0;                  ///< Latency of a load that hits in L2.
  double memory_gb_per_s = 0;        ///< The best measured rate of reading.
  double division_cycles = 0;        ///< Cycles of an SM for a warp's integer division or remainder.
  double block_turnover_ns = 0;      ///< From the end of an empty block to the end of its successor.
  std::vector<block_starts> starts;  ///< Sorted by threads, ascending.
  /// For a block's critical path, in cycles. `divide`, `issue` and `first_cache_bytes_per_warp` are defaults, not
  /// measured.
  emulator::path_latencies latencies;

  /// Returns "an NVIDIA H200", "a Tesla T4" …
  [[nodiscard]] std::string with_article() const;
  /// Returns the nanoseconds per block that the machine needs to start blocks of `threads` threads, taken from the next
  /// larger size that was measured.
  [[nodiscard]] double start_ns(unsigned threads) const;
};

/// Reads the facts of a machine. \throws std::runtime_error  if the file cannot be read or is incomplete; the message
/// tells what is missing and how to measure it
[[nodiscard]] machine read_machine(const std::string& path);

/// Returns this tree's folder with the files of machines, machine_NAME.json.
[[nodiscard]] std::string machines_folder();

/// Returns the machine of this name ("h200"), if `folder` has it. \throws std::runtime_error  as above
[[nodiscard]] std::optional<machine> known_machine(const std::string& gpu,
                                                   const std::string& folder = machines_folder());

}  // namespace model
