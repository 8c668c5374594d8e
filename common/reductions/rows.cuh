#pragma once
/// \file
/// Reductions of every row of a matrix, in one launch.

#include <cstddef>

#include "reductions/operators.cuh"
#include "reductions/pieces.cuh"
#include "reductions/reduce_pieces.cuh"
#include "reductions/whole_pieces.cuh"

namespace workbook {

/// Returns how many bytes of workspace `reduce_rows` needs on the current device, for any matrix.
template <typename Acc>
std::size_t reduce_rows_workspace_bytes() {
  return pieces_workspace_bytes<Acc>();
}

/// As `reduce_rows` below, for `rows` > 0, with the algorithm `way`.
template <typename Acc, typename T, typename Out, typename Op>
void reduce_rows_in_way(rows_way way, const T* in, Out* out, std::size_t rows, std::size_t columns, std::size_t stride,
                        void* workspace, cudaStream_t stream, Op op) {
  const auto launch = [&]<typename Rows>(const Rows& pieces) {
    const auto launch_whole = [&](auto* kernel, unsigned pieces_of_block, unsigned block_size) {
      kernel<<<static_cast<unsigned>(ceil_div(rows, pieces_of_block)), block_size, 0, stream>>>(in, pieces, out, op);
    };
    if (!with_kernel_of_rows<Acc, T, Rows, Out, Op>(way, launch_whole))
      launch_pieces<Acc>(in, pieces, out, workspace, stream, op);
  };
  if (stride == columns)
    launch(strided_rows<false>{rows, columns, stride});
  else
    launch(strided_rows<true>{rows, columns, stride});
}

/// Reduces each row of the matrix at `in` (device, aligned for T) with `op` into `out` (device, `rows` results), with
/// one launch on `stream`. Row r has its `columns` elements at `in + r * stride`; `stride` >= `columns`, in
/// elements. A batch of matrices without gaps is one matrix of all their rows. Any number may be 0: without columns the
/// results are the identity, without rows nothing is launched. Values are converted to Acc first, and integers wrap in
/// it; the result is converted to Out. `workspace` (device memory, aligned to 8 bytes) must have
/// `reduce_rows_workspace_bytes<Acc>()` bytes. Zero it once, before the first call, and use it for one call at a time.
/// Equal calls on equal devices give equal bits. Does not synchronise or allocate. cudaGetLastError returns errors.
template <typename Acc, typename T, typename Out, reduction_operator<Acc> Op = plus>
void reduce_rows(const T* in, Out* out, std::size_t rows, std::size_t columns, std::size_t stride, void* workspace,
                 cudaStream_t stream = nullptr, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_copyable_v<Acc>);
  if (rows == 0) return;
  reduce_rows_in_way<Acc>(way_of_rows<T>(rows, columns), in, out, rows, columns, stride, workspace, stream, op);
}

}  // namespace workbook
