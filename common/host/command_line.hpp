#pragma once
/// \file
/// Command-line parsing for all programs. CLI11 does the work. Its header has objects at namespace scope, which cost
/// three seconds of compilation in each file, so only one file includes it (decision 009).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "host/program.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace host {

/// A rule for the arguments of an option.
struct word_rule {
  /// Converts an argument into the text that its variable is parsed from, and returns an empty string; or returns an
  /// error message.
  std::function<std::string(std::string&)> read;
  /// Shown in the help after the option's name.
  std::string shown;
};

/// Returns a rule for a whole number in a range, both ends included.
[[nodiscard]] word_rule number_from(std::uint64_t low, std::uint64_t high);
/// Returns a rule for a number in a range, both ends included; NaN is refused.
[[nodiscard]] word_rule real_from(double low, double high);
/// Returns a rule for a number with units (host/count.hpp), which is replaced by its digits.
/// \param good  returns true if the number is valid
/// \param what  for the message: what the argument must be, and what to give instead
[[nodiscard]] word_rule a_number_that(bool (*good)(std::uint64_t), const std::string& what, const std::string& shown);
/// Returns a rule for one of several words.
[[nodiscard]] word_rule one_of_words(std::vector<std::string> words);
/// Returns a rule for an existing file or folder.
[[nodiscard]] word_rule an_existing_file();
[[nodiscard]] word_rule an_existing_folder();

/// Thrown for a command line that cannot be parsed. The message is one line for the user.
class bad_arguments : public usage_error {
 public:
  using usage_error::usage_error;
};

/// One option of a parser. Each setter returns the option.
class option {
 public:
  /// Checks each argument with the rule and ignores what the rule converts it into.
  option& check(word_rule rule);
  /// Converts each argument with the rule, before any check.
  option& transform(word_rule rule);
  /// Splits an argument into several values at each `between`.
  option& delimiter(char between);
  /// Sets the smallest and the largest number of arguments; -1 for `most` means any number.
  option& expected(int least, int most);
  /// Allows the option several times, each time with one argument.
  option& may_be_repeated();
  option& required();
  option& excludes(const std::vector<std::string>& others);
  option& needs(const std::string& other);
  /// Shows the variable's current value in the help, as the default.
  option& shows_default();
  /// Sets the text that the help shows in place of the variable's type.
  option& type_name(const std::string& shown);
  /// Hides the option from the help; it is still accepted.
  option& hidden();
  /// Returns how often it was given.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::string name() const;

 private:
  friend class parser;
  explicit option(CLI::Option* given) : option_(given) {}
  CLI::Option* option_;
};

/// The value type of an option's variable, and whether the variable holds several.
template <typename T>
struct held {
  using type = T;
  static constexpr bool many = false;
};
template <typename T>
struct held<std::optional<T>> : held<T> {};
template <typename T>
struct held<std::vector<T>> {
  using type = T;
  static constexpr bool many = true;
};

/// The options of a program, which always has `--help` and `--version`. Variables must outlive it.
class parser {
 public:
  /// \param name  the program's name, for the help and for messages
  parser(const std::string& what_it_does, const std::string& name);
  ~parser();
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  /// Adds an option, or a positional argument if its name has no dashes. `names` are as in CLI11: "-n,--count".
  /// \param into  text, a number, or an enumeration, for which a rule produces the number; a `std::optional` of these;
  ///              or a `std::vector`, for several arguments
  template <typename T>
  option add_option(const std::string& names, T& into, const std::string& help) {
    using value = typename held<T>::type;
    if constexpr (std::is_enum_v<value>) {
      return add_numbers(names, held<T>::many, help, [&into](const std::vector<long long>& numbers) {
        if constexpr (held<T>::many) {
          into.clear();
          for (const long long number : numbers) into.push_back(static_cast<value>(number));
        } else {
          into = static_cast<value>(numbers.front());
        }
      });
    } else {
      return add_variable(names, into, help);
    }
  }
  /// Adds an option that calls `take` with its argument.
  option add_call(const std::string& names, std::function<void(const std::string&)> take, const std::string& help);
  /// Adds an option without a variable; only its `count` is used.
  option add_option(const std::string& names);
  option add_flag(const std::string& names, bool& into, const std::string& help);
  /// Adds a flag that calls `what`.
  void add_flag_call(const std::string& names, std::function<void()> what, const std::string& help);

  /// Sets the description of `--help`.
  void help_says(const std::string& words);
  /// Removes the predefined `--help` and `--version`, so that the program can define its own.
  void has_own_help_and_version();
  /// Accepts arguments that no option takes; `remaining` returns them.
  void allow_others();
  /// Sets the help text after the options.
  void footer(const std::string& text);
  /// Calls `what` after all options have been parsed.
  void at_end(std::function<void()> what);

  /// Parses the arguments, without the program's name, into the variables.
  /// \return false after `--help` or `--version`, whose text has been printed
  /// \throws bad_arguments  if an argument cannot be parsed
  [[nodiscard]] bool read(const std::vector<std::string>& words);
  [[nodiscard]] std::size_t count(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> remaining() const;
  [[nodiscard]] std::string help() const;
  [[nodiscard]] std::string name() const;

 private:
  /// Instantiated in command_line.cpp for the supported types.
  template <typename T>
  option add_variable(const std::string& names, T& into, const std::string& help);
  option add_numbers(const std::string& names, bool many, const std::string& help,
                     std::function<void(const std::vector<long long>&)> take);

  std::unique_ptr<CLI::App> app_;
};

/// Parses a command line, without the program's name, into the variables of the options of `app`.
/// \return false after `--help` or `--version`, whose text has been printed
/// \throws usage_error  if the line cannot be parsed; the message is one line
[[nodiscard]] bool parse(parser& app, const std::vector<std::string>& arguments);

/// Runs a program: parses its command line, calls `body` and returns its exit status. Every error is printed as one
/// line on standard error. The status is 2 if the command line cannot be parsed, the `failure`'s own status, or
/// `otherwise` after any other exception.
/// \param app  has the program's name
[[nodiscard]] int run_program(parser& app, int argc, char** argv, int otherwise, const std::function<int()>& body);

/// Returns the command line as records show it: "build/bin/ladder --type int".
[[nodiscard]] std::string command_text(const std::string& program, int argc, char** argv);

}  // namespace host
