// The version wide_small for every element type.

#include "11_launch_bounds/instances.cuh"

namespace chapter11 {

versions wide_small_versions() {
  return all_bounds<wide_small>();
}

}  // namespace chapter11
