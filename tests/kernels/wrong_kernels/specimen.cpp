// specimen NAME COUNT TYPE BLOCK_SIZE: runs a kernel of the zoo on the emulator and prints the findings of the checks.
// Used by `make zoo`. Exit status: 1 if there is a finding, as there should be; 0 if there is none; 2 for bad usage.

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "host/command_line.hpp"
#include "host/program.hpp"
#include "kernels/wrong_kernels/rungs.hpp"
#include "student/player/options.hpp"
#include "workbook/cli_types.hpp"
#include "workbook/laboratory.hpp"
#include "workbook/words.hpp"

namespace {

using namespace workbook;

int run(const std::string& name, const problem& given, const player::wanted& recorded) {
  const std::vector<reduction> all = wrong::zoo();
  const auto found = std::find_if(all.begin(), all.end(), [&](const reduction& r) { return r.name == name; });
  if (found == all.end()) throw host::usage_error("no kernel of the zoo is named " + name);
  emulator::select_device(emulator::device_kind::emulator);
  emulator::options wanted = emulator::current_options();
  // This is enough for every kernel of the zoo that terminates.
  wanted.max_instructions = 1'000'000;
  player::files pages(recorded);
  wanted.trace_path = pages.trace_path();
  emulator::set_options(wanted);
  laboratory lab(given);
  const outcome o = lab.run(*found, effort{});
  pages.write();
  fmt::print("{}\n{}", o.verified ? "The sum is right." : "The sum is wrong, or there is none.", words_for(o));
  return o.passed() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string name;
  problem given;
  host::parser app("Runs a wrong kernel of the zoo on the emulator, and says what the checks say", "specimen");
  app.add_option("name", name, "The kernel").required();
  app.add_option("count", given.count, "Elements").required().transform(a_count());
  app.add_option("type", given.type, "Type of the elements").required().transform(a_type());
  app.add_option("block_size", given.block_size, "Threads per block").required().check(host::number_from(1, 1024));
  player::wanted recorded;
  player::add_options(app, recorded);
  return host::run_program(app, argc, argv, 3, [&] { return run(name, given, recorded); });
}
