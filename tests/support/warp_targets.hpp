#pragma once
/// \file
/// Helpers for the tests of the superoptimiser.

#include "machine_code/superopt/evaluate.hpp"
#include "machine_code/superopt/latency.hpp"

/// Returns a target whose only output is the value of `code` in lane 0. `code` reads all lanes of r3 and leaves its
/// result in r4.
inline superopt::target lane_zero(const std::string& code) {
  return superopt::parse_target("input r3\noutput r4 lanes 0\n" + code, "test");
}

/// Returns the message of the error that `f` throws, or an empty string if it throws none.
template <typename F>
std::string message_of(F f) {
  try {
    f();
  } catch (const superopt::bad_input& error) {
    return error.what();
  }
  return {};
}
