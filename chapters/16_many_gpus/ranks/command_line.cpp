#include "16_many_gpus/ranks/command_line.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "host/command_line.hpp"
#include "host/program.hpp"
#include "host/version.hpp"
#include "workbook/cli_types.hpp"

namespace chapter16 {
namespace {

/// Options of chapter 16's program that cannot be used with several processes, and the reasons.
constexpr std::pair<const char*, const char*> of_one_process[] = {
    {"--gpus", "every rank has one GPU: set the number of ranks with mpirun -n"},
    {"--block-size", "the kernel that the book ends with chooses its blocks by itself"},
    {"--test", "it is about your kernel, which one process runs: leave mpirun out"},
    {"--profile", "it is about a kernel of one process: leave mpirun out"},
    {"--limit", "it is about a kernel of one process: leave mpirun out"},
    {"--record", "it is about a kernel of one process: leave mpirun out"},
    {"--play", "it is about a kernel of one process: leave mpirun out"},
    {"--benchmark", "it is about one process: leave mpirun out"},
};

}  // namespace

rank_words read_rank_words(int argc, char** argv) {
  rank_words w;
  w.program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "ranks16";
  bool help = false, version = false;
  std::uint64_t timeout_s = static_cast<std::uint64_t>(w.timeout.count());
  host::parser app{
      "Chapter 16 with MPI: each rank sums its share on a device of its own, and the sums meet on the hosts",
      w.program};
  app.has_own_help_and_version();
  app.add_flag("-h,--help", help, "Print this");
  app.add_flag("--version", version, "Print the version and exit");
  app.add_option("-n,--count", w.count, "Total number of numbers of all ranks (2^28 on GPUs, 2^20 on emulators)")
      .transform(workbook::a_count());
  app.add_option("--type", w.type, "Of the numbers (int)").transform(workbook::a_type());
  app.add_option("--vector", w.vector, "Length of each rank's additional vector (2^14)")
      .transform(workbook::a_count())
      .check(host::number_from(0, std::uint64_t{1} << 28));
  app.add_option("--seed", w.seed, "Seed of the numbers (1)").check(host::number_from(0, 999999999999999999ull));
  app.add_option("--device", w.device, "gpu or emulator (default: a GPU if there is one)")
      .transform(workbook::a_device());
  app.add_option("--timeout", timeout_s, "Seconds that a rank waits for the others before it ends the job (60)")
      .check(host::number_from(1, 1000000));
  app.add_option("--json", w.json, "File for the times of NCCL's all-reduce, on GPUs; rank 0 writes it")
      .check(workbook::a_file_name());
  app.add_option("--commit", w.commit, "Commit that the program was built from, for the record");
  for (const auto& [name, why] : of_one_process) app.add_option(name).expected(0, 1).hidden();
  try {
    (void)host::parse(app, {argv + 1, argv + argc});
    for (const auto& [name, why] : of_one_process) {
      if (app.count(name) > 0) throw host::usage_error(fmt::format("{}: {}", name, why));
    }
    if (version) w.help = host::version_text(w.program) + "\n";
    if (help) w.help = app.help();
  } catch (const host::usage_error& error) {
    w.wrong = error.what();
  }
  w.timeout = std::chrono::seconds(timeout_s);
  return w;
}

}  // namespace chapter16
