// Tests how `emulate` ends, and what happens to its program and its temporary folder.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>

#include "emulator/emulate/run_emulate.hpp"
#include "support/catch.hpp"
#include "support/processes.hpp"

namespace {

using test_support::emulate_line;

/// A running `emulate`. It has its own session, so that a signal to its process group reaches no other process.
class running_emulate {
 public:
  /// \param temporary  the folder in which `emulate` creates its temporary folders
  /// \param output     a file for its standard output
  running_emulate(const std::string& program, const std::string& temporary, const std::string& output)
      : process_(fork()) {
    if (process_ != 0) return;
    setsid();
    setenv("TMPDIR", temporary.c_str(), 1);
    if (dup2(open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO) < 0) _exit(126);
    execl(EMULATE_UNDER_TEST, "emulate", "--quiet", program.c_str(), nullptr);
    _exit(127);
  }
  ~running_emulate() { static_cast<void>(end(process_, SIGKILL)); }
  running_emulate(const running_emulate&) = delete;
  running_emulate& operator=(const running_emulate&) = delete;
  [[nodiscard]] pid_t process() const { return process_; }

  /// Sends a signal to a process or, if the number is negative, to a process group. Returns the status of `emulate` as
  /// waitpid() reports it.
  int end(pid_t receiver, int signal) {
    if (ended_) return status_;
    kill(receiver, signal);
    waitpid(process_, &status_, 0);
    ended_ = true;
    return status_;
  }

 private:
  pid_t process_;
  bool ended_ = false;
  int status_ = 0;
};

std::size_t entries_of(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("the program ends together with emulate, and the next run removes leftover files") {
  const host::temporary_folder folder;
  const std::string kept = folder.path() + "/kept", temporary = folder.path() + "/temporary";
  const std::string printed = folder.path() + "/printed", also_printed = folder.path() + "/also_printed";
  std::filesystem::create_directory(temporary);
  REQUIRE(emulate_line("--quiet --keep '" + kept + "' waits_forever.cu -- once").status == 0);
  const std::string once = "--quiet '" + kept + "' -- once", variables = "TMPDIR='" + temporary + "'";

  running_emulate killed(kept, temporary, printed);
  const pid_t program = test_support::number_in(printed);
  REQUIRE(program > 0);
  CHECK(test_support::is_running(program));
  CHECK(entries_of(temporary) == 1);
  killed.end(killed.process(), SIGKILL);
  CHECK(test_support::ends(program));
  CHECK(entries_of(temporary) == 1);

  // A later run removes the folder that the killed run left, but not the folder of a run that is still in progress.
  running_emulate living(kept, temporary, also_printed);
  REQUIRE(test_support::number_in(also_printed) > 0);
  CHECK(emulate_line(once, variables).status == 0);
  CHECK(entries_of(temporary) == 1);
  CHECK(test_support::is_running(test_support::number_in(also_printed)));

  // If emulate receives a signal to end, for example from the terminal, it ends the program and removes its folder.
  const int interrupted = living.end(-living.process(), SIGINT);
  CHECK(WIFEXITED(interrupted));
  CHECK(WEXITSTATUS(interrupted) == 128 + SIGINT);
  CHECK(entries_of(temporary) == 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(printed);
    running_emulate asked(kept, temporary, printed);
    const pid_t its_program = test_support::number_in(printed);
    REQUIRE(its_program > 0);
    const int status = asked.end(asked.process(), signal);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 128 + signal);
    CHECK_FALSE(test_support::is_running(its_program));
    CHECK(entries_of(temporary) == 0);
  }
}
