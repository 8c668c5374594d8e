#include "workbook/memory_needed.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "host/memory.hpp"
#include "workbook/guarded.hpp"

namespace workbook {
namespace {

constexpr double gib = 1 << 30;

}  // namespace

std::optional<std::string> too_much_memory(std::uint64_t count, double bytes_per_count, std::uint64_t available,
                                           const std::string& whose) {
  const double needed = static_cast<double>(count) * bytes_per_count;
  if (needed <= static_cast<double>(available)) return {};
  const auto fits = static_cast<std::uint64_t>(static_cast<double>(available) / bytes_per_count);
  const std::string largest =
      fits == 0 ? std::string()
                : fmt::format(" The largest power of two that fits: --count 2^{}", std::bit_width(fits) - 1);
  return fmt::format("--count {}: that takes about {:.1f} GiB of {} memory, and {:.1f} GiB are available.{}\n", count,
                     needed / gib, whose, static_cast<double>(available) / gib, largest);
}

std::optional<std::string> too_much_memory(const study& s, const problem& given) {
  const auto bytes = static_cast<double>(with_type(given.type, [](auto* value) { return sizeof(*value); }));
  if (!on_gpu())
    return too_much_memory(given.count, s.values_per_count * bytes, host::available_memory(), "the host's");
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return {};
  return too_much_memory(given.count, std::min(1.0, s.values_per_count) * bytes, free, "the GPU's");
}

}  // namespace workbook
