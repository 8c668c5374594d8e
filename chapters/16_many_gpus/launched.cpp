#include "16_many_gpus/launched.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "host/count.hpp"
#include "host/program.hpp"

namespace chapter16 {
namespace {

std::optional<unsigned> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::optional<std::uint64_t> number = text == nullptr ? std::nullopt : host::whole_number(text);
  return number ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

/// Returns false for all ranks except rank 0, because they would only repeat what rank 0 prints.
bool is_first() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const std::optional<unsigned> rank = number_in(variable)) return *rank == 0;
  }
  return true;
}

}  // namespace

std::optional<unsigned> processes_launched() {
  // Open MPI's mpirun sets the number of processes directly.
  if (const std::optional<unsigned> size = number_in("OMPI_COMM_WORLD_SIZE")) return size;
  // Slurm also sets these for a single shell, so a single process doesn't count as launched.
  std::optional<unsigned> size = number_in("PMI_SIZE");
  if (!size && std::getenv("PMIX_RANK") != nullptr) size = number_in("SLURM_NTASKS");
  return size && *size > 1 ? size : std::nullopt;
}

std::optional<int> run_as_rank(char** argv) {
  if (!processes_launched()) return {};
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string ranks = (program.parent_path() / "ranks16").string();
  if (!unknown) execv(ranks.c_str(), argv);
  const int reason = errno;
  if (is_first())
    fmt::print(
        stderr,
        "chapter16: mpirun has started several processes, which needs the program ranks16 in the same folder, and "
        "{} cannot be run: {}. `make ranks` builds it, and installs MPI if it is missing.\n",
        ranks, std::generic_category().message(unknown ? unknown.value() : reason));
  return host::status_bad_usage;
}

}  // namespace chapter16
