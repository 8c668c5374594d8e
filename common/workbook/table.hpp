#pragma once
/// \file
/// The output of a chapter's program: the table, notes about its rows, and all of it in JSON.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "timing/model/gpu.hpp"
#include "workbook/chapter.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/scaled.hpp"

namespace workbook {

/// One device's results.
struct run_result {
  device_facts device;
  problem given;
  std::vector<outcome> rows;
  model::gpu predicted_for;  ///< For an emulated result: the GPU for which times are predicted.
  /// For an emulated result: the rows' times at `study::scaled_count`, if they were requested.
  std::vector<scaled_time> scaled = {};
};

/// Returns "1048576 ints, blocks of 256 threads, seed 1, on the emulator as NVIDIA H200".
[[nodiscard]] std::string input_text(const study& s, const run_result& r);
/// Returns notes about rows that failed, are wrong, were not attempted or have findings; empty if there are none.
[[nodiscard]] std::string notes(const chapter& c, const run_result& r);

/// Returns the title, the input, the rows of counts (emulator) or of times (GPU), and the notes.
/// \param all_counts  shows every count, even if the chapter has one for beginners
/// \param timed       for an emulated result: the results on a GPU, or null
[[nodiscard]] std::string table_text(const chapter& c, const run_result& r, bool all_counts,
                                     const run_result* timed = nullptr);
/// Returns the goal and the chapter's remark. \param strict  true if all other tests have been run, too
[[nodiscard]] std::string text_below(const chapter& c, const goal_state& g, bool strict = false);
/// Returns everything that a chapter's program prints in JSON (schema 1 of the design).
/// \param counted  the emulator's results for the same rows as the GPU's in `main`; null if `main` has counts itself
[[nodiscard]] nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted);

}  // namespace workbook
