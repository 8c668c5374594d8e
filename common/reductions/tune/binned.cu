// Instances of the reproducible sum for the program that checks and times it.

#include "reductions/tune/binned.hpp"

#include <algorithm>
#include <cstring>

#include "reductions/reproducible_sum.cuh"

namespace workbook {
namespace {

/// Returns 64 bits that look random. They are the same on host and device.
__host__ __device__ std::uint64_t bits_of(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <typename T>
__host__ __device__ T element(std::size_t i, const listed_input& what) {
  using layout = float_layout<T>;
  using bits = typename layout::bits;
  constexpr unsigned fraction = layout::precision - 1;
  constexpr unsigned spread = layout::bias / 2;
  const std::uint64_t random = bits_of(i * what.step % what.n);
  unsigned exponent = 0;
  // A geometric distribution of the exponent, as if the numbers were evenly distributed between -1 and 1.
  if (what.kind == summed_input::even) {
    exponent = layout::bias - 1;
    for (std::uint64_t coins = bits_of(random); (coins & 1) != 0; coins >>= 1) --exponent;
  }
  const unsigned chance = static_cast<unsigned>(bits_of(~random) >> 40);
  if (what.kind == summed_input::wide) exponent = layout::bias - spread + chance % (2 * spread);
  if (what.kind == summed_input::tiny) exponent = chance % 3;
  const bits sign = static_cast<bits>(random >> 63) << (sizeof(bits) * 8 - 1);
  return bits_as<T>(sign | static_cast<bits>(exponent) << fraction |
                    (static_cast<bits>(random) & ((bits{1} << fraction) - 1)));
}

template <typename T>
__global__ void fill_listed(T* in, listed_input what) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < what.n;
       i += std::size_t{gridDim.x} * blockDim.x)
    in[i] = element<T>(i, what);
}

template <typename T>
std::uint64_t wide_bits(T value) {
  return bits_as<typename float_layout<T>::bits>(value);
}

template <typename T>
struct of_type {
  static void fill(void* in, const listed_input& what) {
    if (what.n != 0) fill_listed<<<8 * multiprocessor_count(), 256>>>(static_cast<T*>(in), what);
  }
  static void plain(const void* in, void* out, std::size_t n, void* workspace) {
    reduce<T>(static_cast<const T*>(in), static_cast<T*>(out), n, workspace);
  }
  static void sum(unsigned bins, const void* in, void* out, std::size_t n, void* workspace) {
    const auto* const from = static_cast<const T*>(in);
    auto* const to = static_cast<T*>(out);
    if (bins == 2) reproducible_sum<2>(from, to, n, workspace);
    if (bins == 3) reproducible_sum<3>(from, to, n, workspace);
    if (bins == 4) reproducible_sum<4>(from, to, n, workspace);
  }
  static bool sum_in_shape(const reduce_shape& shape, const void* in, void* out, std::size_t n, void* workspace) {
    return reproducible_sum_in_shape<3>(shape, reduce_input<T>(static_cast<const T*>(in), n), static_cast<T*>(out),
                                        workspace, nullptr);
  }
  static void part(const void* in, void* out, std::size_t n, void* workspace) {
    reproducible_sum<3>(static_cast<const T*>(in), static_cast<binned_sum<T>*>(out), n, workspace);
  }
  static std::uint64_t merged(const std::byte* parts, std::size_t count) {
    auto all = binned_sum<T>::zero();
    for (std::size_t k = 0; k < count; ++k) {
      binned_sum<T> one;
      std::memcpy(&one, parts + k * sizeof one, sizeof one);
      all.merge(one);
    }
    return wide_bits(static_cast<T>(all));
  }
  static void cub(promise what, const void* in, void* out, std::size_t n, void* storage, std::size_t bytes) {
    cub_sum(what, static_cast<const T*>(in), static_cast<T*>(out), n, storage, bytes);
  }
  static std::uint64_t on_host(const listed_input& what) {
    auto all = binned_sum<T>::zero();
    for (std::size_t i = 0; i < what.n; ++i) all.add(element<T>(i, what));
    return wide_bits(static_cast<T>(all));
  }
};

template <typename T>
summed_type type_named(const char* name) {
  using t = of_type<T>;
  const std::size_t workspace_bytes = std::max(reproducible_sum_workspace_bytes<T, 4>(), reduce_workspace_bytes<T>());
  return {name,       sizeof(T), sizeof(binned_sum<T>), workspace_bytes, t::fill,
          t::plain,   t::sum,    t::sum_in_shape,       t::part,         t::merged,
          t::on_host, t::cub};
}

}  // namespace

std::vector<summed_type> summed_types() {
  return {type_named<float>("float"), type_named<double>("double")};
}

}  // namespace workbook
