#pragma once
/// \file
/// Counters of the data that GPUs send each other: NVML's counters of the NVLinks on GPUs, otherwise the emulator's.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace chapter16 {

/// Bytes that went through a GPU's port since some moment in the past, so only differences are meaningful.
struct port_bytes {
  std::uint64_t sent = 0, received = 0;
};

class port_counters {
 public:
  virtual ~port_counters() = default;
  /// Returns the number of bytes of each GPU so far, beginning with GPU 0. Must be called while all GPUs are idle.
  /// \throws std::runtime_error  if the counters can't be read
  [[nodiscard]] virtual std::vector<port_bytes> read() = 0;
  /// Returns a short description of the counters for a record.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Returns the counters of the GPUs 0 to `gpus` - 1, on the device that is selected.
/// \throws std::runtime_error  if this machine has none, with the reason
[[nodiscard]] std::unique_ptr<port_counters> counters_of_ports(unsigned gpus);
/// Returns NVML's counters of the GPUs with these PCI addresses. NVML is installed with the driver, and is loaded at
/// run time. \throws std::runtime_error  if it isn't installed, or has no such counters, with the reason
[[nodiscard]] std::unique_ptr<port_counters> counters_of_nvml(const std::vector<std::string>& pci_addresses,
                                                              const std::string& library = "libnvidia-ml.so.1");

}  // namespace chapter16
