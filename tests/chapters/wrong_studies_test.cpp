// Chapters 10, 11, 13 and 14: the cause of a wrong result is reported, and a right one gets no explanation.

#include "10_private_arrays/gather.hpp"
#include "11_launch_bounds/sums.hpp"
#include "13_fused_pipelines/pipelines.hpp"
#include "14_shuffle_trees/trees.hpp"
#include "14_shuffle_trees/wrong_trees.hpp"
#include "chapters/wrong_studies_kernels.hpp"
#include "support/catch.hpp"
#include "workbook/study.hpp"
#include "workbook/wrong_outputs.hpp"

using namespace workbook;
using namespace wrong_studies;

namespace {

/// Runs the kernel as a student's, and returns the explanation of its result.
std::string told(const specimen& row, const problem& p) {
  const outcome o = examine(row, p, effort{});
  INFO(name_of(p.type) << ", " << p.count << ", offset " << p.offset << ": " << o.failure);
  CHECK(o.findings().empty());
  CHECK_FALSE(o.verified);
  return o.why_wrong ? o.why_wrong->cause : std::string();
}

std::string told_of(gather_mistake which, const problem& p = {element_type::int32, 70, 64, 1}) {
  return told(chapter10::make_row("wrong", role::yours, wrong_gather(which), chapter10::order::worst), p);
}
std::string told_of(sums_mistake which, const problem& p = {element_type::int32, 290, 32, 1}) {
  return told(chapter11::make_row("wrong", role::yours, wrong_sums(which), false), p);
}
std::string told_of(softmax_mistake which, const problem& p = {element_type::float32, 3072, 128, 1}) {
  return told(chapter13::make_row("wrong", role::yours, wrong_softmax(which)), p);
}

/// Builds the record of a traced program. `down(of, by)` and `sum(a, b)` return the number of their value.
class written {
 public:
  unsigned down(unsigned of, unsigned by) { return add({chapter14::what_was_done::down, of, by}); }
  unsigned sum(unsigned a, unsigned b) { return add({chapter14::what_was_done::sum, a, b}); }
  /// Adds to a value the values of the lanes at each of the distances.
  unsigned step(unsigned value, std::initializer_list<unsigned> distances) {
    unsigned result = value;
    for (const unsigned distance : distances) result = sum(result, down(value, distance));
    return result;
  }
  [[nodiscard]] std::string told(unsigned result) {
    notes_.result = result;
    const auto e = chapter14::explain_tree(notes_);
    return e ? e->cause : std::string();
  }

 private:
  unsigned add(chapter14::notes::note one) {
    notes_.done[notes_.count] = one;
    return ++notes_.count;
  }
  chapter14::notes notes_{};
};

}  // namespace

TEST_CASE("chapter 10: a wrong gather is reported with the elements that are lost or wrong") {
  using enum gather_mistake;
  CHECK_THAT(told_of(input_side_by_side), ContainsSubstring("side by side"));
  CHECK_THAT(told_of(start_ignored), ContainsSubstring("starts[t] is never used"));
  CHECK_THAT(told_of(last_step), ContainsSubstring("Step 31 of the 32 is left out"));
  CHECK_THAT(told_of(half_array), ContainsSubstring("Elements 16 to 31 of the 32 in a private array are never read."));
  CHECK_THAT(told_of(gather_mistake::weight), ContainsSubstring("The weights are 0 to 31, not 1 to 32"));
  CHECK_THAT(told_of(neighbour), ContainsSubstring("thread 1 reads element 0 of thread 0"));
  CHECK_THAT(told_of(backwards), ContainsSubstring("backwards"));
  CHECK_THAT(told_of(start_ignored, {element_type::float64, 300, 64, 1}), ContainsSubstring("starts[t] is never used"));
}

TEST_CASE("chapter 11: wrong sums are reported with the terms that never count and the elements that are mixed up") {
  using enum sums_mistake;
  CHECK_THAT(told_of(small_by_point), ContainsSubstring("the index of small is the point's, not the term's"));
  CHECK_THAT(told_of(points_for_pitch),
             ContainsSubstring("read 290 elements (points) apart, but they are 292 (pitch) apart"));
  CHECK_THAT(told_of(smallest), ContainsSubstring("The smaller sum is kept"));
  CHECK_THAT(told_of(last_kept), ContainsSubstring("The last term's sum is kept"));
  CHECK_THAT(told_of(added_up), ContainsSubstring("The terms' sums are added up"));
  CHECK_THAT(told_of(silent), ContainsSubstring("Every 4th output of 290, from output 3 on, is never written"));
  CHECK(told_of(last_term, {element_type::float32, 1000, 32, 1}) ==
        "Term 32 of 33 never counts: the loop over the terms ends one term too early.");
}

TEST_CASE("chapter 11: an offset makes the pitch no multiple of a vector, and every version takes it") {
  // 72 is a multiple of 4, so without an offset nothing would be wrong.
  CHECK_THAT(told_of(sums_mistake::points_for_pitch, {.type = element_type::int32, .count = 72, .offset = 1}),
             ContainsSubstring("they are 73 (pitch) apart"));
  for (const specimen& kernel : chapter11::table_of_versions().kernels)
    CHECK(examine(kernel, {.type = element_type::float64, .count = 33, .offset = 3}, effort{}).passed());
}

TEST_CASE("chapter 13: a wrong softmax is reported with the scores that fail and the columns that never count") {
  using enum softmax_mistake;
  CHECK_THAT(told_of(not_scaled), ContainsSubstring("nothing divides them by the sum of their row"));
  CHECK_THAT(told_of(not_lowered), ContainsSubstring("The largest score of the row has to be subtracted first"));
  CHECK_THAT(told_of(from_zero), ContainsSubstring("begin below every score, with the identity of the maximum"));
  CHECK_THAT(told_of(of_first_row), ContainsSubstring("Rows get into each other"));
  CHECK_THAT(told_of(first_columns), ContainsSubstring("Columns 0 to 31 of ") &&
                                         ContainsSubstring("never count in the sum. With 30 in column 0"));
  CHECK_THAT(told_of(largest_of_half, {element_type::float32, 30'720, 128, 1}),
             ContainsSubstring("never count for the largest score"));
  CHECK_THAT(told_of(silent), ContainsSubstring("never written"));
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float64})
    CHECK_THAT(told_of(not_lowered, {type, 997, 128, 1}), ContainsSubstring("largest score of the row"));
}

TEST_CASE("chapter 13: every method for the distance accepts x and y that begin anywhere, or says that it does not") {
  for (const element_type type : {element_type::int32, element_type::int64, element_type::float64}) {
    for (const std::size_t offset : {1, 2, 3}) {
      const problem p{.type = type, .count = 5003, .seed = 5, .offset = offset};
      for (const specimen& kernel : chapter13::table_of_pipelines().kernels) {
        if (kernel.as == role::library || kernel.group.find("(x - y)") == std::string::npos) continue;
        INFO(kernel.name << ", " << name_of(type) << ", offset " << offset);
        const outcome o = examine(kernel, p, effort{});
        CHECK(o.passed());
        CHECK(o.rejected.has_value() == (kernel.name == "by hand"));
      }
    }
  }
}

TEST_CASE("chapter 14: a wrong tree is reported with lost and repeated lanes, and the shuffle that would fix it") {
  written twice_24;
  CHECK(twice_24.told(twice_24.step(twice_24.step(0, {4, 8, 12, 16, 24, 24, 28}), {1, 2, 3})) ==
        "Lanes 20 to 23 never reach lane 0, and lanes 24 to 27 are added twice: a shuffle by 24 is done twice, and one "
        "by 20 is missing.");
  written chain;
  CHECK_THAT(chain.told(chain.step(chain.step(chain.step(chain.step(0, {16}), {8}), {2}), {1})),
             ContainsSubstring("the step with distance 4 is missing"));
  written again;
  CHECK_THAT(again.told(again.step(again.step(0, {4, 8, 12, 16, 20, 24, 28}), {1, 2, 2})),
             ContainsSubstring("a shuffle by 2 is done twice, and one by 3 is missing"));
  written three;
  CHECK(three.told(three.step(three.step(0, {4, 8, 12, 16, 20, 24, 28}), {1, 2})) ==
        "Every 4th lane, from lane 3 on, never reaches lane 0: a shuffle of the sums of 8 lanes by 3 is missing.");
  written early;
  const unsigned half = early.step(0, {16});
  (void)early.step(early.step(half, {4, 8, 12}), {1, 2, 3});
  CHECK(early.told(half) ==
        "Of the 32 lanes only lanes 0 and 16 reach lane 0: the sum of all 32 lanes is computed, but a different value "
        "is returned.");
  written right;
  CHECK(right.told(right.step(right.step(0, {4, 8, 12, 16, 20, 24, 28}), {1, 2, 3})).empty());
}

TEST_CASE("chapter 14: the lanes that the kernel itself loses are those of its notes") {
  const specimen row = chapter14::make_row("wrong", role::yours, chain_without_four());
  for (const unsigned block_size : {32u, 256u})
    CHECK_THAT(told(row, {element_type::float32, 5000, block_size, 1}),
               ContainsSubstring("the step with distance 4 is missing"));
}

TEST_CASE("outputs are described by what they have in common") {
  const auto words = [](std::size_t n, const std::function<bool(std::size_t)>& holds, std::size_t per_block) {
    return text_for_outputs(chosen_of(n, holds), per_block).text;
  };
  CHECK(words(
            997, [](std::size_t i) { return i == 3 || i == 7; }, 128) == "outputs 3 and 7 of 997");
  CHECK(words(
            300, [](std::size_t i) { return i % 128 >= 32 && i % 128 < 64; }, 128) ==
        "the outputs of threads 32 to 63 of every block");
  CHECK(words(
            300, [](std::size_t i) { return i >= 256; }, 128) ==
        "all outputs after the last whole block, from output 256 on,");
  CHECK(words(
            300, [](std::size_t i) { return i >= 128; }, 128) == "all outputs but those of the first block");
  const auto e = explain_outputs({1, 5, 3}, {1, 7, 3}, 0);
  REQUIRE(e);
  CHECK(e->cause == "Output 1 of 3 is wrong: out[1] is 5, not 7.");
  CHECK_FALSE(explain_outputs({1, 2}, {1, 2}, 0));
}
