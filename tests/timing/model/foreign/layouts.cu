// An array of structs or a struct of arrays: the squared length of points, and one field out of eight.

#include "timing/model/foreign/foreign.hpp"
#include "timing/model/foreign/run.cuh"

namespace foreign {
namespace {

struct point {
  float x, y, z;
};

/// Each of the three loads reads 4 bytes out of 12.
__global__ void lengths_of_structs(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Legal: a point has the alignment of a float.
  const point p = reinterpret_cast<const point*>(in)[i];
  out[i] = p.x * p.x + p.y * p.y + p.z * p.z;
}

/// A fourth float, which is not used, makes each point 16 bytes long, so that a single load is enough.
__global__ void lengths_of_vectors(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // Legal: the array begins at a multiple of 16 bytes.
  const float4 p = reinterpret_cast<const float4*>(in)[i];
  out[i] = p.x * p.x + p.y * p.y + p.z * p.z;
}

/// x, y and z are in three arrays.
__global__ void lengths_of_arrays(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i], y = in[n + i], z = in[2 * n + i];
  out[i] = x * x + y * y + z * z;
}

/// Reads one of the eight fields in each struct, so each lane needs its own sector.
__global__ void field_of_structs(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[8 * i + 3];
}

/// Reads the same field from one of eight arrays.
__global__ void field_of_arrays(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[3 * n + i];
}

/// The layout of fields: in structs or in arrays, and the number of fields. place() returns a field's index.
struct layout {
  bool in_structs;
  unsigned fields;
  [[nodiscard]] std::size_t place(std::size_t i, unsigned field, std::size_t n) const {
    return in_structs ? i * fields + field : field * n + i;
  }
};

using map_kernel = void (*)(const float*, float*, std::size_t);

workbook::specimen length_row(const char* name, map_kernel kernel, layout how) {
  return row("layouts", name, [=](const workbook::problem& p) {
    const std::vector<float> in = small_numbers(p.count * how.fields, p.seed);
    job<float> j = map_job(kernel, p, in, listed(p.count, [&](std::size_t i) {
                             float sum = 0;
                             for (unsigned field = 0; field < 3; ++field) {
                               const float one = in[how.place(i, field, p.count)];
                               sum += one * one;
                             }
                             return sum;
                           }));
    j.bytes = 4.0 * static_cast<double>(p.count * sizeof(float));
    return j;
  });
}

workbook::specimen field_row(const char* name, map_kernel kernel, layout how) {
  return row("layouts", name, [=](const workbook::problem& p) {
    const std::vector<float> in = small_numbers(p.count * how.fields, p.seed);
    job<float> j =
        map_job(kernel, p, in, listed(p.count, [&](std::size_t i) { return 2 * in[how.place(i, 3, p.count)]; }));
    j.bytes = 2.0 * static_cast<double>(p.count * sizeof(float));
    return j;
  });
}

}  // namespace

std::vector<workbook::specimen> layout_kernels() {
  return {length_row("three fields, array of structs", lengths_of_structs, {true, 3}),
          length_row("three fields, array of float4", lengths_of_vectors, {true, 4}),
          length_row("three fields, struct of arrays", lengths_of_arrays, {false, 3}),
          field_row("one field of eight, array of structs", field_of_structs, {true, 8}),
          field_row("one field of eight, struct of arrays", field_of_arrays, {false, 8})};
}

}  // namespace foreign
