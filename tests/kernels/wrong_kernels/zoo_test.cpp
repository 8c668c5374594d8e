// Every wrong kernel is caught by the check that its header names, at the line that is marked in the file.

#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>

#include "kernels/wrong_kernels/rungs.hpp"
#include "support/catch.hpp"
#include "workbook/laboratory.hpp"

using namespace workbook;

namespace {

/// The expectations in the header of a wrong kernel.
struct promise {
  std::string check;
  unsigned line = 0;  ///< 0 if no line is marked, because the finding is about a call on the host.
  unsigned note = 0;  ///< A line for which the report must contain a note; 0 if there is none.
  std::optional<problem> wrong_for;
  std::optional<problem> right_for;
};

/// Parses "n = 1000, blocks of 128, int". Throws std::runtime_error if the text has a different form.
problem read_problem(const std::string& text) {
  static const std::regex form(R"(n = (\d+), blocks of (\d+), (int|unsigned|longlong|float|double))");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) throw std::runtime_error("not a problem: " + text);
  problem p;
  p.count = std::stoull(parts[1]);
  p.block_size = static_cast<unsigned>(std::stoul(parts[2]));
  for (const element_type type :
       {element_type::int32, element_type::uint32, element_type::int64, element_type::float32, element_type::float64}) {
    if (name_of(type) == parts[3]) p.type = type;
  }
  return p;
}

std::filesystem::path folder() {
  return WORKBOOK_WRONG_KERNELS;
}

promise read_promise(const std::string& name) {
  std::ifstream file(folder() / (name + ".cuh"));
  promise p;
  unsigned line = 0;
  const auto after = [](const std::string& text, const std::string& mark) -> std::optional<std::string> {
    if (text.rfind(mark, 0) != 0) return {};
    return text.substr(mark.size());
  };
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (const auto check = after(text, "// killed by: ")) p.check = *check;
    if (const auto given = after(text, "// shows for: ")) p.wrong_for = read_problem(*given);
    if (const auto given = after(text, "// right for: ")) p.right_for = read_problem(*given);
    if (text.find("// <- finding") != std::string::npos) p.line = line;
    if (text.find("// <- note") != std::string::npos) p.note = line;
  }
  return p;
}

outcome run(const reduction& rung, const problem& given) {
  laboratory lab(given);
  return lab.run(rung, effort{});
}

std::string words(const outcome& o) {
  std::string text =
      "\n  result " + o.result_text + ", " + (o.verified ? "verified" : "not verified") + ", " + o.failure;
  for (const emulator::finding& f : o.findings())
    text += std::string("\n  ").append(name_of(f.check())).append(", ").append(name_of(f.kind)) + " at line " +
            std::to_string(f.line) + ": " + f.message;
  return text;
}

/// Returns true if a finding names `line` of the wrong kernel `name`, for either of its accesses.
bool is_at(const emulator::finding& f, const std::string& name, unsigned line) {
  return f.file.find(name) != std::string::npos && (f.line == line || f.other_line == line);
}

/// Makes kernels that hang stop after this many warp instructions of a block.
void stop_early() {
  emulator::options o = emulator::current_options();
  o.max_instructions = 1'000'000;
  emulator::set_options(o);
}

}  // namespace

TEST_CASE("every wrong kernel is caught by the check that its header names, at its line") {
  stop_early();
  for (const reduction& rung : wrong::zoo()) {
    const promise p = read_promise(rung.name);
    REQUIRE(p.wrong_for);
    const outcome result = run(rung, *p.wrong_for);
    bool found = false;
    for (const emulator::finding& f : result.findings())
      found = found || (name_of(f.check()) == p.check && (p.line == 0 ? f.file.empty() : is_at(f, rung.name, p.line)));
    bool noted = p.note == 0;
    for (const emulator::launch_report& launch : result.launches) {
      for (const emulator::finding& note : launch.notes) noted = noted || is_at(note, rung.name, p.note);
    }
    INFO(rung.name << " should be killed by " << p.check << " at line " << p.line << ":" << words(result));
    CHECK_FALSE(result.passed());
    CHECK(noted);
    if (p.check == "verification" || p.check == "launch") {
      CHECK_FALSE(result.verified);
      // Only the verification finds the mistake.
      CHECK(result.findings().empty());
      if (p.check == "launch") CHECK_THAT(result.failure, ContainsSubstring("cudaErrorInvalid"));
    } else {
      CHECK(found);
    }
  }
}

TEST_CASE("the volatile warp has a right sum by luck of lockstep, and a wrong one where lanes run apart") {
  const problem p{element_type::int32, 1000, 128, 1};
  for (const reduction& rung : wrong::zoo()) {
    if (rung.name != "volatile_warp" && rung.name != "volatile_lanes_apart") continue;
    INFO(rung.name);
    const outcome result = run(rung, p);
    CHECK(result.verified == (rung.name == "volatile_warp"));
    CHECK_FALSE(result.findings().empty());
  }
}

TEST_CASE("a kernel that is wrong for some problems passes for the others") {
  stop_early();
  for (const reduction& rung : wrong::zoo()) {
    const promise p = read_promise(rung.name);
    if (!p.right_for) continue;
    const outcome result = run(rung, *p.right_for);
    INFO(rung.name << words(result));
    CHECK(result.passed());
  }
}

TEST_CASE("a wrong kernel passes or fails on two host threads as on one") {
  stop_early();
  const emulator::options before = emulator::current_options();
  for (const reduction& rung : wrong::zoo()) {
    problem p = *read_promise(rung.name).wrong_for;
    p.count = std::max<std::size_t>(p.count, 20011);  // with fewer blocks, the emulator would use one thread
    bool passed[2] = {};
    for (const unsigned threads : {1u, 2u}) {
      emulator::options o = before;
      o.host_threads = threads;
      emulator::set_options(o);
      passed[threads - 1] = run(rung, p).passed();
    }
    INFO(rung.name);
    CHECK(passed[0] == passed[1]);
  }
  emulator::set_options(before);
}

TEST_CASE("every file of the zoo is run, and a wrong kernel does not affect the next one") {
  std::set<std::string> files, rungs;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".cuh") files.insert(entry.path().stem());
  }
  for (const reduction& rung : wrong::zoo()) rungs.insert(rung.name);
  CHECK(files == rungs);
  CHECK(files.size() >= 30);

  stop_early();
  laboratory lab({element_type::int32, 999, 128, 1});
  const std::vector<reduction> all = wrong::zoo();
  const auto named = [&](const std::string& name) -> const reduction& {
    return *std::find_if(all.begin(), all.end(), [&](const reduction& r) { return r.name == name; });
  };
  for (const char* spoiler :
       {"changes_its_input", "reads_past_end", "endless_loop", "two_barriers", "block_too_large"}) {
    INFO(spoiler);
    CHECK_FALSE(lab.run(named(spoiler), effort{}).passed());
    CHECK(lab.run(named("wrong_for_one_size"), effort{}).passed());  // the kernel is right for 999 elements
  }
}
