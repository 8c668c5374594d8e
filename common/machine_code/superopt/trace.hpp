#pragma once
/// \file
/// A value that records the operations on it. A function template for a lane's value can be called with such a value,
/// and becomes a program whose time the model predicts and which the solver compares.

#include <cstdint>
#include <functional>

#include "machine_code/superopt/target.hpp"

namespace superopt {

/// A 32-bit value of each lane, represented by the operation that produced it. Only sums and shuffles are recorded.
class traced {
 public:
  friend traced operator+(const traced& a, const traced& b);
  traced& operator+=(const traced& b) { return *this = *this + b; }
  /// Returns the value of the lane `distance` positions above.
  friend traced down(const traced& a, unsigned distance);

 private:
  friend class tracer;
  traced(class tracer* by, std::uint8_t number) : by_(by), number_(number) {}
  class tracer* by_;
  std::uint8_t number_;  ///< 0 is the input; operation k produces number k + 1.
};

/// Calls `f` with the value of r3 and returns the recorded program, with the result in r4. An addition of a sum that is
/// not used anywhere else becomes one IADD3, as the compiler generates it. The instructions are in the order of the
/// calls. \throws bad_input  if there are more than 48 operations, more than 15 live values, or a distance beyond the
/// warp
[[nodiscard]] program trace(const std::function<traced(traced)>& f);

}  // namespace superopt
