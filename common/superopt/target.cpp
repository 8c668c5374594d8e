#include "superopt/target.hpp"

#include <fmt/format.h>

#include "superopt/liveness.hpp"
#include "superopt/named_files.hpp"
#include "superopt_paths.hpp"

namespace superopt {

target parse_text(const std::string& text, const std::string& name);

namespace {

/// Names the instruction that first reads what is not defined there.
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

}  // namespace superopt
