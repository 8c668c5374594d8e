#include "workbook/wrong_sum.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "workbook/arrivals.hpp"
#include "workbook/element_places.hpp"
#include "workbook/lost_elements.hpp"
#include "workbook/words.hpp"
#include "workbook/wrong_outputs.hpp"

namespace workbook {
namespace {

using values = std::vector<double>;

double total(const values& v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}

/// The expected and the actual sum of an input.
struct comparison {
  double wanted = 0, got = 0;
  [[nodiscard]] bool right() const { return wanted == got; }
};

std::optional<comparison> compare(pass_trial& trial, const values& input) {
  const std::optional<double> got = trial.sum(input);
  if (!got) return {};
  return comparison{total(input), *got};
}

/// Returns true if n telling values give a wrong sum. A failure of the device isn't a wrong sum.
bool is_wrong(pass_trial& trial, std::size_t n) {
  const std::optional<comparison> c = compare(trial, telling_values(n));
  return c && !c->right();
}

/// All sizes up to this one are tested.
constexpr std::size_t every_size = 40;

/// Returns a small size, up to `n`, with a wrong sum. If it is at most `every_size`, no smaller size is wrong. If it
/// isn't, the next smaller size is right, unless time ran out.
std::optional<std::size_t> small_wrong_size(pass_trial& trial, std::size_t n) {
  const auto until = processor_clock::now() + std::chrono::milliseconds(800);
  const std::size_t b = trial.block_size();
  std::set<std::size_t> sizes = {b / 2, b - 1, b, b + 1, 2 * b - 1, 2 * b, 2 * b + 1, 3 * b + 1, 4 * b + 1, 8 * b + 1};
  for (std::size_t k = 1; k <= every_size; ++k) sizes.insert(k);
  for (const std::size_t k : {997, 1000, 4093}) sizes.insert(k);
  for (std::size_t k = 1024; k < n; k *= 2) sizes.insert({k, k + 1});
  sizes.insert(n);
  std::size_t right = 0;
  for (const std::size_t size : sizes) {
    if (size > n || size == 0) continue;
    if (processor_clock::now() > until && size != n) continue;
    if (!is_wrong(trial, size)) {
      right = size;
      continue;
    }
    std::size_t wrong = size;
    while (wrong - right > 1 && processor_clock::now() < until) {
      const std::size_t middle = right + (wrong - right) / 2;
      (is_wrong(trial, middle) ? wrong : right) = middle;
    }
    return wrong;
  }
  return {};
}

element_set where_times(const arrivals& a, auto holds) {
  return chosen_of(a.n, [&](std::size_t i) { return holds(a.times[i]); });
}

/// Returns true if elements are lost, but only in the second of two blocks.
bool only_later_block(const arrivals& a, std::size_t per_block) {
  const element_set lost = where_times(a, [](double t) { return t == 0; });
  return any(lost) && first_of(lost) >= per_block;
}

/// Investigates one kernel.
class inquiry {
 public:
  inquiry(const reduction& rung, const problem& failed) : rung_(rung), given_(failed), trial_(trial_of(rung, failed)) {}

  std::optional<explanation> explain() {
    const std::optional<std::size_t> size = small_wrong_size(*trial_, given_.count);
    if (!size) return explain_cut_values(*trial_, given_);
    const std::optional<arrivals> small = arrivals_of(*trial_, *size);
    if (!small) return {};
    explanation e;
    e.cause = cause_at(*small);
    if (e.cause.empty()) return {};
    if (is_of_block_size()) {
      e.right_block_size = problem{}.block_size;
      e.cause.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(e.cause.front())));
      e.cause = block_size_prefix(given_.block_size, e.right_block_size) + e.cause;
    }
    e.example = example_of(*small);
    e.picture = picture_;
    e.of_strangers = of_strangers_;
    return e;
  }

 private:
  [[nodiscard]] std::string cause_of_constant(const arrivals& a) {
    if (a.from_nothing == 0) return {};
    constexpr const char* strangers = "a value that isn't an element is added.";
    if (std::isinf(a.from_nothing)) {
      of_strangers_ = true;
      return fmt::format("If all inputs are zero, the sum is not a number: {}", strangers);
    }
    const double indices = static_cast<double>(a.n) * (static_cast<double>(a.n) - 1) / 2;
    std::string text = fmt::format("If all inputs are zero, the sum is {}, not 0: ", shown(a.from_nothing));
    if (a.n > 2 && a.from_nothing == indices) return text + "it adds the elements' indices.";
    const double threads = static_cast<double>(a.returned) * given_.block_size;
    if (threads > 1 && std::fmod(a.from_nothing, threads) == 0)
      return text + fmt::format("each thread begins with {}.", shown(a.from_nothing / threads));
    if (a.returned > 1 && a.from_nothing == static_cast<double>(a.returned))
      return text + "each block adds 1 that isn't an element.";
    of_strangers_ = true;
    return text + strangers;
  }

  [[nodiscard]] std::string cause_of_count(const arrivals& a) const {
    if (!a.unwritten.empty() && a.returned <= trial_->room_for(a.n)) {
      element_set set(a.returned);
      for (const std::size_t b : a.unwritten) set[b] = true;
      if (a.unwritten.size() == a.returned)
        return a.returned == 1
                   ? "No thread writes the result to partials[0]."
                   : fmt::format("No block writes its result: partials[0] to partials[{}] stay as they were.",
                                 a.returned - 1);
      return fmt::format("reduce() returns {}, but nothing writes partials[{}]{}.", a.returned, a.unwritten.front(),
                         a.unwritten.size() > 1 ? fmt::format(" and {} more of them", a.unwritten.size() - 1) : "");
    }
    // With two blocks, this looks the same as overlapping partial sums. With more blocks, overlaps count some elements
    // more often.
    const bool at_most_twice = std::all_of(a.times.begin(), a.times.end(), [](double t) { return t == 1 || t == 2; });
    if (a.returned > 2 && a.first_is_all && at_most_twice)
      return fmt::format(
          "reduce() returns {}, though partials[0] holds the whole sum already: the partial sums of the other "
          "blocks are added again.",
          a.returned);
    const element_set lost = where_times(a, [](double t) { return t == 0; });
    if (!a.unread.empty() && any(lost)) {
      std::set<std::int64_t> partials;
      for (std::size_t i = 0; i < a.n; ++i) {
        if (!lost[i]) continue;
        if (a.where[i] < 0 || static_cast<std::size_t>(a.where[i]) < a.returned) return {};
        partials.insert(a.where[i]);
      }
      const bool several = partials.size() > 1;
      return fmt::format(
          "The partial sum{} partials[{}]{} never added, and {} {} lost: reduce() returns {}, and no block has added "
          "{} up.",
          several ? "s from" : "", *partials.begin(),
          several ? fmt::format(" to partials[{}] are", *partials.rbegin()) : std::string(" is"), words_for(lost),
          is_plural(lost) ? "are" : "is", a.returned, several ? "them" : "it");
    }
    return {};
  }

  /// Recognises a wrong operator by its result for two elements.
  [[nodiscard]] std::string cause_of_operator() {
    struct operation {
      double result;
      const char* words;
    };
    // The results for 3 and 5.
    static constexpr operation all[] = {{15, "multiplied"},
                                        {5, "compared, and the larger is kept"},
                                        {3, "compared, and the smaller is kept"},
                                        {7, "combined bit by bit, by OR"},
                                        {6, "combined bit by bit, by XOR"},
                                        {1, "combined bit by bit, by AND"}};
    const auto told = [](double one, double other) -> std::string {
      if (one != other) return {};
      for (const operation& o : all)
        if (o.result == one)
          return fmt::format("Elements are {}, not added: 3 and 5 make {}, not 8.", o.words, shown(one));
      return {};
    };
    const auto one = trial_->sum({3, 5}), other = trial_->sum({5, 3});
    if (one && other)
      if (const std::string words = told(*one, *other); !words.empty()) return words;
    // Threads without an element contribute zeros, and a product with 0 is 0. So these inputs fill whole blocks.
    for (const std::size_t n :
         {std::size_t{given_.block_size}, std::size_t{2} * given_.block_size, std::size_t{8} * given_.block_size}) {
      values full(n, 1);
      full.front() = 3;
      full.back() = 5;
      const auto product = trial_->sum(full);
      if (product && *product == 15) return told(15, 15);
    }
    return {};
  }

  /// Returns the number of elements of a block, or 0 if they aren't contiguous.
  [[nodiscard]] std::size_t elements_per_block() {
    if (per_block_) return *per_block_;
    per_block_ = 0;
    const std::size_t b = given_.block_size;
    const std::size_t n = 64 * b;
    const auto partial_of = [&](std::size_t element) -> std::int64_t {
      values one(n, 0);
      one[element] = 1;
      const std::optional<pass_result> r = trial_->run(one);
      if (!r) return -1;
      for (std::size_t k = 0; k < r->partials.size(); ++k)
        if (r->partials[k] != 0 && !std::isnan(r->partials[k])) return static_cast<std::int64_t>(k);
      return -1;
    };
    for (std::size_t size = b; size <= 16 * b; size *= 2) {
      const std::int64_t partial = partial_of(size);
      // The first element of the block may be a lost one.
      if (partial == 1 || (partial == -1 && partial_of(size + 1) == 1)) {
        per_block_ = size;
        break;
      }
    }
    return *per_block_;
  }

  [[nodiscard]] block_of_elements shape() {
    const unsigned element_bytes =
        with_type(given_.type, [](auto* tag) { return static_cast<unsigned>(sizeof(*tag)); });
    return {given_.block_size, 16 / element_bytes, elements_per_block()};
  }

  /// Draws a line with the number of times that each element arrives.
  void draw(const arrivals& a) {
    if (a.n < 4 || a.n > 64) return;
    std::string row;
    for (const double t : a.times)
      row += std::isnan(t)                           ? '?'
             : t == 0                                ? '-'
             : t > 0 && t <= 9 && t == std::floor(t) ? static_cast<char>('0' + static_cast<int>(t))
                                                     : '!';
    picture_ = fmt::format("How often each of elements 0 to {} arrives (- never): {}", a.n - 1, row);
  }

  [[nodiscard]] std::string cause_from(const arrivals& a) {
    if (std::string words = cause_of_constant(a); !words.empty()) return words;
    if (std::string words = cause_of_count(a); !words.empty()) return words;
    const element_set lost = where_times(a, [](double t) { return t == 0; });
    const element_set often = where_times(a, [](double t) { return t > 1; });
    const element_set odd = where_times(a, [](double t) { return t < 0 || (t > 0 && t < 1); });
    if (any(odd)) {
      const auto first = first_of(odd);
      const std::string words = words_for(odd);
      if (a.times[first] == -1)
        return fmt::format("{} {} subtracted, not added.", capital(words), is_plural(odd) ? "are" : "is");
      return fmt::format("{} {} in the sum {} times.", capital(words), is_plural(odd) ? "are" : "is",
                         shown(a.times[first]));
    }
    if (std::string words = words_for_overlap(lost, often, a.times); !words.empty()) return words;
    auto [text, may_go_on] = words_for_lost(lost, shape(), /*alone=*/!any(often));
    if (!any(often)) return text;
    const auto first = first_of(often);
    const double times = a.times[first];
    const bool alike = std::all_of(a.times.begin(), a.times.end(), [&](double t) { return t <= 1 || t == times; });
    if (text.empty() && alike && times == 2)
      if (std::string words = words_for_steps(often, shape(), false); !words.empty()) return words;
    // A truncated index addresses the element with the same lower bits.
    const auto first_lost = first_of(lost);
    for (const std::size_t bits : {15, 16})
      if (any(lost) && first_lost == first + (std::size_t{1} << bits))
        return fmt::format("An index is cut to {} bits: element {} is counted {} times, and element {} never.", bits,
                           first, shown(times), first_lost);
    const auto how_many = static_cast<std::size_t>(std::count(often.begin(), often.end(), true));
    if (times == 2 && alike && text.empty() && first + how_many == a.n && 2 * first == a.n &&
        first == static_cast<std::size_t>(a.blocks) * given_.block_size)
      return fmt::format(
          "Of {} elements the last {} are counted twice, those from gridDim.x * blockDim.x = {} on: the iterations of "
          "the grid-stride loop overlap.",
          a.n, how_many, first);
    const bool at_end = first != 0 && first + how_many == a.n && how_many < given_.block_size;
    const std::string words =
        at_end ? fmt::format("{}, the last {},", words_for(often), how_many == 1 ? "one" : "ones") : words_for(often);
    // Joins both parts in one sentence if the first part is a simple clause.
    if (may_go_on) text.replace(text.size() - 1, 1, ", and");
    return text + (text.empty() ? "" : " ") +
           fmt::format(
               "{} {} counted {}.", may_go_on ? words : capital(words), is_plural(often) ? "are" : "is",
               !alike ? "more than once"
               : times == 2
                   ? "twice"
                   : fmt::format("{} times{}", shown(times),
                                 times > 1 && static_cast<std::size_t>(times) == a.blocks ? ", once per block" : ""));
  }

  /// Returns true if the usual block size gives the right sum.
  [[nodiscard]] bool is_of_block_size() {
    const unsigned usual = problem{}.block_size;
    if (given_.block_size == usual) return false;
    problem other = given_;
    other.block_size = usual;
    const std::unique_ptr<pass_trial> trial = trial_of(rung_, other);
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, std::size_t{2} * usual, std::size_t{8} * usual + 1,
                                std::size_t{2} * given_.block_size + 1})
      if (is_wrong(*trial, n)) return false;
    return true;
  }

  [[nodiscard]] std::string cause_at(const arrivals& small) {
    if (const std::string words = cause_of_operator(); !words.empty()) return words;
    draw(small);
    const std::size_t b = given_.block_size;
    const std::size_t per_block = std::max(elements_per_block(), b);
    if (small.first_is_all) {
      const std::optional<arrivals> several = arrivals_of(*trial_, 4 * per_block);
      if (several)
        if (std::string words = cause_of_count(*several); !words.empty()) return words;
    }
    // Full blocks show the whole pattern, of which the smallest case is only a part. A partial block shows a tail.
    for (const std::size_t n : {2 * per_block, 2 * per_block + per_block / 2 + 1, per_block, b}) {
      if (n <= small.n || !is_wrong(*trial_, n)) continue;
      const std::optional<arrivals> full = arrivals_of(*trial_, n);
      if (!full || !full->complete) continue;
      if (n == 2 * per_block && only_later_block(*full, per_block)) {
        const std::optional<arrivals> more = arrivals_of(*trial_, 2 * n);
        const element_set lost = more ? where_times(*more, [](double t) { return t == 0; }) : element_set();
        if (std::string words = words_for_later_blocks(lost, shape()); !words.empty()) return words;
      }
      if (picture_.empty()) draw(*full);
      if (std::string words = cause_from(*full); !words.empty()) return words;
    }
    const std::string words = cause_from(small);
    // There may be other faults among the elements that were not tested.
    if (!small.complete) return words.empty() ? words : words + " (Not all elements could be looked at in time.)";
    return words.empty() ? "Each element alone arrives once, but the sum of all of them is wrong." : words;
  }

  [[nodiscard]] std::string example_of(const arrivals& a) {
    const std::size_t n = a.n;
    const std::optional<comparison> c = compare(*trial_, telling_values(n));
    if (!c) return {};
    std::string detail;
    if (a.from_nothing == 0 && a.complete) {
      const element_set lost = where_times(a, [](double t) { return t == 0; });
      const element_set often = where_times(a, [](double t) { return t > 1; });
      if (any(lost)) detail += fmt::format("; {} {} lost", words_for(lost), is_plural(lost) ? "are" : "is");
      if (any(often))
        detail += fmt::format("; {} {} counted more than once", words_for(often), is_plural(often) ? "are" : "is");
    }
    return fmt::format("{} case: {} element{} of type {} in blocks of {}: {}, not {}{}.",
                       n <= every_size ? "The smallest" : "A small", n, n == 1 ? "" : "s", name_of(given_.type),
                       given_.block_size, shown(c->got), shown(c->wanted), detail);
  }

  const reduction& rung_;
  problem given_;
  std::unique_ptr<pass_trial> trial_;
  std::string picture_;
  bool of_strangers_ = false;
  std::optional<std::size_t> per_block_;
};

}  // namespace

std::optional<explanation> explain_wrong_sum(const reduction& rung, const problem& failed) {
  return inquiry(rung, failed).explain();
}

}  // namespace workbook
