#include "workbook/guarded.hpp"

#include <algorithm>
#include <vector>

#include "emulator/emulator.hpp"

namespace workbook {
namespace {

constexpr std::size_t guard_bytes = 512;
constexpr unsigned char guard_pattern = 0xa7;

}  // namespace

bool on_gpu() {
  return emulator::selected_device() == emulator::device_kind::gpu;
}

guarded::guarded(std::size_t size_bytes)
    : guard_(on_gpu() ? guard_bytes : 0), payload_(size_bytes), bytes_(size_bytes + 2 * guard_) {
  if (guard_ == 0) return;
  check(cudaMemset(bytes_.data(), guard_pattern, guard_));
  check(cudaMemset(bytes_.data() + guard_ + payload_, guard_pattern, guard_));
}

bool guarded::intact() const {
  if (guard_ == 0) return true;
  std::vector<unsigned char> host(2 * guard_);
  check(cudaMemcpy(host.data(), bytes_.data(), guard_, cudaMemcpyDeviceToHost));
  check(cudaMemcpy(host.data() + guard_, bytes_.data() + guard_ + payload_, guard_, cudaMemcpyDeviceToHost));
  return std::all_of(host.begin(), host.end(), [](unsigned char c) { return c == guard_pattern; });
}

}  // namespace workbook
