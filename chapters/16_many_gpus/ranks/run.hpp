#pragma once
/// \file
/// The work of a rank, from its command line to its exit status.

#include "16_many_gpus/ranks/share.hpp"

namespace chapter16 {

/// Returns the exit status, which is the same on all ranks: 0 all is right; 1 a wrong sum, or a finding of the
/// emulator; 2 bad usage; 3 a failure of a device; 4 a rank has died or is stuck, or MPI failed.
/// \param sum  the function that sums the rank's share
[[nodiscard]] int run_rank(int argc, char** argv, const share_sum& sum);

}  // namespace chapter16
