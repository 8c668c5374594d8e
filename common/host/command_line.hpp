#pragma once
/// \file
/// Command lines that CLI11 reads, the same way in every program.

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace host {

/// Reads a command line, without the program's name, into the variables that the options of `app` were given.
/// \return false where `--help` was asked for, which is printed then
/// \throws usage_error  where the line has a word that no option takes; the message is one line
[[nodiscard]] bool parse(CLI::App& app, const std::vector<std::string>& arguments);

/// Runs a program: reads its command line and calls `body`, whose result is the exit status. Whatever is wrong is one
/// line on standard error. Status 2 is a command line that cannot be understood, or the `failure`'s own;
/// `otherwise` is an exception of any other kind.
/// \param app  bears the program's name
[[nodiscard]] int run_program(CLI::App& app, int argc, char** argv, int otherwise, const std::function<int()>& body);

/// Returns what was typed, as records show it: "build/bin/ladder --type int".
[[nodiscard]] std::string command_text(const std::string& program, int argc, char** argv);

}  // namespace host
