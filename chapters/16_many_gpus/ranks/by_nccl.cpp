#include "16_many_gpus/ranks/by_nccl.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "16_many_gpus/nccl.hpp"
#include "16_many_gpus/ranks/rank_vector.hpp"
#include "reductions/buffer.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using workbook::check;

nccl_readiness readiness_of(const rank_group& group, const nccl* library, const std::string& reason, unsigned gpus) {
  nccl_readiness own;
  if (gpus == 0) {
    own.why_not = short_text<240>("it runs on GPUs, and this is the emulator");
  } else if (group.local_size() > gpus) {
    own.why_not = short_text<240>("it takes a GPU for each rank, and here several ranks share one");
  } else if (library == nullptr) {
    own.why_not = short_text<240>(reason);
  } else {
    own.version = library->version();
  }
  return own;
}

constexpr int warm_ups = 3, rounds = 11;

/// Times one length. Before each round, every rank waits for the others, so that this wait isn't timed.
nccl_time time_of(rank_group& group, nccl::group& members, float* vector, std::size_t bytes) {
  std::array<double, rounds> own{};
  for (int k = -warm_ups; k < rounds; ++k) {
    (void)group.all_of('.', "all are ready for NCCL");
    const auto watched = group.watch("NCCL's all-reduce");
    const auto begun = std::chrono::steady_clock::now();
    members.all_reduce_of(0, workbook::element_type::float32, vector, bytes / sizeof(float));
    check(cudaStreamSynchronize(nullptr));
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begun;
    if (k >= 0) own.at(static_cast<std::size_t>(k)) = taken.count();
  }
  const std::vector<std::array<double, rounds>> all = group.all_of(own, "all say how long NCCL took");
  std::vector<double> slowest(own.begin(), own.end());
  for (const auto& one : all) {
    for (std::size_t k = 0; k < slowest.size(); ++k) slowest[k] = std::max(slowest[k], one.at(k));
  }
  return {bytes, workbook::median(slowest)};
}

std::vector<nccl_time> times_of(rank_group& group, nccl::group& members) {
  constexpr std::size_t lengths[] = {8,        64,       512,      4096,     1u << 15, 1u << 16, 1u << 18,
                                     1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28, 1u << 30};
  const workbook::device_bytes vector(lengths[std::size(lengths) - 1]);
  check(cudaMemset(vector.data(), 0, vector.size_bytes()));
  std::vector<nccl_time> times;
  for (const std::size_t bytes : lengths)
    times.push_back(time_of(group, members, reinterpret_cast<float*>(vector.data()), bytes));
  return times;
}

}  // namespace

common_nccl find_nccl(rank_group& group, unsigned gpus) {
  common_nccl found;
  std::string reason;
  found.library = gpus == 0 ? nullptr : nccl::load(reason);
  found.why_not = why_no_common_nccl(
      group.all_of(readiness_of(group, found.library.get(), reason, gpus), "all say whether they have NCCL"));
  return found;
}

nccl_result all_reduce_by_nccl(rank_group& group, const rank_task& task, const std::shared_ptr<const nccl>& library,
                               bool timed) {
  nccl_result result;
  const nccl::meeting_point own = group.rank() == 0 ? library->new_meeting_point() : nccl::meeting_point{};
  const nccl::meeting_point where = group.all_of(own, "rank 0 says where NCCL's members meet").front();
  const auto join = [&] {
    const auto watched = group.watch("all join NCCL");
    return std::make_unique<nccl::group>(library, where, group.rank(), group.size());
  };
  const std::unique_ptr<nccl::group> members = join();
  const rank_vector vector(task.type, task.vector, task.seed, group.rank());
  {
    const auto watched = group.watch("their vectors meet by NCCL");
    members->all_reduce_of(0, task.type, vector.data(), vector.count());
    check(cudaStreamSynchronize(nullptr));
  }
  result.right = vector.is_sum_of(group.size());
  if (timed) result.times = times_of(group, *members);
  return result;
}

}  // namespace chapter16
