#include "16_many_gpus/ranks/table.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace chapter16 {

bool is_right(const std::vector<rank_row>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const rank_row& r) {
    return r.own_right && r.all_right(rows.front()) && r.vector_right && (!r.has_nccl || r.nccl_right) &&
           r.findings == 0;
  });
}

std::string text_of(const rank_task& task, const std::vector<rank_row>& rows) {
  std::set<std::string_view> hosts;
  std::size_t host_width = 4, device_width = 6;
  for (const rank_row& r : rows) {
    hosts.insert(r.host.view());
    host_width = std::max(host_width, r.host.view().size());
    device_width = std::max(device_width, r.device.view().size());
  }
  const bool several = hosts.size() > 1;
  const auto host_column = [&](std::string_view text) {
    return several ? fmt::format("  {:<{}}", text, host_width) : std::string();
  };
  std::string text = fmt::format(
      "Chapter 16: Many GPUs, a process for each\n"
      "{} {}s, seed {}, shared out among {} rank{} on {}; a vector of {} from each\n\n",
      task.count, workbook::name_of(task.type), task.seed, rows.size(), rows.size() == 1 ? "" : "s",
      several ? fmt::format("{} hosts", hosts.size()) : "one host", task.vector);
  const bool nccl = rows.front().has_nccl;
  text += fmt::format("rank{}  {:<{}}  {:>12}  own sum  sum of all  sum of vectors{}\n", host_column("host"), "device",
                      device_width, "elements", nccl ? "  by NCCL" : "");
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const rank_row& r = rows[rank];
    const auto word = [](bool right) { return right ? "right" : "WRONG"; };
    text +=
        fmt::format("{:>4}{}  {:<{}}  {:>12}  {:<7}  {:<10}  {}\n", rank, host_column(r.host.view()), r.device.view(),
                    device_width, r.count, word(r.own_right), word(r.all_right(rows.front())),
                    nccl ? fmt::format("{:<14}  {}", word(r.vector_right), word(r.nccl_right)) : word(r.vector_right));
  }
  text += fmt::format("\nThe sum of all on rank 0 is {}{}.\n", rows.front().sum_on_first.view(),
                      rows.front().first_right ? "" : ": that is WRONG");
  return text;
}

std::string why_no_common_nccl(const std::vector<nccl_readiness>& ranks) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (!ranks[r].why_not.view().empty()) return fmt::format("rank {}: {}", r, ranks[r].why_not.view());
    if (ranks[r].version != ranks[0].version)
      return fmt::format("rank 0 has its version {}, and rank {} {}", ranks[0].version, r, ranks[r].version);
  }
  return {};
}

}  // namespace chapter16
