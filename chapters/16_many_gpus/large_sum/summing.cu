// Sums of parts for each element type: 64-bit integers, or bins for floating-point numbers.

#include <charconv>
#include <cstring>
#include <type_traits>

#include "16_many_gpus/large_sum/summing.hpp"
#include "reductions/reduce.cuh"
#include "reductions/reproducible_sum.cuh"

namespace chapter16 {
namespace {

using namespace workbook;

template <typename T>
struct part_of {
  using type = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
};
template <std::floating_point T>
struct part_of<T> {
  using type = binned_sum<T>;
};

template <typename T>
summing summing_as() {
  using part = typename part_of<T>::type;
  static_assert(sizeof(part) <= sizeof(sum_bytes));
  static constexpr auto read = [](const sum_bytes& from) {
    part p;
    std::memcpy(&p, from.bytes.data(), sizeof p);
    return p;
  };
  static constexpr auto write = [](sum_bytes& to, const part& p) { std::memcpy(to.bytes.data(), &p, sizeof p); };
  summing s{};
  s.element_bytes = sizeof(T);
  s.workspace_bytes = [] { return reduce_workspace_bytes<part>(); };
  s.sum = [](const void* in, sum_bytes* out, std::size_t n, void* workspace, cudaStream_t stream) {
    if constexpr (std::is_floating_point_v<T>)
      reproducible_sum(static_cast<const T*>(in), reinterpret_cast<part*>(out), n, workspace, stream);
    else
      reduce<part>(static_cast<const T*>(in), reinterpret_cast<part*>(out), n, workspace, stream);
  };
  s.zero = [] {
    sum_bytes zero;
    if constexpr (std::is_floating_point_v<T>)
      write(zero, part::zero());
    else
      write(zero, part{0});
    return zero;
  };
  s.merge = [](sum_bytes& sum, const sum_bytes& with) {
    part all = read(sum);
    if constexpr (std::is_floating_point_v<T>)
      all.merge(read(with));
    else  // unsigned, because signed numbers must not overflow
      all = static_cast<part>(static_cast<unsigned long long>(all) + static_cast<unsigned long long>(read(with)));
    write(sum, all);
  };
  using shown = std::conditional_t<std::is_floating_point_v<T>, T, part>;
  s.text = [](const sum_bytes& sum) {
    std::array<char, 32> digits{};
    return std::string(digits.data(), std::to_chars(digits.begin(), digits.end(), static_cast<shown>(read(sum))).ptr);
  };
  s.value = [](const sum_bytes& sum) { return static_cast<long double>(static_cast<shown>(read(sum))); };
  return s;
}

}  // namespace

summing summing_of(element_type type) {
  return with_type(type, [](auto* tag) { return summing_as<std::remove_pointer_t<decltype(tag)>>(); });
}

}  // namespace chapter16
