#pragma once
/// \file
/// Predicts times of the ladder's kernels at a size that takes too long on the emulator, from counts at smaller sizes.

#include <cstddef>
#include <optional>
#include <vector>

#include "timing/model/gpu.hpp"
#include "timing/model/prediction.hpp"
#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// A kernel's time at a size that was not run.
struct scaled_time {
  std::size_t count = 0;  ///< Elements.
  /// Empty if the kernel isn't a repeated pass, if its launches don't grow in a known way with the number of elements,
  /// or if its time at the size that was run is unknown.
  std::optional<model::prediction> predicted;
  std::optional<double> measured_us;  ///< From the workbook's record: this kernel on this GPU, L2 cold.
};

/// With fewer elements, there is too little work to scale.
inline constexpr std::size_t smallest_scaled = std::size_t{1} << 16;

/// Predicts the time of each row at `count` elements. If a kernel's grid grows with the number of elements, all counts
/// grow with its blocks, and its later passes are those for the resulting number of partial sums. If the grid has
/// stopped growing, the kernel is counted at two sizes beyond that point, and each count is extrapolated from these.
/// Runs kernels on the emulator, which must be the selected device.
/// \param rows  the outcomes of `kernels` on `given`, in the same order
[[nodiscard]] std::vector<scaled_time> scaled_times(const std::vector<specimen>& kernels, const problem& given,
                                                    const std::vector<outcome>& rows, const model::gpu& on,
                                                    std::size_t count);

/// Returns a kernel's launches at `count` elements, from its launches at `known_count` and half of that. Returns
/// nothing if its grid neither grows with the elements nor has stopped growing.
/// \param resident  the number of blocks that the GPU holds at once
[[nodiscard]] std::optional<std::vector<model::counts>> scaled_launches(const std::vector<model::counts>& half,
                                                                        const std::vector<model::counts>& known,
                                                                        double known_count, double count,
                                                                        double resident);

}  // namespace workbook
