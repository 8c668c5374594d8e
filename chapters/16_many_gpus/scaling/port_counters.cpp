#include "16_many_gpus/scaling/port_counters.hpp"

#include <dlfcn.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/buffer.hpp"
#include "emulator/links.hpp"
#include "workbook/guarded.hpp"

namespace chapter16 {
namespace {

using workbook::check;

/// The emulator counts the bytes that lanes and copies ask for.
class emulated_counters final : public port_counters {
 public:
  explicit emulated_counters(unsigned gpus) : gpus_(gpus) {}
  [[nodiscard]] std::vector<port_bytes> read() override {
    std::vector<port_bytes> ports(gpus_);
    for (const emulator::link_traffic& link : emulator::traffic_of_links()) {
      const auto is_gpu = [&](int end) { return end >= 0 && end < static_cast<int>(gpus_); };
      if (link.from == link.to || !is_gpu(link.from) || !is_gpu(link.to)) continue;  // the host's, or none
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

/// As NVML's documentation declares it: a value of a device, here of one of its links.
struct nvml_field {
  unsigned field = 0, link = 0;
  long long timestamp = 0, latency_us = 0;
  int type = 0, status = 0;
  union {
    std::uint64_t as_unsigned = 0;
    double as_double;
  };
};
// NVML's numbers: data that links sent and received, in KiB.
constexpr unsigned nvml_data_sent = 138, nvml_data_received = 139;
/// Links of a GPU of compute capability 9.0. A number that a GPU doesn't have is answered with an error.
constexpr unsigned most_links = 18;

/// NVML comes with the driver, and is looked for while the program runs.
class nvml_counters final : public port_counters {
 public:
  explicit nvml_counters(unsigned gpus) {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error("libnvidia-ml.so.1 is not on this machine");
    int (*initialise)() = nullptr;
    int (*handle_of)(const char*, void**) = nullptr;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr) throw std::runtime_error(fmt::format("libnvidia-ml.so.1 has no {}", name));
    };
    find("nvmlInit_v2", initialise);
    find("nvmlDeviceGetHandleByPciBusId_v2", handle_of);
    find("nvmlDeviceGetFieldValues", get_fields_);
    expect_success(initialise(), "nvmlInit_v2");
    for (unsigned g = 0; g < gpus; ++g) {
      std::array<char, 32> bus{};
      check(cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), static_cast<int>(g)));
      handles_.push_back(nullptr);
      expect_success(handle_of(bus.data(), &handles_.back()), "nvmlDeviceGetHandleByPciBusId_v2");
    }
    (void)read();
  }
  [[nodiscard]] std::vector<port_bytes> read() override {
    // In case the driver collects them only from time to time.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::vector<port_bytes> ports;
    for (void* const handle : handles_) {
      ports.push_back({bytes_of(handle, nvml_data_sent), bytes_of(handle, nvml_data_received)});
    }
    return ports;
  }
  [[nodiscard]] std::string name() const override { return "NVML: data of all NVLinks, in KiB"; }

 private:
  static void expect_success(int status, const char* call) {
    if (status != 0) throw std::runtime_error(fmt::format("{} failed with status {}", call, status));
  }
  [[nodiscard]] std::uint64_t bytes_of(void* handle, unsigned field) const {
    std::array<nvml_field, most_links> links{};
    for (unsigned k = 0; k < most_links; ++k) {
      links.at(k).field = field;
      links.at(k).link = k;
    }
    expect_success(get_fields_(handle, most_links, links.data()), "nvmlDeviceGetFieldValues");
    std::uint64_t sum_kib = 0;
    bool any = false;
    for (const nvml_field& one : links) {
      if (one.status != 0) continue;
      sum_kib += one.as_unsigned;
      any = true;
    }
    if (!any)
      throw std::runtime_error(
          fmt::format("NVML has no counters of data on NVLinks here: field {}, status {}", field, links[0].status));
    return sum_kib << 10;
  }

  int (*get_fields_)(void* device, int count, nvml_field* fields) = nullptr;
  std::vector<void*> handles_;
};

}  // namespace

std::unique_ptr<port_counters> counters_of_ports(unsigned gpus) {
  if (workbook::on_gpu()) return std::make_unique<nvml_counters>(gpus);
  return std::make_unique<emulated_counters>(gpus);
}

}  // namespace chapter16
