// prove_z3.cpp orders minima and maxima by these laws. Here Z3 itself proves them for all values of 32 bits.

#include <z3++.h>

#include "support/catch.hpp"

TEST_CASE("minimum and maximum, signed and unsigned, do not depend on order, grouping and repetition of operands") {
  z3::context c;
  const z3::expr x = c.bv_const("x", 32), y = c.bv_const("y", 32), z = c.bv_const("z", 32);
  for (const bool is_unsigned : {false, true}) {
    for (const bool largest : {false, true}) {
      const auto m = [&](const z3::expr& a, const z3::expr& b) {
        const z3::expr below = is_unsigned ? z3::ult(a, b) : z3::slt(a, b);
        return largest ? z3::ite(below, b, a) : z3::ite(below, a, b);
      };
      z3::solver s(c);
      s.add(!(m(x, y) == m(y, x) && m(x, m(y, z)) == m(m(x, y), z) && m(x, x) == x));
      CHECK(s.check() == z3::unsat);
    }
  }
}
