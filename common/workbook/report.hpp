#pragma once
/// \file
/// What a chapter's program prints, for people and as JSON (schema 1 of the design).

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workbook/chapter.hpp"
#include "workbook/measure.hpp"

namespace workbook {

/// The device's facts that figures need beside them.
struct device_facts {
  std::string kind;  ///< "gpu" or "emulator".
  std::string name;
  int major = 0, minor = 0;
  int multiprocessors = 0;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
  double peak_gb_per_s = 0;  ///< From memory clock and bus width; 0 on the emulator, which has no time.
};

/// Reads the facts of the selected device. \throws device_error
[[nodiscard]] device_facts read_device_facts();

/// One device's results.
struct run_result {
  device_facts device;
  problem given;
  std::vector<outcome> rows;
};

// Words and figures that every table uses.
[[nodiscard]] std::string role_name(role r);
/// "yes", "WRONG", "not yet", "unsafe", "failed" or "cannot".
[[nodiscard]] std::string verdict(const outcome& o);
/// A number as short as it can be told: "45", "2.31", "-" where there is none.
[[nodiscard]] std::string shortly(double x);

/// The goal, evaluated.
struct goal_state {
  bool counted = false;
  double target = 0, before = 0, yours = 0;
  bool reached = false;
};
[[nodiscard]] goal_state evaluate(const goal& aim, const std::vector<outcome>& rows);

[[nodiscard]] std::string table(const chapter& c, const run_result& r);
[[nodiscard]] std::string goal_text(const chapter& c, const run_result& counted);
[[nodiscard]] nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted);

}  // namespace workbook
