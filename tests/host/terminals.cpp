// Tests what a program may assume about the terminal or file that it prints to.

#include <unistd.h>

#include <cstdlib>

#include "host/terminal.hpp"
#include "support/catch.hpp"

TEST_CASE("a pipe is not a terminal, gets no colour, and is as wide as COLUMNS") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK_FALSE(host::is_terminal(ends[1]));
  CHECK_FALSE(host::takes_color(ends[1]));
  setenv("COLUMNS", "90", 1);
  CHECK(host::terminal_columns(ends[1]) == 90);
  for (const char* no_number : {"", "wide", "-5", "99999"}) {
    setenv("COLUMNS", no_number, 1);
    CHECK_FALSE(host::terminal_columns(ends[1]));
  }
  unsetenv("COLUMNS");
  CHECK_FALSE(host::terminal_columns(ends[1]));
  close(ends[0]);
  close(ends[1]);
}
