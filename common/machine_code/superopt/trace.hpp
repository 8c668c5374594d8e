#pragma once
/// \file
/// A value that records the operations on it. If a function template that computes on a lane's value is called with
/// such a value, the result is a program, whose time the model predicts and which the solver can compare.

#include <cstdint>
#include <functional>

#include "machine_code/superopt/target.hpp"

namespace superopt {

/// A 32-bit value of each lane, represented by the operation that produced it. Only sums and shuffles are recorded.
class traced {
 public:
  friend traced operator+(const traced& a, const traced& b);
  traced& operator+=(const traced& b) { return *this = *this + b; }
  /// Returns the value that the lane `distance` positions above has.
  friend traced down(const traced& a, unsigned distance);

 private:
  friend class tracer;
  traced(class tracer* by, std::uint8_t number) : by_(by), number_(number) {}
  class tracer* by_;
  std::uint8_t number_;  ///< 0 is the input; operation k produces number k + 1.
};

/// Calls `f` with the value of r3 and returns the recorded program, with the result in r4. If a sum is added to
/// something and not used anywhere else, both additions become one IADD3, as in the compiler's code. The instructions
/// are in the order of the calls. \throws bad_input  if there are more than 48 operations, more than 15 live values, or
/// a distance beyond the warp
[[nodiscard]] program trace(const std::function<traced(traced)>& f);

}  // namespace superopt
