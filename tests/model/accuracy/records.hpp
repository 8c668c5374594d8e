#pragma once
/// \file
/// What the model of time is judged by: counts, and the times that a GPU measured.

#include <cmath>
#include <string>
#include <vector>

#include "model/counts.hpp"
#include "model/machine.hpp"

namespace accuracy {

/// A measured time, and what the model says of it.
struct comparison {
  std::string kernel, group, type;
  double count = 0, block_size = 0;
  double measured = 0, predicted = 0;  ///< Microseconds.
  std::vector<std::string> limits;
  std::vector<std::string> causes;  ///< By experiment; empty where not known.
  [[nodiscard]] double error() const { return std::fabs(predicted / measured - 1); }
};

/// What the model is judged by.
struct material {
  model::machine machine;
  struct run {
    comparison what;
    std::vector<model::counts> launches;
  };
  std::vector<run> ladder;   ///< Over block sizes.
  std::vector<run> types;    ///< The same kernels and libraries, of other types and up to 2^31 elements.
  std::vector<run> studies;  ///< The kernels that chapters set beside each other; `group` is the chapter.
  std::vector<run> foreign;
  std::vector<std::string> marked;          ///< Why the model gives no time, by foreign kernel.
  std::vector<std::string> marked_studies;  ///< Likewise.
};

/// Where the records are.
struct files {
  std::string machine, ablations, studies, foreign, counts;
  std::vector<std::string> ladders;
};

/// Reads the records, and finds the counts of each time. \throws std::exception  where one is missing
[[nodiscard]] material collect(const files& from);

}  // namespace accuracy
