#pragma once
/// \file
/// Running other programs.

#include <map>
#include <string>
#include <vector>

namespace host {

/// How a program ended.
struct ending {
  int status = 0;            ///< Its exit status; 128 + signal where a signal ended it, as shells say it.
  int signal = 0;            ///< 0: it ended by itself.
  std::string error_output;  ///< Its standard error, where that was asked for.
};

/// Runs a program to its end. Its input and output are this process's own, and it stays in this process group, so that
/// an interrupt from the terminal reaches it. While it runs, signals that ask this process to end do not end it; those
/// that were sent to this process alone are passed on. The program never outlives the thread that called this function:
/// if that thread is killed, the system kills the program.
/// \param command               the program, looked for in PATH where it is no path, and its arguments
/// \param environment           variables set for it in addition
/// \param capture_error_output  keep its standard error instead of showing it
/// \param output_path           a file that takes its standard output; empty: this process's own
/// \throws std::runtime_error   where it cannot be started
[[nodiscard]] ending run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                         bool capture_error_output, const std::string& output_path = {});

/// A folder for the time of this object, in $TMPDIR or /tmp. It is locked, so that remove_abandoned_folders() of other
/// processes leaves it alone; the system frees the lock when this process ends, no matter how.
class temporary_folder {
 public:
  /// \throws std::runtime_error  where none can be made
  temporary_folder();
  ~temporary_folder();
  [[nodiscard]] const std::string& path() const { return path_; }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

 private:
  std::string path_;
  int lock_ = -1;
};

/// Removes the temporary folders of this user's processes that have ended without removing them.
void remove_abandoned_folders();

}  // namespace host
