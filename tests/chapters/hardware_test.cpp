// The emulator's counts for chapters 1 to 9 are those that Nsight Compute read on an H200 (tests/data/ncu_h200.json,
// which says how it was obtained).

#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "chapters/ladder.hpp"
#include "support/catch.hpp"
#include "workbook/measure.hpp"

using namespace workbook;

TEST_CASE("sectors, requests and shared accesses equal the hardware's exactly, bank conflicts within its noise") {
  std::ifstream file(std::string(WORKBOOK_TEST_DATA) + "/ncu_h200.json");
  REQUIRE(file);
  const auto recorded = nlohmann::json::parse(file).at("launches");
  laboratory lab({element_type::int32, std::size_t{1} << 22, 128, 1});
  std::vector<emulator::launch_report> ours;
  std::vector<reduction> rungs = {chapter1_solution(), chapter2_solution(), chapter3_solution(),
                                  chapter4_solution(), chapter5_solution(), chapter6_solution(),
                                  chapter7_solution(), chapter8_solution(), chapter9_solution()};
  // Recorded behind the chapters, from the first record on that was made after they were written.
  for (const reduction& later : {chapter12_solution(), one_launch_reduction()}) {
    const auto is_it = [&](const auto& launch) { return launch.at("kernel") == later.name; };
    if (std::any_of(recorded.begin(), recorded.end(), is_it)) rungs.push_back(later);
  }
  for (const reduction& rung : rungs) {
    const outcome o = lab.run(rung, effort{});
    REQUIRE(o.verified);
    ours.insert(ours.end(), o.launches.begin(), o.launches.end());
  }
  REQUIRE(ours.size() == recorded.size());
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
  for (std::size_t k = 0; k < ours.size(); ++k) {
    const std::string kernel = recorded[k].at("kernel");
    INFO("launch " << k << ", " << kernel << ", grid " << ours[k].grid[0]);
    CHECK_THAT(ours[k].kernel, ContainsSubstring(kernel));
    const auto& metrics = recorded[k].at("metrics");
    for (const auto& [name, value] : metrics.items()) {
      if (name == conflicts) continue;
      INFO(name);
      CHECK(ours[k].counters.at(name) == value.get<std::uint64_t>());
    }
    // The hardware's counter also counts arbitration between warps: at most 5 % of the accesses here.
    const double accesses = metrics.at("smsp__sass_inst_executed_op_shared_ld.sum").get<double>() +
                            metrics.at("smsp__sass_inst_executed_op_shared_st.sum").get<double>();
    const double difference = metrics.at(conflicts).get<double>() - static_cast<double>(ours[k].counters.at(conflicts));
    CHECK(std::abs(difference) <= 0.05 * accesses);
  }
}

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
