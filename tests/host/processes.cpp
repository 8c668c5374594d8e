// Running other programs.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/files.hpp"
#include "host/process.hpp"
#include "support/catch.hpp"

TEST_CASE("a program's status, its signal and its errors come back") {
  CHECK(host::run({"sh", "-c", "exit 7"}, {}, false).status == 7);
  CHECK(host::run({"sh", "-c", "exit $NUMBER"}, {{"NUMBER", "9"}}, false).status == 9);
  const host::ending killed = host::run({"sh", "-c", "kill -TERM $$"}, {}, false);
  CHECK(killed.signal == SIGTERM);
  CHECK(killed.status == 128 + SIGTERM);
  CHECK(host::run({"sh", "-c", "echo wrong >&2"}, {}, true).error_output == "wrong\n");
  CHECK_THROWS_WITH(host::run({"/nonexistent/program"}, {}, false), ContainsSubstring("/nonexistent/program"));
}

TEST_CASE("a temporary folder is gone afterwards, with what is in it") {
  std::string path;
  {
    const host::temporary_folder folder;
    path = folder.path();
    std::ofstream(path + "/file") << "x";
    CHECK(std::filesystem::exists(path + "/file"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a program is found in PATH, and the first that there is counts") {
  const std::vector<std::string> places = host::in_path("sh");
  CHECK_FALSE(places.empty());
  const std::string shell = host::first_program(places);
  CHECK_THAT(shell, ContainsSubstring("/sh"));
  CHECK(host::is_program(shell));
  CHECK(host::first_program({"/no/such/program", "/etc/passwd", "/etc", shell}) == shell);
  CHECK(host::first_program({"/no/such/program"}).empty());
}
