#pragma once
/// \file
/// Runs the book's and the libraries' reductions of pieces on the same input.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reductions/tune/cublas.hpp"
#include "reductions/tune/shapes.hpp"

namespace workbook {

/// One method to reduce the pieces. It runs on the current device's default stream.
struct shape_contender {
  std::string name;
  std::function<void()> run;
  bool waits = false;  ///< If true, `run` waits for the GPU, so it cannot be queued after other work.
};

/// Pieces of one shape, and all methods that reduce them.
class arena {
 public:
  virtual ~arena() = default;
  /// Returns the methods that may race. The book's is the first one. If a library waits, the book's is also the first
  /// one of those that wait.
  [[nodiscard]] const std::vector<shape_contender>& contenders() const { return contenders_; }
  /// Returns the book's reduction by each algorithm that it could choose, named by the algorithm's letter; empty for
  /// runs of keys.
  [[nodiscard]] const std::vector<shape_contender>& ways() const { return ways_; }
  /// Poisons all results, runs `c`, and returns true if the results are those of the simplest kernel. Synchronises.
  /// \throws device_error
  [[nodiscard]] virtual bool is_right(const shape_contender& c) = 0;

 protected:
  std::vector<shape_contender> contenders_, ways_;
};

/// Makes the pieces on the current device, with elements of type "int" or "float".
/// \param blas       may be null
/// \param libraries  true to include the libraries' methods
/// \throws device_error
[[nodiscard]] std::unique_ptr<arena> arena_of(const raced_shape& shape, const std::string& type,
                                              std::shared_ptr<cublas> blas, bool libraries);

}  // namespace workbook
