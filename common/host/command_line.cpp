#include "host/command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "host/count.hpp"
#include "host/version.hpp"

namespace host {
namespace {

CLI::Validator validator_of(word_rule rule) {
  return {std::move(rule.read), std::move(rule.shown)};
}

std::string without_end(std::string words) {
  while (!words.empty() && (words.back() == '.' || words.back() == '\n')) words.pop_back();
  return words;
}

}  // namespace

word_rule number_from(std::uint64_t low, std::uint64_t high) {
  return {[low, high](std::string& text) {
            const std::optional<std::uint64_t> value = whole_number(text);
            return value && *value >= low && *value <= high
                       ? std::string()
                       : fmt::format("'{}': give a whole number from {} to {}", text, low, high);
          },
          fmt::format("{} to {}", low, high)};
}

word_rule real_from(double low, double high) {
  return {[low, high](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool read = !text.empty() && end == text.c_str() + text.size();
            return read && value >= low && value <= high
                       ? std::string()
                       : fmt::format("'{}': give a number from {} to {}", text, low, high);
          },
          fmt::format("{} to {}", low, high)};
}

word_rule a_number_that(bool (*good)(std::uint64_t), const std::string& what, const std::string& shown) {
  return {[good, what](std::string& text) -> std::string {
            const std::optional<std::uint64_t> value = parse_count(text);
            if (!value || !good(*value)) return fmt::format("'{}' is not {}", text, what);
            text = std::to_string(*value);
            return {};
          },
          shown};
}

word_rule one_of_words(std::vector<std::string> words) {
  std::string list = fmt::format("{}", fmt::join(words, ", "));
  return {[words = std::move(words), list](std::string& text) {
            return std::find(words.begin(), words.end(), text) != words.end()
                       ? std::string()
                       : fmt::format("'{}' is not one of {}", text, list);
          },
          list};
}

word_rule an_existing_file() {
  return {[](std::string& path) {
            std::error_code none;
            return std::filesystem::exists(path, none) && !std::filesystem::is_directory(path, none)
                       ? std::string()
                       : fmt::format("there is no file {}", path);
          },
          "FILE"};
}

word_rule an_existing_folder() {
  return {[](std::string& path) {
            std::error_code none;
            return std::filesystem::is_directory(path, none) ? std::string()
                                                             : fmt::format("there is no folder {}", path);
          },
          "FOLDER"};
}

option& option::check(word_rule rule) {
  option_->check(validator_of(std::move(rule)));
  return *this;
}
option& option::transform(word_rule rule) {
  option_->transform(validator_of(std::move(rule)));
  return *this;
}
option& option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}
option& option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}
option& option::may_be_repeated() {
  option_->expected(1)->allow_extra_args(false)->take_all();
  return *this;
}
option& option::required() {
  option_->required();
  return *this;
}
option& option::excludes(const std::vector<std::string>& others) {
  for (const std::string& other : others) option_->excludes(other);
  return *this;
}
option& option::needs(const std::string& other) {
  option_->needs(other);
  return *this;
}
option& option::shows_default() {
  option_->capture_default_str();
  return *this;
}
option& option::type_name(const std::string& shown) {
  option_->type_name(shown);
  return *this;
}
option& option::hidden() {
  option_->group("");
  return *this;
}
std::size_t option::count() const {
  return option_->count();
}
std::string option::name() const {
  return option_->get_name();
}

parser::parser(const std::string& what_it_does, const std::string& name)
    : app_(std::make_unique<CLI::App>(what_it_does, name)) {
  app_->set_version_flag("--version", version_text(name), "Print the version and exit");
}
parser::~parser() = default;

template <typename T>
option parser::add_variable(const std::string& names, T& into, const std::string& help) {
  return option(app_->add_option(names, into, help));
}
template option parser::add_variable(const std::string&, std::string&, const std::string&);
template option parser::add_variable(const std::string&, int&, const std::string&);
template option parser::add_variable(const std::string&, unsigned&, const std::string&);
template option parser::add_variable(const std::string&, std::uint64_t&, const std::string&);
template option parser::add_variable(const std::string&, unsigned long long&, const std::string&);
template option parser::add_variable(const std::string&, bool&, const std::string&);
template option parser::add_variable(const std::string&, double&, const std::string&);
template option parser::add_variable(const std::string&, std::optional<int>&, const std::string&);
template option parser::add_variable(const std::string&, std::optional<unsigned>&, const std::string&);
template option parser::add_variable(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template option parser::add_variable(const std::string&, std::vector<std::string>&, const std::string&);
template option parser::add_variable(const std::string&, std::vector<unsigned>&, const std::string&);
template option parser::add_variable(const std::string&, std::vector<std::uint64_t>&, const std::string&);

option parser::add_numbers(const std::string& names, bool many, const std::string& help,
                           std::function<void(const std::vector<long long>&)> take) {
  if (many) return option(app_->add_option_function(names, take, help)->type_name("ENUM"));
  const std::function<void(const long long&)> take_one = [take = std::move(take)](const long long& value) {
    take({value});
  };
  return option(app_->add_option_function(names, take_one, help)->type_name("ENUM"));
}
option parser::add_call(const std::string& names, std::function<void(const std::string&)> take,
                        const std::string& help) {
  return option(app_->add_option_function(names, take, help));
}
option parser::add_option(const std::string& names) {
  return option(app_->add_option(names));
}
option parser::add_flag(const std::string& names, bool& into, const std::string& help) {
  return option(app_->add_flag(names, into, help));
}
void parser::add_flag_call(const std::string& names, std::function<void()> what, const std::string& help) {
  app_->add_flag_callback(names, std::move(what), help);
}

void parser::help_says(const std::string& words) {
  app_->set_help_flag("-h,--help", words);
}
void parser::has_own_help_and_version() {
  app_->set_help_flag();
  app_->set_version_flag();
}
void parser::allow_others() {
  app_->allow_extras();
}
void parser::footer(const std::string& text) {
  app_->footer(text);
}
void parser::at_end(std::function<void()> what) {
  app_->parse_complete_callback(std::move(what));
}

bool parser::read(const std::vector<std::string>& words) {
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    return true;
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app_->help());
    return false;
  } catch (const CLI::CallForVersion& called) {
    fmt::print("{}\n", called.what());
    return false;
  } catch (const CLI::ParseError& wrong) {
    throw bad_arguments(wrong.what());
  }
}
std::size_t parser::count(const std::string& name) const {
  return app_->count(name);
}
std::vector<std::string> parser::remaining() const {
  return app_->remaining();
}
std::string parser::help() const {
  return app_->help();
}
std::string parser::name() const {
  return app_->get_name();
}

bool parse(parser& app, const std::vector<std::string>& arguments) {
  try {
    return app.read(arguments);
  } catch (const bad_arguments& wrong) {
    throw usage_error(fmt::format("{}; `{} --help` lists what there is", without_end(wrong.what()), app.name()));
  }
}

int run_program(parser& app, int argc, char** argv, int otherwise, const std::function<int()>& body) {
  return guarded(app.name(), otherwise, [&] { return parse(app, {argv + 1, argv + argc}) ? body() : 0; });
}

std::string command_text(const std::string& program, int argc, char** argv) {
  std::string text = "build/bin/" + program;
  for (int k = 1; k < argc; ++k) text += std::string(" ") + argv[k];
  return text;
}

}  // namespace host
