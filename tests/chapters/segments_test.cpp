// Chapter 15: every kernel that searches segments is right and clean, and costs what the lesson derives. If a kernel is
// wrong, its cause is reported.

#include <numeric>

#include "15_beyond_the_sum/segments.hpp"
#include "chapters/wrong_segments_kernels.hpp"
#include "support/catch.hpp"

using namespace workbook;
using namespace chapter15;
using wrong_studies::segments_mistake;

namespace {

constexpr const char* load_requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr const char* load_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";

void demand_clean(const outcome& o, const problem& p) {
  INFO(o.name << ", " << o.group << ", " << name_of(p.type) << ", " << p.count << " from " << p.offset << ", blocks of "
              << p.block_size << ": error " << o.error << " " << o.failure);
  for (const emulator::finding& f : o.findings()) FAIL_CHECK(name_of(f.check()) << ": " << f.message);
  CHECK(o.verified);
}

outcome row(const std::string& name, const std::string& group, const problem& p, role as = role::compared) {
  for (const specimen& kernel : table_of_segments().kernels)
    if (kernel.name == name && kernel.group == group && kernel.as == as) return examine(kernel, p, effort{});
  FAIL("no row " << name << " in " << group);
  return {};
}

std::uint64_t count(const outcome& o, const char* counter) {
  return o.main_launch().counters.at(counter);
}

/// Returns the message that a student with this kernel gets.
std::string told(segments_mistake which, const problem& p = {element_type::int32, 700, 64, 1}) {
  const outcome o = examine(make_row("wrong", role::yours, wrong_segments(which), uneven), p, effort{});
  INFO(name_of(p.type) << ", " << p.count << ": " << o.failure);
  CHECK(o.findings().empty());
  CHECK_FALSE(o.verified);
  return o.why_wrong ? o.why_wrong->cause : std::string();
}

}  // namespace

TEST_CASE("every way is right and clean for every type, size, start and block size") {
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    for (const std::size_t n : {0, 1, 7, 8, 9, 257, 8193, 20000}) {
      for (const unsigned block_size : {32u, 96u, 1024u}) {
        if (n == 20000 && block_size == 96) continue;
        const problem p{type, n, block_size, n + 1, {}, n % 3};
        for (const specimen& kernel : table_of_segments().kernels) demand_clean(examine(kernel, p, effort{}), p);
      }
    }
  }
}

TEST_CASE("uneven segments: every element is in one, the longest comes first, some are empty, half are short") {
  for (const std::size_t n : {0, 1, 5, 100, 4096, 100003}) {
    INFO(n);
    const std::vector<unsigned> offsets = offsets_of(uneven, n, 3);
    CHECK(offsets.front() == 0);
    CHECK(offsets.back() == n);
    CHECK(offsets.size() == n / 16 + 9);
    CHECK(std::is_sorted(offsets.begin(), offsets.end()));
    std::vector<unsigned> lengths(offsets.size());
    std::adjacent_difference(offsets.begin(), offsets.end(), lengths.begin());
    lengths.erase(lengths.begin());
    CHECK(*std::max_element(lengths.begin(), lengths.end()) == lengths.front());
    CHECK(std::count(lengths.begin(), lengths.end(), 0u) > 0);
    if (n < 4096) continue;
    CHECK(lengths.front() > n / 15);
    CHECK(lengths.front() < n / 5);
    const auto short_ones = std::count_if(lengths.begin(), lengths.end(), [](unsigned l) { return l < 7; });
    CHECK(static_cast<std::size_t>(short_ones) > lengths.size() / 2);
    CHECK(offsets != offsets_of(uneven, n, 4));
  }
  CHECK(offsets_of({8}, 17, 1) == std::vector<unsigned>{0, 8, 16, 17});
  CHECK(offsets_of({8}, 0, 1) == std::vector<unsigned>{0});
}

TEST_CASE("requests and sectors are as many as the lesson derives") {
  const problem p{element_type::int32, 1 << 15, 128, 1};
  // With one thread per segment, 4096 segments need 128 warps. Each warp makes 8 requests for elements, in which no two
  // lanes share a sector. It also makes 2 requests for offsets: one of 4 sectors, and one of 5, because it begins one
  // word later.
  const outcome threads = row("a thread each", "8 elements each", p);
  CHECK(count(threads, load_requests) == 128 * (8 + 2));
  CHECK(count(threads, load_sectors) == 128 * (8 * 32 + 4 + 5));
  // A warp makes one request of one sector for 8 elements.
  const outcome warps = row("a warp each", "8 elements each", p);
  CHECK(count(warps, load_requests) == 4096 * (1 + 2));
  CHECK(count(warps, load_sectors) == 4096 * (1 + 2));
  // 8192 elements take 256 requests of 4 sectors.
  const outcome of_long = row("a warp each", "8192 elements each", p);
  CHECK(count(of_long, load_requests) == 4 * (256 + 2));
  CHECK(count(of_long, load_sectors) == 4 * (256 * 4 + 2));
}

TEST_CASE("a choice by length has fewer dependent accesses than one thread or one warp, and less work") {
  for (const element_type type : {element_type::int32, element_type::float64}) {
    const problem p{type, 1 << 15, 128, 1};
    const outcome reference = row("largest_of_segments", "uneven", p, role::reference);
    const outcome threads = row("a thread each", "uneven", p, role::previous);
    const outcome warps = row("a warp each", "uneven", p);
    CHECK(journeys(reference) * 4 < journeys(threads));
    // The goal is that all lanes work. No kernel may compensate for idle lanes with more loads in flight.
    CHECK(requests_per_8_elements(reference) < 1);
    CHECK(requests_per_8_elements(threads) == static_cast<double>(count(threads, load_requests)) / 4096);
    CHECK(journeys(reference) * 2 < journeys(warps));
    CHECK(count(reference, "workbook__inst_executed.sum") * 3 < count(warps, "workbook__inst_executed.sum"));
  }
}

TEST_CASE("a wrong result is reported with its segments and elements, and with what happens to equal ones") {
  using enum segments_mistake;
  CHECK_THAT(told(empty_dropped), ContainsSubstring("Nothing is written for segments without elements"));
  CHECK_THAT(told(long_dropped),
             ContainsSubstring("Nothing is written for segments of ") && ContainsSubstring("and more elements"));
  CHECK_THAT(told(segments_of_last_block_lost, {element_type::int32, 1000, 64, 1}),
             ContainsSubstring("Nothing is written for segments 64 to 69"));
  CHECK_THAT(told(last_lost), ContainsSubstring("The last element never counts") &&
                                  ContainsSubstring("in all segments that have elements"));
  CHECK_THAT(told(first_lost), ContainsSubstring("The first element never counts") &&
                                   ContainsSubstring("in all segments that have elements"));
  CHECK_THAT(told(next_counts), ContainsSubstring("the first one after it: offsets[s + 1] isn't one of its own"));
  CHECK_THAT(told(tail_lost), ContainsSubstring("none from its element 32 on"));
  CHECK_THAT(told(rest_lost), ContainsSubstring("Elements of a segment never count"));
  CHECK_THAT(told(begun_with_zero), ContainsSubstring("it should be the identity of arg_max") ||
                                        ContainsSubstring("the search must begin with"));
  CHECK_THAT(told(place_in_segment), ContainsSubstring("Places count from the beginning of each segment"));
  CHECK_THAT(told(place_in_long),
             ContainsSubstring("Places count from the beginning of each segment, in segments of "));
  CHECK_THAT(told(above_only, {element_type::int32, 997, 128, 1}),
             ContainsSubstring("Where all elements are the lowest value that there is"));
  CHECK_THAT(told(last_of_equals), ContainsSubstring("Of equal elements the last is taken"));
  CHECK_THAT(told(equals_by_luck), ContainsSubstring("Of equal elements another is taken") ||
                                       ContainsSubstring("Of equal elements the last is taken"));
  CHECK_THAT(told(last_lost, {element_type::float64, 9000, 128, 2, {}, 1}), ContainsSubstring("The last element"));
  CHECK_THAT(told(tail_lost, {element_type::uint32, 9000, 128, 2}), ContainsSubstring("none from its element 32 on"));
  for (const specimen& kernel : table_of_segments().kernels)
    if (kernel.explain) CHECK_FALSE(kernel.explain({element_type::int32, 700, 64, 1}));
}
