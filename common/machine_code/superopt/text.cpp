// Parses and prints targets, instructions and programs, and prints proofs.

#include <cctype>
#include <sstream>

#include <fmt/format.h>

#include "machine_code/superopt/named_files.hpp"
#include "machine_code/superopt/prove.hpp"
#include "machine_code/superopt/target.hpp"
#include "superopt_paths.hpp"

namespace superopt {
namespace {

constexpr std::string_view minmax_names[] = {"MIN", "MAX", "U32.MIN", "U32.MAX"};
constexpr std::string_view reduction_names[] = {"SUM", "MIN.S32", "MAX.S32", "MIN.U32", "MAX.U32", "AND", "OR", "XOR"};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string register_text(std::uint8_t reg) {
  return reg == zero_register ? "rz" : "r" + std::to_string(reg);
}

[[noreturn]] void fail(const std::string& message) {
  throw bad_input(message);
}

std::uint64_t number(const std::string& word, const std::string& what, std::uint64_t below) {
  std::size_t used = 0;
  std::uint64_t value = 0;
  try {
    value = std::stoull(word, &used, 0);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != word.size() || word[0] == '-' || value >= below)
    fail(fmt::format("'{}' is not a {}: give a whole number from 0 to {}", word, what, below - 1));
  return value;
}

std::uint8_t parse_register(const std::string& word) {
  const std::string name = upper(word);
  if (name == "RZ" || name == "R255") return zero_register;
  if (name.size() < 2 || name[0] != 'R' || !std::isdigit(static_cast<unsigned char>(name[1])))
    fail(fmt::format("'{}' is not a register: give r0 to r{}, or rz", word, register_count - 1));
  return static_cast<std::uint8_t>(number(name.substr(1), "register's number", register_count));
}

/// Returns the words of a line, separated by blanks or commas.
std::vector<std::string> words_of(std::string line) {
  for (char& c : line) {
    if (c == ',') c = ' ';
  }
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Returns an instruction without operands. Some names contain the immediate, such as "IMNMX.U32.MAX" and "REDUX.SUM".
instruction parse_name(const std::string& word) {
  const std::string name = upper(word);
  for (std::uint32_t k = 0; k < std::size(minmax_names); ++k) {
    if (name == fmt::format("IMNMX.{}", minmax_names[k])) return {.op = opcode::imnmx, .immediate = k};
  }
  for (std::uint32_t k = 0; k < std::size(reduction_names); ++k) {
    if (name == fmt::format("REDUX.{}", reduction_names[k])) return {.op = opcode::redux, .immediate = k};
  }
  const std::optional<opcode> op = opcode_named(name);
  if (!op || *op == opcode::imnmx || *op == opcode::redux) {
    std::string known;
    for (unsigned k = 0; k < opcode_count; ++k) known += fmt::format(" {}", facts_of(static_cast<opcode>(k)).name);
    fail(fmt::format("unknown opcode '{}'; there are{} (IMNMX.MIN, .MAX, .U32.MIN, .U32.MAX; REDUX.SUM, .AND, …)", word,
                     known));
  }
  return {.op = *op};
}

std::uint32_t parse_lanes(const std::vector<std::string>& words, std::size_t from) {
  std::uint32_t lanes = 0;
  for (std::size_t k = from; k < words.size(); ++k) {
    const std::size_t dash = words[k].find('-');
    const auto first = number(words[k].substr(0, dash), "lane", warp_size);
    const auto last = dash == std::string::npos ? first : number(words[k].substr(dash + 1), "lane", warp_size);
    for (auto l = first; l <= last; ++l) lanes |= 1u << l;
  }
  if (lanes == 0) fail("no lanes: write `lanes 0-15`, or leave `lanes` out for all 32");
  return lanes;
}

place parse_place(const std::vector<std::string>& words) {
  if (words.size() < 2) fail(fmt::format("`{}` needs a register", words[0]));
  place p;
  p.reg = parse_register(words[1]);
  if (p.reg == zero_register) fail("rz is neither input nor output");
  if (words.size() == 2) return p;
  if (upper(words[2]) != "LANES") fail(fmt::format("'{}': write `lanes` after the register", words[2]));
  p.lanes = parse_lanes(words, 3);
  return p;
}

target parse_text(const std::string& text, const std::string& name) {
  target t;
  t.name = name;
  std::istringstream lines(text);
  int number_of_line = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number_of_line;
    line = line.substr(0, line.find_first_of("#;"));  // without its comment
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    try {
      if (upper(words[0]) == "INPUT") {
        t.inputs.push_back(parse_place(words));
      } else if (upper(words[0]) == "OUTPUT") {
        t.outputs.push_back(parse_place(words));
      } else {
        if (t.code.full()) fail(fmt::format("more than {} instructions", max_instructions));
        t.code.push_back(parse_instruction(line));
      }
    } catch (const bad_input& error) {
      throw bad_input(fmt::format("{}:{}: {}", name, number_of_line, error.what()));
    }
  }
  return t;
}

/// Returns the text of the first instruction that reads the undefined lanes.
std::string where_read(const target& t, const undefined_read& read) {
  const liveness found = find_needed(t.code, t);
  bool written = false;
  for (unsigned k = 0; k < t.code.size(); ++k) {
    const instruction& i = t.code[k];
    for (unsigned s = 0; s < i.source_count() && !written; ++s) {
      if (i.sources[s] == read.reg && (lanes_read(i, s, found.needed[k]) & read.lanes) != 0)
        return fmt::format("`{}`", to_text(i));
    }
    written = written || i.destination == read.reg;
  }
  return "an output";
}

}  // namespace

std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  for (unsigned l = 0; l < warp_size; ++l) {
    if ((lanes >> l & 1) == 0) continue;
    unsigned last = l;
    while (last + 1 < warp_size && (lanes >> (last + 1) & 1) != 0) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", l);
    if (last != l) text += fmt::format("-{}", last);
    l = last;
  }
  return text;
}

std::string to_text(const instruction& i) {
  const opcode_facts& facts = facts_of(i.op);
  std::string text(facts.name);
  if (i.op == opcode::imnmx) text += fmt::format(".{}", minmax_names[i.immediate & 3]);
  if (i.op == opcode::redux) text += fmt::format(".{}", reduction_names[i.immediate & 7]);
  text += " " + register_text(i.destination);
  for (unsigned s = 0; s < facts.sources; ++s) text += ", " + register_text(i.sources[s]);
  if (facts.immediate == immediate_kind::lane) text += fmt::format(", {}", i.immediate);
  if (facts.immediate == immediate_kind::truth_table) text += fmt::format(", 0x{:02x}", i.immediate);
  if (facts.immediate == immediate_kind::lane_mask) text += fmt::format(", 0x{:08x}", i.immediate);
  return text;
}

std::string to_text(const program& p) {
  std::string text;
  for (const instruction& i : p) text += to_text(i) + "\n";
  return text;
}

instruction parse_instruction(const std::string& line) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) fail("the line is empty; give an instruction");
  instruction i = parse_name(words[0]);
  const opcode_facts& facts = facts_of(i.op);
  const bool trailing = facts.immediate == immediate_kind::lane || facts.immediate == immediate_kind::truth_table ||
                        facts.immediate == immediate_kind::lane_mask;
  const std::size_t wanted = 2 + facts.sources + (trailing ? 1 : 0);
  if (words.size() != wanted)
    fail(fmt::format("{} has {} operands, and '{}' gives {}", facts.name, wanted - 1, line, words.size() - 1));
  i.destination = parse_register(words[1]);
  if (i.destination == zero_register) fail("rz cannot be written");
  for (unsigned s = 0; s < facts.sources; ++s) i.sources[s] = parse_register(words[2 + s]);
  if (trailing) {
    const char* what = facts.immediate == immediate_kind::lane          ? "lane or distance"
                       : facts.immediate == immediate_kind::truth_table ? "truth table"
                                                                        : "mask of lanes";
    i.immediate = static_cast<std::uint32_t>(number(words.back(), what, values_of(facts.immediate)));
  }
  return i;
}

program parse_program(const std::string& text) {
  return parse_text(text, "program").code;
}

target parse_target(const std::string& text, const std::string& name) {
  target t = parse_text(text, name);
  if (t.outputs.empty()) throw bad_input(name + ": no output; write a line such as `output r4 lanes 0`");
  if (t.code.size() == 0) throw bad_input(name + ": no instruction, so there is nothing to improve");
  if (const auto read = find_needed(t.code, t).undefined) {
    throw bad_input(
        fmt::format("{}: {} reads lanes {} of r{}, which nothing defines; widen an `input` line, or compute fewer "
                    "lanes of the output",
                    name, where_read(t, *read), lanes_text(read->lanes), read->reg));
  }
  return t;
}

target load_target(const std::string& name_or_file) {
  return parse_target(read_named(name_or_file, targets_folder, ".txt", "target"), name_or_file);
}

std::vector<std::string> known_targets() {
  return names_in(targets_folder, ".txt");
}

std::string to_text(const proof& p) {
  switch (p.is) {
    case verdict::proved:
      return "proved";
    case verdict::refuted:
      return "refuted";
    default:
      return "not proved: " + p.reason;
  }
}

}  // namespace superopt
