// The reference kernels of chapters 12, 15 and 16 on small inputs.

#include <algorithm>

#include "12_one_launch/reduce.cuh"
#include "15_beyond_the_sum/largest_of_segments.cuh"
#include "16_many_gpus/all_reduce_step.cuh"
#include "check.hpp"

namespace {

using mutants::array;
using mutants::numbers;

bool last_block() {
  bool right = true;
  for (const std::size_t n : {std::size_t{5003}, std::size_t{8192}}) {
    const std::vector<int> in = numbers(n);
    int sum = 0;
    for (const int x : in) sum += x;
    const array<int> a(in), partials(std::vector<int>((n + 511) / 512));  // two vectors of 4 for each of 64 threads
    if (chapter12::solution::reduce(a.get(), partials.get(), n, 64u) != 1) return false;
    int here = 0;
    cudaMemcpy(&here, partials.get(), sizeof here, cudaMemcpyDeviceToHost);
    right = right && here == sum;
  }
  return right;
}

/// Floats are tested separately, because unlike for integers, no instruction adds those of a whole warp.
bool last_block_of_floats() {
  const int n = 6000;
  std::vector<float> in(n);
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] = static_cast<float>(i % 97 - 31);
  const array<float> a(in), partials(std::vector<float>((n + 511) / 512));
  if (chapter12::solution::reduce(a.get(), partials.get(), std::size_t{n}, 64u) != 1) return false;
  float here = 0;
  cudaMemcpy(&here, partials.get(), sizeof here, cudaMemcpyDeviceToHost);
  return here == sum;
}

bool segments() {
  const std::vector<unsigned> lengths = {3, 0, 40, 1, 1100, 17, 1200, 130, 2};
  std::vector<unsigned> offsets = {0};
  for (const unsigned length : lengths) offsets.push_back(offsets.back() + length);
  std::vector<int> in = numbers(offsets.back());
  const unsigned count = static_cast<unsigned>(lengths.size());
  // The next segment has larger elements, so a thread that reads beyond its segment changes the result.
  for (unsigned s = 0; s < count; ++s)
    for (unsigned i = offsets[s]; i < offsets[s + 1]; ++i) in[i] += static_cast<int>(s) * 10'000;
  const array<int> a(in);
  const array<unsigned> begins(offsets);
  const array<workbook::indexed<int>> out(std::vector<workbook::indexed<int>>{count});
  chapter15::solution::largest_of_segments<<<1, 64>>>(a.get(), begins.get(), out.get(), count);
  std::vector<workbook::indexed<int>> here(count);
  cudaMemcpy(here.data(), out.get(), count * sizeof here[0], cudaMemcpyDeviceToHost);
  bool right = true;
  for (unsigned s = 0; s < count; ++s) {
    if (lengths[s] == 0) continue;
    const auto found = std::max_element(in.begin() + offsets[s], in.begin() + offsets[s + 1]);
    right = right && here[s].value == *found && here[s].index == found - in.begin();
  }
  return right;
}

bool all_reduce() {
  const unsigned devices = 3, count = 100;
  std::vector<std::vector<int>> in;
  std::vector<int> sum(count);
  workbook::members<int> all{};
  all.devices = devices;
  std::vector<int*> vectors;
  for (unsigned d = 0; d < devices; ++d) {
    in.push_back(numbers(count + d));
    in[d].erase(in[d].begin(), in[d].begin() + d);
    for (unsigned i = 0; i < count; ++i) sum[i] += in[d][i];
  }
  const array<int> a(in[0]), b(in[1]), c(in[2]);
  const array<int>* const each[] = {&a, &b, &c};
  for (unsigned d = 0; d < devices; ++d) all.vector[d] = each[d]->get();
  for (unsigned step = 0; step < 2 * (devices - 1); ++step)
    for (unsigned me = 0; me < devices; ++me) chapter16::solution::all_reduce_step<<<1, 32>>>(all, me, step, count);
  return a.holds(sum) && b.holds(sum) && c.holds(sum);
}

constexpr mutants::one_case cases[] = {
    {"reduce_last_block", last_block},
    {"reduce_last_block", last_block_of_floats},
    {"largest_of_segments", segments},
    {"all_reduce_step", all_reduce},
};

}  // namespace

int main(int argc, char** argv) {
  return mutants::run(argc, argv, cases);
}
