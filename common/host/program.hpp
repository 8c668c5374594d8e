#pragma once
/// \file
/// The exit of a program, with a status and with one line on standard error if something is wrong.

#include <functional>
#include <stdexcept>
#include <string>

namespace host {

/// A failure with its own exit status.
class failure : public std::runtime_error {
 public:
  failure(const std::string& message, int status) : std::runtime_error(message), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

inline constexpr int status_bad_usage = 2;

/// A command line that makes no sense, or refers to something that does not exist. The message tells the user what to
/// do.
class usage_error : public failure {
 public:
  explicit usage_error(const std::string& message) : failure(message, status_bad_usage) {}
};

/// Calls `body` and returns its result. If it throws, prints `name` and the reason, and returns the failure's status,
/// or `otherwise` for an exception of any other kind.
[[nodiscard]] int guarded(const std::string& name, int otherwise, const std::function<int()>& body);

/// Returns today's date and time as records write them: "2025-01-31T12:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace host
