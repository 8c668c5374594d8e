#pragma once
/// \file
/// Catch2, whichever major version is installed. Tests include this header instead of Catch2's own.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>  // Catch2 3
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>  // Catch2 2
/// Defines Catch2 3's name for the matcher that Catch2 2 calls Contains.
inline auto ContainsSubstring(const std::string& text) {
  return Catch::Matchers::Contains(text);
}
#endif
