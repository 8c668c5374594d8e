// Instances of the book's and the libraries' reductions of pieces, for the program that races them.

#include "reductions/tune/arena.hpp"

#include <cstdint>
#include <stdexcept>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include "reductions/buffer.hpp"
#include "reductions/by_key.cuh"
#include "reductions/columns.cuh"
#include "reductions/rows.cuh"
#include "reductions/segments.cuh"

namespace workbook {
namespace {

constexpr unsigned fill_block = 256;

/// Returns an element. Integers have any value; floats are -1, 0 or 1, so their sums are exact in any order.
template <typename T>
__device__ T element(std::size_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  const auto bits = static_cast<std::uint32_t>(z >> 32);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits);
  else
    return static_cast<T>(bits % 3) - T{1};
}

template <typename T>
__global__ void fill_elements(T* in, std::size_t n, bool ones) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    in[i] = ones ? T{1} : element<T>(i);
}

/// Sets the key of each element to the number of the piece that contains it.
template <typename Key>
__global__ void fill_keys(Key* keys, std::size_t n, const int* offsets, std::size_t pieces) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    std::size_t low = 0, high = pieces;  // offsets[low] <= i < offsets[high]
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (static_cast<std::size_t>(offsets[middle]) <= i ? low : high) = middle;
    }
    keys[i] = static_cast<Key>(low);
  }
}

/// The simplest method, for comparison: each piece has a block of one warp.
template <typename T>
__global__ void reduce_plainly(const T* in, T* out, const int* offsets, std::size_t length, std::size_t between,
                               std::size_t step) {
  const std::size_t piece = blockIdx.x;
  const std::size_t first = offsets != nullptr ? static_cast<std::size_t>(offsets[piece]) : piece * between;
  const std::size_t count = offsets != nullptr ? static_cast<std::size_t>(offsets[piece + 1]) - first : length;
  T sum{};
  for (std::size_t i = threadIdx.x; i < count; i += warp_size) sum += in[first + i * step];
  for (unsigned offset = warp_size / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) out[piece] = sum;
}

/// The offsets of segments of equal length, computed instead of read from memory.
struct equal_offsets {
  std::int64_t length;
  __host__ __device__ std::int64_t operator()(std::int64_t s) const { return s * length; }
};

/// The elements of a matrix, column by column.
template <typename T>
struct by_columns {
  const T* in;
  std::int64_t rows, columns;
  __host__ __device__ T operator()(std::int64_t i) const { return in[i % rows * columns + i / rows]; }
};

/// Memory for Thrust that is already allocated. Allocating device memory takes longer than most reductions.
struct room {
  using value_type = char;
  char* memory;
  std::size_t bytes, used = 0;
  char* allocate(std::ptrdiff_t n) {
    const std::size_t wanted = (static_cast<std::size_t>(n) + 255) / 256 * 256;
    if (used + wanted > bytes) throw std::runtime_error("no more room for Thrust");
    used += wanted;
    return memory + used - wanted;
  }
  void deallocate(char*, std::size_t) {}
};

/// \tparam Key  the type of a run's key; with wide keys, the pieces are always runs
template <typename T, typename Key = int>
class arena_for : public arena {
  static constexpr bool only_runs = sizeof(Key) > sizeof(int);

 public:
  arena_for(const raced_shape& shape, std::shared_ptr<cublas> blas, bool libraries)
      : shape_(shape),
        blas_(std::move(blas)),
        in_((shape.elements() + shape.offset) * sizeof(T)),
        results_(shape.count),
        out_(results_ * sizeof(T)),
        expected_(results_ * sizeof(T)) {
    const std::size_t n = shape.elements();
    fill_elements<<<8 * multiprocessor_count(), fill_block>>>(in(), n, false);
    const auto pieces = static_cast<unsigned>(shape.count);
    if (shape.kind == pieces_kind::rows || shape.kind == pieces_kind::columns) {
      const bool by_row = shape.kind == pieces_kind::rows;
      reduce_plainly<T><<<pieces, warp_size>>>(in(), expected(), nullptr, shape.length, by_row ? shape.length : 1,
                                               by_row ? 1 : shape.count);
    } else {
      std::vector<int> offsets = offsets_of(shape);
      offsets_ = device_bytes(offsets.size() * sizeof(int));
      check(cudaMemcpy(offsets_.data(), offsets.data(), offsets_.size_bytes(), cudaMemcpyHostToDevice));
      if (shape_.is_by_key()) make_keys(offsets);
      reduce_plainly<T><<<static_cast<unsigned>(results_), warp_size>>>(in(), expected(), this->offsets(), 0, 0, 1);
    }
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    enter_ours();
    if (libraries) enter_libraries();
  }

  [[nodiscard]] bool is_right(const shape_contender& c) override {
    check(cudaMemset(out_.data(), 0xa5, out_.size_bytes()));
    if (shape_.is_by_key()) check(cudaMemset(unique_.data(), 0xa5, unique_.size_bytes()));
    c.run();
    check(cudaGetLastError());
    if (!shape_.is_by_key() || c.waits) return same<T>(out_, expected_);
    int runs = 0;
    check(cudaMemcpy(&runs, runs_.data(), sizeof runs, cudaMemcpyDeviceToHost));
    return runs == static_cast<int>(results_) && same<T>(out_, expected_) && same<Key>(unique_, expected_keys_);
  }

 private:
  [[nodiscard]] T* in() const { return reinterpret_cast<T*>(in_.data()) + shape_.offset; }
  [[nodiscard]] T* expected() const { return reinterpret_cast<T*>(expected_.data()); }
  [[nodiscard]] T* out() const { return reinterpret_cast<T*>(out_.data()); }
  [[nodiscard]] int* offsets() const { return reinterpret_cast<int*>(offsets_.data()); }
  [[nodiscard]] Key* keys() const { return reinterpret_cast<Key*>(keys_.data()) + shape_.offset; }
  [[nodiscard]] Key* unique() const { return reinterpret_cast<Key*>(unique_.data()); }
  [[nodiscard]] int* runs() const { return reinterpret_cast<int*>(runs_.data()); }

  template <typename Element>
  static bool same(const device_bytes& a, const device_bytes& b) {
    std::vector<Element> x(a.size_bytes() / sizeof(Element)), y(x.size());
    check(cudaMemcpy(x.data(), a.data(), a.size_bytes(), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(y.data(), b.data(), b.size_bytes(), cudaMemcpyDeviceToHost));
    return x == y;
  }

  /// Makes the keys. Empty pieces have no run, so their offsets are removed.
  void make_keys(std::vector<int>& offsets) {
    const std::size_t n = shape_.elements();
    keys_ = device_bytes((n + shape_.offset) * sizeof(Key));
    fill_keys<<<8 * multiprocessor_count(), fill_block>>>(keys(), n, this->offsets(), shape_.count);
    check(cudaDeviceSynchronize());
    std::vector<Key> numbers;
    std::vector<int> kept;
    for (std::size_t s = 0; s < shape_.count; ++s) {
      if (offsets[s] == offsets[s + 1]) continue;
      numbers.push_back(static_cast<Key>(s));
      kept.push_back(offsets[s]);
    }
    kept.push_back(offsets.back());
    results_ = numbers.size();
    offsets = kept;
    offsets_ = device_bytes(kept.size() * sizeof(int));
    check(cudaMemcpy(offsets_.data(), kept.data(), offsets_.size_bytes(), cudaMemcpyHostToDevice));
    out_ = device_bytes(results_ * sizeof(T));
    expected_ = device_bytes(results_ * sizeof(T));
    unique_ = device_bytes(results_ * sizeof(Key));
    expected_keys_ = device_bytes(results_ * sizeof(Key));
    check(cudaMemcpy(expected_keys_.data(), numbers.data(), expected_keys_.size_bytes(), cudaMemcpyHostToDevice));
    runs_ = device_bytes(sizeof(int));
  }

  void enter(std::string name, std::function<void()> run, bool waits = false) {
    contenders_.push_back({std::move(name), std::move(run), waits});
  }

  template <typename Way>
  void enter_way(Way way, std::function<void()> run) {
    ways_.push_back({std::string(1, static_cast<char>(way)), std::move(run)});
  }

  void zero_workspace(std::size_t size_bytes) {
    workspace_ = device_bytes(size_bytes);
    check(cudaMemset(workspace_.data(), 0, size_bytes));
  }

  void enter_ours() {
    if (shape_.is_by_key())
      enter_our_runs();
    else if constexpr (!only_runs)
      enter_our_pieces();
  }

  void enter_our_pieces() {
    switch (shape_.kind) {
      case pieces_kind::rows:
        zero_workspace(reduce_rows_workspace_bytes<T>());
        enter("workbook",
              [this] { reduce_rows<T>(in(), out(), shape_.count, shape_.length, shape_.length, workspace_.data()); });
        for (const rows_way way : all_rows_ways)
          enter_way(way, [this, way] {
            reduce_rows_in_way<T>(way, in(), out(), shape_.count, shape_.length, shape_.length, workspace_.data(),
                                  nullptr, plus{});
          });
        break;
      case pieces_kind::columns:
        zero_workspace(reduce_columns_workspace_bytes<T, T>());
        enter("workbook",
              [this] { reduce_columns<T>(in(), out(), shape_.length, shape_.count, shape_.count, workspace_.data()); });
        // With loads of 16 bytes, if the length of a row is a multiple of such a load.
        if (constexpr unsigned V = columns_a_load<T, T>; shape_.count % V == 0)
          for (const columns_way way : all_columns_ways)
            if (can_choose<V, T>(way, shape_.length, shape_.count / V))
              enter_way(way, [this, way] {
                reduce_columns_in_way<V, T>(way, in(), out(), shape_.length, shape_.count / V, shape_.count,
                                            workspace_.data(), nullptr, plus{});
              });
        break;
      case pieces_kind::segments:
      case pieces_kind::uneven_segments:
        zero_workspace(reduce_segments_workspace_bytes<T>());
        enter("workbook", [this] {
          reduce_segments<T>(in(), offsets(), out(), shape_.count, shape_.elements(), workspace_.data());
        });
        for (const segments_way way : all_segments_ways)
          if (can_choose<T>(way, shape_.count, shape_.elements()))
            enter_way(way, [this, way] {
              reduce_segments_in_way<T>(way, in(), offsets(), out(), shape_.count, shape_.elements(), workspace_.data(),
                                        nullptr, plus{});
            });
        break;
      case pieces_kind::runs:
      case pieces_kind::uneven_runs:
        break;
    }
  }

  void enter_our_runs() {
    zero_workspace(reduce_by_key_workspace_bytes<Key, T, T>(shape_.elements()));
    const auto ours = [this] {
      reduce_by_key<T>(keys(), in(), shape_.elements(), unique(), out(), runs(), workspace_.data());
    };
    enter("workbook", ours);
    enter(
        "workbook, waiting",
        [ours] {
          ours();
          check(cudaStreamSynchronize(nullptr));
        },
        true);
  }

  /// Adds a call of CUB, `call(workspace, bytes)`, with the workspace that it requests.
  template <typename Call>
  void enter_cub(const std::string& name, Call call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes));
    // At least 1 byte, because with a null pointer CUB would return the size again.
    auto memory = std::make_shared<device_bytes>(bytes > 0 ? bytes : 1);
    enter(name, [=] {
      std::size_t size = memory->size_bytes();
      (void)call(memory->data(), size);
    });
  }

  void enter_libraries() {
    if (shape_.is_by_key())
      enter_library_runs();
    else if constexpr (!only_runs)
      enter_library_pieces();
  }

  void enter_library_pieces() {
    const pieces_kind kind = shape_.kind;
    const std::size_t length = shape_.length;
    const auto pieces = static_cast<std::int64_t>(shape_.count);
    if (kind == pieces_kind::rows || kind == pieces_kind::segments) {
      const auto ends = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                        equal_offsets{static_cast<std::int64_t>(length)});
      enter_cub("cub::DeviceSegmentedReduce, equal lengths", [=, this](void* workspace, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(workspace, bytes, in(), out(), pieces, ends, ends + 1);
      });
#if CUB_VERSION >= 300500
      // Newer releases have a call that takes one length. It isn't used for segments, because a caller who has offsets
      // doesn't know a common length. (A requires-expression in place of the #if would hide the kernel from nvcc.)
      if (kind == pieces_kind::rows)
        enter_cub("cub::DeviceSegmentedReduce, one length", [=, this](void* workspace, std::size_t& bytes) {
          return cub::DeviceSegmentedReduce::Sum(workspace, bytes, in(), out(), pieces, static_cast<int>(length));
        });
#endif
    }
    if (kind == pieces_kind::segments || kind == pieces_kind::uneven_segments)
      enter_cub("cub::DeviceSegmentedReduce", [=, this](void* workspace, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(workspace, bytes, in(), out(), pieces, offsets(), offsets() + 1);
      });
    if (kind == pieces_kind::columns) {
      const auto rows = static_cast<std::int64_t>(length);
      const auto ends =
          thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), equal_offsets{rows});
      const auto elements = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                            by_columns<T>{in(), rows, pieces});
      enter_cub("cub::DeviceSegmentedReduce, by columns", [=, this](void* workspace, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(workspace, bytes, elements, out(), pieces, ends, ends + 1);
      });
    }
    if constexpr (std::is_same_v<T, float>) {
      if (blas_ != nullptr && (kind == pieces_kind::rows || kind == pieces_kind::columns)) {
        ones_ = device_bytes(length * sizeof(float));
        auto* const ones = reinterpret_cast<float*>(ones_.data());
        fill_elements<<<8 * multiprocessor_count(), fill_block>>>(ones, length, true);
        enter("cuBLAS gemv", [=, this] {
          blas_->sums_of(in(), out(), shape_.kind == pieces_kind::rows, shape_.count, shape_.length, ones);
        });
      }
    }
  }

  void enter_library_runs() {
    const std::size_t n = shape_.elements();
    enter_cub("cub::DeviceReduce::ReduceByKey", [=, this](void* workspace, std::size_t& bytes) {
      return cub::DeviceReduce::ReduceByKey(workspace, bytes, keys(), unique(), in(), out(), runs(),
                                            cuda::std::plus<>{}, static_cast<std::int64_t>(n));
    });
    spare_ = device_bytes((std::size_t{1} << 24) + 2 * n);
    enter(
        "thrust::reduce_by_key",
        [=, this] {
          room memory{reinterpret_cast<char*>(spare_.data()), spare_.size_bytes()};
          const thrust::device_ptr<Key> k(keys()), u(unique());
          const thrust::device_ptr<T> v(in()), s(out());
          thrust::reduce_by_key(thrust::cuda::par(memory), k, k + static_cast<std::ptrdiff_t>(n), v, u, s);
        },
        true);
  }

  raced_shape shape_;
  std::shared_ptr<cublas> blas_;
  device_bytes in_;
  std::size_t results_;
  device_bytes out_, expected_, spare_, offsets_, keys_, unique_, expected_keys_, runs_, workspace_, ones_;
};

}  // namespace

std::unique_ptr<arena> arena_of(const raced_shape& shape, const std::string& type, std::shared_ptr<cublas> blas,
                                bool libraries) {
  if (shape.wide_keys) {
    if (type == "int") return std::make_unique<arena_for<int, long long>>(shape, std::move(blas), libraries);
    return std::make_unique<arena_for<float, long long>>(shape, std::move(blas), libraries);
  }
  if (type == "int") return std::make_unique<arena_for<int>>(shape, std::move(blas), libraries);
  return std::make_unique<arena_for<float>>(shape, std::move(blas), libraries);
}

}  // namespace workbook
