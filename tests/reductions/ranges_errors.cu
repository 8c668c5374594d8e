// Causes the compiler's errors for stages that do not fit. CASE selects the mistake; 0 compiles.

#include <vector>

#include "reductions/ranges.cuh"

using namespace workbook;

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct takes_text {
  __host__ __device__ int operator()(const char* text) const { return text[0]; }
};
struct returns_nothing {
  __host__ __device__ void operator()(int) const {}
};
struct captures_a_vector {
  std::vector<int> table;
  __host__ __device__ int operator()(int x) const { return x; }
};
struct no_operator {
  __host__ __device__ int operator()(int x) const { return x; }
};
struct larger {
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

void pipelines([[maybe_unused]] int* out) {
  const auto numbers = view::iota(0, 100);
#if CASE == 0
  (void)(numbers | view::filter(is_even{}) | action::reduce(plus{}));
#elif CASE == 1
  (void)(numbers | view::transform(takes_text{}));
#elif CASE == 2
  (void)(numbers | view::transform(returns_nothing{}));
#elif CASE == 3
  (void)(numbers | view::transform(captures_a_vector{}));
#elif CASE == 4
  (void)(numbers | view::filter(takes_text{}));
#elif CASE == 5
  (void)(numbers | view::filter(is_even{}) | action::to_gpu());
#elif CASE == 6
  (void)(numbers | action::reduce(no_operator{}));
#elif CASE == 7
  numbers | action::reduce_into(larger{}, out, out);
#elif CASE == 8
  (void)(std::vector<int>{1, 2, 3} | action::reduce(plus{}));
#elif CASE == 9
  (void)view::zip_transform(larger{}, numbers | view::filter(is_even{}), numbers);
#endif
}
