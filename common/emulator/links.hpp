#pragma once
/// \file
/// Several emulated devices: how many a program sees, and what went over the links between them.

#include <cstdint>
#include <vector>

namespace emulator {

/// Sets how many devices a program sees, 1 to 16, and whether they can use each other's memory. To be called before
/// the first call of the runtime. \throws std::invalid_argument
void set_devices(int count, bool peers = true);

/// What went over a link in one direction: the data's direction, so a load by device 0 from device 1 goes from 1 to 0.
/// An atomic operation counts once, towards the memory. Bytes of kernels are those that their lanes ask for.
struct link_traffic {
  static constexpr int host = -1;
  int from = host, to = host;
  std::uint64_t copies = 0, copied_bytes = 0;
  std::uint64_t load_requests = 0, load_bytes = 0;
  std::uint64_t store_requests = 0, store_bytes = 0;
  std::uint64_t atomic_requests = 0, atomic_bytes = 0;
};

/// Returns the links that have been used, by ends, and leaves their counters as they are.
[[nodiscard]] std::vector<link_traffic> traffic_of_links();

}  // namespace emulator
