#pragma once
/// \file
/// The data with which the time model is judged: the counts of kernels, and their times as measured on a GPU.

#include <cmath>
#include <string>
#include <vector>

#include "timing/model/counts.hpp"
#include "timing/model/machine.hpp"

namespace accuracy {

/// A measured time, and the model's prediction.
struct comparison {
  std::string kernel, group, type;
  double count = 0, block_size = 0;
  double measured = 0, predicted = 0;  ///< Microseconds.
  std::vector<std::string> limits;
  std::vector<std::string> causes;  ///< Found by experiments; empty if unknown.
  [[nodiscard]] double error() const { return std::fabs(predicted / measured - 1); }
};

/// The data with which the model is judged.
struct material {
  model::machine machine;
  struct run {
    comparison what;
    std::vector<model::counts> launches;
  };
  std::vector<run> ladder;   ///< For several block sizes.
  std::vector<run> types;    ///< The same kernels and libraries, with other types and up to 2^31 elements.
  std::vector<run> studies;  ///< The kernels that chapters compare with each other; `group` is the chapter.
  std::vector<run> foreign;
  std::vector<std::string> marked;          ///< Indexed by foreign kernel: why the model gives no time.
  std::vector<std::string> marked_studies;  ///< Indexed by study: the same.
};

/// The paths of the records.
struct files {
  std::string machine, ablations, studies, foreign, counts;
  std::vector<std::string> ladders;
};

/// Reads the records and finds the counts for each time. \throws std::exception  if one is missing
[[nodiscard]] material collect(const files& from);

}  // namespace accuracy
