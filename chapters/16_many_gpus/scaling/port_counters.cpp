#include "16_many_gpus/scaling/port_counters.hpp"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "emulator/links.hpp"
#include "reductions/buffer.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {
namespace {

using workbook::check;

/// The emulator's counters of the bytes that threads and copies request.
class emulated_counters final : public port_counters {
 public:
  explicit emulated_counters(unsigned gpus) : gpus_(gpus) {}
  [[nodiscard]] std::vector<port_bytes> read() override {
    std::vector<port_bytes> ports(gpus_);
    for (const emulator::link_traffic& link : emulator::traffic_of_links()) {
      const auto is_gpu = [&](int end) { return end >= 0 && end < static_cast<int>(gpus_); };
      if (link.from == link.to || !is_gpu(link.from) || !is_gpu(link.to)) continue;  // not between two of the GPUs
      const std::uint64_t bytes = link.copied_bytes + link.load_bytes + link.store_bytes + link.atomic_bytes;
      ports[static_cast<std::size_t>(link.from)].sent += bytes;
      ports[static_cast<std::size_t>(link.to)].received += bytes;
    }
    return ports;
  }
  [[nodiscard]] std::string name() const override { return "the emulator"; }

 private:
  unsigned gpus_;
};

/// A value that NVML returns for a device, declared as in NVML's documentation.
struct nvml_value {
  unsigned field = 0, scope = 0;
  long long timestamp = 0, latency_us = 0;
  int type = 0, status = 0;
  std::uint64_t number = 0;
};
// NVML's constants for the KiB of data sent and received through NVLinks, and for the type of 64-bit numbers.
constexpr unsigned data_sent = 138, data_received = 139;
constexpr int type_of_64_bits = 3;
/// Passed in place of a link's index, it asks for the total over all links of the GPU.
constexpr unsigned all_links = ~0u;

class nvml_counters final : public port_counters {
 public:
  nvml_counters(const std::vector<std::string>& pci_addresses, const std::string& name) : name_(name) {
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(name + " is not on this machine");
    int (*initialise)() = nullptr;
    int (*find_device)(const char* pci_address, void** device) = nullptr;
    find(library, "nvmlInit_v2", initialise);
    find(library, "nvmlDeviceGetHandleByPciBusId_v2", find_device);
    find(library, "nvmlDeviceGetFieldValues", values_of_);
    expect_success(initialise(), "nvmlInit_v2");
    for (const std::string& one : pci_addresses) {
      devices_.push_back(nullptr);
      expect_success(find_device(one.c_str(), &devices_.back()), "nvmlDeviceGetHandleByPciBusId_v2");
    }
    (void)read();
  }
  [[nodiscard]] std::vector<port_bytes> read() override {
    // The driver may collect the counters only from time to time.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::vector<port_bytes> ports;
    for (void* const device : devices_) {
      std::array<nvml_value, 2> values{};
      values[0].field = data_sent;
      values[1].field = data_received;
      for (nvml_value& one : values) one.scope = all_links;
      expect_success(values_of_(device, static_cast<int>(values.size()), values.data()), "nvmlDeviceGetFieldValues");
      for (const nvml_value& one : values) {
        if (one.status != 0 || one.type != type_of_64_bits)
          throw std::runtime_error(fmt::format("{} counts no data of NVLinks here: field {} has status {} and type {}",
                                               name_, one.field, one.status, one.type));
      }
      ports.push_back({values[0].number << 10, values[1].number << 10});
    }
    return ports;
  }
  [[nodiscard]] std::string name() const override { return "NVML: data on all NVLinks of a GPU, in KiB"; }

 private:
  template <typename Function>
  void find(void* library, const char* name, Function& function) const {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(fmt::format("{} has no {}", name_, name));
  }
  void expect_success(int status, const char* call) const {
    if (status != 0) throw std::runtime_error(fmt::format("{}: {} failed with status {}", name_, call, status));
  }

  std::string name_;
  int (*values_of_)(void* device, int count, nvml_value* values) = nullptr;
  std::vector<void*> devices_;
};

}  // namespace

std::unique_ptr<port_counters> counters_of_nvml(const std::vector<std::string>& pci_addresses,
                                                const std::string& library) {
  return std::make_unique<nvml_counters>(pci_addresses, library);
}

std::unique_ptr<port_counters> counters_of_ports(unsigned gpus) {
  if (!workbook::on_gpu()) return std::make_unique<emulated_counters>(gpus);
  std::vector<std::string> addresses;
  for (unsigned g = 0; g < gpus; ++g) {
    std::array<char, 32> address{};
    check(cudaDeviceGetPCIBusId(address.data(), static_cast<int>(address.size()), static_cast<int>(g)));
    addresses.emplace_back(address.data());
  }
  return counters_of_nvml(addresses);
}

}  // namespace chapter16
