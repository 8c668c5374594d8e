// sass: prints the machine code of a program's kernels, with the scheduler's control fields.

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

#include "host/output_file.hpp"
#include "host/terminal.hpp"
#include "machine_code/sass/checks.hpp"
#include "machine_code/sass/difference.hpp"
#include "machine_code/sass/json.hpp"
#include "machine_code/sass/listing.hpp"
#include "machine_code/sass/parse.hpp"
#include "machine_code/sass/program/command_line.hpp"
#include "machine_code/sass/program/disassembler.hpp"
#include "machine_code/sass/program/selection.hpp"

namespace {

using sass_tool::request;
using sass_tool::selection;
using sass_tool::task;

constexpr int status_findings = 1;

sass::listing_style style_for(const request& wanted) {
  constexpr std::size_t narrowest = 80, widest = 120;
  sass::listing_style style;
  style.width = std::clamp(host::terminal_columns(STDOUT_FILENO).value_or(widest), narrowest, widest);
  style.color = host::takes_color(STDOUT_FILENO);
  style.fold_prologue = !wanted.whole;
  style.loop = wanted.loop;
  style.lines = wanted.lines;
  return style;
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_end(const request& wanted, const selection& from) {
  std::set<std::string> warnings;
  for (const sass::function* f : from.functions()) warnings.insert(sass::warning_for(f->architecture));
  warnings.erase("");
  for (const std::string& warning : warnings) fmt::print("\n{}\n", warning);
  fmt::print("\nassembled by CUDA {}, read by nvdisasm {}\n", from.toolkit(),
             sass_tool::disassembler_version(wanted.nvdisasm));
}

void print_listing(const request& wanted, const selection& from) {
  const bool is_asked_for = !wanted.kernels.empty() || wanted.loop || wanted.lines || wanted.whole;
  if (from.functions().size() > 1 && !is_asked_for) {
    print(sass::overview(from.functions(), style_for(wanted).width));
    fmt::print("\n{} kernels; --kernel NAME shows one\n", from.functions().size());
    return;
  }
  for (const sass::function* f : from.functions()) {
    if (f != from.functions().front()) fmt::print("\n\n");
    print(sass::listing(*f, style_for(wanted)));
  }
}

/// Checks all functions. \return the number of violations
std::size_t print_checks(const selection& from, bool quiet) {
  std::size_t found = 0, instructions = 0;
  for (const sass::function* f : from.functions()) {
    instructions += f->code.size();
    for (const std::string& sentence : sass::check(*f)) {
      ++found;
      if (!quiet) fmt::print("{} {}: {}\n", f->architecture, sass::shown_name(f->name), sentence);
    }
  }
  if (!quiet) {
    fmt::print("{} kernels, {} instructions: {} finding{}\n", from.functions().size(), instructions, found,
               found == 1 ? "" : "s");
  }
  return found;
}

nlohmann::json report(const request& wanted, const selection& from) {
  nlohmann::json result = {{"schema", 1},
                           {"files", wanted.files},
                           {"toolkit", from.toolkit()},
                           {"nvdisasm", sass_tool::disassembler_version(wanted.nvdisasm)}};
  if (wanted.wanted == task::difference) {
    result["difference"] = sass::to_json(from.only(wanted.difference[0]), from.only(wanted.difference[1]));
    return result;
  }
  result["kernels"] = nlohmann::json::array();
  for (const sass::function* f : from.functions()) {
    nlohmann::json kernel = sass::to_json(*f);
    kernel["warning"] = sass::warning_for(f->architecture);
    if (wanted.wanted == task::check) kernel["findings"] = sass::check(*f);
    result["kernels"].push_back(std::move(kernel));
  }
  return result;
}

int run(const request& wanted) {
  host::json_file json(wanted.json_path);
  const bool only_json = json.is_standard_output();
  const selection from(wanted);
  std::size_t findings = 0;
  if (!only_json && wanted.wanted == task::difference) {
    print(sass::difference(from.only(wanted.difference[0]), from.only(wanted.difference[1]), style_for(wanted).width));
    print_end(wanted, from);
  } else if (wanted.wanted == task::check) {
    findings = print_checks(from, only_json);
  } else if (!only_json && wanted.wanted == task::names) {
    for (const sass::function* f : from.functions()) {
      fmt::print("{} {}\n", f->architecture, sass::shown_name(f->name));
    }
  } else if (!only_json) {
    if (wanted.wanted == task::table) {
      print(sass::overview(from.functions(), style_for(wanted).width));
    } else {
      print_listing(wanted, from);
    }
    print_end(wanted, from);
  }
  if (json.wanted()) json.write(report(wanted, from), 1);
  return findings == 0 ? 0 : status_findings;
}

}  // namespace

int main(int argc, char* argv[]) {
  return sass_tool::run_request(argc, argv, run);
}
