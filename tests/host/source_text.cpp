// Tests how source lines and sentences are fitted to a width.

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/source_text.hpp"
#include "support/catch.hpp"

using namespace host;
using lines = std::vector<std::string>;

TEST_CASE("a source file is read without tabs and escape sequences; only regular files are read") {
  const std::string path = std::filesystem::temp_directory_path() / ("source_" + std::to_string(getpid()) + ".cu");
  std::ofstream(path) << "a\tb  \n\033[1mx\r\n";
  CHECK(read_source(path) == lines{"a   b", " [1mx"});
  std::filesystem::remove(path);
  CHECK_FALSE(read_source(path));
  CHECK_FALSE(read_source(""));
  CHECK_FALSE(read_source(std::filesystem::temp_directory_path()));
}

TEST_CASE("a source line that fits stays, and a longer one loses its comment first, then is broken at blanks") {
  CHECK(fit("  x = 1;  // why", 20) == lines{"  x = 1;  // why"});
  CHECK(fit("  x = 1;  // a long reason for it", 20) == lines{"  x = 1;"});
  CHECK(fit("  if (alpha < beta) gamma += delta;", 20) ==
        lines{"  if (alpha < beta)", "      gamma +=", "      delta;"});
  CHECK(fit("abcdefghijklmnop", 10) == lines{"abcdefghij", "    klmnop"});
  CHECK(fit("// nothing but a comment", 10) == lines{"// nothin~"});
  CHECK(fit("", 10) == lines{""});
}

TEST_CASE("no line is wider than requested, for any text") {
  for (const std::string& text : lines{"  call(a, b, c, ddddddddddddddddddddddddddddd, \"// no comment\", e);",
                                       "äöüäöüäöüäöü äöüäöüäöüäöüäöüäöü", std::string(40, 'x'), std::string(30, ' ')}) {
    for (std::size_t width = 10; width < 60; ++width) {
      for (const std::string& line : fit(text, width)) REQUIRE(columns_of(line) <= width);
    }
  }
}

TEST_CASE("sentences are wrapped between words") {
  CHECK(wrap("one two three", 7) == lines{"one two", "three"});
  CHECK(wrap("incomprehensible x", 7) == lines{"incomprehensible", "x"});
  CHECK(wrap("", 7).empty());
}

TEST_CASE("a path is shown by its last parts, so it does not depend on the tree's folder") {
  CHECK(shown_path("program.cu") == "program.cu");
  CHECK(shown_path("a/b/c/d.cu") == "a/b/c/d.cu");
  CHECK(shown_path("/where/ever/solutions/02_x/reduce.cuh") == "solutions/02_x/reduce.cuh");
  CHECK(shown_path("") == "");
}
