#pragma once
/// \file
/// Where the book's reductions of pieces meet the libraries', on the same input.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/tune/cublas.hpp"
#include "tools/tune/shapes.hpp"

namespace workbook {

/// One way to reduce the pieces. It runs on the current device's default stream.
struct shape_contender {
  std::string name;
  std::function<void()> run;
  bool waits = false;  ///< It waits for the GPU itself, so it cannot be queued behind work.
};

/// Pieces of one shape, and all who reduce them.
class arena {
 public:
  virtual ~arena() = default;
  /// Whose turn it may be; the book's stands first, and again among those that wait, where a library does.
  [[nodiscard]] const std::vector<shape_contender>& contenders() const { return contenders_; }
  /// The book's reduction in each way that it could choose, named by its letter. None by key.
  [[nodiscard]] const std::vector<shape_contender>& ways() const { return ways_; }
  /// Spoils all results, runs `c`, and says whether they are what the plainest kernel leaves. Synchronises.
  /// \throws device_error
  [[nodiscard]] virtual bool is_right(const shape_contender& c) = 0;

 protected:
  std::vector<shape_contender> contenders_, ways_;
};

/// Makes the pieces on the current device, of type "int" or "float". \param blas  may be null; \param libraries whether
/// any but the book's is wanted \throws device_error
[[nodiscard]] std::unique_ptr<arena> arena_of(const raced_shape& shape, const std::string& type,
                                              std::shared_ptr<cublas> blas, bool libraries);

}  // namespace workbook
