#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "emulator/ptx/declarations.hpp"
#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/locations.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptx/operands.hpp"
#include "emulator/ptx/scope.hpp"

namespace emulator::ptx {
namespace {

/// Far more than any compiler emits. A larger count means that the text is damaged, and would only use up memory.
constexpr std::uint64_t max_registers = 1u << 20;
constexpr std::size_t deepest_block = 256;

/// Parses the body of one function.
class body_parser {
 public:
  body_parser(std::string_view body, std::uint32_t line, const function& head)
      : text_(body, line), operands_(text_, registers_, variables_) {
    result_.instructions.reserve(static_cast<std::size_t>(std::count(body.begin(), body.end(), ';')));
    for (const auto* list : {&head.results, &head.parameters}) {
      for (const variable& v : *list) {
        if (v.space == state_space::reg) add_register(v.name, {.space = state_space::reg, .type = v.type});
      }
    }
  }

  function_body parse() {
    while (!text_.at_end()) parse_statement();
    if (open_.size() != 1) text_.fail("the body ends inside a block");
    resolve();
    result_.locations = locations_.take();
    return std::move(result_);
  }

 private:
  struct unresolved {
    std::size_t instruction;
    std::size_t operand;
    std::uint32_t scope;
    std::string_view name;
  };
  struct unresolved_table {
    std::vector<std::string_view> labels;
    std::uint32_t scope;
    std::uint32_t line;
  };

  void parse_statement() {
    switch (text_.peek()) {
      case '{':
        return open_block();
      case '}':
        return close_block();
      case ';':
        return text_.step();
      case '@':
        return parse_guarded();
      case '.':
        text_.step();
        return parse_directive(text_.modifier());
      default:
        break;
    }
    const std::uint32_t line = text_.line();
    const std::string_view name = text_.identifier();
    if (text_.here() == ':' || text_.peek() == ':') {
      text_.step();
      parse_label(name);
    } else {
      parse_instruction(name, line);
    }
  }

  void open_block() {
    text_.step();
    if (open_.size() >= deepest_block) text_.fail("blocks are nested too deeply");
    registers_.open();
    variables_.open();
    parents_.push_back(open_.back());
    open_.push_back(static_cast<std::uint32_t>(parents_.size() - 1));
  }

  void close_block() {
    text_.step();
    if (open_.size() == 1) text_.fail("'}' without '{'");
    registers_.close();
    variables_.close();
    open_.pop_back();
  }

  void parse_directive(std::string_view word) {
    if (word == "loc") {
      location_ = locations_.parse(text_);
    } else if (word == "pragma") {
      text_.skip_pragma();
    } else {
      declaration_head head;
      if (!apply_directive(text_, word, head)) text_.fail("unknown directive '." + std::string(word) + "' in a body");
      parse_head(text_, head);
      parse_declarations(head);
    }
  }

  void parse_declarations(const declaration_head& head) {
    if (head.space == state_space::generic) text_.fail("a declaration in a body names no state space");
    do {
      if (head.space == state_space::reg) {
        parse_register(head);
        continue;
      }
      variable v = parse_variable(text_, head);
      const std::string_view name = keep(v.name);
      v.name = unique_variable_(name);
      if (!variables_.add(name, v.name)) text_.fail(quote(name) + " is declared twice in one block");
      result_.variables.push_back(std::move(v));
    } while (text_.take(','));
    text_.expect(';', "after a declaration");
  }

  /// Parses `name` or `name<count>`.
  void parse_register(const declaration_head& head) {
    const std::string_view name = text_.identifier();
    if (!text_.take('<')) return add_register(name, head);
    const std::uint64_t count = text_.unsigned_integer();
    text_.expect('>', "after the number of registers");
    add_register(name, head, count);
  }

  /// Declares `name` or, if a count is given, `name0`, `name1` …
  void add_register(std::string_view name, const declaration_head& head, std::optional<std::uint64_t> range = {}) {
    if (head.type == scalar_type::none) text_.fail("register " + quote(name) + " has no type");
    const register_place place{static_cast<std::uint32_t>(result_.registers.size()), head.vector_width};
    const std::uint64_t count = range.value_or(1);
    if (count > max_registers || place.index + count * head.vector_width > max_registers) {
      text_.fail("more than 2^20 registers in one function");
    }
    const bool fresh =
        range ? registers_.add_range(name, static_cast<std::uint32_t>(count), place) : registers_.add(name, place);
    if (!fresh) text_.fail("register " + quote(name) + " is declared twice in one block");
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string full(name);
      if (range) full += std::to_string(i);
      for (unsigned k = 0; k < head.vector_width; ++k) {
        const std::string element = head.vector_width == 1 ? full : full + '.' + "xyzwabcd"[k];
        result_.registers.push_back({element, head.type});
      }
    }
  }

  /// Parses what follows `name:`. This may also be a list of targets or a prototype for a later instruction.
  void parse_label(std::string_view name) {
    if (text_.peek() == '.') {
      cursor ahead = text_;
      ahead.step();
      const std::string_view word = ahead.modifier();
      if (word == "branchtargets") {
        text_ = ahead;
        return parse_branch_table(name);
      }
      if (word == "callprototype" || word == "calltargets") {
        // The arguments of an indirect call are sufficient to execute it.
        text_ = ahead;
        return skip_statement();
      }
    }
    const auto index = static_cast<std::uint32_t>(result_.labels.size());
    if (!labels_.add(name, open_.back(), index)) text_.fail("label " + quote(name) + " is defined twice in one block");
    result_.labels.push_back(unique_label_(name));
    result_.label_targets.push_back(static_cast<std::uint32_t>(result_.instructions.size()));
  }

  void parse_branch_table(std::string_view name) {
    unresolved_table table{{}, open_.back(), text_.line()};
    do {
      table.labels.push_back(text_.identifier());
    } while (text_.take(','));
    text_.expect(';', "after .branchtargets");
    const auto index = static_cast<std::uint32_t>(tables_to_resolve_.size());
    if (!tables_.add(name, open_.back(), index)) text_.fail(quote(name) + " is defined twice in one block");
    tables_to_resolve_.push_back(std::move(table));
  }

  void skip_statement() {
    while (!text_.take(';')) {
      if (text_.at_end()) text_.fail("the body ends inside a directive");
      text_.step();
    }
  }

  void parse_guarded() {
    const std::uint32_t line = text_.line();
    text_.step();
    const bool negated = text_.take('!');
    const std::string_view name = text_.identifier();
    const auto guard = registers_.find(name);
    if (!guard || result_.registers[guard->index].type != scalar_type::pred) {
      text_.fail(quote(name) + " after '@' is not a declared predicate");
    }
    parse_instruction(text_.identifier(), line);
    result_.instructions.back().guard = guard->index;
    result_.instructions.back().guard_negated = negated;
  }

  void parse_instruction(std::string_view opcode, std::uint32_t line) {
    instruction& next = result_.instructions.emplace_back();
    next.opcode = opcode;
    next.ptx_line = line;
    next.location = location_;
    modifiers_.clear();
    while (text_.take('.')) modifiers_.push_back(text_.modifier());
    next.modifiers.assign(modifiers_.begin(), modifiers_.end());
    if (text_.take(';')) return;

    scratch_.clear();
    do {
      scratch_.push_back(operands_.read());
    } while (text_.take(','));
    text_.expect(';', "after an instruction");
    next.operands.assign(std::make_move_iterator(scratch_.begin()), std::make_move_iterator(scratch_.end()));
    note_targets(next);
  }

  /// Stores the labels of a branch to resolve them later, because they may follow it.
  void note_targets(const instruction& branch) {
    if (branch.opcode != "bra" && branch.opcode != "brx") return;
    const std::size_t place = branch.opcode == "brx" ? 1 : 0;
    if (branch.operands.size() <= place || branch.operands[place].what != operand::kind::symbol) {
      text_.fail(quote(branch.mnemonic()) + " names no target");
    }
    to_resolve_.push_back({result_.instructions.size() - 1, place, open_.back(), keep(branch.operands[place].name)});
  }

  void resolve() {
    for (const unresolved& use : to_resolve_) {
      instruction& branch = result_.instructions[use.instruction];
      operand& target = branch.operands[use.operand];
      const bool is_table = branch.opcode == "brx";
      const auto found = (is_table ? tables_ : labels_).find(use.name, use.scope, parents_);
      if (!found) throw parse_error(branch.ptx_line, "branch target " + quote(use.name) + " is not defined");
      target.index = *found;
      if (is_table) continue;
      target.what = operand::kind::label;
      target.name = result_.labels[*found];
    }
    for (const unresolved_table& table : tables_to_resolve_) {
      auto& targets = result_.branch_tables.emplace_back();
      for (const std::string_view name : table.labels) {
        const auto found = labels_.find(name, table.scope, parents_);
        if (!found) throw parse_error(table.line, "branch target " + quote(name) + " is not defined");
        targets.push_back(*found);
      }
    }
  }

  /// Returns a view of `name` that lives as long as the parser.
  std::string_view keep(const std::string& name) { return *kept_.insert(name).first; }

  cursor text_;
  function_body result_;
  register_scopes registers_;
  scoped_map<std::string> variables_;
  forward_names labels_, tables_;
  unique_names unique_variable_, unique_label_;
  location_table locations_;
  operand_reader operands_;
  std::unordered_set<std::string> kept_;
  std::int32_t location_ = -1;
  std::vector<std::uint32_t> parents_{0};  ///< Indexed by block; block 0 is the body.
  std::vector<std::uint32_t> open_{0};     ///< The blocks that are open at this point of the text, outermost first.
  std::vector<unresolved> to_resolve_;
  std::vector<unresolved_table> tables_to_resolve_;
  std::vector<std::string_view> modifiers_;
  std::vector<operand> scratch_;
};

}  // namespace

void parse_body(const module& m, function& f) {
  if (f.parsed) return;
  if (f.has_body) {
    if (f.body_begin > f.body_end || f.body_end > m.text.size()) {
      throw parse_error(f.body_line, "the body of '" + f.name + "' is not in this module's text");
    }
    const std::string_view body = std::string_view(m.text).substr(f.body_begin, f.body_end - f.body_begin);
    static_cast<function_body&>(f) = body_parser(body, f.body_line, f).parse();
    apply_unit(f);
  }
  f.parsed = true;
}

}  // namespace emulator::ptx
