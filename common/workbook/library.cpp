#include "workbook/library.hpp"

#include "workbook/library_tables.hpp"
#include "workbook/rung.hpp"

namespace workbook {

reduction library_reduction() {
  reduction r = make_whole("cub::DeviceReduce::Sum", role::library, 0, cub_table());
  // The library's order of additions isn't documented, so this depth exceeds what any of its versions needs.
  r.depth = [](std::size_t n, unsigned) { return 64 + n / 4096; };
  return r;
}

reduction one_launch_reduction() {
  reduction r = make_whole("reduce_one_launch", role::reference, 12, one_launch_table());
  r.depth = [](std::size_t n, unsigned) { return one_launch_depth(n); };
  return r;
}

}  // namespace workbook
