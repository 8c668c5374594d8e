#pragma once
/// \file
/// Several emulated devices: their number, and the traffic on the links between them.

#include <cstdint>
#include <vector>

namespace emulator {

/// Sets how many devices the program sees, 1 to 16, and whether they can use each other's memory. Has to be called
/// before the first call of the runtime. \throws std::invalid_argument
void set_devices(int count, bool peers = true);

/// The traffic on a link in one direction. The direction is that of the data: a load by device 0 from device 1 goes
/// from 1 to 0. An atomic operation counts once, towards the memory. For kernels, the bytes are those that the lanes
/// request.
struct link_traffic {
  static constexpr int host = -1;
  int from = host, to = host;
  std::uint64_t copies = 0, copied_bytes = 0;
  std::uint64_t load_requests = 0, load_bytes = 0;
  std::uint64_t store_requests = 0, store_bytes = 0;
  std::uint64_t atomic_requests = 0, atomic_bytes = 0;
};

/// Returns the links that have been used, sorted by their ends, without resetting their counters.
[[nodiscard]] std::vector<link_traffic> traffic_of_links();

}  // namespace emulator
