#pragma once
/// \file
/// Times of the ladder's kernels at a size that takes too long on the emulator: predicted from counts at smaller sizes.

#include <cstddef>
#include <optional>
#include <vector>

#include "model/gpu.hpp"
#include "model/prediction.hpp"
#include "workbook/measure.hpp"
#include "workbook/study.hpp"

namespace workbook {

/// A kernel's time at a size that was not run.
struct scaled_time {
  std::size_t count = 0;  ///< Elements.
  /// Nothing if the kernel is no repeated pass whose launches grow with the elements in a way that is known, or has no
  /// time at the size that was run.
  std::optional<model::prediction> predicted;
  std::optional<double> measured_us;  ///< Of the record that the workbook has: this kernel on this GPU, L2 cold.
};

/// Below this number of elements there is too little to scale.
inline constexpr std::size_t smallest_scaled = std::size_t{1} << 16;

/// Predicts the time of each row at `count` elements. A kernel whose grid grows with the elements has as much more of
/// everything as it has blocks, and its later passes are those of that many partial sums. A kernel whose grid stops
/// growing is counted at two sizes beyond that, and each count grows as between these. Runs kernels on the emulator,
/// which must be the selected device.
/// \param rows  what came of `kernels` on `given`, in the same order
[[nodiscard]] std::vector<scaled_time> scaled_times(const std::vector<specimen>& kernels, const problem& given,
                                                    const std::vector<outcome>& rows, const model::gpu& on,
                                                    std::size_t count);

/// Returns a kernel's launches at `count` elements, from those at half of `known_count` and at `known_count`. Returns
/// nothing if its grid neither grows with the elements nor has stopped growing.
/// \param resident  how many blocks the GPU holds at once
[[nodiscard]] std::optional<std::vector<model::counts>> scaled_launches(const std::vector<model::counts>& half,
                                                                        const std::vector<model::counts>& known,
                                                                        double known_count, double count,
                                                                        double resident);

}  // namespace workbook
