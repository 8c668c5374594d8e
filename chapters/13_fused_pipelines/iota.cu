// Methods for the sum of 0, 1, … n - 1.

#include "13_fused_pipelines/by_hand.cuh"
#include "13_fused_pipelines/calls.hpp"
#include "13_fused_pipelines/latency.cuh"
#include "reductions/ranges.cuh"
#include "workbook/reduce_depth.cuh"

namespace chapter13 {
namespace {

using namespace workbook;

constexpr std::size_t per_block = latency_block * numbers_a_thread;

/// Launches `kernel` for a sum per block, and then adds up these sums.
template <typename T>
void run_of_blocks(const call& c, void (*kernel)(T*, std::size_t)) {
  auto* const partials = static_cast<T*>(c.partials);
  const unsigned blocks = block_count(c.n, per_block);
  kernel<<<blocks, latency_block>>>(partials, c.n);
  reduce<T>(static_cast<const T*>(partials), static_cast<T*>(c.out), blocks, c.workspace);
}
template <typename T>
struct of_blocks {
  static std::size_t depth(std::size_t n) {
    constexpr std::size_t of_a_block = 64;  // more than 8 numbers, 32 sums and a warp's tree
    return of_a_block + depth_of_reduce(reduce_input<T>(nullptr, block_count(n, per_block)));
  }
};
template <typename T>
struct tree : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_tree<T>); }
};
template <typename T>
struct early_exit : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_early_exit<T>); }
};
template <typename T>
struct shuffles : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_shuffles<T>); }
};
template <typename T>
struct four : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_four_a_step<T>); }
};
template <typename T>
struct concurrent : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_concurrent_shuffles<T>); }
};
template <typename T>
struct single_warp : of_blocks<T> {
  static void run(const call& c) { run_of_blocks<T>(c, iota_single_warp<T>); }
};

template <typename T>
struct pipeline {
  static auto input(std::size_t n) { return input_of<T, plus>(iota_view<T>{T{}, n}); }
  static void run(const call& c) {
    iota_view<T>{T{}, c.n} | action::reduce_into(plus{}, static_cast<T*>(c.out), c.workspace);
  }
  static std::size_t depth(std::size_t n) { return depth_of_reduce(input(n)) + 2; }
};
template <typename T>
struct by_hand {
  static void run(const call& c) {
    auto* const boxes = static_cast<mailbox<T>*>(c.workspace);
    const reduce_shape shape = shape_of_reduce(pipeline<T>::input(c.n));
    iota_by_hand<<<shape.grid_size, shape.block_size>>>(c.n, static_cast<T*>(c.out), boxes);
  }
  static std::size_t depth(std::size_t n) { return pipeline<T>::depth(n); }
};

}  // namespace

std::vector<way> iota_ways() {
  return {
      way_of<tree>("tree"),        way_of<early_exit>("early exit"),          way_of<shuffles>("unrolled, shuffles"),
      way_of<four>("four a step"), way_of<concurrent>("concurrent shuffles"), way_of<single_warp>("single warp"),
      way_of<by_hand>("by hand"),  way_of<pipeline>("iota | reduce")};
}

}  // namespace chapter13
