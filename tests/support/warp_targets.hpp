#pragma once
/// \file
/// What tests of the superoptimiser begin with.

#include "superopt/evaluate.hpp"
#include "superopt/latency.hpp"

/// Lane 0 gets the lane-0 value of `code`, which reads all lanes of r3 and leaves its result in r4.
inline superopt::target lane_zero(const std::string& code) {
  return superopt::parse_target("input r3\noutput r4 lanes 0\n" + code, "test");
}

/// The message of the error that `f` ends with; empty where it does not.
template <typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const superopt::bad_input& error) {
    return error.what();
  }
  return {};
}
