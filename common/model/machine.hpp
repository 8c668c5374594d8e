#pragma once
/// \file
/// What one machine can do, as `make machine` measured it.

#include <optional>
#include <string>
#include <vector>

#include "emulator/emulator.hpp"

namespace model {

/// How quickly the machine starts blocks of a size.
struct block_starts {
  unsigned threads = 0;
  double ns_per_block = 0;  ///< Over the whole machine, of blocks that do nothing.
};

/// The facts that times are predicted from. Nothing in it comes from the kernels whose times are predicted.
struct machine {
  std::string name;                ///< "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"
  double multiprocessors = 0;
  double clock_ghz = 0;              ///< While it computes.
  double first_launch_us = 0;        ///< An empty kernel behind work that holds the stream.
  double further_launch_us = 0;      ///< Each kernel behind another in a stream.
  double memory_ns = 0;              ///< Of a load that no cache has.
  double l2_ns = 0;                  ///< Of one that L2 has.
  double memory_gb_per_s = 0;        ///< The best rate at which anything was read.
  double division_cycles = 0;        ///< Of a multiprocessor, for a warp's integer division or remainder.
  double block_turnover_ns = 0;      ///< From the end of an empty block to the end of the next in its place.
  std::vector<block_starts> starts;  ///< By threads, rising.
  /// Of the path of a block, in cycles. `divide` is no measured one, nor is what the first cache keeps.
  emulator::path_latencies latencies;

  /// "an NVIDIA H200", "a Tesla T4"
  [[nodiscard]] std::string with_article() const;
  /// Nanoseconds per block that the machine needs to start blocks of `threads` threads: of the next size measured.
  [[nodiscard]] double start_ns(unsigned threads) const;
};

/// Reads the facts of a machine. \throws std::runtime_error  where the file cannot be read, or lacks something: says
/// what, and how to measure it
[[nodiscard]] machine read_machine(const std::string& path);

/// Where this tree keeps the files of machines, machine_NAME.json.
[[nodiscard]] std::string machines_folder();

/// The machine of this name ("h200"), if `folder` has it. \throws std::runtime_error  as above
[[nodiscard]] std::optional<machine> known_machine(const std::string& gpu,
                                                   const std::string& folder = machines_folder());

}  // namespace model
