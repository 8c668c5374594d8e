#pragma once
/// \file
/// Ways to call an all-reduce of short vectors of floats, where most of the time is that of launches: by mailboxes, by
/// one GPU for all, and by NCCL.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chapter16 {

/// One way to call at one length.
struct short_row {
  std::string way;     ///< "mailboxes", "one GPU for all", "NCCL", "empty kernels"
  std::string called;  ///< How it is launched, in a few words; ways that are called alike compare.
  unsigned gpus = 0;
  std::size_t bytes = 0;  ///< Of one vector.
  bool took_part = false, right = false;
  std::string why_not;  ///< Why the way did not take part, or what it did wrong beside its sums.
  // Medians of microseconds; on the emulator none.
  std::optional<double> further_us;  ///< Each further call behind another one, queued before the first may begin.
  std::optional<double> alone_us;    ///< From idle GPUs, until the host knows that all of them have ended.
  // NCCL's time by this one's, where NCCL is called alike, dependent launches or not.
  std::optional<double> further_over_nccl, alone_over_nccl;
  unsigned late_rounds = 0;  ///< In which the host had not queued all calls before the first began.
};

/// Says in words what the two times of a row are.
[[nodiscard]] std::string_view words_for_further();
[[nodiscard]] std::string_view words_for_alone();
/// How many calls one graph holds.
inline constexpr unsigned calls_per_graph = 16;

struct short_plan {
  std::vector<std::size_t> bytes;  ///< Of one vector of floats, multiples of 4.
  std::uint64_t seed = 1;
  int repetitions = 0;  ///< Timed rounds in which the ways take turns; 0: no times.
};

/// Races the ways among `gpus` GPUs, at least two. Each result is compared with the host's, before and after the times
/// are taken.
/// \param tell  gets each row as soon as it is there
/// \throws workbook::device_error
void race_short_calls(const short_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell);

}  // namespace chapter16
