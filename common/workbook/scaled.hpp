#pragma once
/// \file
/// Times of the ladder's kernels at a size that takes too long on the emulator: predicted from counts at smaller sizes.

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
  /// Empty if the kernel isn't a repeated pass, if its launches do not grow with the number of elements in a known way,
  /// or if it has no time at the size that was run.
  std::optional<model::prediction> predicted;
  std::optional<double> measured_us;  ///< From the workbook's record: this kernel on this GPU, L2 cold.
};

/// With fewer elements, there is too little work to scale.
inline constexpr std::size_t smallest_scaled = std::size_t{1} << 16;

/// Predicts the time of each row at `count` elements. If a kernel's grid grows with the number of elements, everything
/// grows with its blocks, and its later passes are those for that many partial sums. If a kernel's grid has stopped
/// growing, the kernel is counted at two sizes beyond that, and each count is extrapolated from these. Runs kernels on
/// the emulator, which must be the selected device.
/// \param rows  the outcomes of `kernels` on `given`, in the same order
[[nodiscard]] std::vector<scaled_time> scaled_times(const std::vector<specimen>& kernels, const problem& given,
                                                    const std::vector<outcome>& rows, const model::gpu& on,
                                                    std::size_t count);

/// Returns a kernel's launches at `count` elements, from those at half of `known_count` and at `known_count`. Returns
/// nothing if its grid neither grows with the elements nor has stopped growing.
/// \param resident  number of blocks that the GPU holds at once
[[nodiscard]] std::optional<std::vector<model::counts>> scaled_launches(const std::vector<model::counts>& half,
                                                                        const std::vector<model::counts>& known,
                                                                        double known_count, double count,
                                                                        double resident);

}  // namespace workbook
