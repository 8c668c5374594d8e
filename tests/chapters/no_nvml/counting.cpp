// Replaces NVML and has two GPUs. Each call returns 1000 KiB more as sent and 1 KiB more as received than the last one.

#include <cstring>

namespace {
struct value {
  unsigned field, scope;
  long long timestamp, latency_us;
  int type, status;
  union {
    double real;
    unsigned long long whole;
  };
};
int gpus[2];
unsigned long long calls = 0;
}  // namespace

extern "C" {
int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  if (std::strcmp(address, "0000:01:00.0") == 0) *device = &gpus[0];
  if (std::strcmp(address, "0000:02:00.0") == 0) *device = &gpus[1];
  constexpr int not_found = 6;
  return *device == nullptr ? not_found : 0;
}
int nvmlDeviceGetFieldValues(void* device, int count, value* values) {
  ++calls;
  for (int k = 0; k < count; ++k) {
    values[k].type = 3;
    constexpr int invalid_argument = 2;
    values[k].status = values[k].scope == 0xffffffff ? 0 : invalid_argument;
    const unsigned long long gpu = device == &gpus[1] ? 1 : 0;
    values[k].whole = gpu * 5'000'000'000ull + calls * (values[k].field == 138 ? 1000 : 1);
  }
  return 0;
}
}
