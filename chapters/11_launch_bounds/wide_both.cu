// The version wide_both for every element type.

#include "11_launch_bounds/instances.cuh"

namespace chapter11 {

versions wide_both_versions() {
  return all_bounds<wide_both>();
}

}  // namespace chapter11
