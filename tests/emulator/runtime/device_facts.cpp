#include "emulator/runtime/device_facts.hpp"

#include <cmath>
#include <utility>

#include "emulator/runtime/device_attributes.hpp"
#include "emulator/runtime/environment.hpp"
#include "support/catch.hpp"

using namespace emulator::runtime;

TEST_CASE("a device is found by its name, in any case, and every one has all of its facts") {
  REQUIRE(find_device_facts("h200") != nullptr);
  CHECK(find_device_facts("H200") == find_device_facts("h200"));
  CHECK(find_device_facts("") == nullptr);
  CHECK(find_device_facts("h20") == nullptr);
  for (const device_facts& device : all_device_facts()) {
    INFO(device.key);
    CHECK_THAT(known_devices(), ContainsSubstring(device.key));
    CHECK(device.max_threads_per_multiprocessor >= 1024);
    CHECK(device.shared_bytes_per_block_optin >= 64 * 1024);
    CHECK(device.shared_configurations.back() == device.shared_bytes_per_multiprocessor);
    CHECK(device.memory_bytes > (std::uint64_t{4} << 30));
  }
}

TEST_CASE("the peak bandwidth from clock and bus is the published one") {
  // The bandwidths are in GB/s, rounded as in NVIDIA's data sheets.
  const std::pair<const char*, double> published[] = {{"h200", 4800}, {"h100", 3350},   {"a100", 1555},
                                                      {"v100", 900},  {"rtx2070", 448}, {"rtx3090", 936},
                                                      {"t4", 320},    {"rtx4090", 1008}};
  for (const auto& [key, gb_per_s] : published) {
    const device_facts& device = *find_device_facts(key);
    INFO(key);
    const double peak = 2.0 * device.memory_clock_khz * 1e3 * device.memory_bus_bits / 8 / 1e9;
    CHECK(std::abs(peak / gb_per_s - 1) < 0.01);
  }
}

TEST_CASE("properties and attributes contain the same facts") {
  const device_facts& device = *find_device_facts("a100");
  const cudaDeviceProp properties = properties_of(device, 1234);
  CHECK(std::string(properties.name) == device.name);
  CHECK(properties.totalGlobalMem == 1234);
  CHECK(properties.multiProcessorCount == attribute_of(device, cudaDevAttrMultiProcessorCount));
  CHECK(properties.l2CacheSize == attribute_of(device, cudaDevAttrL2CacheSize));
  CHECK(properties.memoryBusWidth == attribute_of(device, cudaDevAttrGlobalMemoryBusWidth));
  CHECK(properties.major * 10 + properties.minor == 80);
  CHECK(properties.sharedMemPerBlockOptin == 163 * 1024);
  CHECK(properties.maxGridSize[0] == 2147483647);
  CHECK(attribute_of(device, cudaDevAttrWarpSize) == 32);
  CHECK_FALSE(attribute_of(device, static_cast<cudaDeviceAttr>(255)).has_value());
}

TEST_CASE("a list of checks turns on only those; a wrong name is refused with the possible names") {
  emulator::options wanted;
  parse_checks("none", wanted);
  CHECK_FALSE((wanted.memcheck || wanted.racecheck || wanted.initcheck || wanted.synccheck));
  parse_checks("racecheck,synccheck", wanted);
  CHECK((!wanted.memcheck && wanted.racecheck && !wanted.initcheck && wanted.synccheck));
  parse_checks("all", wanted);
  CHECK((wanted.memcheck && wanted.racecheck && wanted.initcheck && wanted.synccheck));
  CHECK_FALSE(wanted.leaks);  // only if requested
  parse_checks("all,leaks", wanted);
  CHECK((wanted.leaks && wanted.memcheck && wanted.synccheck));
  parse_checks("leaks", wanted);
  CHECK((wanted.leaks && !wanted.memcheck));
  CHECK_THROWS_WITH(parse_checks("racechek", wanted), ContainsSubstring("memcheck,racecheck,initcheck,synccheck"));
  CHECK_THROWS_AS(parse_checks("", wanted), bad_setting);
  CHECK_THROWS_AS(parse_checks("racecheck,", wanted), bad_setting);
}

TEST_CASE("a number must be one, whole and in range") {
  CHECK(parse_number("threads", "0", 10) == 0);
  CHECK(parse_number("threads", "10", 10) == 10);
  for (const char* wrong : {"", "-1", "11", "1.5", "ten", "1x", " 1", "99999999999999999999999"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_number("threads", wrong, 10), bad_setting);
  }
}
