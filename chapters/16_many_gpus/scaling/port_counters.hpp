#pragma once
/// \file
/// Counters of what GPUs send each other: NVML's of the NVLinks on GPUs, the emulator's without.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace chapter16 {

/// Bytes that went through a GPU's port since some moment in the past: only differences have a meaning.
struct port_bytes {
  std::uint64_t sent = 0, received = 0;
};

class port_counters {
 public:
  virtual ~port_counters() = default;
  /// Returns the number of bytes of each GPU so far, starting with GPU 0. Call it when all GPUs are idle.
  /// \throws std::runtime_error  if the counters can't be read
  [[nodiscard]] virtual std::vector<port_bytes> read() = 0;
  /// Returns what counts: a few words for a record.
  [[nodiscard]] virtual std::string name() const = 0;
};

/// Returns counters of the GPUs 0 to `gpus` - 1, of the device that is selected.
/// \throws std::runtime_error  if this machine has none, with the reason
[[nodiscard]] std::unique_ptr<port_counters> counters_of_ports(unsigned gpus);
/// Returns NVML's counters of the GPUs with these PCI addresses. NVML comes with the driver, and is looked for while
/// the program runs. \throws std::runtime_error  if it isn't installed, or has no such counters, with the reason
[[nodiscard]] std::unique_ptr<port_counters> counters_of_nvml(const std::vector<std::string>& pci_addresses,
                                                              const std::string& library = "libnvidia-ml.so.1");

}  // namespace chapter16
