#include "chapters/wrong_studies_kernels.hpp"

#include <utility>

#include "13_fused_pipelines/scores.cuh"
#include "14_shuffle_trees/kernels.cuh"

namespace wrong_studies {
namespace {

template <typename T, gather_mistake is>
__global__ void gather(const T* in, const unsigned* starts, T* out, std::size_t n, unsigned reads) {
  using enum gather_mistake;
  const std::size_t t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t >= n) return;
  T array[32];
  const std::size_t from = is == neighbour ? t / 2 * 2 : t;
  for (unsigned k = 0; k < 32; ++k) array[k] = is == input_side_by_side ? in[t * 32 + k] : in[k * n + from];
  const unsigned start = is == start_ignored ? 0 : starts[t];
  T sum{};
  for (unsigned s = 0; s < (is == last_step ? reads - 1 : reads); ++s) {
    const unsigned place = is == backwards ? start - s : start + s;
    T& element = array[place % (is == half_array ? 16 : 32)];
    const T weight = static_cast<T>(s % 32 + (is == gather_mistake::weight ? 0 : 1));
    sum += weight * element;
    element = weight - element;
  }
  out[t] = sum;
}

template <typename T, sums_mistake is>
__global__ void sums(const T* big, const T* small, T* out, unsigned points, unsigned terms, std::size_t pitch) {
  using enum sums_mistake;
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < points; p += threads) {
    T best{};
    for (unsigned k = 0; k < (is == last_term ? terms - 1 : terms); ++k) {
      const T c = big[k * (is == points_for_pitch ? points : pitch) + p] + small[is == small_by_point ? p % terms : k];
      if constexpr (is == smallest)
        best = best < c ? best : c;
      else if constexpr (is == added_up)
        best += c;
      else if constexpr (is == last_kept)
        best = c;
      else
        best = best < c ? c : best;
    }
    if (is != silent || p % 4 != 3) out[p] = best;
  }
}

/// One thread computes a whole row.
template <typename T, softmax_mistake is>
__global__ void softmax(const T* in, chapter13::probability<T>* out, unsigned columns) {
  using enum softmax_mistake;
  using P = chapter13::probability<T>;
  const std::size_t row = std::size_t{blockIdx.x} * columns, from = is == of_first_row ? 0 : row;
  P largest = is == from_zero ? P{} : static_cast<P>(in[from]);
  for (unsigned c = 0; c < (is == largest_of_half ? (columns + 1) / 2 : columns); ++c)
    largest = max(largest, static_cast<P>(in[from + c]));
  if (is == not_lowered) largest = 0;
  P sum{};
  for (unsigned c = is == first_columns && columns > 32 ? 32 : 0; c < columns; ++c)
    sum += exp(static_cast<P>(in[row + c]) - largest);
  for (unsigned c = 0; c < columns; ++c)
    if (is != silent || c % 4 != 3)
      out[row + c] = exp(static_cast<P>(in[row + c]) - largest) / (is == not_scaled ? P{1} : sum);
}

template <typename T, softmax_mistake is>
void run(const chapter13::call& c) {
  if (c.rows == 0) return;
  softmax<T, is><<<c.rows, 1>>>(static_cast<const T*>(c.x), static_cast<chapter13::probability<T>*>(c.out), c.columns);
}

/// Calls `f` with `which` as a compile-time constant, and returns the result.
template <typename Result, typename Which, typename F, int... values>
Result chosen(Which which, F f, std::integer_sequence<int, values...>) {
  Result result;
  ((static_cast<int>(which) == values ? void(result = f(std::integral_constant<Which, static_cast<Which>(values)>()))
                                      : void()),
   ...);
  return result;
}

struct without_four {
  template <typename T>
  __device__ static T sum(T value) {
    using chapter14::down;  // for plain values; traced values have their own down()
    for (const unsigned distance : {16u, 8u, 2u, 1u}) value += down(value, distance);
    return value;
  }
};

}  // namespace

chapter10::gather_kernel wrong_gather(gather_mistake which) {
  return chosen<chapter10::gather_kernel>(
      which,
      [](auto is) {
        chapter10::gather_kernel all;
        all.kernels = {
            reinterpret_cast<const void*>(&gather<int, is>), reinterpret_cast<const void*>(&gather<unsigned, is>),
            reinterpret_cast<const void*>(&gather<long long, is>), reinterpret_cast<const void*>(&gather<float, is>),
            reinterpret_cast<const void*>(&gather<double, is>)};
        return all;
      },
      std::make_integer_sequence<int, 8>());
}

chapter11::sums_kernel wrong_sums(sums_mistake which) {
  return chosen<chapter11::sums_kernel>(
      which,
      [](auto is) {
        return chapter11::sums_kernel{
            {reinterpret_cast<const void*>(&sums<int, is>), reinterpret_cast<const void*>(&sums<unsigned, is>),
             reinterpret_cast<const void*>(&sums<long long, is>), reinterpret_cast<const void*>(&sums<float, is>),
             reinterpret_cast<const void*>(&sums<double, is>)}};
      },
      std::make_integer_sequence<int, 8>());
}

chapter13::way wrong_softmax(softmax_mistake which) {
  return chosen<chapter13::way>(
      which,
      [](auto is) {
        chapter13::way w = chapter13::solution_way();
        w.run = {&run<int, is>, &run<unsigned, is>, &run<long long, is>, &run<float, is>, &run<double, is>};
        return w;
      },
      std::make_integer_sequence<int, 8>());
}

chapter14::sum_kernel chain_without_four() {
  chapter14::sum_kernel kernel = chapter14::kernels_with<chapter14::by_thirty_two<without_four>>();
  kernel.writes_down = reinterpret_cast<const void*>(&chapter14::write_down<without_four>);
  return kernel;
}

}  // namespace wrong_studies
