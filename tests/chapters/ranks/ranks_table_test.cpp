#include "support/catch.hpp"

#include "16_many_gpus/ranks/table.hpp"

namespace {

using namespace chapter16;

rank_row right_row(const char* host, std::uint64_t count) {
  rank_row r;
  r.host = short_text<256>(host);
  r.device = short_text<128>("0 of 1: NVIDIA H200");
  r.count = count;
  r.sum = short_text<40>("42");
  r.own_right = r.vector_right = true;
  return r;
}

std::vector<rank_row> right_rows(const char* second_host) {
  std::vector<rank_row> rows{right_row("north", 5), right_row(second_host, 6)};
  rows[0].first_right = true;
  rows[0].sum_on_first = short_text<40>("42");
  return rows;
}

const rank_task task{workbook::element_type::int32, 11, 3, 1};

}  // namespace

TEST_CASE("hosts have a column if there are several") {
  const std::string one = text_of(task, right_rows("north")), two = text_of(task, right_rows("southern"));
  CHECK(one.find("2 ranks on one host") != std::string::npos);
  CHECK(one.find("north") == std::string::npos);
  CHECK(two.find("2 ranks on 2 hosts") != std::string::npos);
  CHECK(two.find("rank  host      device") != std::string::npos);
  CHECK(two.find("   0  north     0 of 1: NVIDIA H200") != std::string::npos);
  CHECK(two.find("   1  southern  0 of 1: NVIDIA H200") != std::string::npos);
}

TEST_CASE("everything has to be right on every rank") {
  std::vector<rank_row> rows = right_rows("south");
  CHECK(is_right(rows));
  SECTION("the sum of a share") {
    rows[1].own_right = false;
  }
  SECTION("the vector") {
    rows[1].vector_right = false;
  }
  SECTION("the sum that the all-reduce brought") {
    rows[1].sum = short_text<40>("43");
  }
  SECTION("the sum that the reduce brought to rank 0") {
    rows[0].first_right = false;
  }
  SECTION("the checks") {
    rows[1].findings = 1;
  }
  CHECK(!is_right(rows));
}

TEST_CASE("text that is too long is cut, and ends") {
  const short_text<4> text("north");
  CHECK(text.view() == "nor");
}

TEST_CASE("NCCL takes part if all ranks have the same version, and otherwise all name the ranks that don't") {
  const nccl_readiness here{22803, {}}, other{22707, {}};
  const nccl_readiness without{0, short_text<240>("libnccl.so.2 is not on this machine")};
  CHECK(why_no_common_nccl({here, here, here}).empty());
  CHECK(why_no_common_nccl({here, here, other}) == "rank 0 has its version 22803, and rank 2 22707");
  CHECK(why_no_common_nccl({here, without, other}) == "rank 1: libnccl.so.2 is not on this machine");
}
