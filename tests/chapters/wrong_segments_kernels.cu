#include "chapters/wrong_segments_kernels.hpp"

#include "reductions/operators.cuh"
#include "reductions/shuffle.cuh"

namespace wrong_studies {
namespace {

template <typename T, segments_mistake is>
__global__ void segments(const T* in, const unsigned* offsets, workbook::indexed<T>* out, unsigned count) {
  using enum segments_mistake;
  using best = workbook::indexed<T>;
  const unsigned s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= (is == segments_of_last_block_lost ? count / blockDim.x * blockDim.x : count)) return;
  const unsigned begin = offsets[s], end = offsets[s + 1], length = end - begin;
  if (is == empty_dropped && length == 0) return;
  if (is == long_dropped && length > 64) return;
  best found = workbook::arg_max::identity<best>();
  if (is == begun_with_zero) found.value = 0;
  unsigned last = end;
  if (is == last_lost && length > 0) --last;
  if (is == next_counts && end < offsets[count]) ++last;
  if (is == tail_lost && length > 32) last = begin + 32;
  if (is == rest_lost && length > 8) last = begin + length / 8 * 8;
  for (unsigned i = begin + (is == first_lost ? 1 : 0); i < last; ++i) {
    const best one{in[i], i};
    if (is == above_only)
      found = one.value > found.value ? one : found;
    else if (is == last_of_equals)
      found = one.value >= found.value ? one : found;
    else
      found = workbook::arg_max{}(found, one);
  }
  if ((is == place_in_segment && length > 0) || (is == place_in_long && length > 32)) found.index -= begin;
  out[s] = found;
}

/// Each warp searches its segments one after another. In the tree it compares the values only, and not the indices.
template <typename T>
__global__ void by_luck(const T* in, const unsigned* offsets, workbook::indexed<T>* out, unsigned count) {
  using best = workbook::indexed<T>;
  const unsigned lane = threadIdx.x % 32;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x - lane;
  for (unsigned s = first; s < min(first + 32, count); ++s) {
    best found = workbook::arg_max::identity<best>();
    for (unsigned i = offsets[s] + lane; i < offsets[s + 1]; i += 32) found = workbook::arg_max{}(found, {in[i], i});
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      const best other = workbook::shuffle_down(~0u, found, distance);
      if (other.value >= found.value) found = other;
    }
    if (lane == 0) out[s] = found;
  }
}

template <typename T, segments_mistake is>
const void* kernel() {
  return is == segments_mistake::equals_by_luck ? reinterpret_cast<const void*>(&by_luck<T>)
                                                : reinterpret_cast<const void*>(&segments<T, is>);
}

template <segments_mistake is>
chapter15::segments_kernel of_all_types() {
  return {.kernels = {kernel<int, is>(), kernel<unsigned, is>(), kernel<long long, is>(), kernel<float, is>(),
                      kernel<double, is>()}};
}

}  // namespace

chapter15::segments_kernel wrong_segments(segments_mistake which) {
  switch (which) {
    using enum segments_mistake;
    case empty_dropped:
      return of_all_types<empty_dropped>();
    case long_dropped:
      return of_all_types<long_dropped>();
    case last_lost:
      return of_all_types<last_lost>();
    case first_lost:
      return of_all_types<first_lost>();
    case next_counts:
      return of_all_types<next_counts>();
    case tail_lost:
      return of_all_types<tail_lost>();
    case rest_lost:
      return of_all_types<rest_lost>();
    case begun_with_zero:
      return of_all_types<begun_with_zero>();
    case place_in_segment:
      return of_all_types<place_in_segment>();
    case place_in_long:
      return of_all_types<place_in_long>();
    case above_only:
      return of_all_types<above_only>();
    case last_of_equals:
      return of_all_types<last_of_equals>();
    case equals_by_luck:
      return of_all_types<equals_by_luck>();
    case segments_of_last_block_lost:
      return of_all_types<segments_of_last_block_lost>();
    default:
      return of_all_types<none>();
  }
}

}  // namespace wrong_studies
