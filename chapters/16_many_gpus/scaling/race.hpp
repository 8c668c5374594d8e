#pragma once
/// \file
/// The races: all methods of chapter 16's table compared over the length of the vectors, and several methods to call an
/// all-reduce of short vectors, for which launches dominate the time.

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

/// The vectors of floats to race.
struct race_plan {
  std::vector<std::size_t> bytes;  ///< Sizes of a vector of floats; multiples of 4.
  std::uint64_t seed = 1;
  int repetitions = 0;  ///< Timed rounds in which the methods take turns; 0: no times.
};

/// One method at one length.
struct raced {
  std::string way;
  unsigned gpus = 0;
  std::size_t bytes = 0;  ///< Size of one vector.
  bool took_part = false, right = false;
  std::string why_not;  ///< Why the method did not take part, or what it did wrong apart from its sums.
};

/// A method of the chapter's table, with its name there. Times are medians in microseconds; on the emulator none.
struct race_row : raced {
  std::optional<double> further_us;    ///< Each further call after another one.
  std::optional<double> queued_us;     ///< One call after other work, from event to event on GPU 0.
  std::optional<double> host_us;       ///< One call, from its beginning on the host until the host knows of its end.
  std::optional<double> predicted_us;  ///< Time of a further call, by timing/model/links.hpp; none for NCCL, which
                                       ///< chooses its method itself.
};

/// Races the methods among `gpus` GPUs. Each result is compared with the host's, before and after the times are taken.
/// \param links  for the predictions
/// \param tell   is called with each row as soon as it is complete
/// \throws workbook::device_error
void race_all_reduce(const race_plan& plan, const model::links& links, unsigned gpus,
                     const std::function<void(const race_row&)>& tell);

/// Returns the model's time for a method of the table; nothing for methods that it doesn't know, and for one GPU.
[[nodiscard]] std::optional<double> predicted_all_reduce_us(const model::links& links, const std::string& way,
                                                            unsigned gpus, std::size_t bytes);

/// A method to call an all-reduce: "mailboxes", "one GPU for all", "NCCL" or "empty kernels". Times are medians in
/// microseconds; on the emulator none.
struct short_row : raced {
  std::string called{};              ///< A short description of its launches; methods called alike are compared.
  std::optional<double> further_us;  ///< Each further call after another one, queued before the first may begin.
  std::optional<double> alone_us;    ///< From idle GPUs, until the host knows that all of them have ended.
  // NCCL's time divided by this one's, if NCCL is called alike, with dependent launches or without.
  std::optional<double> further_over_nccl, alone_over_nccl;
  unsigned late_rounds = 0;  ///< Rounds in which the host had not queued all calls before the first began.
};

/// Return descriptions of the two times of such a row.
[[nodiscard]] std::string_view words_for_further();
[[nodiscard]] std::string_view words_for_alone();

/// The methods that race: the rows of the chapter's table except the student's, and the ring of kernels with a thread
/// for each element.
[[nodiscard]] std::vector<workbook::specimen> all_ways();
/// Returns false for a failure of the device, which ends a race.
[[nodiscard]] bool race_goes_on(const std::exception& thrown);

/// The traffic of a method. The numbers are empty if it didn't take part or its sums were wrong.
struct traffic_row : raced {
  unsigned calls = 0;                  ///< The number of calls that were counted together.
  std::vector<double> sent, received;  ///< Bytes through each GPU's port, of one call.
};

/// Counts what the methods send among `gpus` GPUs, at least two. On GPUs the counters are NVML's, which include
/// everything that uses the links meanwhile. Returns what counted, in a few words. \param tell  gets each row
/// \throws std::runtime_error  if there are no counters, with the reason
/// \throws workbook::device_error
std::string count_traffic(const race_plan& plan, unsigned gpus, const std::function<void(const traffic_row&)>& tell);

/// Races the methods to call short all-reduces among `gpus` GPUs, at least two; as above.
void race_short_calls(const race_plan& plan, unsigned gpus, const std::function<void(const short_row&)>& tell);

}  // namespace chapter16
