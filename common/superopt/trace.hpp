#pragma once
/// \file
/// A value that writes down what is done with it: a function template that works on a lane's value, called with one of
/// these, becomes a program that can be timed by the model and compared by the solver.

#include <cstdint>
#include <functional>

#include "superopt/target.hpp"

namespace superopt {

/// A 32-bit value of each lane, known by the operation that made it. Only sums and shuffles leave a trace.
class traced {
 public:
  friend traced operator+(const traced& a, const traced& b);
  traced& operator+=(const traced& b) { return *this = *this + b; }
  /// The value of the lane `distance` further on.
  friend traced down(const traced& a, unsigned distance);

 private:
  friend class tracer;
  traced(class tracer* by, std::uint8_t number) : by_(by), number_(number) {}
  class tracer* by_;
  std::uint8_t number_;  ///< 0 is the input; operation k makes number k + 1.
};

/// Calls `f` with the value of r3 and returns what it did with it as a program, with the result in r4. An addition of a
/// sum that is used nowhere else becomes one IADD3, as the compiler makes it. Instructions stand in the order of the
/// calls. \throws bad_input  more than 48 operations, more than 15 values alive, or a distance beyond the warp
[[nodiscard]] program trace(const std::function<traced(traced)>& f);

}  // namespace superopt
