#pragma once
/// \file
/// The Julia set of z^2 - 0.79 + 0.15 i: a map whose pixels are computed independently.

#include <cmath>
#include <cstddef>

#include <cuda_runtime_api.h>

namespace chapter13 {

/// Computes pixel number i of a square image of `width` x `width` over -2 to 2 in both directions: the number of steps,
/// at most 255, after which z has left the circle of radius 2. Each product and sum is rounded once together (fmaf), so
/// that host and device agree to the last bit, even on the number of steps at the edge.
struct julia_pixel {
  unsigned width;
  __host__ __device__ unsigned char operator()(unsigned i) const {
    const float scale = 4.0f / static_cast<float>(width > 1 ? width - 1 : 1);
    float re = fmaf(static_cast<float>(i % width), scale, -2.0f);
    float im = fmaf(static_cast<float>(i / width), scale, -2.0f);
    unsigned steps = 0;
    for (; steps < 255; ++steps) {
      if (fmaf(re, re, im * im) > 4.0f) break;
      const float next = fmaf(re, re, fmaf(-im, im, -0.79f));
      im = fmaf(2.0f * re, im, 0.15f);
      re = next;
    }
    return static_cast<unsigned char>(steps);
  }
};

/// Returns the width of the largest square image of at most n pixels.
[[nodiscard]] inline unsigned width_of_square(std::size_t n) {
  auto width = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
  while (width * width > n) --width;
  return static_cast<unsigned>(width);
}

}  // namespace chapter13
