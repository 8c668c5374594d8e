#include "reductions/launch_kernel.hpp"

namespace {

__global__ void do_nothing() {}

}  // namespace

const void* idle_kernel() {
  return reinterpret_cast<const void*>(&do_nothing);
}
