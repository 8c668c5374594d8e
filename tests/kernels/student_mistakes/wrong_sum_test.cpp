// Tests explanations of wrong sums. A hundred sums get random mistakes, and the host works out which elements are lost
// or doubled. Further tests check how sets of elements, and the strides of lost steps, are named.

#include <cmath>
#include <random>
#include <regex>
#include <set>

#include "kernels/student_mistakes/mutated_sum.hpp"
#include "support/catch.hpp"
#include "workbook/arrivals.hpp"
#include "workbook/element_places.hpp"
#include "workbook/wrong_sum.hpp"

using namespace workbook;
using mutated::mutation;

namespace {

constexpr unsigned width = 64;
constexpr std::size_t largest = 1000;

/// The number of times that a value contains each of n elements.
using counts = std::vector<long>;

/// Returns the partial sums of one pass over n elements, computed with the mutation's mistakes. Partial sums that the
/// mutated pass doesn't report are left out.
std::vector<counts> pass_on_host(std::size_t n, const mutation& m) {
  std::vector<counts> partials;
  const std::size_t blocks = mutated::blocks_for(n, width);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<counts> tile(width, counts(n, 0));
    for (unsigned t = 0; t < width; ++t) {
      const std::size_t i = m.begin(b, width) + t;
      if (i < n && m.loads(i, n)) tile[t][i] = 1;
    }
    for (unsigned stride = width / m.first_divisor; stride >= m.last_stride && stride > 0; stride /= m.divisor) {
      for (unsigned turn = 0; turn < (stride == m.twice_at ? 2u : 1u); ++turn) {
        const std::vector<counts> before = tile;
        for (unsigned t = 0; t < stride; ++t) {
          const counts& partner = before[(t + stride + m.partner_shift) % width];
          const bool adds = stride < m.combines_from || m.how == mutated::combination::add;
          for (std::size_t i = 0; i < n; ++i)
            tile[t][i] = adds                                      ? before[t][i] + partner[i]
                         : m.how == mutated::combination::subtract ? before[t][i] - partner[i]
                                                                   : partner[i];
        }
      }
    }
    partials.push_back(tile[0]);
  }
  if (blocks > m.returns_fewer) partials.resize(blocks - m.returns_fewer);
  return partials;
}

/// Returns how often each element is contained in all partial sums together.
counts all_of(const std::vector<counts>& partials, std::size_t n) {
  counts sum(n, 0);
  for (const counts& p : partials)
    for (std::size_t i = 0; i < n; ++i) sum[i] += p[i];
  return sum;
}

element_set where(const counts& c, auto holds) {
  element_set set(c.size());
  for (std::size_t i = 0; i < c.size(); ++i) set[i] = holds(c[i]);
  return set;
}
bool any(const element_set& s) {
  return std::find(s.begin(), s.end(), true) != s.end();
}

/// Returns a mutation with random mistakes: for each `number` below 60 one, of each kind in turn, and for others two.
mutation drawn(std::mt19937& random, unsigned number) {
  constexpr unsigned kinds = 10;
  const auto one_of = [&](std::initializer_list<unsigned> all) { return *(all.begin() + random() % all.size()); };
  mutation m;
  const bool alone = number < 60;
  for (unsigned k = 0; k < (alone ? 1u : 2u); ++k) {
    switch (alone ? number % kinds : random() % kinds) {
      case 0:
        m.first_divisor = one_of({1, 4, 8});
        break;
      case 1:
        m.last_stride = one_of({2, 4, 16, 33});
        break;
      case 2:
        m.divisor = one_of({3, 4, 8});
        break;
      case 3:
        m.partner_shift = one_of({1, 2, 31, 63});
        break;
      case 4:
        m.twice_at = one_of({32, 16, 4, 1});
        break;
      case 5:
        m.how = random() % 2 == 0 ? mutated::combination::take_partner : mutated::combination::subtract;
        m.combines_from = one_of({0, 2, 16, 32});
        break;
      case 6:
        m.lost_at_end = one_of({1, 2, 7, 40});
        break;
      case 7:
        m.lost_modulo = one_of({2, 3, 32, 64, 100});
        m.lost_rest = random() % m.lost_modulo;
        break;
      case 8:
        m.overlap = one_of({1, 8, 32});
        break;
      default:
        m.returns_fewer = one_of({1, 2});
    }
  }
  return m;
}

reduction rung_of(const mutation& m) {
  reduction r;
  r.name = "reduce_mutated";
  r.as = role::wrong;
  std::get<pass<int>>(r.passes) = [m](const int* in, int* partials, std::size_t n, unsigned block_size) {
    return mutated::reduce(in, partials, n, block_size, m);
  };
  return r;
}

/// Returns true if the sum of n elements is right over all passes.
bool is_right(std::size_t n, const mutation& m) {
  while (true) {
    const std::vector<counts> partials = pass_on_host(n, m);
    const counts c = all_of(partials, n);
    if (std::any_of(c.begin(), c.end(), [](long x) { return x != 1; })) return false;
    if (partials.size() <= 1) return true;
    n = partials.size();
  }
}

std::string text_of(const explanation& e) {
  return e.cause + "\n" + e.example + "\n" + e.picture;
}

}  // namespace

TEST_CASE("of a hundred random wrong sums the lost and doubled elements are named rightly", "[wrong sum]") {
  std::mt19937 random(20261122);
  unsigned tried = 0;
  while (tried < 100) {
    const mutation m = drawn(random, tried);
    if (is_right(largest, m) && is_right(193, m) && is_right(2, m) && is_right(64, m)) continue;
    ++tried;
    const std::optional<explanation> e = explain_wrong_sum(rung_of(m), {element_type::int32, largest, width, 1});
    INFO("number " << tried << ": first /" << m.first_divisor << ", last " << m.last_stride << ", /" << m.divisor
                   << ", shift " << m.partner_shift << ", twice " << m.twice_at << ", how "
                   << static_cast<unsigned>(m.how) << " from " << m.combines_from << ", end " << m.lost_at_end
                   << ", modulo " << m.lost_modulo << ":" << m.lost_rest << ", overlap " << m.overlap << ", fewer "
                   << m.returns_fewer);
    REQUIRE(e);
    INFO(text_of(*e));
    std::smatch size;
    const std::regex form(R"(^(The smallest|A small) case: (\d+) element)");
    REQUIRE(std::regex_search(e->example, size, form));
    const std::size_t n = std::stoull(size[2]);
    if (size[1] == "The smallest")
      for (std::size_t less = 1; less < n; ++less) CHECK(is_right(less, m));
    // The sum is wrong at the size of the message's example, and the example is right about that size.
    REQUIRE_FALSE(is_right(n, m));
    const counts c = all_of(pass_on_host(n, m), n);
    const element_set lost = where(c, [](long x) { return x == 0; });
    const element_set often = where(c, [](long x) { return x > 1; });
    if (any(lost)) CHECK_THAT(e->example, ContainsSubstring("; " + words_for(lost) + " "));
    if (any(often)) CHECK_THAT(e->example, ContainsSubstring("; " + words_for(often) + " "));
    CHECK((e->example.find("lost") != std::string::npos) == any(lost));
    CHECK((e->example.find("more than once") != std::string::npos) == any(often));
    // The cause names the set of elements at this size, or at a size at which blocks are full.
    std::set<std::string> known;
    for (const std::size_t other :
         {n, std::size_t{width}, std::size_t{2 * width}, std::size_t{2 * width + width / 2 + 1}}) {
      const counts there = all_of(pass_on_host(other, m), other);
      for (const element_set& s :
           {where(there, [](long x) { return x == 0; }), where(there, [](long x) { return x > 1; }),
            where(there, [](long x) { return x < 0; })})
        if (any(s)) known.insert(words_for(s));
      known.insert("first " + std::to_string(other));
    }
    const bool counts_partials = e->cause.find("reduce() returns") != std::string::npos;
    const bool tail =
        e->cause.find("The last ") != std::string::npos || e->cause.find("Blocks overlap") != std::string::npos;
    const bool all = e->cause.find("No element") != std::string::npos ||
                     e->cause.find("Not even") != std::string::npos || e->cause.find("Of ") == 0 ||
                     e->cause.find("Only the first") == 0;
    std::string cause = e->cause;
    for (char& x : cause) x = static_cast<char>(std::tolower(static_cast<unsigned char>(x)));
    const bool named = std::any_of(known.begin(), known.end(),
                                   [&](const std::string& words) { return cause.find(words) != std::string::npos; });
    CHECK((named || counts_partials || tail || all));
  }
}

TEST_CASE("a right sum gets no explanation", "[wrong sum]") {
  CHECK_FALSE(explain_wrong_sum(rung_of({}), {element_type::int32, largest, width, 1}));
}

TEST_CASE("elements are named by what their places have in common", "[wrong sum]") {
  const auto set = [](std::size_t n, auto holds) {
    element_set s(n);
    for (std::size_t i = 0; i < n; ++i) s[i] = holds(i);
    return s;
  };
  CHECK(words_for(set(5, [](auto) { return false; })) == "no element");
  CHECK(words_for(set(5, [](auto) { return true; })) == "all elements");
  CHECK(words_for(set(5, [](auto i) { return i == 3; })) == "element 3");
  CHECK(words_for(set(5, [](auto i) { return i == 1 || i == 3; })) == "elements 1 and 3");
  CHECK(words_for(set(500, [](auto i) { return i >= 128 && i < 256; })) == "elements 128 to 255");
  CHECK(words_for(set(256, [](auto i) { return i % 2 == 1; })) == "every second element, from element 1 on");
  CHECK(words_for(set(256, [](auto i) { return i % 4 == 0; })) == "every 4th element");
  CHECK(words_for(set(256, [](auto i) { return i % 128 >= 64; })) == "elements 64 to 127 of every 128");
  CHECK(words_for(set(90, [](auto i) { return i == 2 || i == 3 || i == 5; })) == "elements 2, 3 and 5");
  CHECK(words_for(set(90, [](auto i) { return i == 2 || i == 3 || i == 5 || i == 7 || i == 50; })) ==
        "elements 2, 3, 5 and 2 more");
  CHECK(words_for(set(90, [](auto i) { return i < 4 || (i > 60 && i < 65); })) == "elements 0 to 3 and 61 to 64");
}

TEST_CASE("strides are derived from the elements that their steps would have added", "[wrong sum]") {
  const auto lost_by = [](unsigned bits, unsigned per_vector) {
    element_set s(std::size_t{4} * 64 * per_vector);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = (i / per_vector % 64 & bits) != 0;
    return s;
  };
  CHECK(strides_of(lost_by(1, 1), 64, 1) == std::vector<unsigned>{1});
  CHECK(strides_of(lost_by(32 | 4, 1), 64, 1) == std::vector<unsigned>{32, 4});
  CHECK(strides_of(lost_by(8, 4), 64, 4) == std::vector<unsigned>{8});
  element_set other = lost_by(8, 1);
  other[0] = true;
  CHECK_FALSE(strides_of(other, 64, 1));
  CHECK_FALSE(strides_of(element_set(256, false), 64, 1));
}
