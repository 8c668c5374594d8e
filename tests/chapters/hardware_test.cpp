// What was recorded on an H200 (plots/data) keeps the lessons' promises.

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <map>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

/// Returns what stands in `name` of plots/data.
nlohmann::json recorded(const std::string& name) {
  std::ifstream file(std::string(WORKBOOK_PLOT_DATA) + "/" + name);
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

/// One recorded run of the ladder on a GPU.
class recorded_ladder {
 public:
  explicit recorded_ladder(const std::string& type) { rows_ = recorded("ladder_h200_" + type + ".json").at("results"); }
  [[nodiscard]] double gb_per_s(int chapter, std::uint64_t count) const {
    for (const auto& row : rows_) {
      if (row.at("chapter") == chapter && row.at("count") == count) return row.at("cold_gb_per_s");
    }
    FAIL("not recorded: chapter " << chapter << " at " << count);
    return 0;
  }
  [[nodiscard]] const nlohmann::json& rows() const { return rows_; }

 private:
  nlohmann::json rows_;
};

constexpr int library = 0;

}  // namespace

TEST_CASE("on the H200 every kernel was right at every size, and the ladder rises as the lessons say") {
  for (const char* type : {"int", "float", "double"}) {
    const recorded_ladder ladder(type);
    CHECK(ladder.rows().size() >= 8 * 10);
    for (const auto& row : ladder.rows()) {
      INFO(type << " " << row.at("kernel") << " " << row.at("count"));
      CHECK(row.at("verified") == true);
      CHECK(row.at("error") <= row.at("bound"));
    }
  }
  const recorded_ladder ladder("int");
  const std::uint64_t many = std::uint64_t{1} << 29;
  CHECK(ladder.gb_per_s(7, many) >= 7.5 * ladder.gb_per_s(1, many));
  for (const int chapter : {2, 3, 4, 7, 8}) CHECK(ladder.gb_per_s(chapter, many) > ladder.gb_per_s(chapter - 1, many));
  const std::uint64_t fewer = std::uint64_t{1} << 28;
  CHECK(ladder.gb_per_s(9, fewer) >= 0.97 * ladder.gb_per_s(library, fewer));
}

TEST_CASE("on the H200 the reduction that the book ends with is never behind the library from 2^10 to 2^31") {
  // Events tick every 32 ns there. Where both programs are one block, they may stand a tick apart either way.
  constexpr double tick_us = 0.033;
  const nlohmann::json record = recorded("tune_h200.json");
  std::size_t compared = 0;
  for (const auto& row : record.at("results")) {
    const auto& raced = row.at("raced");
    REQUIRE(raced.at(0).at("name") == "cub::DeviceReduce::Sum");
    REQUIRE(raced.at(1).at("name") == "workbook::reduce");
    INFO(row.at("type") << " " << row.at("count"));
    for (const char* l2 : {"cold_us", "warm_us"}) {
      CHECK(raced.at(1).at(l2).get<double>() <= raced.at(0).at(l2).get<double>() + tick_us);
      ++compared;
    }
  }
  CHECK(compared == 3 * 22 * 2);
}

TEST_CASE(
    "on the H200 small sums are half as fast again as the library's with a warm L2, and near what cannot be less") {
  for (const auto& row : recorded("tune_h200.json").at("results")) {
    const std::uint64_t count = row.at("count");
    if (count > std::uint64_t{1} << 20) continue;
    INFO(row.at("type") << " " << count);
    const auto& raced = row.at("raced");
    const auto time = [](const nlohmann::json& of, const char* l2) { return of.at(l2).get<double>(); };
    // The blocks' sums, which nobody adds up.
    const auto floor = std::find_if(raced.begin(), raced.end(), [](const nlohmann::json& one) {
      return one.contains("shape") && one.at("shape").at("agreement") == 3;
    });
    REQUIRE(floor != raced.end());
    // Up to here the library's is one launch of one block, too.
    const std::uint64_t one_block = row.at("type") == "double" ? 2048 : 4096;
    if (count > one_block) CHECK(time(raced.at(0), "warm_us") >= 1.5 * time(raced.at(1), "warm_us"));
    CHECK(time(raced.at(1), "cold_us") <= time(*floor, "cold_us") + 1.0);
  }
}

TEST_CASE("on the H200 sums of odd sizes and from starts that no vector load may use take no more than 3 % longer") {
  const nlohmann::json record = recorded("tune_unaligned_h200.json");
  const auto time_of = [](const nlohmann::json& row) { return row.at("raced").at(1).at("cold_us").get<double>(); };
  std::map<std::string, double> aligned;  // of 2^26 and 2^28 elements, by type and size
  const auto key = [](const nlohmann::json& row) {
    const std::uint64_t count = row.at("count");
    return row.at("type").get<std::string>() + " 2^" + std::to_string(std::bit_width(count) - 1);
  };
  for (const auto& row : record.at("results")) {
    if (row.at("offset") == 0 && std::has_single_bit(row.at("count").get<std::uint64_t>()))
      aligned[key(row)] = time_of(row);
  }
  for (const auto& row : record.at("results")) {
    INFO(key(row) << ", offset " << row.at("offset") << ", " << row.at("count") << " elements");
    CHECK(time_of(row) <= 1.03 * aligned.at(key(row)));
  }
  CHECK(record.at("results").size() == 3 * 4 * 3);
}

TEST_CASE("on the H200 2^31 ints are read at 95 % of the memory's peak") {
  const nlohmann::json record = recorded("tune_h200.json");
  const double peak = record.at("provenance").at("peak_gb_per_s");
  for (const auto& row : record.at("results")) {
    if (row.at("type") != "int" || row.at("count") != std::uint64_t{1} << 31) continue;
    const double us = row.at("raced").at(1).at("cold_us");
    CHECK(4.0 * std::exp2(31) / us / 1e3 >= 0.95 * peak);
  }
}
