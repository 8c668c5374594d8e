#pragma once
/// \file
/// The races: all ways of chapter 16's table beside each other over the length of the vectors, and ways to call an
/// all-reduce of short ones, where most of the time is that of launches.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/links.hpp"
#include "workbook/study.hpp"

namespace chapter16 {

/// What to race: vectors of floats.
struct race_plan {
  std::vector<std::size_t> bytes;  ///< Of one vector of floats, multiples of 4.
  std::uint64_t seed = 1;
  int repetitions = 0;  ///< Timed rounds in which the ways take turns; 0: no times.
};

/// One way at one length.
struct raced {
  std::string way;
  unsigned gpus = 0;
  std::size_t bytes = 0;  ///< Of one vector.
  bool took_part = false, right = false;
  std::string why_not;  ///< Why the way did not take part, or what it did wrong beside its sums.
};

/// A way of the chapter's table, by its name there. Medians of microseconds; on the emulator none.
struct race_row : raced {
  std::optional<double> further_us;    ///< Each further call behind another one.
  std::optional<double> queued_us;     ///< One call behind other work, from event to event on GPU 0.
  std::optional<double> host_us;       ///< One call, from its beginning on the host until that knows that it has ended.
  std::optional<double> predicted_us;  ///< Of a further call, by model/links.hpp; none for NCCL, which chooses its way.
};

/// Races the ways among `gpus` GPUs. Each result is compared with the host's, before and after the times are taken.
/// \param links  to predict with
/// \param tell   gets each row as soon as it is there
/// \throws workbook::device_error
void race_all_reduce(const race_plan& plan, const model::links& links, unsigned gpus,
                     const std::function<void(const race_row&)>& tell);

/// Returns what the model says of a way of the table; nothing for those that it does not know, and for one GPU.
[[nodiscard]] std::optional<double> predicted_all_reduce_us(const model::links& links, const std::string& way,
                                                            unsigned gpus, std::size_t bytes);

/// A way to call: "mailboxes", "one GPU for all", "NCCL" or "empty kernels". Medians of microseconds; on the emulator
/// none.
struct short_row : raced {
  std::string called{};              ///< How it is launched, in a few words; ways that are called alike compare.
  std::optional<double> further_us;  ///< Each further call behind another one, queued before the first may begin.
  std::optional<double> alone_us;    ///< From idle GPUs, until the host knows that all of them have ended.
  // NCCL's time by this one's, where NCCL is called alike, dependent launches or not.
  std::optional<double> further_over_nccl, alone_over_nccl;
  unsigned late_rounds = 0;  ///< In which the host had not queued all calls before the first began.
};

/// Says in words what the two times of such a row are.
[[nodiscard]] std::string_view words_for_further();
[[nodiscard]] std::string_view words_for_alone();

/// The methods that race: the rows of the chapter's table except the student's, and the ring of kernels with a thread
/// for each element.
[[nodiscard]] std::vector<workbook::specimen> all_ways();
/// Returns false for a failure of the device, which ends a race.
[[nodiscard]] bool race_goes_on(const std::exception& thrown);

/// What a method sends. The numbers are empty if it didn't take part or its sums were wrong.
struct traffic_row : raced {
  unsigned calls = 0;                  ///< How many were counted together.
  std::vector<double> sent, received;  ///< Bytes through each GPU's port, of one call.
};

/// Counts what the methods send among `gpus` GPUs, at least two. On GPUs the counters are NVML's, which include
/// everything that uses the links meanwhile. Returns what counted, in a few words. \param tell  gets each row
/// \throws std::runtime_error  if there are no counters: says why
/// \throws workbook::device_error
std::string count_traffic(const race_plan& plan, unsigned gpus, const std::function<void(const traffic_row&)>& tell);

/// Races the ways to call short ones among `gpus` GPUs, at least two; as above.
void race_short_calls(const race_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell);

}  // namespace chapter16
