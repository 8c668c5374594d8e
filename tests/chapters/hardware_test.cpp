// What was recorded on an H200 (plots/data) keeps the lessons' promises.

#include <fstream>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace {

/// One recorded run of the ladder on a GPU.
class recorded_ladder {
 public:
  explicit recorded_ladder(const std::string& type) {
    std::ifstream file(std::string(WORKBOOK_PLOT_DATA) + "/ladder_h200_" + type + ".json");
    REQUIRE(file);
    rows_ = nlohmann::json::parse(file).at("results");
  }
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
  std::ifstream file(std::string(WORKBOOK_PLOT_DATA) + "/tune_h200.json");
  REQUIRE(file);
  const auto record = nlohmann::json::parse(file);
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
