// Methods for the Julia set.

#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/julia_pixel.hpp"
#include "reductions/ranges.cuh"

namespace chapter13 {
namespace {

using namespace workbook;

/// Writes one pixel per thread to `image` (width x width).
template <typename Pixel>
__global__ void draw_by_threads(Pixel pixel, unsigned char* image, unsigned pixels) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < pixels) image[i] = pixel(i);
}

unsigned pixels_of(const call& c) {
  const unsigned width = width_of_square(c.n);
  return width * width;
}

template <typename>
struct by_threads {
  static void run(const call& c) {
    const unsigned pixels = pixels_of(c);
    draw_by_threads<<<block_count(pixels, c.block_size), c.block_size>>>(julia_pixel{width_of_square(c.n)},
                                                                         static_cast<unsigned char*>(c.out), pixels);
  }
  static std::size_t depth(std::size_t) { return 0; }
};
template <typename>
struct by_pipeline {
  static void run(const call& c) {
    const auto image = view::iota(0u, pixels_of(c)) | view::transform(julia_pixel{width_of_square(c.n)});
    launch_write(image, static_cast<unsigned char*>(c.out), nullptr);
  }
  static std::size_t depth(std::size_t) { return 0; }
};

}  // namespace

std::vector<way> julia_ways() {
  return {way_of<by_threads>("a thread a pixel"), way_of<by_pipeline>("iota | transform")};
}

}  // namespace chapter13
