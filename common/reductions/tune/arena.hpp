#pragma once
/// \file
/// Runs the book's reductions of pieces and the libraries' on the same input.

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
  bool waits = false;  ///< It waits for the GPU itself, so it cannot be queued after other work.
};

/// Pieces of one shape, and all methods that reduce them.
class arena {
 public:
  virtual ~arena() = default;
  /// The methods that may race. The book's is first, and first again among those that wait if a library waits.
  [[nodiscard]] const std::vector<shape_contender>& contenders() const { return contenders_; }
  /// The book's reduction by each algorithm that it could choose, named by its letter. None for runs of keys.
  [[nodiscard]] const std::vector<shape_contender>& ways() const { return ways_; }
  /// Poisons all results, runs `c`, and returns true if they are those of the simplest kernel. Synchronises.
  /// \throws device_error
  [[nodiscard]] virtual bool is_right(const shape_contender& c) = 0;

 protected:
  std::vector<shape_contender> contenders_, ways_;
};

/// Makes the pieces on the current device, of type "int" or "float".
/// \param blas       may be null
/// \param libraries true to include the libraries' methods
/// \throws device_error
[[nodiscard]] std::unique_ptr<arena> arena_of(const raced_shape& shape, const std::string& type,
                                              std::shared_ptr<cublas> blas, bool libraries);

}  // namespace workbook
