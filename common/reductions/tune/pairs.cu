// Instances of the book's reduction in one launch and of the library's, for the program that races them.

#include "reductions/tune/pairs.hpp"

#include <cstring>

#include <cub/device/device_reduce.cuh>

#include "reductions/half.cuh"
#include "reductions/reduce.cuh"

namespace workbook {
namespace {

/// Returns bits that look random. They are the same on host and device.
__host__ __device__ std::uint32_t bits_of(std::size_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(z >> 32);
}

/// Whole numbers up to this one are exact in T.
template <typename T>
inline constexpr std::size_t exact_up_to = std::is_same_v<T, __half>          ? 1u << 11
                                           : std::is_same_v<T, __nv_bfloat16> ? 1u << 8
                                                                              : 1u << 24;

/// Returns element `i` of `n`. Integers have any value; other types are -1, 0 or 1, mostly 0, so their sums are exact.
template <typename T>
__host__ __device__ T element(std::size_t i, std::size_t n) {
  const std::uint32_t bits = bits_of(i);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    constexpr std::size_t few = exact_up_to<T> * exact_up_to<T> / 64;  // n random steps lead about sqrt(n) away
    const std::uint32_t period = static_cast<std::uint32_t>(n / few) + 1;
    return bits / 3 % period == 0 ? static_cast<T>(static_cast<float>(bits % 3) - 1.0f) : static_cast<T>(0.0f);
  }
}

template <typename T>
__global__ void fill_elements(T* in, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    in[i] = element<T>(i, n);
}

template <typename T>
void fill(void* in, std::size_t n) {
  fill_elements<<<8 * multiprocessor_count(), 256>>>(static_cast<T*>(in), n);
}

/// The result type of the library's `arg max`: like workbook::indexed, but its index is separate and has 64 bits.
template <typename T>
struct found {
  T value;
  std::int64_t index;
};

/// A conversion for types that CUB's Sum does not convert. CUB's kernels can still use wide loads with it.
template <typename Acc>
struct converted {
  template <typename T>
  __host__ __device__ Acc operator()(T value) const {
    return static_cast<Acc>(value);
  }
};

struct sum {
  static constexpr const char* name = "sum";
  using op = plus;
  template <typename T>
  using input = reduce_input<T>;
  template <typename T, typename Acc>
  static auto library(void* workspace, std::size_t& bytes, const T* in, Acc* out, std::size_t n) {
    if constexpr (!std::is_integral_v<T> && sizeof(T) == 2 && !std::is_same_v<T, Acc>)
      return cub::DeviceReduce::TransformReduce(workspace, bytes, in, out, n, cuda::std::plus<>{}, converted<Acc>{},
                                                Acc{});
    else
      return cub::DeviceReduce::Sum(workspace, bytes, in, out, n);
  }
};

struct least {
  static constexpr const char* name = "minimum";
  using op = minimum;
  template <typename T>
  using input = reduce_input<T>;
  template <typename T, typename Acc>
  static auto library(void* workspace, std::size_t& bytes, const T* in, Acc* out, std::size_t n) {
    return cub::DeviceReduce::Min(workspace, bytes, in, out, n);
  }
};

struct greatest {
  static constexpr const char* name = "arg max";
  using op = arg_max;
  template <typename T>
  using input = indexed_input<T>;
  template <typename T>
  static auto library(void* workspace, std::size_t& bytes, const T* in, found<T>* out, std::size_t n) {
    return cub::DeviceReduce::ArgMax(workspace, bytes, in, &out->value, &out->index, static_cast<std::int64_t>(n));
  }
};

/// Returns element `i` in the form that is reduced: with its index, if the result has an index.
template <typename Acc, typename T>
Acc as_reduced(T value, std::size_t i) {
  if constexpr (std::is_same_v<Acc, indexed<T>>)
    return {value, static_cast<typename Acc::index_type>(i)};
  else
    return static_cast<Acc>(value);
}

/// \tparam Result  the type of the result that the library stores
template <typename Way, typename T, typename Acc, typename Result>
struct of_pair {
  using op = typename Way::op;
  using input = typename Way::template input<T>;
  static void ours(const void* in, void* out, std::size_t n, void* workspace) {
    reduce<Acc>(input(static_cast<const T*>(in), n), static_cast<Acc*>(out), workspace, nullptr, op{});
  }
  static void ours_in_way(const reduce_choice& way, const void* in, void* out, std::size_t n, void* workspace) {
    const input from(static_cast<const T*>(in), n);
    reduce_in_shape<Acc>(shape_of(way, from), from, static_cast<Acc*>(out), workspace, nullptr, op{});
  }
  static bool can_choose(const reduce_choice& way, std::size_t n) {
    return workbook::can_choose(way, input(nullptr, n));
  }
  static std::size_t library_bytes(std::size_t n) {
    std::size_t bytes = 0;
    Result nowhere{};
    (void)Way::library(nullptr, bytes, static_cast<const T*>(nullptr), &nowhere, n);
    return bytes;
  }
  static void library(const void* in, void* out, std::size_t n, void* workspace, std::size_t bytes) {
    (void)Way::library(workspace, bytes, static_cast<const T*>(in), static_cast<Result*>(out), n);
  }
  static bool is_right(const void* result, std::size_t n) {
    Acc expected = op::template identity<Acc>();
    for (std::size_t i = 0; i < n; ++i) expected = op{}(expected, as_reduced<Acc>(element<T>(i, n), i));
    return std::memcmp(&expected, result, sizeof expected) == 0;
  }
};

template <typename Way, typename T, typename Acc, typename Result = Acc>
type_pair pair(const char* element_name, const char* result_name) {
  using p = of_pair<Way, T, Acc, Result>;
  return {Way::name,  element_name, result_name,    sizeof(T),     sizeof(Result),   reduce_workspace_bytes<Acc>(),
          fill<T>,    p::ours,      p::ours_in_way, p::can_choose, p::library_bytes, p::library,
          p::is_right};
}

}  // namespace

std::vector<type_pair> type_pairs() {
  using wide = unsigned long long;
  return {pair<sum, signed char, signed char>("char", "char"),
          pair<sum, signed char, int>("char", "int"),
          pair<sum, unsigned char, unsigned>("unsigned char", "unsigned"),
          pair<sum, unsigned char, wide>("unsigned char", "unsigned long long"),
          pair<sum, short, short>("short", "short"),
          pair<sum, short, int>("short", "int"),
          pair<sum, __half, __half>("half", "half"),
          pair<sum, __half, float>("half", "float"),
          pair<sum, __nv_bfloat16, __nv_bfloat16>("bfloat16", "bfloat16"),
          pair<sum, __nv_bfloat16, float>("bfloat16", "float"),
          pair<sum, int, int>("int", "int"),
          pair<sum, int, long long>("int", "long long"),
          pair<sum, float, float>("float", "float"),
          pair<sum, float, double>("float", "double"),
          pair<sum, double, double>("double", "double"),
          pair<sum, long long, long long>("long long", "long long"),
          pair<least, signed char, signed char>("char", "char"),
          pair<least, short, short>("short", "short"),
          pair<least, float, float>("float", "float"),
          pair<least, double, double>("double", "double"),
          pair<greatest, int, indexed<int>, found<int>>("int", "value and index"),
          pair<greatest, float, indexed<float>, found<float>>("float", "value and index")};
}

}  // namespace workbook
