// After chapter 9: a stencil. How much does each pixel of an image differ from its four neighbours?
//
// `make elsewhere9` runs this file on the emulator and judges it. The kernel is right as it is, but it loads almost
// every element five times. You change the kernel; everything below it checks the result.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr unsigned tile_size = 32;  // a block has 32 x 32 threads, one for each element of its tile

/// Writes the sum of the four neighbours minus four times the element, for each element of an image of `height` rows of
/// `width` elements. A neighbour outside of the image counts as 0.
__global__ void stencil(const double* in, double* out, unsigned width, unsigned height) {
  const unsigned x = blockIdx.x * tile_size + threadIdx.x;
  const unsigned y = blockIdx.y * tile_size + threadIdx.y;
  const std::size_t i = std::size_t{y} * width + x;

  // TODO(elsewhere): load the tile and its halo, a border one element wide, into shared memory, and add from there.
  if (x < width && y < height) {
    const double left = x > 0 ? in[i - 1] : 0;
    const double right = x + 1 < width ? in[i + 1] : 0;
    const double above = y > 0 ? in[i - width] : 0;
    const double below = y + 1 < height ? in[i + width] : 0;
    out[i] = left + right + above + below - 4 * in[i];
  }
}

struct Image {
  long width, height;
  std::vector<double> values;

  double at(long x, long y) const { return x >= 0 && x < width && y >= 0 && y < height ? values[y * width + x] : 0; }
};

/// Returns an image of different whole numbers, so that sums are exact in any order.
Image made_up_image(unsigned width, unsigned height) {
  Image image{width, height, std::vector<double>(std::size_t{width} * height)};
  for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = 1.0 + i * 7919 % 100003;
  return image;
}

constexpr double not_written = -1e300;

struct Neighbour {
  const char* name;
  long dx, dy;
};

constexpr Neighbour neighbours[] = {{"left", -1, 0}, {"right", 1, 0}, {"upper", 0, -1}, {"lower", 0, 1}};

/// Prints what is wrong with the result at (x, y), and where to look.
void explain(const Image& in, long x, long y, double expected, double found) {
  std::printf("Wrong for %ld x %ld elements: ", in.width, in.height);
  const unsigned bx = x / tile_size, by = y / tile_size, tx = x % tile_size, ty = y % tile_size;
  if (found == not_written || std::isnan(found)) {
    const char* what = std::isnan(found) ? "is not a number" : "was never written";
    std::printf("column %ld of row %ld %s (block (%u, %u), thread (%u, %u)).\n", x, y, what, bx, by, tx, ty);
    return;
  }
  std::printf("column %ld of row %ld is %.0f, but should be %.0f (block (%u, %u), thread (%u, %u)).\n", x, y, found,
              expected, bx, by, tx, ty);
  for (const auto& [name, dx, dy] : neighbours) {
    const bool other_tile = (x + dx + tile_size) / tile_size != bx + 1 || (y + dy + tile_size) / tile_size != by + 1;
    const bool outside = x + dx < 0 || x + dx >= in.width || y + dy < 0 || y + dy >= in.height;
    if (found == expected - in.at(x + dx, y + dy) && !outside) {
      std::printf("Its %s neighbour was taken for 0.\n", name);
      if (other_tile) std::puts("That neighbour is in a different tile: is this side of the halo loaded?");
      return;
    }
    const long other = (y + dy) * in.width + x + dx;
    if (outside && other >= 0 && other < in.width * in.height && found == expected + in.values[other]) {
      std::printf("Its %s neighbour is outside of the image and counts as 0, but something was added for it.\n", name);
      return;
    }
  }
  if (tx == 0 || ty == 0 || tx + 1 == tile_size || ty + 1 == tile_size) {
    std::puts("It is at the edge of its tile: is the halo loaded, and at the right place?");
  }
}

bool right_for(unsigned width, unsigned height) {
  const Image image = made_up_image(width, height);
  const std::size_t n = image.values.size();
  double *in, *out;
  cudaMallocManaged(&in, std::max<std::size_t>(n, 1) * sizeof(double));
  cudaMallocManaged(&out, std::max<std::size_t>(n, 1) * sizeof(double));
  std::copy(image.values.begin(), image.values.end(), in);
  std::fill_n(out, n, not_written);

  const dim3 grid(std::max((width + tile_size - 1) / tile_size, 1u),
                  std::max((height + tile_size - 1) / tile_size, 1u));
  stencil<<<grid, dim3(tile_size, tile_size)>>>(in, out, width, height);
  cudaDeviceSynchronize();
  const cudaError_t error = cudaGetLastError();
  bool right = error == cudaSuccess;
  if (!right) std::printf("The kernel failed for %u x %u elements: %s.\n", width, height, cudaGetErrorString(error));
  for (std::size_t i = 0; i < n && right; ++i) {
    const long x = i % width, y = i / width;
    double expected = -4 * image.at(x, y);
    for (const Neighbour& one : neighbours) expected += image.at(x + one.dx, y + one.dy);
    right = out[i] == expected;
    if (!right) explain(image, x, y, expected, out[i]);
  }
  cudaFree(in);
  cudaFree(out);
  return right;
}

int main() {
  struct {
    unsigned width, height;
  } constexpr sizes[] = {{0, 0}, {1, 1}, {31, 1}, {1, 33}, {32, 32}, {33, 31}, {31, 33}, {97, 61}, {256, 192}};
  for (const auto& [width, height] : sizes) {
    if (!right_for(width, height)) return 1;
  }
  std::puts("Right for 9 sizes, from 0 x 0 to 256 x 192 elements.");
}
