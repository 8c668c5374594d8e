#pragma once
/// \file
/// What chapter 16's program does where mpirun has started it: it makes room for `ranks16`, the one that knows MPI.

#include <optional>

namespace chapter16 {

/// Returns how many processes a launcher of MPI says that it has started; nothing where none has started this one.
[[nodiscard]] std::optional<unsigned> processes_launched();

/// Where a launcher of MPI has started this process, runs `ranks16` from the program's own folder in its place, with
/// the same words. \return nothing where there was no launcher; a status to end with where `ranks16` is not there
[[nodiscard]] std::optional<int> run_as_rank(char** argv);

}  // namespace chapter16
