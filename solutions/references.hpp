#pragma once
/// \file
/// The references of the ladder as rungs. Each is defined by the object library of its name, `chapterN_solution` …

#include "workbook/reduction.hpp"

namespace workbook {

reduction chapter0_solution();
reduction chapter0_atomics();
reduction chapter1_solution();
reduction chapter2_solution();
reduction chapter3_solution();
reduction chapter4_solution();
reduction chapter5_solution();
reduction chapter5_history();
reduction chapter6_solution();
reduction chapter7_solution();
reduction chapter8_solution();
reduction chapter9_solution();
reduction chapter12_solution();

}  // namespace workbook
