// Methods for the softmax of every row.

#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/softmax_rows.cuh"

namespace chapter13 {
namespace {

constexpr unsigned block_size = 256;  // as in the exercise

template <typename T>
struct of_rows {
  static const T* in(const call& c) { return static_cast<const T*>(c.x); }
  static probability<T>* out(const call& c) { return static_cast<probability<T>*>(c.out); }
  static std::size_t depth(std::size_t columns) { return columns; }
};

template <typename T>
struct in_three_passes : of_rows<T> {
  static void run(const call& c) {
    if (c.rows == 0) return;
    auto* const maxima = static_cast<probability<T>*>(c.workspace);
    probability<T>* const sums = maxima + c.rows;
    largest_of_each_row<<<c.rows, block_size>>>(of_rows<T>::in(c), maxima, c.columns);
    sum_of_each_row<<<c.rows, block_size>>>(of_rows<T>::in(c), maxima, sums, c.columns);
    scale_each_row<<<c.rows, block_size>>>(of_rows<T>::in(c), maxima, sums, of_rows<T>::out(c), c.columns);
  }
};
template <typename T>
struct read_three_times : of_rows<T> {
  static void run(const call& c) {
    if (c.rows != 0) softmax_read_three_times<<<c.rows, block_size>>>(of_rows<T>::in(c), of_rows<T>::out(c), c.columns);
  }
};
template <typename T>
struct read_twice : of_rows<T> {
  static void run(const call& c) {
    if (c.rows != 0) softmax_read_twice<<<c.rows, block_size>>>(of_rows<T>::in(c), of_rows<T>::out(c), c.columns);
  }
  // To combine two sums takes a product, an exponential of a difference, and an addition.
  static std::size_t depth(std::size_t columns) { return 8 * columns; }
};

}  // namespace

std::vector<way> softmax_ways() {
  return {way_of<in_three_passes>("three passes", workbook::role::previous),
          way_of<read_three_times>("one launch, 3 readings"), way_of<read_twice>("one launch, 2 readings")};
}

}  // namespace chapter13
