#include "16_many_gpus/large_sum/resident.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "16_many_gpus/gpu_group.hpp"
#include "16_many_gpus/large_sum/right.hpp"
#include "reductions/buffer.hpp"
#include "workbook/fill.hpp"
#include "workbook/guarded.hpp"
#include "workbook/timer.hpp"

namespace chapter16 {
namespace {

using workbook::check;

/// Frees page-locked host memory.
struct free_on_host {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};

/// A GPU's part of the input, and the memory for its sum.
struct share {
  workbook::device_bytes elements, sum, workspace;
  share(workbook::element_type type, const summing& how, std::size_t count, std::uint64_t seed)
      : elements(count * how.element_bytes), sum(sizeof(sum_bytes)), workspace(how.workspace_bytes()) {
    check(cudaMemset(workspace.data(), 0, workspace.size_bytes()));
    check(cudaMemset(sum.data(), 0, sum.size_bytes()));
    if (count != 0) workbook::fill_on_device(type, elements.data(), count, seed);
    check(cudaDeviceSynchronize());
  }
};

}  // namespace

std::vector<resident_sum> sum_resident(workbook::element_type type, std::size_t count, unsigned gpus,
                                       std::uint64_t seed, int repetitions, growth with) {
  const summing how = summing_of(type);
  sum_bytes* room = nullptr;  // room for one sum per GPU
  check(cudaMallocHost(reinterpret_cast<void**>(&room), gpus * sizeof(sum_bytes)));
  const std::unique_ptr<sum_bytes[], free_on_host> sums(room);
  std::vector<share> shares;
  for (unsigned g = 0; g < gpus; ++g) {
    check(cudaSetDevice(static_cast<int>(g)));
    shares.emplace_back(type, how, count, seed + g);
  }
  std::vector<resident_sum> rows;
  for (unsigned members = 1;; members = std::min(2 * members, gpus)) {
    const std::size_t each = with == growth::of_input ? count : count / members;
    gpu_group group(members, reach::where_possible);
    const auto run = [&] {
      group.begin();
      for (unsigned m = 0; m < members; ++m) {
        share& own = shares[m];
        group.select(m);
        how.sum(own.elements.data(), reinterpret_cast<sum_bytes*>(own.sum.data()), each, own.workspace.data(),
                group.stream(m));
        check(cudaMemcpyAsync(&sums[m], own.sum.data(), sizeof(sum_bytes), cudaMemcpyDeviceToHost, group.stream(m)));
        group.record(m);
      }
      group.end();
    };
    run();
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    resident_sum row{.gpus = members, .count = each};
    if (workbook::on_gpu() && repetitions > 0)
      row.microseconds = 1000 * workbook::time_on_gpu(run, repetitions, workbook::start::cold).median_ms;
    sum_bytes all = how.zero();
    for (unsigned m = 0; m < members; ++m) how.merge(all, sums[m]);
    row.right = is_sum_of_parts(type, each, members, seed, all);
    rows.push_back(row);
    if (members == gpus) return rows;
  }
}

std::string text_of(const std::vector<resident_sum>& rows, std::size_t element_bytes) {
  const auto rate = [&](const resident_sum& r) {  // bytes per microsecond, which are 10^-6 TB/s
    return static_cast<double>(r.count * element_bytes) * r.gpus / r.microseconds;
  };
  const bool timed = !rows.empty() && rows[0].microseconds > 0;
  std::string text = fmt::format("GPUs  right?{}\n", timed ? "         us      TB/s  times one GPU" : "");
  for (const resident_sum& r : rows) {
    text += fmt::format("{:>4}  {:<6}", r.gpus, r.right ? "yes" : "NO");
    if (timed)
      text += fmt::format("{:>11.1f} {:>9.3f} {:>14.3f}", r.microseconds, rate(r) / 1e6, rate(r) / rate(rows[0]));
    text += "\n";
  }
  return text;
}

}  // namespace chapter16
