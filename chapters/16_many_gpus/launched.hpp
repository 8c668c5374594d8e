#pragma once
/// \file
/// If mpirun has started chapter 16's program, it replaces itself by `ranks16`, the program that uses MPI.

#include <optional>

namespace chapter16 {

/// Returns the number of processes that an MPI launcher has started, or nothing if it hasn't started this one.
[[nodiscard]] std::optional<unsigned> processes_launched();

/// If an MPI launcher has started this process, replaces it by `ranks16` from the program's own folder, with the same
/// arguments. \return nothing if there is no launcher, or an exit status if `ranks16` is missing
[[nodiscard]] std::optional<int> run_as_rank(char** argv);

}  // namespace chapter16
