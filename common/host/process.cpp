#include "host/process.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "host/files.hpp"

namespace host {
namespace {

volatile sig_atomic_t running_child = 0;

/// The terminal sends its signals to the program as well, so only signals from processes are passed on.
void pass_on(int signal, siginfo_t* info, void*) {
  if (running_child > 0 && info->si_code != SI_KERNEL) kill(running_child, signal);
}

/// Passes a signal on to the program while this object exists. If SIGHUP or SIGQUIT is already ignored, as under nohup,
/// it stays ignored.
class passed_on_signal {
 public:
  explicit passed_on_signal(int signal) : signal_(signal) {
    sigaction(signal, nullptr, &before_);
    if ((signal == SIGHUP || signal == SIGQUIT) && before_.sa_handler == SIG_IGN) return;
    struct sigaction wanted = {};
    wanted.sa_sigaction = pass_on;
    wanted.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal, &wanted, nullptr);
  }
  ~passed_on_signal() { sigaction(signal_, &before_, nullptr); }
  passed_on_signal(const passed_on_signal&) = delete;
  passed_on_signal& operator=(const passed_on_signal&) = delete;

 private:
  int signal_;
  struct sigaction before_ = {};
};

/// Called in the child: asks the system to kill it when its parent ends. If the parent ended before the call, no signal
/// will be sent, but the child has a different parent by then.
void end_with(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(128 + SIGKILL);
}

/// Called in the child: executes the program, or writes the error number to `report` and ends.
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
  const passed_on_signal interrupt(SIGINT), terminate(SIGTERM), hangup(SIGHUP), quit(SIGQUIT);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    end_with(parent);
    become(command, environment, capture_error_output ? errors.write_end : -1, output_path, failure.write_end);
  }
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

namespace {

constexpr std::string_view folder_prefix = "workbook_run.";

std::string folder_of_temporary_folders() {
  const std::string named = variable("TMPDIR");
  return named.empty() ? "/tmp" : named;
}

int open_folder(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Returns true if `path` still names the folder that was opened.
bool is_at(int folder, const std::string& path) {
  struct stat opened = {}, there = {};
  return fstat(folder, &opened) == 0 && lstat(path.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

/// Locks a folder. Returns false if another process holds its lock, and `without_locks` if the file system has none.
bool lock(int folder, bool without_locks) {
  while (flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) return without_locks;
  }
  return true;
}

void remove_if_abandoned(const std::string& path) {
  struct stat there = {};
  if (lstat(path.c_str(), &there) != 0 || !S_ISDIR(there.st_mode) || there.st_uid != geteuid()) return;
  const int folder = open_folder(path);
  if (folder < 0) return;
  std::error_code ignored;
  // A process that has just created the folder cannot lock it now, and creates a different one.
  if (lock(folder, false) && is_at(folder, path)) std::filesystem::remove_all(path, ignored);
  close(folder);
}

}  // namespace

temporary_folder::temporary_folder() {
  // Between the creation of a folder and its lock, a different process may consider it abandoned.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = folder_of_temporary_folders() + "/" + std::string(folder_prefix) + "XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a temporary folder " + name + ": " + std::strerror(errno));
    const int folder = open_folder(name);
    if (folder >= 0 && lock(folder, true) && is_at(folder, name)) {
      path_ = name;
      lock_ = folder;
      return;
    }
    if (folder >= 0) close(folder);
  }
  throw std::runtime_error("cannot lock a temporary folder in " + folder_of_temporary_folders());
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  close(lock_);
}

void remove_abandoned_folders() {
  std::error_code failed;
  std::filesystem::directory_iterator at(folder_of_temporary_folders(), failed);
  for (; !failed && at != std::filesystem::directory_iterator(); at.increment(failed)) {
    if (at->path().filename().string().starts_with(folder_prefix)) remove_if_abandoned(at->path().string());
  }
}

}  // namespace host
