// The reduction that the book ends with, as a row of a table.

#include "workbook/kept_workspace.hpp"
#include "workbook/library.hpp"
#include "workbook/reduce_depth.cuh"

namespace workbook {
namespace {

template <typename T>
void sum(kept_workspace& w, const T* in, T* out, std::size_t n) {
  void* storage = w.reserve(reduce_workspace_bytes<T>());
  if (storage != nullptr) reduce<T>(in, out, n, storage);
}

}  // namespace

reduction one_launch_reduction() {
  reduction r;
  r.name = "reduce_one_launch";
  r.as = role::reference;
  r.chapter = 12;
  const auto w = std::make_shared<kept_workspace>();
  const auto call = [w](const auto* in, auto* out, std::size_t n) { sum(*w, in, out, n); };
  r.wholes = {whole<int>(call), whole<unsigned>(call), whole<long long>(call), whole<float>(call), whole<double>(call)};
  r.reset = [w] { w->release(); };
  r.depth = [](std::size_t n, unsigned) {
    return std::max(depth_of_reduce(reduce_input<float>(nullptr, n)),
                    depth_of_reduce(reduce_input<double>(nullptr, n)));
  };
  return r;
}

}  // namespace workbook
