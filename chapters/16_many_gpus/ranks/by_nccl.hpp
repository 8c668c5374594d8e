#pragma once
/// \file
/// All-reduce of the ranks' vectors by NCCL, from GPU to GPU. MPI only sends NCCL's unique id to the ranks.

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "16_many_gpus/nccl.hpp"
#include "16_many_gpus/ranks/rank_group.hpp"
#include "16_many_gpus/ranks/table.hpp"

namespace chapter16 {

/// The time of an all-reduce of floats by all ranks.
struct nccl_time {
  std::size_t bytes;  ///< Size of one rank's vector.
  double
      microseconds;  ///< Median, from when all ranks are ready until the slowest rank's host knows that it has ended.
};

/// The library, if all ranks can use it, or the reason why they can't.
struct common_nccl {
  std::string why_not;  ///< Why NCCL isn't used, with the same text on all ranks. Empty if it is used.
  std::shared_ptr<const nccl> library;
};

/// Finds out if each rank has its own GPU, and if all ranks have the same NCCL.
/// \param gpus   the number of GPUs of this rank's host; 0 if devices are emulated
[[nodiscard]] common_nccl find_nccl(rank_group& group, unsigned gpus);

struct nccl_result {
  bool right = false;  ///< This rank's vector is the sum of all ranks' vectors.
  std::vector<nccl_time> times;
};

/// Sums all ranks' vectors with NCCL, which must be available.
/// \param timed  true to measure times, too; must be the same on all ranks
/// \throws std::runtime_error  with NCCL's message, on this rank alone
/// \throws workbook::device_error
[[nodiscard]] nccl_result all_reduce_by_nccl(rank_group& group, const rank_task& task,
                                             const std::shared_ptr<const nccl>& library, bool timed);

}  // namespace chapter16
