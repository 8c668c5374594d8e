#include "16_many_gpus/ranks/rank_vector.hpp"

#include <cmath>
#include <concepts>
#include <type_traits>

#include "workbook/fill.hpp"
#include "workbook/reference.hpp"

namespace chapter16 {
namespace {

using workbook::check;

template <typename T>
bool is_sum(workbook::element_type type, T element, std::size_t i, std::uint64_t seed, unsigned ranks) {
  if constexpr (std::integral<T>) {
    std::make_unsigned_t<T> sum = 0;
    for (unsigned r = 0; r < ranks; ++r) sum += static_cast<decltype(sum)>(workbook::input_value<T>(i, seed + r));
    return static_cast<decltype(sum)>(element) == sum;
  } else {
    long double sum = 0, absolute = 0;
    for (unsigned r = 0; r < ranks; ++r) {
      const long double x = workbook::input_value<T>(i, seed + r);
      sum += x;
      absolute += std::fabs(x);
    }
    return std::fabs(static_cast<long double>(element) - sum) <= workbook::error_bound(type, ranks, absolute);
  }
}

}  // namespace

rank_vector::rank_vector(workbook::element_type type, std::size_t count, std::uint64_t seed, unsigned rank)
    : type_(type),
      count_(count),
      seed_(seed),
      elements_(count * workbook::with_type(type, [](auto* tag) { return sizeof(*tag); })) {
  if (count == 0) return;
  workbook::fill_on_device(type, elements_.data(), count, seed + rank);
  check(cudaGetLastError());
}

std::vector<std::byte> rank_vector::fetch() const {
  std::vector<std::byte> host(elements_.size_bytes());
  if (count_ != 0) check(cudaMemcpy(host.data(), elements_.data(), host.size(), cudaMemcpyDeviceToHost));
  return host;
}

void rank_vector::put(const std::vector<std::byte>& elements) {
  if (count_ != 0) check(cudaMemcpy(elements_.data(), elements.data(), elements.size(), cudaMemcpyHostToDevice));
}

bool rank_vector::is_sum_of(unsigned ranks) const {
  const std::vector<std::byte> host = fetch();
  return workbook::with_type(type_, [&](auto* tag) {
    using T = std::remove_pointer_t<decltype(tag)>;
    const T* const elements = reinterpret_cast<const T*>(host.data());
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_sum<T>(type_, elements[i], i, seed_, ranks)) return false;
    }
    return true;
  });
}

}  // namespace chapter16
