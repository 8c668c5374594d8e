#include "workbook/scaled.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/memory.hpp"
#include "workbook/predicted.hpp"

namespace workbook {
namespace {

/// Kernels are counted at increasing sizes, from the first to the last, until it is known how their grids grow.
constexpr std::size_t first_known = std::size_t{1} << 20, last_known = std::size_t{1} << 24;

/// If a grid has this many times the GPU's resident blocks, and still grows, it is assumed to continue to grow.
constexpr double waves_of_a_growing_grid = 3;

std::vector<model::counts> counts_of(const outcome& o) {
  std::vector<model::counts> launches;
  for (const emulator::launch_report& launch : o.launches) launches.push_back(model::counts_of(launch));
  return launches;
}

/// Returns the launches of a kernel in which all blocks do the same: the first pass, and the passes over its partial
/// sums.
std::vector<model::counts> of_growing_grid(const std::vector<model::counts>& known, double known_count, double count) {
  const model::counts& first = known.front();
  std::vector<model::counts> launches;
  for (double n = count;;) {
    launches.push_back(model::with_blocks(first, std::max(1.0, std::ceil(first.blocks * n / known_count))));
    n = launches.back().blocks;
    if (known.size() == 1 || n <= 1) return launches;
  }
}

/// A kernel's launches at several sizes. Each size is counted once.
class counted_sizes {
 public:
  counted_sizes(const specimen& kernel, const problem& given, const outcome& at_given)
      : kernel_(kernel), given_(given), limit_(max_elements(given)) {
    if (one_launch_a_pass(at_given)) by_size_[given.count] = counts_of(at_given);
  }
  /// Returns null if the kernel cannot run here at this size, or makes more than one launch per pass.
  const std::vector<model::counts>* at(std::size_t count) {
    auto found = by_size_.find(count);
    if (found == by_size_.end()) {
      std::optional<outcome> made;
      if (count <= limit_) {
        problem p = given_;
        p.count = count;
        made = examine(kernel_, p, {.check = false, .explains = false});
      }
      const bool good = made && made->passed() && one_launch_a_pass(*made);
      found = by_size_.emplace(count, good ? counts_of(*made) : std::vector<model::counts>()).first;
    }
    return found->second.empty() ? nullptr : &found->second;
  }

 private:
  static bool one_launch_a_pass(const outcome& o) { return !o.launches.empty() && o.launches.size() == o.passes; }
  /// Returns the largest size that fits in half of the host's available memory: an input and a copy of it.
  static std::size_t max_elements(const problem& p) {
    const std::size_t bytes = with_type(p.type, [](auto* value) { return sizeof(*value); });
    return host::available_memory() / (4 * bytes);
  }
  const specimen& kernel_;
  problem given_;
  std::size_t limit_;
  std::map<std::size_t, std::vector<model::counts>> by_size_;
};

std::optional<model::prediction> predicted_at(const specimen& kernel, const problem& given, const outcome& o,
                                              const model::machine& on, double count) {
  // A library's launches depend on the size, and printing makes a kernel slow.
  if (o.as == role::library || !o.attempted || o.launches.empty() || o.said.line_count > 0) return {};
  if (!prediction_of(on, o).unknown.empty()) return {};
  counted_sizes sizes(kernel, given, o);
  for (std::size_t n = first_known; n <= last_known; n *= 2) {
    const std::vector<model::counts>* half = sizes.at(n / 2);
    const std::vector<model::counts>* known = half == nullptr ? nullptr : sizes.at(n);
    if (known == nullptr) return {};
    const double resident = on.multiprocessors * known->front().blocks_per_multiprocessor;
    const auto launches = scaled_launches(*half, *known, static_cast<double>(n), count, resident);
    if (!launches) continue;
    model::prediction p = model::predict(on, *launches);
    return p.unknown.empty() ? std::optional(std::move(p)) : std::nullopt;
  }
  return {};
}

/// Returns the workbook's recorded times of the ladder's kernels at `count` elements, in microseconds. Empty if there
/// is no record for this GPU, type and block size.
std::map<std::string, double> measured_at(const problem& given, const model::gpu& on, std::size_t count) {
  std::map<std::string, double> us;
  std::ifstream file(fmt::format("{}/ladder_{}_{}_block{}.json", model::machines_folder(), on.emulated,
                                 name_of(given.type), given.block_size));
  const nlohmann::json record = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (record.is_discarded() || record.at("provenance").at("gpu") != on.measured->name) return us;
  for (const nlohmann::json& row : record.at("results"))
    if (row.at("count") == count && row.contains("cold_ms") && !row.at("cold_ms").is_null())
      us[row.at("kernel")] = 1e3 * row.at("cold_ms").at("median").get<double>();
  return us;
}

}  // namespace

std::optional<std::vector<model::counts>> scaled_launches(const std::vector<model::counts>& half,
                                                          const std::vector<model::counts>& known, double known_count,
                                                          double count, double resident) {
  const double blocks = known.front().blocks, blocks_of_half = half.front().blocks;
  if (blocks == blocks_of_half) {
    std::vector<model::counts> launches = known;
    launches[0] = model::extrapolated(half[0], known_count / 2, known[0], known_count, count);
    return launches;
  }
  const bool grows = std::fabs(blocks - 2 * blocks_of_half) <= 1;
  if (grows && blocks >= waves_of_a_growing_grid * resident) return of_growing_grid(known, known_count, count);
  return {};
}

std::vector<scaled_time> scaled_times(const std::vector<specimen>& kernels, const problem& given,
                                      const std::vector<outcome>& rows, const model::gpu& on, std::size_t count) {
  if (!on.measured) return {};
  const std::map<std::string, double> measured = measured_at(given, on, count);
  std::vector<scaled_time> all;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    scaled_time one;
    one.count = count;
    one.predicted = predicted_at(kernels[k], given, rows[k], *on.measured, static_cast<double>(count));
    // The student's kernel has not been measured, even if a measured kernel has the same name.
    const auto known = measured.find(rows[k].name);
    if (rows[k].as != role::yours && known != measured.end()) one.measured_us = known->second;
    if (kernels[k].release) kernels[k].release();
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace workbook
