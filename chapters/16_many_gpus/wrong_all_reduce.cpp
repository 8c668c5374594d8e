#include "16_many_gpus/wrong_all_reduce.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "workbook/wrong_outputs.hpp"

namespace chapter16 {
namespace {

using namespace workbook;

/// Enough for chunks of many elements on eight GPUs, and few enough to run often.
constexpr std::size_t enough_elements = 1000;

/// "element 3", "elements 500 to 999", with the chunk where they are one.
std::string place(const element_set& wrong, unsigned count, unsigned members) {
  const std::string words = words_within(wrong, "element");
  for (unsigned k = 0; k < members; ++k) {
    const std::size_t begin = std::size_t{count} * k / members, end = std::size_t{count} * (k + 1) / members;
    const auto in_chunk = [&](std::size_t i) { return i >= begin && i < end; };
    if (begin < end && wrong == chosen_of(count, in_chunk)) return fmt::format("{} (chunk {})", words, k);
  }
  return words;
}

/// Nothing where the kernel is right for `p`.
std::optional<explanation> explain_for(const problem& p, const all_reduce_maker& make) {
  const std::unique_ptr<all_reduce_trial> trial = make(p);
  const unsigned members = trial->members(), count = trial->count();
  for (unsigned of = 0; of < members; ++of) {
    const std::vector<std::vector<double>> sums = trial->sums_where_one_counts(of);
    for (unsigned in = 0; in < members; ++in) {
      const auto where = [&](auto holds) {
        return chosen_of(count, [&](std::size_t i) { return holds(sums[in][i]); });
      };
      const element_set missing = where([](double x) { return x == 0; });
      const element_set repeated = where([](double x) { return x != 0 && x != 1; });
      if (!any(missing) && !any(repeated)) continue;
      explanation e;
      e.cause = any(missing)
                    ? fmt::format("In the vector of GPU {}, that of GPU {} is missing, in {}.", in, of,
                                  place(missing, count, members))
                    : fmt::format("In the vector of GPU {}, that of GPU {} counts {} times instead of once, in {}.", in,
                                  of, shown(sums[in][first_of(repeated)], 1), place(repeated, count, members));
      e.cause += " That was found with ones on one GPU and zeros on all others.";
      return e;
    }
  }
  return {};
}

}  // namespace

std::optional<explanation> explain_all_reduce(const problem& failed, const all_reduce_maker& make) {
  static const std::string name = "all_reduce_step";
  return explained_by(name, failed.count, [&]() -> std::optional<explanation> {
    problem p = failed;
    p.count = std::min(p.count, enough_elements);
    if (auto told = explain_for(p, make); told || p.count == failed.count) return told;
    return explain_for(failed, make);
  });
}

}  // namespace chapter16
