// The version base for every element type.

#include "11_launch_bounds/instances.cuh"

namespace chapter11 {

versions base_versions() {
  return all_bounds<base>();
}

}  // namespace chapter11
