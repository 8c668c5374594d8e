#include "host/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "host/program.hpp"

namespace host {

bool parse(CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(std::move(reversed));
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& wrong) {
    std::string words = wrong.what();
    while (!words.empty() && (words.back() == '.' || words.back() == '\n')) words.pop_back();
    throw usage_error(fmt::format("{}; `{} --help` lists what there is", words, app.get_name()));
  }
}

int run_program(CLI::App& app, int argc, char** argv, int otherwise, const std::function<int()>& body) {
  return guarded(app.get_name(), otherwise, [&] { return parse(app, {argv + 1, argv + argc}) ? body() : 0; });
}

std::string command_text(const std::string& program, int argc, char** argv) {
  std::string text = "build/bin/" + program;
  for (int k = 1; k < argc; ++k) text += std::string(" ") + argv[k];
  return text;
}

}  // namespace host
