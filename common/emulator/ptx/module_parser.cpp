#include <charconv>
#include <utility>

#include "emulator/ptx/declarations.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace emulator::ptx {
namespace {

/// Parses everything at module scope.
class module_parser {
 public:
  explicit module_parser(module& target) : target_(target), text_(target.text, 1) {}

  void parse() {
    while (!text_.at_end()) {
      if (text_.take('@')) {
        // "@@DWARF …" of old compilers: debug information, one line each.
        text_.skip_line();
      } else if (!text_.take(';')) {
        text_.expect('.', "before a directive at module scope");
        parse_directive(text_.modifier());
      }
    }
    if (!versioned_) text_.fail("the text has no .version directive: it is not a PTX module");
    index_functions();
  }

 private:
  void parse_directive(std::string_view word) {
    if (word == "version") {
      parse_version();
    } else if (word == "target") {
      parse_target();
    } else if (word == "address_size") {
      if (text_.unsigned_integer() != 64) text_.fail("only 64-bit PTX is supported: compile with -m64");
    } else if (word == "file") {
      parse_file();
    } else if (word == "section") {
      skip_section();
    } else if (word == "pragma") {
      text_.skip_pragma();
    } else if (word == "alias") {
      parse_alias();
    } else if (word == "loc") {
      text_.skip_line();
    } else {
      parse_declaration(word);
    }
  }

  void parse_version() {
    versioned_ = true;
    target_.version_major = parse_version_part();
    text_.expect('.', "in the PTX version");
    target_.version_minor = parse_version_part();
  }

  /// Parses digits separately, because "9.0" isn't a floating-point number here.
  unsigned parse_version_part() {
    (void)text_.peek();
    const std::string_view digits = text_.modifier();
    unsigned result = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
    if (error != std::errc() || end != digits.data() + digits.size()) text_.fail("malformed PTX version");
    return result;
  }

  void parse_target() {
    target_.target = text_.identifier();
    while (text_.take(',')) (void)text_.identifier();
  }

  /// Parses `.file 1 "path"`, which the compiler may follow with a time and a size.
  void parse_file() {
    const std::uint32_t number = text_.small_integer("the number of a file");
    target_.files[number] = text_.quoted();
    while (text_.take(',')) (void)text_.unsigned_integer();
  }

  /// Skips a debug section, because its contents aren't needed.
  void skip_section() {
    while (text_.peek() != '{') {
      if (text_.at_end()) text_.fail("the text ends inside a .section directive");
      text_.step();
    }
    text_.step();
    (void)text_.skip_block();
  }

  void parse_alias() {
    std::string alias(text_.identifier());
    text_.expect(',', "after the first name of .alias");
    aliases_.emplace_back(std::move(alias), text_.identifier());
    text_.expect(';', "after .alias");
  }

  /// Parses the linkage and the declaration after it: variables, a kernel or a function.
  void parse_declaration(std::string_view word) {
    declaration_head head;
    bool is_local = true;
    for (;;) {
      if (word == "entry") return parse_function(true, false);
      if (word == "func") return parse_function(false, is_local);
      is_local = is_local && word != "visible" && word != "extern" && word != "weak" && word != "common";
      if (!apply_directive(text_, word, head))
        text_.fail("unknown directive '." + std::string(word) + "' at module scope");
      if (!text_.take('.')) break;
      word = text_.modifier();
    }
    if (head.space == state_space::generic) text_.fail("a declaration at module scope names no state space");
    if (head.space == state_space::reg || head.space == state_space::param) {
      text_.fail("registers and parameters cannot be declared at module scope");
    }
    do {
      target_.variables.push_back(parse_variable(text_, head));
      target_.variables.back().is_local = is_local;
    } while (text_.take(','));
    text_.expect(';', "after a variable");
  }

  void parse_function(bool is_entry, bool is_local) {
    function result;
    result.is_entry = is_entry;
    result.is_local = is_local;
    parse_function_directives(result);
    if (text_.take('(')) result.results = parse_parameters(text_);
    parse_function_directives(result);
    result.name = text_.identifier();
    if (text_.take('(')) result.parameters = parse_parameters(text_);
    parse_function_directives(result);
    if (text_.take('{')) {
      result.has_body = true;
      result.body_begin = static_cast<std::size_t>(text_.position() - target_.text.data());
      result.body_line = text_.line();
      result.body_end = static_cast<std::size_t>(text_.skip_block() - target_.text.data());
    } else {
      text_.expect(';', "or a body after the head of a function");
    }
    target_.functions.push_back(std::move(result));
  }

  /// Parses the directives between the parts of a function's head.
  void parse_function_directives(function& f) {
    while (text_.take('.')) {
      const std::string_view word = text_.modifier();
      if (word == "maxntid") {
        parse_extent(f.max_threads);
      } else if (word == "reqntid") {
        parse_extent(f.required_threads);
      } else if (word == "reqnctapercluster") {
        parse_extent(f.required_cluster);
      } else if (word == "minnctapersm") {
        f.min_blocks_per_multiprocessor = text_.small_integer("the number of blocks after .minnctapersm");
      } else if (word == "maxnreg") {
        f.max_registers = text_.small_integer("the number of registers after .maxnreg");
      } else if (word == "pragma") {
        text_.skip_pragma();
      } else if (word == "attribute") {
        declaration_head ignored;
        (void)apply_directive(text_, word, ignored);
      } else if (word == "maxclusterrank") {
        f.max_cluster_blocks = text_.small_integer("the number of blocks after .maxclusterrank");
      } else if (word == "explicitcluster") {
        f.explicit_cluster = true;
      } else if (word == "maxnctapersm" || word == "abi_preserve" || word == "abi_preserve_control") {
        (void)text_.small_integer("a number in the head of a function");
      } else if (word != "noreturn" && word != "blocksareclusters") {
        text_.fail("unknown directive '." + std::string(word) + "' in the head of a function");
      }
    }
  }

  /// Parses one to three numbers; missing ones are 1.
  void parse_extent(std::uint32_t (&extent)[3]) {
    extent[0] = text_.small_integer("a number of threads");
    extent[1] = extent[2] = 1;
    for (std::size_t i = 1; i < 3 && text_.take(','); ++i) extent[i] = text_.small_integer("a number of threads");
  }

  void index_functions() {
    for (std::size_t i = 0; i < target_.functions.size(); ++i) {
      const auto [entry, fresh] = target_.function_index.emplace(target_.functions[i].name, i);
      if (!fresh && target_.functions[i].has_body) entry->second = i;
    }
    for (const auto& [alias, aliasee] : aliases_) {
      const auto found = target_.function_index.find(aliasee);
      if (found == target_.function_index.end()) text_.fail(".alias names '" + aliasee + "', which is not declared");
      target_.function_index[alias] = found->second;
    }
  }

  module& target_;
  cursor text_;
  bool versioned_ = false;
  std::vector<std::pair<std::string, std::string>> aliases_;
};

}  // namespace

module parse_module(std::string text) {
  module result;
  result.text = std::move(text);
  module_parser(result).parse();
  return result;
}

}  // namespace emulator::ptx
