#pragma once
/// \file
/// Runs other programs.

#include <map>
#include <string>
#include <vector>

namespace host {

/// The result of running a program.
struct ending {
  int status = 0;            ///< Its exit status, or 128 + signal as in shells.
  int signal = 0;            ///< The signal that killed it, or 0.
  std::string error_output;  ///< Its standard error, if captured.
};

/// Runs a program and waits until it ends. The program shares this process's input and output, and its process group,
/// so that an interrupt from the terminal reaches it. Meanwhile, termination signals do not end this process. Those
/// that were sent to this process alone are passed on to the program. The program never outlives the thread that called
/// this function: if that thread is killed, the system kills the program.
/// \param command               the program, which is searched for in PATH unless it is a path, and its arguments
/// \param environment           additional environment variables
/// \param capture_error_output  captures its standard error instead of showing it
/// \param output_path           a file for its standard output; if empty, it uses this process's
/// \throws std::runtime_error   if it cannot be started
[[nodiscard]] ending run(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                         bool capture_error_output, const std::string& output_path = {});

/// A temporary folder that exists as long as this object, in $TMPDIR or /tmp. It is locked, so that
/// remove_abandoned_folders() of other processes does not remove it. The system releases the lock when this process
/// ends, no matter how.
class temporary_folder {
 public:
  /// \throws std::runtime_error  if it cannot be created
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
