// Instances of the reductions of rows, columns, segments and runs of keys for shapes_test.cpp.

#include "reductions/shapes_kernels.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "reductions/buffer.hpp"
#include "reductions/by_key.cuh"
#include "reductions/columns.cuh"
#include "reductions/reduce.cuh"
#include "reductions/rows.cuh"
#include "reductions/segments.cuh"

namespace workbook {

namespace {

/// The byte that fills the results before a call.
constexpr int poison = 0xa5;

template <typename T>
device_bytes on_device(const std::vector<T>& values, std::size_t offset_bytes = 0) {
  device_bytes to(offset_bytes + values.size() * sizeof(T));
  if (!values.empty())
    check(cudaMemcpy(to.data() + offset_bytes, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

device_bytes filled(std::size_t size_bytes, int byte) {
  device_bytes bytes(size_bytes);
  if (size_bytes != 0) check(cudaMemset(bytes.data(), byte, size_bytes));
  return bytes;
}

template <typename T>
std::vector<T> copied(const std::byte* from, std::size_t count) {
  std::vector<T> to(count);
  if (count != 0) check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return to;
}

class own_stream {
 public:
  own_stream() { check(cudaStreamCreate(&handle_)); }
  ~own_stream() { cudaStreamDestroy(handle_); }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return handle_; }
  void finish() const {
    check(cudaGetLastError());
    check(cudaStreamSynchronize(handle_));
  }

 private:
  cudaStream_t handle_ = nullptr;
};

/// Calls `launch(in, out, workspace, stream)` `calls` times and returns the `results` results of each call.
template <typename Acc, typename T>
std::vector<std::vector<Acc>> results_of(const std::vector<T>& elements, std::size_t offset_bytes, std::size_t results,
                                         std::size_t workspace_bytes, int calls, auto launch) {
  const device_bytes in = on_device(elements, offset_bytes), workspace = filled(workspace_bytes, 0);
  const device_bytes out = filled(results * sizeof(Acc), poison);
  const own_stream stream;
  std::vector<std::vector<Acc>> all;
  for (int k = 0; k < calls; ++k) {
    launch(reinterpret_cast<const T*>(in.data() + offset_bytes), reinterpret_cast<Acc*>(out.data()), workspace.data(),
           stream.get());
    stream.finish();
    all.push_back(copied<Acc>(out.data(), results));
    if (out.size_bytes() != 0) check(cudaMemset(out.data(), poison, out.size_bytes()));
  }
  return all;
}

}  // namespace

template <typename Acc, typename T, typename Op>
std::vector<std::vector<Acc>> rows_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                 std::size_t offset_bytes, Op op, int calls) {
  return results_of<Acc>(elements, offset_bytes, l.rows, reduce_rows_workspace_bytes<Acc>(), calls,
                         [&](const T* in, Acc* out, void* workspace, cudaStream_t stream) {
                           reduce_rows<Acc>(in, out, l.rows, l.columns, l.stride, workspace, stream, op);
                         });
}

template <typename Acc, typename T, typename Op>
std::vector<std::vector<Acc>> columns_in_one_launch(const std::vector<T>& elements, const layout& l,
                                                    std::size_t offset_bytes, Op op, int calls) {
  return results_of<Acc>(elements, offset_bytes, l.columns, reduce_columns_workspace_bytes<Acc, T>(), calls,
                         [&](const T* in, Acc* out, void* workspace, cudaStream_t stream) {
                           reduce_columns<Acc>(in, out, l.rows, l.columns, l.stride, workspace, stream, op);
                         });
}

template <typename Acc, typename T, typename Offset, typename Op>
std::vector<std::vector<Acc>> segments_in_one_launch(const std::vector<T>& elements, const std::vector<Offset>& offsets,
                                                     std::size_t offset_bytes, Op op, int calls) {
  const device_bytes at = on_device(offsets);
  return results_of<Acc>(elements, offset_bytes, offsets.size() - 1, reduce_segments_workspace_bytes<Acc>(), calls,
                         [&](const T* in, Acc* out, void* workspace, cudaStream_t stream) {
                           reduce_segments<Acc>(in, reinterpret_cast<const Offset*>(at.data()), out, offsets.size() - 1,
                                                elements.size(), workspace, stream, op);
                         });
}

/// Returns the number of words in the workspace that the next call would mistake for messages of its own tiles.
template <typename Acc>
std::size_t left_over(const device_bytes& workspace) {
  const auto calls = copied<key_calls>(workspace.data(), 1).at(0);
  const auto tiles = copied<key_tile<Acc>>(workspace.data() + sizeof(key_calls),
                                           (workspace.size_bytes() - sizeof(key_calls)) / sizeof(key_tile<Acc>));
  std::size_t words = 0;
  for (const key_tile<Acc>& tile : tiles) {
    words += tile.runs[calls.turn] != 0 ? 1 : 0;
    for (const unsigned long long word : tile.tail.words) words += word != 0 ? 1 : 0;
  }
  return words;
}

template <typename Acc, typename Key, typename T, typename Op>
std::vector<runs_of_keys<Key, Acc>> runs_in_one_launch(const std::vector<Key>& keys, const std::vector<T>& elements,
                                                       Op op, const std::vector<std::size_t>& counts) {
  const std::size_t n = keys.size();
  const device_bytes keys_there = on_device(keys), in = on_device(elements);
  const device_bytes workspace = filled(reduce_by_key_workspace_bytes<Key, T, Acc>(n), 0);
  const own_stream stream;
  std::vector<runs_of_keys<Key, Acc>> all;
  for (const std::size_t count : counts) {
    const device_bytes unique = filled(count * sizeof(Key), poison), sums = filled(count * sizeof(Acc), poison);
    const device_bytes runs = filled(sizeof(unsigned long long), poison);
    reduce_by_key<Acc>(reinterpret_cast<const Key*>(keys_there.data()), reinterpret_cast<const T*>(in.data()), count,
                       reinterpret_cast<Key*>(unique.data()), reinterpret_cast<Acc*>(sums.data()),
                       reinterpret_cast<unsigned long long*>(runs.data()), workspace.data(), stream.get(), op);
    stream.finish();
    const std::size_t found = copied<unsigned long long>(runs.data(), 1).at(0);
    if (found > count) throw std::runtime_error(std::to_string(found) + " runs");
    if (left_over<Acc>(workspace) != 0) throw std::runtime_error("the workspace is not as the next call wants it");
    all.push_back({copied<Key>(unique.data(), found), copied<Acc>(sums.data(), found)});
  }
  return all;
}

template <typename Acc, typename T, typename Op>
std::size_t spilled_bytes_of_shapes() {
  std::size_t most = 0;
  const auto look = [&](auto* kernel, auto...) {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel));
    most = std::max(most, attributes.localSizeBytes);
  };
  const auto look_at_pieces = [&]<typename Pieces>(const Pieces&) {
    look(reduce_pieces<T, Pieces, Acc, Acc, Op>);
    for (const unsigned block_size : {256u, 512u})
      with_kernel_of_long_pieces<Acc, T, Pieces, Acc, Op>(block_size, look);
    for (const rows_way way : all_rows_ways) with_kernel_of_rows<Acc, T, Pieces, Acc, Op>(way, look);
    for (const segments_way way : all_segments_ways) with_kernel_of_segments<Acc, T, Pieces, Acc, Op>(way, look);
  };
  look_at_pieces(strided_rows<false>{});
  look_at_pieces(strided_rows<true>{});
  look_at_pieces(offset_segments<int>{});
  const auto look_at_columns = [&]<unsigned V>() {
    look(reduce_columns_in_bands<V, T, Acc, Acc, Op>);
    look(reduce_tiles_in_bands<V, T, Acc, Acc, Op>);
    for (const columns_way way : all_columns_ways)  // for a small matrix and a large one
      for (const std::size_t units : {1000u, 1000000u})
        with_kernel_of_columns<V, T, Acc, Acc, Op>(way, 100, units, look);
  };
  look_at_columns.template operator()<1>();
  look_at_columns.template operator()<columns_a_load<T, Acc>>();
  return most;
}

std::vector<std::vector<int>> replayed_in_graph(const std::vector<std::vector<int>>& inputs,
                                                const std::vector<int>& offsets, std::size_t columns) {
  const std::size_t n = inputs.at(0).size(), segments = offsets.size() - 1, rows = n / columns;
  const std::size_t results = 1 + segments + rows;
  const device_bytes in = filled(n * sizeof(int), poison), out = filled(results * sizeof(int), poison);
  const device_bytes offsets_there = on_device(offsets), of_sum = filled(reduce_workspace_bytes<int>(), 0);
  const device_bytes of_segments = filled(reduce_segments_workspace_bytes<int>(), 0);
  const device_bytes of_rows = filled(reduce_rows_workspace_bytes<int>(), 0);
  const auto* const from = reinterpret_cast<const int*>(in.data());
  auto* const to = reinterpret_cast<int*>(out.data());
  const own_stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  reduce<int>(from, to, n, of_sum.data(), stream.get());
  reduce_segments<int>(from, reinterpret_cast<const int*>(offsets_there.data()), to + 1, segments, n,
                       of_segments.data(), stream.get());
  reduce_rows<int>(from, to + 1 + segments, rows, columns, columns, of_rows.data(), stream.get());
  check(cudaStreamEndCapture(stream.get(), &graph));
  check(cudaGraphInstantiate(&replay, graph, 0));
  std::vector<std::vector<int>> all;
  for (const std::vector<int>& input : inputs) {
    check(cudaMemcpy(in.data(), input.data(), in.size_bytes(), cudaMemcpyHostToDevice));
    check(cudaMemset(out.data(), poison, out.size_bytes()));
    check(cudaGraphLaunch(replay, stream.get()));
    stream.finish();
    all.push_back(copied<int>(out.data(), results));
  }
  check(cudaGraphExecDestroy(replay));
  check(cudaGraphDestroy(graph));
  return all;
}

bool right_beyond_32_bits() {
  constexpr std::size_t n = (std::size_t{1} << 32) + 4099, columns = n / 3;
  const device_bytes in = filled(n, 1), out = filled(64, poison);
  const auto* const ones = reinterpret_cast<const signed char*>(in.data());
  const std::size_t bytes =
      std::max({reduce_rows_workspace_bytes<long long>(), reduce_columns_workspace_bytes<long long, signed char>(),
                reduce_by_key_workspace_bytes<signed char, signed char, long long>(n)});
  const device_bytes rows_space = filled(bytes, 0), columns_space = filled(bytes, 0), segments_space = filled(bytes, 0),
                     keys_space = filled(bytes, 0);
  const std::vector<long long> offsets = {1, 2, static_cast<long long>(n) - 1};
  const device_bytes offsets_there = on_device(offsets), unique = filled(1, poison);
  auto* const to = reinterpret_cast<long long*>(out.data());
  reduce_rows<long long>(ones, to, 1, n, n, rows_space.data());
  reduce_columns<long long>(ones, to + 1, columns, 3, 3, columns_space.data());
  reduce_segments<long long>(ones, reinterpret_cast<const long long*>(offsets_there.data()), to + 4, 2, n,
                             segments_space.data());
  reduce_by_key<long long>(ones, ones, n, reinterpret_cast<signed char*>(unique.data()), to + 6, to + 7,
                           keys_space.data());
  check(cudaGetLastError());
  const long long all = n, column = columns;
  return copied<long long>(out.data(), 8) == std::vector<long long>{all, column, column, column, 1, all - 3, all, 1};
}

template <typename Offset>
unsigned long long wrong_offset_on_device(const std::vector<Offset>& offsets, std::size_t n) {
  const device_bytes at = on_device(offsets), wrong = filled(sizeof(unsigned long long), 0xff);
  find_wrong_offset(reinterpret_cast<const Offset*>(at.data()), offsets.size() - 1, n,
                    reinterpret_cast<unsigned long long*>(wrong.data()));
  check(cudaGetLastError());
  return copied<unsigned long long>(wrong.data(), 1).at(0);
}

template <typename Offset>
void check_offsets_on_host(const std::vector<Offset>& offsets, std::size_t n) {
  check_offsets(offsets, n);
}

#define WORKBOOK_MATRIX(Acc, T, Op)                                                                                    \
  template std::vector<std::vector<Acc>> rows_in_one_launch<Acc>(const std::vector<T>&, const layout&, std::size_t,    \
                                                                 Op, int);                                             \
  template std::vector<std::vector<Acc>> columns_in_one_launch<Acc>(const std::vector<T>&, const layout&, std::size_t, \
                                                                    Op, int);                                          \
  template std::size_t spilled_bytes_of_shapes<Acc, T, Op>();
#define WORKBOOK_SEGMENTS(Acc, T, Offset, Op)                         \
  template std::vector<std::vector<Acc>> segments_in_one_launch<Acc>( \
      const std::vector<T>&, const std::vector<Offset>&, std::size_t, Op, int);
#define WORKBOOK_RUNS(Acc, Key, T, Op)                                                                                 \
  template std::vector<runs_of_keys<Key, Acc>> runs_in_one_launch<Acc>(const std::vector<Key>&, const std::vector<T>&, \
                                                                       Op, const std::vector<std::size_t>& counts);
#define WORKBOOK_OFFSETS(Offset)                                                               \
  template unsigned long long wrong_offset_on_device(const std::vector<Offset>&, std::size_t); \
  template void check_offsets_on_host(const std::vector<Offset>&, std::size_t);

WORKBOOK_MATRIX(int, int, plus)
WORKBOOK_MATRIX(float, float, plus)
WORKBOOK_MATRIX(int, signed char, plus)
WORKBOOK_MATRIX(double, double, maximum)
WORKBOOK_MATRIX(float, __half, plus)
WORKBOOK_MATRIX(triple, triple, plus_triple)
WORKBOOK_MATRIX(indexed<float>, indexed<float>, arg_max)
WORKBOOK_SEGMENTS(int, int, int, plus)
WORKBOOK_SEGMENTS(int, int, long long, plus)
WORKBOOK_SEGMENTS(float, float, unsigned, plus)
WORKBOOK_SEGMENTS(int, signed char, int, plus)
WORKBOOK_SEGMENTS(double, double, int, maximum)
WORKBOOK_SEGMENTS(float, __half, int, plus)
WORKBOOK_SEGMENTS(triple, triple, unsigned long long, plus_triple)
WORKBOOK_SEGMENTS(indexed<float>, indexed<float>, int, arg_max)
WORKBOOK_RUNS(int, int, int, plus)
WORKBOOK_RUNS(float, int, float, plus)
WORKBOOK_RUNS(double, int, float, plus)
WORKBOOK_RUNS(int, signed char, signed char, plus)
WORKBOOK_RUNS(double, long long, double, maximum)
WORKBOOK_RUNS(triple, int, triple, plus_triple)
WORKBOOK_OFFSETS(int)
WORKBOOK_OFFSETS(unsigned)
WORKBOOK_OFFSETS(long long)
WORKBOOK_OFFSETS(unsigned long long)

}  // namespace workbook
