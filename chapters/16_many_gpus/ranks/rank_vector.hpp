#pragma once
/// \file
/// The vector that a rank has on its GPU, for the all-reduce.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reductions/buffer.hpp"
#include "workbook/element.hpp"

namespace chapter16 {

/// `count` inputs with the seed `seed + rank`, in the memory of the current GPU.
class rank_vector {
 public:
  /// Generates the inputs with a kernel. \throws workbook::device_error
  rank_vector(workbook::element_type type, std::size_t count, std::uint64_t seed, unsigned rank);
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Returns the elements (device), or null if there are none.
  [[nodiscard]] void* data() const { return elements_.data(); }
  /// Returns the elements as they are on the GPU. \throws workbook::device_error
  [[nodiscard]] std::vector<std::byte> fetch() const;
  /// Replaces the elements. \throws workbook::device_error
  void put(const std::vector<std::byte>& elements);
  /// Returns true if each element is the sum of the elements of `ranks` ranks. \throws workbook::device_error
  [[nodiscard]] bool is_sum_of(unsigned ranks) const;

 private:
  workbook::element_type type_;
  std::size_t count_;
  std::uint64_t seed_;
  workbook::device_bytes elements_;
};

}  // namespace chapter16
