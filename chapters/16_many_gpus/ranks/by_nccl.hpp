#pragma once
/// \file
/// The all-reduce of the ranks' vectors by NCCL, from GPU to GPU. MPI only sends NCCL's unique id to the ranks.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "16_many_gpus/nccl.hpp"
#include "16_many_gpus/ranks/rank_group.hpp"
#include "16_many_gpus/ranks/table.hpp"

namespace chapter16 {

/// An all-reduce of floats by all ranks.
struct nccl_time {
  std::size_t bytes;  ///< Size of one rank's vector.
  double
      microseconds;  ///< Median, from when all ranks are ready until the slowest rank's host knows that it has ended.
};

/// The library that all ranks can use, or the reason why there is none.
struct common_nccl {
  std::string why_not;  ///< Why NCCL takes no part, the same on all ranks; empty if it does.
  std::shared_ptr<const nccl> library;
};

/// Finds out whether each rank has a GPU of its own, and whether all have the same NCCL.
/// \param gpus   the number of devices of this rank's host; 0: emulated ones
[[nodiscard]] common_nccl find_nccl(rank_group& group, unsigned gpus);

struct nccl_result {
  bool right = false;  ///< This rank's vector is the sum of all ranks' vectors.
  std::vector<nccl_time> times;
};

/// Sums all ranks' vectors by NCCL, which must be available.
/// \param timed  true to take times, too; the same on all ranks
/// \throws std::runtime_error  with NCCL's message, on this rank alone
/// \throws workbook::device_error
[[nodiscard]] nccl_result all_reduce_by_nccl(rank_group& group, const rank_task& task,
                                             const std::shared_ptr<const nccl>& library, bool timed);

}  // namespace chapter16
