#include "emulator/report/causes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace emulator::report {
namespace {

/// Collects causes in the order of their first occurrence.
class collection {
 public:
  void add(const finding& f, std::size_t launch) {
    const std::size_t k = index_of(f);
    cause& c = causes_[k];
    c.first.count += f.count;
    // Several findings of one launch may have the same cause, for example races within a block and between blocks.
    if (launch != 0 && (launches_[k].empty() || launches_[k].back() != launch)) {
      ++c.launches;
      launches_[k].push_back(launch);
    }
    if (c.occurrences.size() < max_occurrences) c.occurrences.push_back({launch, f.message});
  }
  [[nodiscard]] std::vector<cause>& causes() { return causes_; }
  /// Returns the launches of each cause, in ascending order.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& launches() const { return launches_; }

 private:
  std::size_t index_of(const finding& f) {
    for (std::size_t k = 0; k < causes_.size(); ++k)
      if (same_cause(causes_[k].first, f)) return k;
    causes_.push_back({f, 0, {}});
    causes_.back().first.count = 0;
    launches_.emplace_back();
    return causes_.size() - 1;
  }

  std::vector<cause> causes_;
  std::vector<std::vector<std::size_t>> launches_;
};

collection collect(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls) {
  collection all;
  for (std::size_t k = 0; k < launches.size(); ++k)
    for (const finding& f : launches[k].findings) all.add(f, k + 1);
  for (const finding& f : in_calls) all.add(f, 0);
  return all;
}

bool is_race_in_shared_memory(finding_kind kind) {
  return kind == finding_kind::read_after_write_race || kind == finding_kind::write_after_read_race ||
         kind == finding_kind::write_after_write_race;
}

bool is_wrong_barrier(finding_kind kind) {
  return kind == finding_kind::divergent_barrier || kind == finding_kind::different_barriers;
}

/// Returns true if `f` is at one of the two places of `race`.
bool is_at(const finding& f, const finding& race) {
  return (f.line == race.line && f.file == race.file) || (f.line == race.other_line && f.file == race.other_file);
}

/// Returns true if `f` follows from `root` in a launch that has both, and `root` was found first.
bool follows(const finding& f, const finding& root) {
  if (f.kernel != root.kernel) return false;
  const bool uninitialized = f.kind == finding_kind::uninitialized_shared;
  if (is_wrong_barrier(root.kind))
    return uninitialized || is_race_in_shared_memory(f.kind) || f.kind == finding_kind::deadlock;
  if (!uninitialized || f.object.empty() || f.object != root.object) return false;
  return root.kind == finding_kind::uninitialized_shared || (is_race_in_shared_memory(root.kind) && is_at(f, root));
}

}  // namespace

std::vector<cause> causes_of(const std::vector<launch_report>& launches, const std::vector<finding>& in_calls) {
  return std::move(collect(launches, in_calls).causes());
}

std::vector<cause> causes_of_notes(const std::vector<launch_report>& launches) {
  collection all;
  for (std::size_t k = 0; k < launches.size(); ++k)
    for (const finding& f : launches[k].notes) all.add(f, k + 1);
  return std::move(all.causes());
}

std::vector<root_cause> root_causes_of(const std::vector<launch_report>& launches,
                                       const std::vector<finding>& in_calls) {
  collection all = collect(launches, in_calls);
  const std::vector<cause>& causes = all.causes();
  // Barriers first, because races and uninitialised elements may themselves follow from them.
  std::vector<std::size_t> order(causes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t k) { return is_wrong_barrier(causes[k].first.kind); });
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t k) { return causes[k].first.kind != finding_kind::uninitialized_shared; });
  std::vector<std::size_t> root_of(causes.size());
  std::iota(root_of.begin(), root_of.end(), 0);
  for (std::size_t later = 0; later < order.size(); ++later) {
    const std::size_t k = order[later];
    const auto root =
        std::find_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(later), [&](std::size_t r) {
          const std::vector<std::size_t>&of = all.launches()[k], &with = all.launches()[r];
          return !of.empty() && follows(causes[k].first, causes[r].first) &&
                 std::includes(with.begin(), with.end(), of.begin(), of.end());
        });
    if (root != order.begin() + static_cast<std::ptrdiff_t>(later)) root_of[k] = root_of[*root];
  }
  std::vector<root_cause> roots;
  for (std::size_t k = 0; k < causes.size(); ++k) {
    if (root_of[k] != k) continue;
    roots.push_back({causes[k], {}});
    for (std::size_t other = 0; other < causes.size(); ++other)
      if (other != k && root_of[other] == k) roots.back().following.push_back(causes[other]);
  }
  return roots;
}

}  // namespace emulator::report
