#pragma once
/// \file
/// The races: all methods of chapter 16's table at many lengths of vectors, and several ways to call an all-reduce of
/// short vectors, whose time is mostly that of launches.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timing/model/links.hpp"
#include "workbook/study.hpp"

namespace chapter16 {

/// What to race: the sizes of the float vectors, their seed, and the number of rounds.
struct race_plan {
  std::vector<std::size_t> bytes;  ///< Sizes of a vector in bytes, which must be multiples of 4.
  std::uint64_t seed = 1;
  int repetitions = 0;  ///< Timed rounds, in each of which all methods run once. If it is 0, nothing is timed.
};

/// The result of one method at one length.
struct raced {
  std::string way;
  unsigned gpus = 0;
  std::size_t bytes = 0;  ///< Size of one vector.
  bool took_part = false, right = false;
  std::string why_not;  ///< Why the method did not take part, or what it did wrong apart from its sums.
};

/// The result of a method in the chapter's table. Times are medians in microseconds, and empty on the emulator.
struct race_row : raced {
  std::optional<double> further_us;    ///< Time that each further call adds.
  std::optional<double> queued_us;     ///< Time of a call queued after other work, from event to event on GPU 0.
  std::optional<double> host_us;       ///< Time of a call from its beginning until the host knows that it has ended.
  std::optional<double> predicted_us;  ///< Time of a further call by timing/model/links.hpp. Empty for NCCL, which
                                       ///< chooses its algorithm itself.
};

/// Races the methods among `gpus` GPUs. Each result is compared with the host's, before and after the method is timed.
/// \param links  for the predictions
/// \param tell   is called with each row as soon as it is complete
/// \throws workbook::device_error
void race_all_reduce(const race_plan& plan, const model::links& links, unsigned gpus,
                     const std::function<void(const race_row&)>& tell);

/// Returns the model's time for a method of the table. Returns nothing for one GPU, or for a method it doesn't know.
[[nodiscard]] std::optional<double> predicted_all_reduce_us(const model::links& links, const std::string& way,
                                                            unsigned gpus, std::size_t bytes);

/// The result of a method to call an all-reduce: "mailboxes", "one GPU for all", "NCCL" or "empty kernels". Times are
/// medians in microseconds, and empty on the emulator.
struct short_row : raced {
  std::string called{};              ///< A short description of the launches, which is the same for comparable methods.
  std::optional<double> further_us;  ///< Time that each further call adds, if it is queued before the first may begin.
  std::optional<double> alone_us;    ///< Time of a call from idle GPUs until the host knows that all have ended.
  // NCCL's time divided by this method's, if NCCL is called in the same way, with or without dependent launches.
  std::optional<double> further_over_nccl, alone_over_nccl;
  unsigned late_rounds = 0;  ///< Rounds in which the first call began before the host had queued all calls.
};

/// These return descriptions of the two times in `short_row`.
[[nodiscard]] std::string_view words_for_further();
[[nodiscard]] std::string_view words_for_alone();

/// Returns the methods that race: the rows of the chapter's table except the student's, and the ring of kernels with a
/// thread for each element.
[[nodiscard]] std::vector<workbook::specimen> all_ways();
/// Returns false if the exception is a failure of the device, which ends a race.
[[nodiscard]] bool race_goes_on(const std::exception& thrown);

/// The traffic of a method. `sent` and `received` are empty if it didn't take part or its sums were wrong.
struct traffic_row : raced {
  unsigned calls = 0;                  ///< The number of calls that were counted together.
  std::vector<double> sent, received;  ///< Bytes of one call through each GPU's port.
};

/// Counts what the methods send among `gpus` GPUs, at least two. On GPUs the counters are NVML's, which also count all
/// other traffic on the links. Returns a short description of the counters. \param tell  is called with each row
/// \throws std::runtime_error  if there are no counters, with the reason
/// \throws workbook::device_error
std::string count_traffic(const race_plan& plan, unsigned gpus, const std::function<void(const traffic_row&)>& tell);

/// Races the methods to call short all-reduces among `gpus` GPUs, at least two. \param tell  is called with each row
void race_short_calls(const race_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell);

}  // namespace chapter16
