// The methods that sum every bag.

#include "13_fused_pipelines/bags.cuh"

#include "13_fused_pipelines/calls.hpp"
#include "reductions/buffer.hpp"
#include "reductions/launch.cuh"

namespace chapter13 {
namespace {

using namespace workbook;

/// The longest bag's elements are added one after the other, and then by a warp's tree.
struct of_bags {
  static std::size_t depth(std::size_t) { return longest_bag + 10; }
};

template <typename T>
struct threads : of_bags {
  static void run(const call& c) {
    sum_bags_by_threads<<<block_count(c.bags, c.block_size), c.block_size>>>(static_cast<const T*>(c.x), c.offsets,
                                                                             static_cast<T*>(c.out), c.bags);
  }
};
template <typename T>
struct warps : of_bags {
  static void run(const call& c) {
    sum_bags_by_warps<<<block_count(c.bags * warp_size, c.block_size), c.block_size>>>(
        static_cast<const T*>(c.x), c.offsets, static_cast<T*>(c.out), c.bags);
  }
};
template <typename T>
struct balanced : of_bags {
  static void run(const call& c) {
    check(cudaMemsetAsync(c.out, 0, c.bags * sizeof(T), nullptr));
    sum_bags_balanced<<<block_count(c.n, std::size_t{c.block_size} * steps_a_warp), c.block_size>>>(
        static_cast<const T*>(c.x), c.offsets, static_cast<T*>(c.out), c.bags, c.n);
  }
};

}  // namespace

std::vector<way> bag_ways() {
  return {way_of<threads>("a thread a bag"), way_of<warps>("a warp a bag"), way_of<balanced>("balanced")};
}

}  // namespace chapter13
