#pragma once
/// \file
/// What a chapter's program prints, for people and as JSON (schema 1 of the design).

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "workbook/ceilings.hpp"
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
  ceilings most;             ///< Measured; 0 on the emulator.
  double peak_gb_per_s = 0;  ///< From memory clock and bus width; 0 on the emulator, which has no time.
};

/// Reads the facts of the selected device, and measures its ceilings. \throws device_error
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
  double allowed = 0;             ///< The target and its slack.
  bool one_launch_a_pass = true;  ///< Otherwise some of the work would stand in a launch that is not counted.
  bool reached = false;
};
[[nodiscard]] goal_state evaluate(const goal& aim, const std::vector<outcome>& rows);

/// Says in words what is wrong with an outcome, a paragraph each; empty where nothing is.
[[nodiscard]] std::string words_for(const outcome& o);
/// "reference", "yours" …
[[nodiscard]] std::string role_name(role r);
/// "128", or "8 x 4 x 2".
[[nodiscard]] std::string block_text(const problem& p);
/// "1048576 ints, blocks of 128 threads, seed 1, on the emulator as NVIDIA H200"
[[nodiscard]] std::string input_text(const chapter& c, const run_result& r);
/// What has to be said of rungs that failed, are wrong, were not attempted or have findings; empty where nothing has.
[[nodiscard]] std::string notes(const chapter& c, const run_result& r);
[[nodiscard]] std::string table(const chapter& c, const run_result& r);
[[nodiscard]] std::string goal_text(const chapter& c, const run_result& counted);
/// The goal as the JSON of a chapter has it.
[[nodiscard]] nlohmann::json goal_json(const chapter& c, const run_result& counted);
[[nodiscard]] nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted);

}  // namespace workbook
