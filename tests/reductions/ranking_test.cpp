// Tests when the entry of a table of the fastest shapes is replaced.

#include <cstddef>
#include <vector>

#include "reductions/tune/ranking.hpp"
#include "support/catch.hpp"

namespace {

using namespace workbook;

/// Returns contenders that took these times, both cold and warm.
std::vector<contender> took(const std::vector<double>& us) {
  std::vector<contender> all;
  for (const double t : us) all.push_back({"", {}, [] {}, leaves::the_sum, {t}, {t}});
  return all;
}

std::size_t chosen_of(const std::vector<double>& us, double library_us, std::size_t present) {
  ranking r(us.size());
  r.add(took(us), library_us, library_us);
  return chosen(r, present);
}

constexpr double slow_library = 100;

}  // namespace

TEST_CASE("an entry of the table stays unless a different algorithm is faster by 3 percent") {
  CHECK(chosen_of({10.2, 10.0}, slow_library, 0) == 0);
  CHECK(chosen_of({10.4, 10.0}, slow_library, 0) == 1);
  CHECK(chosen_of({10.4, 10.0}, slow_library, 2) == 1);  // none of them is in the table
}

TEST_CASE("if a library is faster than the table's entry, one percent is enough") {
  // Without a faster library, 2 percent don't suffice. Here the library is 0.1 percent faster, which counts four times.
  CHECK(chosen_of({10.2, 10.0}, 10.19, 0) == 1);
  CHECK(chosen_of({10.05, 10.0}, 10.049, 0) == 0);
}

TEST_CASE("a candidate slower than a library counts more than one that is slower on average") {
  // The first contender is 4 percent faster with one input, but 2 percent slower than the library with the other.
  ranking r(2);
  r.add(took({10.0, 10.4}), slow_library, slow_library);
  r.add(took({10.2, 10.0}), 10.0, 10.0);
  CHECK(r.is_behind(0));
  CHECK(!r.is_behind(1));
  CHECK(chosen(r, 0) == 1);
}
