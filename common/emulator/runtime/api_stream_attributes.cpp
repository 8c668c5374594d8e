// Attributes of streams for caches and priorities, and a stream's device. None of them changes any count.

#include <fmt/format.h>

#include <map>
#include <utility>

#include "emulator/runtime/device_attributes.hpp"
#include "emulator/runtime/router.hpp"
#include "emulator/runtime/timeline.hpp"

using namespace emulator::runtime;

namespace {

/// Returns the values that programs have set, by stream (its number, which is never reused) and attribute.
std::map<std::pair<unsigned long long, int>, cudaStreamAttrValue>& kept_values() {
  static auto* const values = new std::map<std::pair<unsigned long long, int>, cudaStreamAttrValue>;
  return *values;
}

bool is_known(cudaStreamAttrID attribute) {
  return attribute == cudaLaunchAttributeAccessPolicyWindow || attribute == cudaLaunchAttributeSynchronizationPolicy ||
         attribute == cudaLaunchAttributeMemSyncDomain || attribute == cudaLaunchAttributeMemSyncDomainMap ||
         attribute == cudaLaunchAttributePriority;
}

/// Refuses a window that the device would refuse.
cudaError_t check_window(const cudaAccessPolicyWindow& window) {
  const int most = *attribute_of(device::instance().facts(), cudaDevAttrMaxAccessPolicyWindowSize);
  if (window.num_bytes > static_cast<std::size_t>(most)) {
    explain(
        fmt::format("cudaStreamSetAttribute: the window of an access policy is {} bytes long, and {} are allowed "
                    "(accessPolicyMaxWindowSize)",
                    window.num_bytes, most));
    return cudaErrorInvalidValue;
  }
  if (!(window.hitRatio >= 0 && window.hitRatio <= 1)) {
    explain("cudaStreamSetAttribute: the hit ratio of an access policy must be between 0 and 1");
    return cudaErrorInvalidValue;
  }
  if (window.missProp == cudaAccessPropertyPersisting) {
    explain("cudaStreamSetAttribute: accesses outside of the window's hit ratio cannot be persisting (missProp)");
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

EMULATOR_API_STREAM(cudaStreamSetAttribute, _ptsz,
                    (cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value), stream,
                    attribute, value) {
  stream_record* const found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (value == nullptr || !is_known(attribute)) return cudaErrorInvalidValue;
  if (attribute == cudaLaunchAttributeAccessPolicyWindow) {
    if (const cudaError_t error = check_window(value->accessPolicyWindow); error != cudaSuccess) return error;
  }
  if (attribute == cudaLaunchAttributePriority) found->priority = value->priority;
  kept_values()[{found->id, attribute}] = *value;
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaStreamGetAttribute, _ptsz,
                    (cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value), stream, attribute,
                    value) {
  const stream_record* const found = timeline::instance().find(stream);
  if (found == nullptr) return cudaErrorInvalidResourceHandle;
  if (value == nullptr || !is_known(attribute)) return cudaErrorInvalidValue;
  const auto kept = kept_values().find({found->id, attribute});
  *value = kept == kept_values().end() ? cudaStreamAttrValue{} : kept->second;
  if (attribute == cudaLaunchAttributePriority) value->priority = found->priority;
  if (attribute == cudaLaunchAttributeSynchronizationPolicy && kept == kept_values().end())
    value->syncPolicy = cudaSyncPolicyAuto;
  return cudaSuccess;
}

EMULATOR_API_STREAM(cudaStreamCopyAttributes, _ptsz, (cudaStream_t to, cudaStream_t from), to, from) {
  stream_record* const into = timeline::instance().find(to);
  const stream_record* const source = timeline::instance().find(from);
  if (into == nullptr || source == nullptr) return cudaErrorInvalidResourceHandle;
  auto& values = kept_values();
  std::map<std::pair<unsigned long long, int>, cudaStreamAttrValue> copies;
  for (const auto& [key, value] : values)
    if (key.first == source->id) copies.emplace(std::pair(into->id, key.second), value);
  for (const auto& [key, value] : copies) values[key] = value;
  into->priority = source->priority;
  return cudaSuccess;
}

#if CUDART_VERSION >= 13000
EMULATOR_API_STREAM(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* number), stream, number) {
  return answer(number, timeline::instance().find(stream), &stream_record::device, cudaErrorInvalidResourceHandle);
}
#endif
