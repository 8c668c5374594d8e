#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

#include "emulator/ptx/module.hpp"
#include "support/catch.hpp"

using namespace emulator::ptx;

namespace {

/// Returns the PTX that nvcc made from sample.cu.
const std::string& sample() {
  static const std::string text = [] {
    std::ifstream file(WORKBOOK_SAMPLE_PTX);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  REQUIRE(text.size() > 10000);
  return text;
}

/// Counts the instructions of a body without using the parser. These are the statements that end in ';' and are not
/// directives. Labels and braces before a statement are removed first.
std::size_t count_statements(const std::string& body) {
  std::string plain, line;
  for (std::istringstream lines(body); std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line.compare(first, 4, ".loc") != 0) plain += line + ' ';
  }
  std::size_t count = 0;
  for (std::istringstream statements(plain); std::getline(statements, line, ';');) {
    for (;;) {
      const std::size_t first = line.find_first_not_of(" \t{}");
      line = first == std::string::npos ? "" : line.substr(first);
      const std::size_t colon = line.find_first_not_of(" \t", line.find_first_of(" \t:.,;@("));
      if (colon == std::string::npos || line[colon] != ':') break;
      line = line.substr(colon + 1);
    }
    count += !line.empty() && line[0] != '.';
  }
  return count;
}

/// Parses a module and all its bodies. Returns false if one of them is refused. Exceptions other than parse_error fail
/// the test.
bool survives(const std::string& text, std::size_t* function_count = nullptr) {
  try {
    module m = parse_module(text);
    for (function& f : m.functions) parse_body(m, f);
    if (function_count) *function_count = m.functions.size();
    return true;
  } catch (const parse_error& e) {
    CHECK(e.line() >= 1);
    return false;
  }
}

}  // namespace

TEST_CASE("every instruction that nvcc wrote is read") {
  module m = parse_module(sample());
  std::size_t bodies = 0;
  for (function& f : m.functions) {
    if (!f.has_body) continue;
    INFO(f.name);
    parse_body(m, f);
    CHECK(f.instructions.size() == count_statements(m.text.substr(f.body_begin, f.body_end - f.body_begin)));
    CHECK(f.instructions.size() > 1);
    ++bodies;
  }
  // Four kernels, and three functions that may not be inlined.
  CHECK(bodies == 7);
}

TEST_CASE("the compiled sample's kernels have the parameters and lines of the source") {
  module m = parse_module(sample());
  function& kernel = m.functions.at(m.function_index.at("_Z7mixture6triplePfi"));
  CHECK(kernel.is_entry);
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[0].size_bytes() == 24);
  CHECK(kernel.parameters[0].alignment == 8);
  CHECK(kernel.parameters[1].size_bytes() == 8);
  CHECK(kernel.parameters[2].size_bytes() == 4);
  const function& bounded = m.functions.at(m.function_index.at("_Z8grid_sumPKiPii"));
  CHECK(bounded.max_threads[0] == 256);
  CHECK(bounded.min_blocks_per_multiprocessor == 2);

  parse_body(m, kernel);
  std::size_t with_line = 0;
  for (const instruction& i : kernel.instructions) {
    if (i.location < 0) continue;
    const source_location& at = kernel.locations.at(static_cast<std::size_t>(i.location));
    CHECK(m.files.count(at.file) == 1);
    with_line += at.line > 0;
  }
  CHECK(with_line * 2 > kernel.instructions.size());
}

TEST_CASE("the compiled sample's variables have their initial values") {
  const module m = parse_module(sample());
  const auto find = [&](const std::string& name) {
    for (const variable& v : m.variables) {
      if (v.name == name) return v;
    }
    throw std::runtime_error("no variable " + name);
  };
  CHECK(find("counter").initial == std::vector<std::uint8_t>{7, 0, 0, 0});
  CHECK(find("weights").space == state_space::constant);
  // These are 1.0f and 2.0f as bytes.
  CHECK(find("weights").initial == std::vector<std::uint8_t>{0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64});
  const variable pointer = find("where");
  REQUIRE(pointer.relocations.size() == 1);
  CHECK(pointer.relocations[0].symbol == "counter");
  CHECK(pointer.relocations[0].generic);
}

TEST_CASE("a text that ends too early is an error or a smaller module, at every line") {
  std::size_t all = 0;
  REQUIRE(survives(sample(), &all));
  std::size_t refused = 0, cuts = 0;
  for (std::size_t at = 0; at != std::string::npos; at = sample().find('\n', at + 1), ++cuts) {
    std::size_t count = 0;
    if (survives(sample().substr(0, at), &count)) {
      CHECK(count <= all);
    } else {
      ++refused;
    }
  }
  CHECK(refused * 2 > cuts);
}

TEST_CASE("the smallest kernel is refused at every cut inside it") {
  const std::string text =
      ".version 9.0\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 raw[];\n"
      ".entry k(.param .u64 a)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.loc 1 2 3, function_name $x, inlined_at 1 2 "
      "3\n"
      "@!%p1 bra $end;\n{ // callseq\n.param .b32 q;\ncall (q), f, (q);\n}\nld.v2.u32 {%r1, _}, [raw+-4];\n$end: "
      "ret;\n}";
  CHECK(survives(text));
  for (std::size_t length = text.find(".entry") + 6; length < text.size(); ++length) {
    INFO(text.substr(0, length));
    CHECK_FALSE(survives(text.substr(0, length)));
  }
}

TEST_CASE("damaged bytes are errors or other programs, never a crash") {
  std::mt19937 random(20240607);
  constexpr char likely[] = "{}()[];,.:@!%<>\"/*-+0123456789abcdefx$_ \n\t\0\xff";
  std::size_t refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = sample();
    for (int i = 0; i < 1 + round % 20; ++i) {
      text[random() % text.size()] =
          round % 2 ? likely[random() % (sizeof likely - 1)] : static_cast<char>(random() % 256);
    }
    refused += !survives(text);
  }
  CHECK(refused > 100);
}
