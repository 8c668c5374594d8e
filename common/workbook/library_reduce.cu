// The reduction at the end of the book, as a row in the table of every chapter.

#include <algorithm>

#include "workbook/library_tables.hpp"
#include "workbook/reduce_depth.cuh"

namespace workbook {
namespace {

struct one_launch {
  template <typename T>
  static std::size_t workspace_bytes(std::size_t) {
    return reduce_workspace_bytes<T>();
  }
  template <typename T>
  static void run(const T* in, T* out, std::size_t n, void* workspace) {
    reduce<T>(in, out, n, workspace);
  }
};

}  // namespace

whole_table one_launch_table() {
  return whole_table_of<one_launch>();
}

std::size_t one_launch_depth(std::size_t n) {
  return std::max(depth_of_reduce(reduce_input<float>(nullptr, n)), depth_of_reduce(reduce_input<double>(nullptr, n)));
}

}  // namespace workbook
