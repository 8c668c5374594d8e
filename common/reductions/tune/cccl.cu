#include "reductions/tune/cccl.hpp"

#include <cub/version.cuh>

namespace workbook {

std::string raced_cccl() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

}  // namespace workbook
