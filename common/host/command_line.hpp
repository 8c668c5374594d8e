#pragma once
/// \file
/// Command lines, the same way in every program. CLI11 reads them; its header, whose objects at namespace scope cost
/// each file that includes it three seconds of compilation, is in one file alone (decision 009).

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

/// What a word of a command line has to be.
struct word_rule {
  /// Turns a word into what its variable is read from, and returns nothing; or returns what is wrong with it.
  std::function<std::string(std::string&)> read;
  /// In the help, behind the option's name.
  std::string shown;
};

/// For a whole number within bounds, both included.
[[nodiscard]] word_rule number_from(std::uint64_t low, std::uint64_t high);
/// For a number within bounds, both included; not a number is none.
[[nodiscard]] word_rule real_from(double low, double high);
/// For a number as people write it (host/count.hpp), which becomes its digits.
/// \param good  says whether it will do
/// \param what  what any other word is not, and what to give, for the message
[[nodiscard]] word_rule a_number_that(bool (*good)(std::uint64_t), const std::string& what, const std::string& shown);
/// For one of some words.
[[nodiscard]] word_rule one_of_words(std::vector<std::string> words);
/// For a file, or a folder, that is there.
[[nodiscard]] word_rule an_existing_file();
[[nodiscard]] word_rule an_existing_folder();

/// A command line in which a word cannot be understood; the message is the reader's, of one line.
class bad_words : public usage_error {
 public:
  using usage_error::usage_error;
};

/// One option of a parser. Each function says something of it, and returns it.
class option {
 public:
  /// Each of its words keeps the rule; what the rule turns a word into is thrown away.
  option& check(word_rule rule);
  /// Each of its words becomes what the rule turns it into, before anything is checked.
  option& transform(word_rule rule);
  /// Its words stand in one, with `between` them.
  option& delimiter(char between);
  /// How many words follow it; -1 for `most`: any number.
  option& expected(int least, int most);
  /// It may be given again, each time with one word.
  option& may_be_repeated();
  option& required();
  option& excludes(const std::vector<std::string>& others);
  option& needs(const std::string& other);
  /// The help shows what its variable holds, as long as nothing else is asked for.
  option& shows_default();
  /// In the help, in place of the variable's type.
  option& type_name(const std::string& shown);
  /// It is understood, but no help shows it.
  option& hidden();
  /// How often it was given.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::string name() const;

 private:
  friend class parser;
  explicit option(CLI::Option* given) : option_(given) {}
  CLI::Option* option_;
};

/// What a variable of an option holds, and whether it holds several.
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

/// The options of a program. Variables must outlive it.
class parser {
 public:
  /// \param name  the program's, for the help and for messages
  parser(const std::string& what_it_does, const std::string& name);
  ~parser();
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  /// Adds an option, or what has no dashes: a word by its place. `names` as CLI11 takes them: "-n,--count".
  /// \param into  text, a number, or an enumeration, of which a rule makes the number; `std::optional` of these; or
  ///              `std::vector`, for several words
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
  /// Adds an option whose word `take` is called with.
  option add_call(const std::string& names, std::function<void(const std::string&)> take, const std::string& help);
  /// Adds an option of which only `count` is asked.
  option add_option(const std::string& names);
  option add_flag(const std::string& names, bool& into, const std::string& help);
  /// Adds a flag that calls `what`.
  void add_flag_call(const std::string& names, std::function<void()> what, const std::string& help);

  /// What the help says of `--help`.
  void help_says(const std::string& words);
  /// `--help` is an option of the program's own.
  void has_own_help();
  /// Words that no option takes are no error: `remaining` has them.
  void allow_others();
  /// Text below the options.
  void footer(const std::string& text);
  /// Calls `what` once all options are read.
  void at_end(std::function<void()> what);

  /// Reads the words, without the program's name, into the variables.
  /// \return false where `--help` was asked for, which is printed then
  /// \throws bad_words  where a word cannot be understood
  [[nodiscard]] bool read(const std::vector<std::string>& words);
  [[nodiscard]] std::size_t count(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> remaining() const;
  [[nodiscard]] std::string help() const;
  [[nodiscard]] std::string name() const;

 private:
  /// For what the types in command_line.cpp are.
  template <typename T>
  option add_variable(const std::string& names, T& into, const std::string& help);
  option add_numbers(const std::string& names, bool many, const std::string& help,
                     std::function<void(const std::vector<long long>&)> take);

  std::unique_ptr<CLI::App> app_;
};

/// Reads a command line, without the program's name, into the variables that the options of `app` were given.
/// \return false where `--help` was asked for, which is printed then
/// \throws usage_error  where the line has a word that no option takes; the message is one line
[[nodiscard]] bool parse(parser& app, const std::vector<std::string>& arguments);

/// Runs a program: reads its command line and calls `body`, whose result is the exit status. Whatever is wrong is one
/// line on standard error. Status 2 is a command line that cannot be understood, or the `failure`'s own;
/// `otherwise` is an exception of any other kind.
/// \param app  bears the program's name
[[nodiscard]] int run_program(parser& app, int argc, char** argv, int otherwise, const std::function<int()>& body);

/// Returns what was typed, as records show it: "build/bin/ladder --type int".
[[nodiscard]] std::string command_text(const std::string& program, int argc, char** argv);

}  // namespace host
