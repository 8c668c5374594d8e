#include "timing/machine/kernels/links.hpp"

#include <cuda/atomic>

namespace workbook::machine {
namespace {

template <typename Vector>
__global__ void move(Vector* to, const Vector* from, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) to[i] = from[i];
}

__global__ void share(uint4* own, uint4* other, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const uint4 a = own[i], b = other[i];
    const uint4 sum = {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
    own[i] = sum;
    other[i] = sum;
  }
}

__global__ void answer(unsigned* own, unsigned* other, unsigned first, unsigned last) {
  using word = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
  for (unsigned number = first; number <= last; number += 2) {
    while (word(*own).load(cuda::memory_order_relaxed) != number) {
    }
    word(*other).store(number + 1, cuda::memory_order_relaxed);
  }
}

}  // namespace

const void* const word_moving_kernel = reinterpret_cast<const void*>(&move<unsigned>);
const void* const vector_moving_kernel = reinterpret_cast<const void*>(&move<uint4>);
const void* const sharing_kernel = reinterpret_cast<const void*>(&share);
const void* const answering_kernel = reinterpret_cast<const void*>(&answer);

}  // namespace workbook::machine
