#pragma once
/// \file
/// What a chapter's program prints: the table, and what there is to say about its rows; and all of it as data.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/gpu.hpp"
#include "workbook/chapter.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/scaled.hpp"

namespace workbook {

/// One device's results.
struct run_result {
  device_facts device;
  problem given;
  std::vector<outcome> rows;
  model::gpu predicted_for;  ///< Of an emulated result: the GPU whose times are predicted.
  /// Of an emulated result: the rows' times at `study::scaled_count`, if they were asked for.
  std::vector<scaled_time> scaled = {};
};

/// "1048576 ints, blocks of 256 threads, seed 1, on the emulator as NVIDIA H200"
[[nodiscard]] std::string input_text(const study& s, const run_result& r);
/// What has to be said of rows that failed, are wrong, were not attempted or have findings; empty where nothing has.
[[nodiscard]] std::string notes(const chapter& c, const run_result& r);

/// Title, input, the rows of counts (emulator) or of times (GPU), and the notes.
/// \param all_counts  every count, also where the chapter has one for beginners
/// \param timed       of an emulated result: the same on a GPU, or null
[[nodiscard]] std::string table_text(const chapter& c, const run_result& r, bool all_counts,
                                     const run_result* timed = nullptr);
/// The goal, and the chapter's remark. `strict`: all else has been tried, too.
[[nodiscard]] std::string text_below(const chapter& c, const goal_state& g, bool strict = false);
/// Everything that a chapter's program prints, as data (schema 1 of the design).
/// \param counted  the emulator's results beside the GPU's, of the same rows; null where `main` has the counts
[[nodiscard]] nlohmann::json as_json(const chapter& c, const run_result& main, const run_result* counted);

}  // namespace workbook
