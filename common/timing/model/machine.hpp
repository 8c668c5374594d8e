#pragma once
/// \file
/// The measured facts of one machine, from `make machine`.

#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace model {

/// How fast the machine starts blocks of one size.
struct block_starts {
  unsigned threads = 0;
  double ns_per_block = 0;  ///< For the whole machine, measured with empty blocks.
};

/// The facts from which times are predicted. None of them is measured with a kernel whose time is predicted.
struct machine {
  std::string name;                ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"
  double multiprocessors = 0;
  double clock_ghz = 0;              ///< The clock rate while it computes.
  double first_launch_us = 0;        ///< Time of an empty kernel that is queued after work that blocks the stream.
  double further_launch_us = 0;      ///< Time that each further kernel in a stream adds.
  double memory_ns = 0;              ///< Latency of a load that misses all caches.
  double l2_ns = 0;                  ///< Latency of a load that hits in L2.
  double memory_gb_per_s = 0;        ///< The best measured rate of reading.
  double division_cycles = 0;        ///< The SM's cycles for an integer division or remainder by a warp.
  double block_turnover_ns = 0;      ///< From the end of an empty block to the end of its successor.
  std::vector<block_starts> starts;  ///< Sorted by threads, ascending.
  /// For the critical path of a block, in cycles. `divide`, `issue` and `first_cache_bytes_per_warp` are not measured,
  /// but defaults.
  emulator::path_latencies latencies;

  /// Returns "an NVIDIA H200", "a Tesla T4" …
  [[nodiscard]] std::string with_article() const;
  /// Returns the nanoseconds per block that the machine needs to start blocks of `threads` threads. The value is that
  /// of the next larger size that was measured.
  [[nodiscard]] double start_ns(unsigned threads) const;
};

/// Reads the facts of a machine. \throws std::runtime_error  if the file cannot be read or is incomplete; the message
/// says what is missing and how to measure it
[[nodiscard]] machine read_machine(const std::string& path);

/// Returns the folder of this source tree with the files of machines, machine_NAME.json.
[[nodiscard]] std::string machines_folder();

/// Returns the machine with this name ("h200"), if `folder` has its file. \throws std::runtime_error  as `read_machine`
[[nodiscard]] std::optional<machine> known_machine(const std::string& gpu,
                                                   const std::string& folder = machines_folder());

}  // namespace model
