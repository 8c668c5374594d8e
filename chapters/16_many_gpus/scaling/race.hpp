#pragma once
/// \file
/// All ways of chapter 16's table beside each other, over the length of the vectors.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/links.hpp"

namespace chapter16 {

/// One way at one length.
struct race_row {
  std::string way;  ///< As in the chapter's table.
  unsigned gpus = 0;
  std::size_t bytes = 0;  ///< Of one vector.
  bool took_part = false, right = false;
  std::string why_not;  ///< Why the way did not take part, or what it did wrong beside its sums.
  // Medians of microseconds; on the emulator none.
  std::optional<double> further_us;    ///< Each further call behind another one.
  std::optional<double> queued_us;     ///< One call behind other work, from event to event on GPU 0.
  std::optional<double> host_us;       ///< One call, from its beginning on the host until that knows that it has ended.
  std::optional<double> predicted_us;  ///< Of a further call, by model/links.hpp; none for NCCL, which chooses its way.
};

/// What to race: vectors of floats.
struct race_plan {
  std::vector<std::size_t> bytes;  ///< Of one vector of floats, multiples of 4.
  std::uint64_t seed = 1;
  int repetitions = 0;  ///< Timed rounds in which the ways take turns; 0: no times.
  model::links links;   ///< To predict with.
};

/// Races the ways among `gpus` GPUs. Each result is compared with the host's, before and after the times are taken.
/// \param tell  gets each row as soon as it is there
/// \throws workbook::device_error
void race_all_reduce(const race_plan& plan, unsigned gpus, const std::function<void(const race_row&)>& tell);

/// Returns what the model says of a way of the table; nothing for those that it does not know, and for one GPU.
[[nodiscard]] std::optional<double> predicted_all_reduce_us(const model::links& links, const std::string& way,
                                                            unsigned gpus, std::size_t bytes);

}  // namespace chapter16
