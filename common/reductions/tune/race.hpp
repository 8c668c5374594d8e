#pragma once
/// \file
/// Several methods for one task, timed in turn.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "reductions/buffer.hpp"
#include "reductions/tune/variants.hpp"
#include "workbook/device_facts.hpp"
#include "workbook/timer.hpp"

namespace workbook {

/// What a contender computes. `nothing` means a part of a reduction, whose time is a lower bound for the others.
enum class leaves { the_sum, the_sum_of_magnitudes, nothing };

/// A method that reduces: a variant, the reduction as shipped, or a library.
struct contender {
  std::string name;
  std::optional<variant> shape;
  std::function<void()> run;
  leaves result = leaves::the_sum;
  std::vector<double> cold_us{}, warm_us{};
};

/// Runs all contenders in turn, `repetitions` times cold and `repetitions` times warm. The order alternates.
/// \param take  &stop_watch::take_waiting for contenders that wait for the GPU themselves
void race(std::vector<contender>& all, stop_watch& watch, int repetitions,
          stop_watch::sample (stop_watch::*take)(const std::function<void()>&, start) = &stop_watch::take);

/// Poisons `out` with bytes of the value `spoilt`, runs, and returns the bytes that `out` has afterwards. Synchronises.
/// \throws device_error
[[nodiscard]] std::vector<std::byte> bytes_after(const std::function<void()>& run, const device_bytes& out,
                                                 int spoilt = 0xa5);

/// As `provenance_of`, but also records the release of the library that the race compares with ("cccl").
/// \throws device_error
[[nodiscard]] nlohmann::json provenance_of_race(const device_facts& facts, const std::string& command,
                                                const std::string& commit, int repetitions);

/// Returns the medians {"cold_us", "warm_us"}. There is no "warm_us" if there are no warm times.
[[nodiscard]] nlohmann::json times_of(const contender& c);

/// Returns the same with {"name"}, and with {"shape"} if the contender has one.
[[nodiscard]] nlohmann::json as_json(const contender& c);

}  // namespace workbook
