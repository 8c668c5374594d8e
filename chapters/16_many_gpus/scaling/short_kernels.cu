// The kernels of the methods to call an all-reduce of short vectors of floats. Host code gets their addresses.

#include <cuda/atomic>

#include "16_many_gpus/all_reduce_kernel.hpp"
#include "16_many_gpus/mailbox_exchange.cuh"
#include "16_many_gpus/members.cuh"
#include "workbook/dependent_launch.cuh"

namespace chapter16 {
namespace {

using workbook::members;

/// Polls for a letter before the kernel gives up: several seconds if a poll takes a third of a microsecond.
constexpr unsigned max_looks = 1u << 22;

template <bool GivesUp>
__global__ void mailbox_exchange_counting(members<float> all, mailboxes boxes, unsigned* called, unsigned me,
                                          unsigned count, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  workbook::trigger_and_wait_dependents();  // correct for the reason in mailbox_exchange.cuh
  if (i >= count) return;
  const auto box = [&](unsigned at, unsigned call, unsigned from) {
    return cuda::atomic_ref<letter, cuda::thread_scope_system>(
        boxes.box[at][place_of(call, from, 0, i, all.devices, 1, count)]);
  };
  float own = all.vector[me][i];
  unsigned call = called[i];
  for (unsigned round = 0; round < rounds; ++round) {
    ++call;
    const letter sent = static_cast<letter>(__float_as_uint(own)) << 32 | call;
    for (unsigned d = 0; d < all.devices; ++d)
      if (d != me) box(d, call, me).store(sent, cuda::memory_order_relaxed);
    float sum = 0;
    for (unsigned d = 0; d < all.devices; ++d) {  // the same order everywhere, so all GPUs have the same bits
      float value = own;
      if (d != me) {
        letter seen = 0;
        unsigned looks = 0;
        while (static_cast<unsigned>(seen) != call) {
          seen = box(me, call, d).load(cuda::memory_order_relaxed);
          if (GivesUp && ++looks == max_looks) break;
        }
        value = __uint_as_float(static_cast<unsigned>(seen >> 32));
      }
      sum += value;
    }
    own = sum;
  }
  called[i] = call;
  all.vector[me][i] = own;
}

__global__ void serve_all(members<float> all, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0;
#pragma unroll
  for (unsigned d = 0; d < workbook::max_members; ++d)
    if (d < all.devices) sum += all.vector[d][i];
  for (unsigned d = 0; d < all.devices; ++d) all.vector[d][i] = sum;
}

}  // namespace

const void* counting_mailbox_kernel(bool gives_up) {
  return gives_up ? reinterpret_cast<const void*>(&mailbox_exchange_counting<true>)
                  : reinterpret_cast<const void*>(&mailbox_exchange_counting<false>);
}

const void* serving_kernel() {
  return reinterpret_cast<const void*>(&serve_all);
}

}  // namespace chapter16
