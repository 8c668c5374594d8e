// Tests how other programs are run.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/files.hpp"
#include "host/process.hpp"
#include "support/catch.hpp"
#include "support/processes.hpp"

TEST_CASE("a program's status, its signal and its errors come back") {
  CHECK(host::run({"sh", "-c", "exit 7"}, {}, false).status == 7);
  CHECK(host::run({"sh", "-c", "exit $NUMBER"}, {{"NUMBER", "9"}}, false).status == 9);
  const host::ending killed = host::run({"sh", "-c", "kill -TERM $$"}, {}, false);
  CHECK(killed.signal == SIGTERM);
  CHECK(killed.status == 128 + SIGTERM);
  CHECK(host::run({"sh", "-c", "echo wrong >&2"}, {}, true).error_output == "wrong\n");
  CHECK_THROWS_WITH(host::run({"/nonexistent/program"}, {}, false), ContainsSubstring("/nonexistent/program"));
}

TEST_CASE("a temporary folder is deleted with its contents") {
  std::string path;
  {
    const host::temporary_folder folder;
    path = folder.path();
    std::ofstream(path + "/file") << "x";
    CHECK(std::filesystem::exists(path + "/file"));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a program ends with the process that started it, even if that one is killed") {
  const host::temporary_folder folder;
  const std::string number = folder.path() + "/number";
  const pid_t starter = fork();
  if (starter == 0) {
    static_cast<void>(host::run({"sh", "-c", "echo $$ >'" + number + "' && exec sleep 1000"}, {}, false));
    _exit(0);
  }
  const pid_t program = test_support::number_in(number);
  REQUIRE(program > 0);
  CHECK(test_support::is_running(program));
  kill(starter, SIGKILL);
  CHECK(waitpid(starter, nullptr, 0) == starter);
  CHECK(test_support::ends(program));
}

TEST_CASE("a folder that a killed process left is removed, and one in use is not") {
  const host::temporary_folder here;
  setenv("TMPDIR", here.path().c_str(), 1);
  {
    const host::temporary_folder used;
    const pid_t killed = fork();
    if (killed == 0) {
      const host::temporary_folder left;
      std::ofstream(left.path() + "/file") << "x";
      raise(SIGKILL);
    }
    CHECK(waitpid(killed, nullptr, 0) == killed);
    std::filesystem::create_directory(here.path() + "/workbook_run");
    CHECK(std::distance(std::filesystem::directory_iterator(here.path()), {}) == 3);
    host::remove_abandoned_folders();
    CHECK(std::distance(std::filesystem::directory_iterator(here.path()), {}) == 2);
    CHECK(std::filesystem::exists(used.path()));
  }
  unsetenv("TMPDIR");
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
