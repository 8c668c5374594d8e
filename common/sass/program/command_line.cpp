#include "sass/program/command_line.hpp"

#include <CLI/CLI.hpp>

namespace sass_tool {
namespace {

/// Reads "22" or "22-25".
std::pair<unsigned, unsigned> parse_lines(const std::string& text) {
  const auto number = [&](const std::string& digits) {
    if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != std::string::npos) {
      throw usage_error("--lines takes source lines, as 22 or 22-25, not '" + text + "'");
    }
    return static_cast<unsigned>(std::stoul(digits));
  };
  const std::size_t dash = text.find('-');
  const unsigned first = number(text.substr(0, dash));
  const unsigned last = dash == std::string::npos ? first : number(text.substr(dash + 1));
  if (last < first) throw usage_error("--lines " + text + " ends before it begins");
  return {first, last};
}

void choose_task(request& into, bool table, bool check, bool names) {
  const int chosen = int{table} + int{check} + int{names} + int{!into.difference.empty()};
  if (chosen > 1) throw usage_error("--table, --check, --names and --diff each print something else: choose one");
  if (table) into.wanted = task::table;
  if (check) into.wanted = task::check;
  if (names) into.wanted = task::names;
  if (into.difference.empty()) return;
  into.wanted = task::difference;
  if (!into.kernels.empty()) throw usage_error("--diff names its two kernels itself: leave out --kernel");
}

}  // namespace

std::string help_text() {
  return R"(Usage: sass [options] FILE...

Prints the machine code (SASS) in object files, programs, libraries, fat binaries and cubins: of each instruction
the address, what the scheduler is told, predicate, opcode, operands, and the source line it comes from.

Options:
  --kernel NAME      kernels of this name, or with this in their name; may be given again. Without it: the only kernel
                     there is, or a table of all
  --arch LIST        architectures, as sm_75,sm_90; all (the newest in the files)
  --loop N           only loop N, as the table below a listing numbers them
  --lines A-B        only what comes from these source lines
  --all              the prologue, too, which is one line else
  --table            a line of counts for each kernel
  --diff A B         what changed from kernel A to kernel B
  --check            whether the control fields make sense: every wait has its barrier, every load raises one
  --names            the kernels' names
  --json FILE        everything as data; - is standard output, and then nothing else is printed there
  --nvdisasm PATH    the disassembler (that of CUDA_HOME, of PATH, of this build)
  -h, --help         print this text

The scheduler's field is wait:rd:wr:yield:stall. wait: barriers to wait for, a mask of six; rd, wr: the barrier that
this instruction holds until its operands are read, its result is written; yield: Y where the hint's bit is set; stall:
cycles until the warp's next instruction. Then come the guard, the instruction, and behind it the number of the
innermost loop around it, a mark for what is worth a look, and the source line.

The field is known for Volta (sm_70) to Hopper (sm_90). Older machine code is refused; for newer the same field is
shown, with a warning.

Exit status: 0; 1 --check found something; 2 bad usage, or nothing of what was asked for is in the files; 3 a program of
the toolkit is missing or failed.
)";
}

request parse_command_line(const std::vector<std::string>& arguments) {
  request result;
  std::string lines;
  unsigned loop = 0;
  bool table = false, check = false, names = false;
  CLI::App app;
  app.set_help_flag();
  app.add_flag("-h,--help", result.help);
  app.add_option("files", result.files);
  app.add_option("--kernel", result.kernels)->expected(1)->take_all();
  app.add_option("--arch", result.architectures)->expected(1)->delimiter(',')->take_all();
  const auto* loop_option = app.add_option("--loop", loop);
  app.add_option("--lines", lines);
  app.add_flag("--all", result.whole);
  app.add_flag("--table", table);
  app.add_option("--diff", result.difference)->expected(2);
  app.add_flag("--check", check);
  app.add_flag("--names", names);
  app.add_option("--json", result.json_path);
  app.add_option("--nvdisasm", result.nvdisasm);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Error& wrong) {
    throw usage_error(wrong.what());
  }
  if (result.help) return result;
  if (result.files.empty()) throw usage_error("no file is given");
  choose_task(result, table, check, names);
  if (loop_option->count() != 0) result.loop = loop;
  if (!lines.empty()) result.lines = parse_lines(lines);
  if ((result.loop || result.lines || result.whole) && result.wanted != task::listing) {
    throw usage_error("--loop, --lines and --all are for a listing");
  }
  return result;
}

}  // namespace sass_tool
