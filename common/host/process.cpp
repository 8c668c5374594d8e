#include "host/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "host/files.hpp"

namespace host {
namespace {

volatile sig_atomic_t running_child = 0;

void pass_on(int signal) {
  if (running_child > 0) kill(running_child, signal);
}

/// Sets a signal's action and gives the old one back at the end.
class signal_action {
 public:
  signal_action(int signal, void (*action)(int)) : signal_(signal) {
    struct sigaction wanted = {};
    wanted.sa_handler = action;
    wanted.sa_flags = SA_RESTART;
    sigaction(signal, &wanted, &before_);
  }
  ~signal_action() { sigaction(signal_, &before_, nullptr); }
  signal_action(const signal_action&) = delete;
  signal_action& operator=(const signal_action&) = delete;

 private:
  int signal_;
  struct sigaction before_ = {};
};

/// In the child: becomes the program, or ends with the reason on `report`.
[[noreturn]] void become(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                         int error_output, const std::string& output_path, int report) {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  if (error_output >= 0) dup2(error_output, STDERR_FILENO);
  const auto give_up = [report](int reason) {
    if (write(report, &reason, sizeof reason) < 0) _exit(126);
    _exit(127);
  };
  if (!output_path.empty()) {
    const int output = open(output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0) give_up(errno);
  }
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  give_up(errno);
  _exit(127);
}

std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    all.append(part.data(), static_cast<std::size_t>(got));
  }
  return all;
}

struct pipe_ends {
  int read_end = -1;
  int write_end = -1;
  pipe_ends() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
    read_end = ends[0];
    write_end = ends[1];
  }
  ~pipe_ends() {
    close_write_end();
    close(read_end);
  }
  void close_write_end() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
};

}  // namespace

ending run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
           bool capture_error_output, const std::string& output_path) {
  pipe_ends failure;
  pipe_ends errors;
  const signal_action interrupt(SIGINT, [](int) {});
  const signal_action terminate(SIGTERM, pass_on);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0)
    become(command, environment, capture_error_output ? errors.write_end : -1, output_path, failure.write_end);
  running_child = child;
  failure.close_write_end();
  errors.close_write_end();

  ending result;
  if (capture_error_output) result.error_output = read_all(errors.read_end);
  int reason = 0;
  const bool failed = read(failure.read_end, &reason, sizeof reason) == static_cast<ssize_t>(sizeof reason);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  running_child = 0;
  if (failed) throw std::runtime_error("cannot run " + command[0] + ": " + std::strerror(reason));
  if (WIFSIGNALED(status)) {
    result.signal = WTERMSIG(status);
    result.status = 128 + result.signal;
  } else {
    result.status = WEXITSTATUS(status);
  }
  return result;
}

temporary_folder::temporary_folder() {
  const std::string parent = variable("TMPDIR");
  std::string name = (parent.empty() ? "/tmp" : parent) + "/workbook.XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary folder " + name + ": " + std::strerror(errno));
  }
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace host
