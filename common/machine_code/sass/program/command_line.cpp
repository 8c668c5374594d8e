#include "machine_code/sass/program/command_line.hpp"

#include "host/command_line.hpp"
#include "host/count.hpp"
#include "host/program.hpp"

namespace sass_tool {
namespace {

using host::usage_error;

/// Parses "22" or "22-25".
std::pair<unsigned, unsigned> parse_lines(const std::string& text) {
  const auto number = [&](const std::string& digits) {
    const std::optional<std::uint64_t> line = host::whole_number(digits);
    if (!line || digits.size() > 7) throw usage_error("--lines takes source lines, as 22 or 22-25, not '" + text + "'");
    return static_cast<unsigned>(*line);
  };
  const std::size_t dash = text.find('-');
  const unsigned first = number(text.substr(0, dash));
  const unsigned last = dash == std::string::npos ? first : number(text.substr(dash + 1));
  if (last < first) throw usage_error("--lines " + text + " ends before it begins");
  return {first, last};
}

/// Adds the options to `app`, with their variables in `into`.
void add_options(host::parser& app, request& into) {
  app.help_says("Print this text");
  app.add_option("files", into.files, "Files with the machine code");
  app.add_option("--kernel", into.kernels,
                 "Kernels whose name is or contains this; may be repeated. Default: the only kernel "
                 "there is, or a table of all")
      .may_be_repeated();
  app.add_option("--arch", into.architectures, "Architectures, as sm_75,sm_90; all (the newest in the files)")
      .may_be_repeated()
      .delimiter(',');
  app.add_option("--loop", into.loop, "Only loop N of the table below a listing");
  app.add_call(
         "--lines", [&](const std::string& text) { into.lines = parse_lines(text); },
         "Only the instructions of these source lines")
      .type_name("A-B");
  app.add_flag("--all", into.whole, "Show the prologue, too, which is one line otherwise");
  const auto prints = [&](const std::string& name, task what, const std::string& words) {
    app.add_flag_call(
        name,
        [&into, what] {
          if (into.wanted != task::listing)
            throw usage_error("--table, --check, --names and --diff each print something else: choose one");
          into.wanted = what;
        },
        words);
  };
  prints("--table", task::table, "Print a line of counts for each kernel");
  prints("--check", task::check, "Check the control fields: every wait has its barrier, every load sets one");
  prints("--names", task::names, "Print the kernels' names");
  app.add_option("--diff", into.difference, "Print what changed from kernel A to kernel B")
      .expected(2, 2)
      .type_name("A B");
  app.add_option("--json", into.json_path,
                 "Write everything as data to this file; - is standard output, and then nothing else is printed there");
  app.add_option("--nvdisasm", into.nvdisasm, "The disassembler (that of CUDA_HOME, of PATH, of this build)");
  app.footer(R"(
The scheduler's field is wait:rd:wr:yield:stall. wait: barriers to wait for, a mask of six; rd, wr: the barrier that
this instruction sets until its operands are read, its result is written; yield: Y if the hint's bit is set; stall:
cycles until the warp's next instruction. Then follow the guard, the instruction, the number of the innermost loop
around it, a mark for instructions of interest, and the source line.

The field is known for Volta (sm_70) to Hopper (sm_90). Older machine code is refused; for newer the same field is
shown, with a warning.

Exit status: 0; 1 --check found something; 2 bad usage, or nothing of what was asked for is in the files; 3 a program of
the toolkit is missing or failed.)");
}

/// Rejects invalid combinations of options, and sets derived values.
void complete(request& wanted) {
  if (wanted.files.empty()) throw usage_error("no file is given");
  if (!wanted.difference.empty()) {
    if (wanted.wanted != task::listing)
      throw usage_error("--table, --check, --names and --diff each print something else: choose one");
    if (!wanted.kernels.empty()) throw usage_error("--diff names its two kernels itself: leave out --kernel");
    wanted.wanted = task::difference;
  }
  if ((wanted.loop || wanted.lines || wanted.whole) && wanted.wanted != task::listing) {
    throw usage_error("--loop, --lines and --all are for a listing");
  }
}

}  // namespace

int run_request(int argc, char** argv, int (*run)(const request&)) {
  request wanted;
  host::parser app(
      "Prints the machine code (SASS) in object files, programs, libraries, fat binaries and cubins: the address of "
      "each\n"
      "instruction, the scheduler's control field, predicate, opcode, operands, and the source line.",
      "sass");
  add_options(app, wanted);
  return host::run_program(app, argc, argv, host::status_bad_usage, [&] {
    complete(wanted);
    return run(wanted);
  });
}

}  // namespace sass_tool
