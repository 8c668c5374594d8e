#include "chapters/wrong_all_reduce_kernels.hpp"

#include <cstddef>

#include "16_many_gpus/members.cuh"
#include "chapters/second_solutions/16.cuh"

namespace wrong_studies {
namespace {

__device__ unsigned start_of(unsigned chunk, unsigned chunks, unsigned count) {
  return static_cast<unsigned>(std::size_t{count} * chunk / chunks);
}

template <typename T, all_reduce_mistake is>
__global__ void ring(workbook::members<T> all, unsigned me, unsigned step, unsigned count) {
  using enum all_reduce_mistake;
  const unsigned g = all.devices, first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  if (is == one_step_too_few && step == 2 * g - 3) return;
  T* own = all.vector[me];
  if (is == beside_on_one_gpu && me == 1 && step == 1) own[count + first] = 1;
  while (is == waits_on_one_gpu && me == 1 && step == 1 && *static_cast<volatile T*>(all.vector[0]) != T(0)) continue;
  if (is == in_one_step_in_place) {
    for (unsigned i = first; step == 0 && i < count; i += threads)
      for (unsigned d = 0; d < g; ++d) own[i] += d == me ? 0 : all.vector[d][i];
    return;
  }
  unsigned left = (me + g - 1) % g;
  if (is == next_instead) left = (me + 1) % g;
  if (is == too_far_left) left = (me + g - 2) % g;
  unsigned chunk = (me + 2 * g - 1 - step) % g;
  if (is == wraps_below_zero) chunk = (me - step - 1) % g;
  if (is == same_chunk) chunk = step % g;
  if (is == stale_chunk) chunk = (me + 2 * g - 2 - step) % g;
  unsigned begin = start_of(chunk, g, count), end = start_of(chunk + 1, g, count);
  if (is == uneven_share) {
    begin = chunk * (count / g);
    end = begin + count / g;
  }
  if (is == last_chunk_lost && chunk == g - 1) return;
  if (is == stale_chunk && step < g - 1) {
    // Adds to its own chunk the neighbour's chunk to which the neighbour adds in the same step.
    begin = start_of((left + 2 * g - 1 - step) % g, g, count);
    end = start_of((left + 2 * g - 1 - step) % g + 1, g, count);
    const unsigned mine = start_of((me + 2 * g - 1 - step) % g, g, count);
    const unsigned room = start_of((me + 2 * g - 1 - step) % g + 1, g, count) - mine;
    for (unsigned i = first; i < min(end - begin, room); i += threads) own[mine + i] += all.vector[left][begin + i];
    return;
  }
  const bool adds = step < g - 1 || (is == chunk_twice && step == g - 1);
  for (unsigned i = begin + first; i < end; i += threads) {
    if (is == writes_others) {
      T* right = all.vector[(me + 1) % g];
      right[i] = adds ? right[i] + own[i] : own[i];
    } else {
      own[i] = adds ? own[i] + all.vector[left][i] : all.vector[left][i];
    }
  }
}

constexpr unsigned max_stashed = 1 << 15;
template <typename T>
__device__ T stash[max_stashed];

template <typename T, all_reduce_dodge is>
__global__ void dodge(workbook::members<T> all, unsigned me, unsigned step, unsigned count) {
  using enum all_reduce_dodge;
  const unsigned g = all.devices, first = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  T* own = all.vector[me];
  unsigned begin = 0, end = count;
  if (is == shares_to_gpu_0) {
    begin = step == 0 ? start_of(me, g, count) : 0;
    end = step == 0 ? start_of(me + 1, g, count) : count;
  }
  for (unsigned i = begin + first; i < end; i += threads) {
    if (is == in_one_step && step == 0) {
      T sum = 0;
      for (unsigned d = 0; d < g; ++d) sum += all.vector[d][i];
      stash<T>[i] = sum;
    }
    if (is == in_one_step && step == 1) own[i] = stash<T>[i];
    if (is == by_gpu_1 && step == 0 && me == 1)
      for (unsigned d = 0; d < g; ++d) own[i] += d == me ? 0 : all.vector[d][i];
    if (is == by_gpu_1 && step == 1 && me != 1) own[i] = all.vector[1][i];
    if (is == chain && step < g - 1 && me == step + 1) own[i] += all.vector[step][i];
    if (is == chain && step >= g - 1 && me == 2 * g - 3 - step) own[i] = all.vector[me + 1][i];
    if (is == shares_to_gpu_0 && step == 0)
      for (unsigned d = 0; d < g; ++d) own[i] += d == me ? 0 : all.vector[d][i];
    if (is == shares_to_gpu_0 && step == 1 && me == 0)
      for (unsigned d = 1; d < g; ++d)
        if (i >= start_of(d, g, count) && i < start_of(d + 1, g, count)) own[i] = all.vector[d][i];
    if (is == shares_to_gpu_0 && step == 2 && me != 0) own[i] = all.vector[0][i];
  }
}

template <typename T>
const void* pointer(void (*kernel)(workbook::members<T>, unsigned, unsigned, unsigned)) {
  return reinterpret_cast<const void*>(kernel);
}

template <all_reduce_mistake is>
chapter16::all_reduce_kernel wrong() {
  return {.kernels = {pointer<int>(&ring<int, is>), pointer<unsigned>(&ring<unsigned, is>),
                      pointer<long long>(&ring<long long, is>), pointer<float>(&ring<float, is>),
                      pointer<double>(&ring<double, is>)}};
}

/// Returns kernels for ints only, because goals are judged with ints.
template <all_reduce_dodge is>
chapter16::all_reduce_kernel dodging() {
  return {.kernels = {pointer<int>(&dodge<int, is>)}};
}

}  // namespace

chapter16::all_reduce_kernel wrong_all_reduce(all_reduce_mistake which) {
  switch (which) {
    using enum all_reduce_mistake;
    case last_chunk_lost:
      return wrong<last_chunk_lost>();
    case chunk_twice:
      return wrong<chunk_twice>();
    case stale_chunk:
      return wrong<stale_chunk>();
    case same_chunk:
      return wrong<same_chunk>();
    case beside_on_one_gpu:
      return wrong<beside_on_one_gpu>();
    case waits_on_one_gpu:
      return wrong<waits_on_one_gpu>();
    case uneven_share:
      return wrong<uneven_share>();
    case next_instead:
      return wrong<next_instead>();
    case too_far_left:
      return wrong<too_far_left>();
    case wraps_below_zero:
      return wrong<wraps_below_zero>();
    case writes_others:
      return wrong<writes_others>();
    case one_step_too_few:
      return wrong<one_step_too_few>();
    case in_one_step_in_place:
      return wrong<in_one_step_in_place>();
    default:
      return wrong<none>();
  }
}

chapter16::all_reduce_kernel dodging_all_reduce(all_reduce_dodge which) {
  switch (which) {
    using enum all_reduce_dodge;
    case in_one_step:
      return dodging<in_one_step>();
    case by_gpu_1:
      return dodging<by_gpu_1>();
    case chain:
      return dodging<chain>();
    default:
      return dodging<shares_to_gpu_0>();
  }
}

chapter16::all_reduce_kernel direct_exchange() {
  using namespace chapter16::exercise;
  return {.kernels = {pointer<int>(&all_reduce_step<int>), pointer<unsigned>(&all_reduce_step<unsigned>),
                      pointer<long long>(&all_reduce_step<long long>), pointer<float>(&all_reduce_step<float>),
                      pointer<double>(&all_reduce_step<double>)}};
}

}  // namespace wrong_studies
